#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC calls this with a YAML file: gapi 1.0, files_root, vlnv, parameters. The core is left in the folder of the
call, with the name it was asked for."""
import os
import pathlib
import re
import subprocess
import sys

import yaml

KNOWN = {"config", "program", "vectors", "seed"}


def fail(text):
    sys.exit(f"kumiki_fusesoc: {text}")


def main(request_file):
    with open(request_file, encoding="utf-8") as file:
        request = yaml.safe_load(file)
    parameters = request.get("parameters") or {}
    unknown = sorted(set(parameters) - KNOWN)
    if unknown:
        fail(f"unknown parameters: {', '.join(unknown)}; legal are {', '.join(sorted(KNOWN))}")
    if "config" not in parameters:
        fail("the parameter config names no configuration file")
    config = pathlib.Path(request["files_root"]) / parameters["config"]
    command = [str(parameters.get("program", "kumiki")), "gen", os.path.abspath(config), "-o", "."]
    for option in ("vectors", "seed"):
        if option in parameters:
            command += [f"--{option}", str(parameters[option])]
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}")
    if status != 0:
        sys.exit(status)
    cores = list(pathlib.Path(".").glob("*.core"))
    if len(cores) != 1:
        fail(f"{len(cores)} cores where one was to be made")
    text = cores[0].read_text(encoding="utf-8")
    text, changed = re.subn(r'^name: .*$', lambda _: f'name: "{request["vlnv"]}"', text, count=1, flags=re.M)
    if changed != 1:
        fail(f"{cores[0]} has no name")
    cores[0].write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("usage: kumiki_fusesoc.py REQUEST.yml")
    main(sys.argv[1])

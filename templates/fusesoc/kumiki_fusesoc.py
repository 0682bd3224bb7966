#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC calls this with a YAML file: gapi 1.0, files_root, vlnv, parameters. The core is left in the folder of the
call, with the name it was asked for."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Parameters that are options of `kumiki gen`, and what they may be.
OPTIONS = {"vectors": int, "seed": int, "axi_stream": bool}
KNOWN = {"config", "program"} | set(OPTIONS)


def fail(text):
    sys.exit(f"kumiki_fusesoc: {text}")


def read(request_file):
    try:
        import yaml
    except ImportError:
        fail("Python has no module yaml: install the package PyYAML (Debian: python3-yaml)")
    with open(request_file, encoding="utf-8") as file:
        return yaml.safe_load(file)


def check(parameters):
    unknown = sorted(set(parameters) - KNOWN)
    if unknown:
        fail(f"unknown parameters: {', '.join(unknown)}; use {', '.join(sorted(KNOWN))}")
    if not isinstance(parameters.get("config"), (str, dict)):
        fail("the parameter config names no configuration file, nor is it a configuration")
    for name, kind in OPTIONS.items():
        # True is an integer to Python.
        if name in parameters and type(parameters[name]) is not kind:
            legal = "true or false" if kind is bool else "a whole number"
            fail(f"parameter {name}: {json.dumps(parameters[name])} is not {legal}")


def default_program():
    """The one of the installation that this file is part of, or else the one in PATH."""
    here = pathlib.Path(__file__).resolve()
    installed = here.parents[3] / "bin" / "kumiki" if len(here.parents) > 3 else None
    return str(installed) if installed and installed.exists() else "kumiki"


def options(parameters):
    words = []
    for name, kind in OPTIONS.items():
        option = "--" + name.replace("_", "-")
        if name in parameters and (kind is not bool or parameters[name]):
            words += [option] if kind is bool else [option, str(parameters[name])]
    return words


def generate(program, config, folder, words):
    """`folder`: where the names of files in the configuration begin."""
    command = [program, "gen", config, "-o", os.getcwd(), *words]
    try:
        return subprocess.run(command, check=False, cwd=folder).returncode
    except OSError as error:
        fail(f"cannot start {program}: {error.strerror}")


def main(request_file):
    request = read(request_file)
    parameters = request.get("parameters") or {}
    check(parameters)
    files_root = os.path.abspath(request["files_root"])
    program = str(parameters.get("program") or default_program())
    if os.path.dirname(program):
        program = os.path.abspath(program)
    config = parameters["config"]
    if isinstance(config, str):
        status = generate(program, config, files_root, options(parameters))
    else:
        # Beside links to what is beside the core, so that the files it names are found.
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(files_root):
                os.symlink(os.path.join(files_root, name), os.path.join(folder, name))
            file = "config_of_core.json"
            written = pathlib.Path(folder, file)
            written.unlink(missing_ok=True)
            written.write_text(json.dumps({"kumiki": 1, **config}, indent=2) + "\n", encoding="utf-8")
            status = generate(program, file, folder, options(parameters))
    if status != 0:
        sys.exit(status)
    name_core(request["vlnv"])


def name_core(vlnv):
    cores = list(pathlib.Path(".").glob("*.core"))
    if len(cores) != 1:
        fail(f"{len(cores)} cores where one was to be made")
    text = cores[0].read_text(encoding="utf-8")
    text, changed = re.subn(r'^name: .*$', lambda _: f'name: "{vlnv}"', text, count=1, flags=re.M)
    if changed != 1:
        fail(f"{cores[0]} has no name")
    cores[0].write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("usage: kumiki_fusesoc.py REQUEST.yml")
    main(sys.argv[1])

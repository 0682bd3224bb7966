# SPDX-License-Identifier: Apache-2.0
"""A folder in which somebody works with FuseSoC."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import traceback
from typing import Any, TypeVar

import fusesoc.main

ROOT = pathlib.Path(os.environ["KUMIKI_ROOT"]).resolve()
PREFIX = pathlib.Path(os.environ["KUMIKI_PREFIX"])
KUMIKI = PREFIX / "bin" / "kumiki"
GENERATOR = PREFIX / "share" / "kumiki" / "fusesoc"

T = TypeVar("T")


def this_time(all_of_them: list[T], count: int) -> list[T]:
    """So many of them, others with another seed; all of them in the long form."""
    if os.environ.get("KUMIKI_LONG"):
        return all_of_them
    step = max(1, len(all_of_them) // count)
    return all_of_them[int(os.environ.get("KUMIKI_SEED", "1")) % step :: step][:count]


# What Verilator compiles takes its time: one case of all files, another one with another seed.
ON_VERILATOR = this_time(["two_clocks", "wrong", "page", "streams", "too_early", "series7"], 1)


class Soc:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *words: object) -> tuple[int, str]:
        """Exit code and what was said on both streams."""
        done = subprocess.run([str(w) for w in words], cwd=self.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def fusesoc(self, *words: object) -> tuple[int, str]:
        """As the program does it, in a copy of this process: Python and FuseSoC start once."""
        output = self.folder / "fusesoc.output"
        child = os.fork()
        if child == 0:
            with open(output, "wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            os._exit(self._main([str(w) for w in words]))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status, output.read_text()

    def _main(self, words: list[str]) -> int:
        code: object = 1
        try:
            os.chdir(self.folder)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            sys.argv = ["fusesoc", *words]
            code = fusesoc.main.main()
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        return 0 if code is None else int(code) if isinstance(code, int) else 1

    def library(self, name: str, place: str | pathlib.Path) -> None:
        """What `fusesoc library add` writes, in a hundredth of its time."""
        with open(self.folder / "fusesoc.conf", "a") as conf:
            place = self.folder / place
            conf.write(f"[library.{name}]\nlocation = {place}\nsync-uri = {place}\nsync-type = local\n")

    def generate(self, configuration: dict[str, Any], *options: str, out: str = "out") -> None:
        self.write(f"{out}.json", json.dumps({"kumiki": 1, **configuration}))
        status, said = self.run(KUMIKI, "gen", f"{out}.json", "-o", out, *options)
        assert status == 0, said

    def corrupt(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert old in text, f"{file} has no {old}"
        path.write_text(text.replace(old, new, 1))

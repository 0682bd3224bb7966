# SPDX-License-Identifier: Apache-2.0
"""A folder in which somebody works with FuseSoC."""

from __future__ import annotations

import os
import pathlib
import sys
import traceback

import fusesoc.main  # type: ignore[import-untyped]

from handed_over import Folder, this_time

PREFIX = pathlib.Path(os.environ["KUMIKI_PREFIX"])
GENERATOR = PREFIX / "share" / "kumiki" / "fusesoc"

# What Verilator compiles takes its time.
ON_VERILATOR = this_time(["two_clocks", "wrong", "page", "streams", "too_early", "series7"], 1)


class Soc(Folder):
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

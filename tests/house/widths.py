#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds widths of a DSP slice that gen/ has as numbers; their names are in ir/arch.h.

usage: widths.py ROOT

Refused: one of the numbers below in the code of gen/, unless widths.txt names the file and the line; a row of widths.txt that
no line needs.
"""
import pathlib
import re
import sys
from fnmatch import fnmatch

WIDTHS = {17, 18, 25, 26, 27, 30, 48}
TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:[eE][+-]|'?[\w.])*)|'(?:\\.|[^'\\])'""", re.X | re.S)


def widths(text):
    """The line number of every width."""
    for token in TOKEN.finditer(text):
        number = (token["number"] or "").replace("'", "").rstrip("uUlLzZ")
        if number.isdecimal() and int(number) in WIDTHS:
            yield number, text.count("\n", 0, token.start()) + 1


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    rows = [line.split(" | ") for line in (root / "tests/house/widths.txt").read_text().splitlines() if line[0] != "#"]
    problems, needed, files = [], set(), 0
    for path in sorted(p for p in (root / "gen").rglob("*") if p.suffix in (".cpp", ".h", ".def")):
        files += 1
        name, text = str(path.relative_to(root)), path.read_text()
        for number, line in widths(text):
            code = text.splitlines()[line - 1]
            allowed = {i for i, (file, piece, _) in enumerate(rows) if fnmatch(name, file) and re.search(piece, code)}
            needed |= allowed
            if not allowed:
                problems.append(f"{name}:{line}: {number} is a width of a slice; use its name in ir/arch.h, or add the "
                                "line to tests/house/widths.txt with a reason if it is something else")
    problems += [f"widths.txt: no line needs the row of {file}, {piece}; remove it"
                 for i, (file, piece, _) in enumerate(rows) if i not in needed]
    print("\n".join(problems + [f"{files} files, {len(rows)} exceptions, {len(problems)} problems"]))
    return 1 if problems or files == 0 else 0


sys.exit(main())

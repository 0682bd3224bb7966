#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums by room which lines and branches of our sources have run (preset coverage).

usage: rooms.py ROOT BUILD

Reads every .gcda file below BUILD by gcov. A line that several objects have (templates, inline functions) has run when it
ran in any of them; a branch likewise. Branches to where an exception goes are left out. Exit code 1 when nothing has run.
"""
import collections
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "house"))
from includes import Rooms, read_table


def counted(build):
    """What gcov says of each object file that has run."""
    for data in sorted(build.rglob("*.gcda")):
        out = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", data], cwd=build, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in out.stdout.splitlines():
            yield json.loads(line)


def sums(root, build):
    """{path: {line: has run}}, {path: {(line, branch): was taken}}; paths of our sources from the root."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    for unit in counted(build):
        for file in unit["files"]:
            # Compiled as gen/... whatever the folder (-ffile-prefix-map), which gcc puts behind the folder it ran in.
            path = file["file"].removeprefix(f"{build}/").removeprefix(f"{root}/")
            if path.split("/")[0] not in ("ir", "gen", "backends") or not (root / path).is_file():
                continue
            for line in file["lines"]:
                number = line["line_number"]
                lines[path][number] = lines[path].get(number, False) or line["count"] > 0
                taken = [b for b in line["branches"] if not b["throw"]]
                for i, branch in enumerate(taken):
                    key = number, i
                    branches[path][key] = branches[path].get(key, False) or branch["count"] > 0
    return lines, branches


def share(flags):
    return f"{sum(flags):>7,} of {len(flags):>7,} {100 * sum(flags) / len(flags):>6.1f} %" if flags else f"{'-':>26}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    table, _ = read_table(root / "tests/house/arrows.txt")
    rooms = Rooms(table)
    lines, branches = sums(root, build)
    by_room = collections.defaultdict(lambda: ([], []))
    for path in lines:
        room, _ = rooms.of(path)
        by_room[room][0].extend(lines[path].values())
        by_room[room][1].extend(branches[path].values())
    if not any(any(flags) for flags, _ in by_room.values()):
        sys.exit(f"{build}: nothing has run: build the preset coverage and run tests first")
    print(f"{'room':<24} {'lines':>26}   {'branches':>26}")
    for room in sorted(by_room):
        print(f"{room:<24} {share(by_room[room][0])}   {share(by_room[room][1])}")
    every = [sum((by_room[room][i] for room in by_room), []) for i in (0, 1)]
    print(f"{'all':<24} {share(every[0])}   {share(every[1])}")


main()

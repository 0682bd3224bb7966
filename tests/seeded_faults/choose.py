#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses places for seeded faults and prints faults.txt: conditions that are inverted or hold at their edge where they
did not, numbers that are off by one.

usage: choose.py ROOT COUNT SEED [FOLDER...] > faults.txt

Every folder of generators, netlist and backends (or every FOLDER) gets its share; the command line, whose faults are
seen at once, none.
"""
import pathlib
import random
import re
import sys

LEFT_OUT = ("gen/cli/", "backends/emit/diagram/", "backends/emit/report/")


def condition(line):
    """The condition of an if or while that stands whole on its line, or None."""
    head = re.match(r"^\s*(?:\} else )?(?:if|while) \(", line)
    if not head:
        return None
    depth, start = 1, head.end()
    for at in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            text = line[start:at]
            return None if " = " in text or ";" in text or text == "true" else text
    return None


def at_the_edge(text):
    """A comparison with the other answer where both sides are equal, or None if TEXT holds none or several."""
    signs = re.findall(r" (<=?|>=?) ", text)
    if len(signs) != 1:
        return None
    sign = signs[0]
    return text.replace(f" {sign} ", f" {sign[0] if sign.endswith('=') else sign + '='} ")


def candidates(lines):
    for number, line in enumerate(lines):
        before = "\n".join(lines[max(0, number - 15):number + 1])
        if "constexpr" in before or "consteval" in before or "throw" in line or lines.count(line) > 1:
            continue
        text = condition(line)
        if text and "dynamic_cast" not in text:
            yield line.strip(), f"({text})", "invert"
            if at_the_edge(text):
                yield line.strip(), f"({text})", "edge"
        elif not line.strip().startswith(("//", "#", "case", "static_assert")) and '"' not in line:
            found = re.search(r"[\w\])] [+-] 1(?=[;,)\]])", line)
            if found:
                yield line.strip(), found.group(0), "off by one"


def main():
    root, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    only = [folder.rstrip("/") for folder in sys.argv[4:]]
    draw = random.Random(seed)
    folders = {}
    for file in sorted(p for top in ("gen", "ir", "backends") for p in (root / top).rglob("*.cpp")):
        name = file.relative_to(root).as_posix()
        folder = str(pathlib.PurePath(name).parent)
        if name.startswith(LEFT_OUT) or (only and folder not in only):
            continue
        found = [(name, *place) for place in candidates(file.read_text().splitlines())]
        folders.setdefault(folder, []).extend(found)
    for places in folders.values():
        draw.shuffle(places)
    chosen = []
    while len(chosen) < count and any(folders.values()):
        for folder in sorted(folders):
            if folders[folder] and len(chosen) < count:
                chosen.append(folders[folder].pop())
    print("# file | kind | part | line")
    for file, line, part, kind in sorted(chosen):
        print(f"{file} | {kind} | {part} | {line}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the includes of the tree against the table of allowed arrows (arrows.txt).

usage: layering.py ROOT

Refused: an include that the table does not allow, one out of the tree ("../x.h"), a file without a room, a room without
files, an arrow that nothing uses, rooms that include each other in a circle; a heavy header of others outside of the rooms
that may name it, or parsed by more sources than its line says.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
from includes import Rooms, includes, is_ours, read_table


def sources_that_parse(header, all_includes):
    """The .cpp files that see a header, through whatever they include."""
    readers = {}
    for path, _, included in all_includes:
        readers.setdefault(included, set()).add(path)
    seen, todo = set(), [header]
    while todo:
        fresh = readers.get(todo.pop(), set()) - seen
        seen |= fresh
        todo += fresh
    return sorted(path for path in seen if path.endswith(".cpp"))


def heavy(rooms, headers, all_includes):
    """What is wrong with the includes of heavy headers, and a line a header."""
    problems, lines = [], []
    for header, (most, allowed) in headers.items():
        named = set()
        for path, number, included in all_includes:
            if included == header:
                room, _ = rooms.of(path)
                named.add(room)
                if room not in allowed:
                    problems.append(f"{path}:{number}: includes <{header}>: only {', '.join(allowed)} may")
        problems += [f"arrows.txt: {room} may include <{header}>, and never does" for room in allowed if room not in named]
        sources = sources_that_parse(header, all_includes)
        lines.append(f"<{header}> is parsed by {len(sources)} sources, at most {most} may")
        if len(sources) > most:
            problems.append(f"<{header}> is parsed by {len(sources)} sources: " + " ".join(sources))
    return problems, lines


def circle(arrows):
    """Rooms that reach themselves, in the order of the way; None when there is none."""
    state = {}

    def walk(room, way):
        state[room] = "open"
        for to in sorted(arrows.get(room, ())):
            if state.get(to) == "open":
                return way[way.index(to):] + [to]
            if to not in state and (found := walk(to, way + [to])):
                return found
        state[room] = "done"
        return None

    for room in sorted(arrows):
        if room not in state and (found := walk(room, [room])):
            return found
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    table, headers = read_table(root / "tests/house/arrows.txt")
    rooms, all_includes = Rooms(table), list(includes(root))
    problems, lines = heavy(rooms, headers, all_includes)
    arrows, used, seen, count = {}, set(), set(), 0
    for path, number, included in all_includes:
        if not is_ours(included):
            continue
        count += 1
        room, line = rooms.of(path)
        to_room, _ = rooms.of(included)
        if room is None:
            problems.append(f"{path}: lies in no room of arrows.txt")
            continue
        seen.add(line)
        if to_room == room:
            continue
        allowed = rooms.allows(line, to_room)
        if allowed is None:
            may = ", ".join(rooms.table[line]) or "nothing"
            problems.append(f'{path}:{number}: includes "{included}", but {line} may include: {may}')
            continue
        used.add((line, allowed))
        arrows.setdefault(room, set()).add(to_room)
    for room, allowed in rooms.table.items():
        if room not in seen and any(allowed):
            problems.append(f"arrows.txt: {room} has no file that includes one of ours")
        problems += [f"arrows.txt: {room} may include {to}, and never does" for to in allowed
                     if room in seen and (room, to) not in used]
    if way := circle(arrows):
        problems.append("a circle: " + " -> ".join(way))
    print("\n".join(problems + lines + [f"{count} includes, {len(arrows)} rooms, {len(problems)} problems"]))
    return 1 if problems or count == 0 else 0


sys.exit(main())

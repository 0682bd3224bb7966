# SPDX-License-Identifier: Apache-2.0
"""Reads the includes of the tree and the table of rooms (arrows.txt): for layering.py and rooms.py."""
import fnmatch
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
FILES = "+"  # in a table: [(pattern, room)] of files that belong to a room elsewhere
TREE = ("ir", "gen", "backends", "templates", "tests", "examples")


def read_table(file):
    """{room: [allowed]}; a room may end in /*: each of its folders is a room of its own. {header: (most, [rooms])}

    "room + pattern pattern" without allowed ones: files of other folders that belong to the room."""
    table, headers = {}, {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if header := re.fullmatch(r"<(.+)>, (\d+) sources: (.+)", line):
            headers[header[1]] = int(header[2]), header[3].split()
            continue
        if " + " in line:
            room, _, patterns = line.partition(" + ")
            table.setdefault(FILES, []).extend((pattern, room) for pattern in patterns.split())
            continue
        room, colon, allowed = line.partition(":")
        if not colon or room in table:
            sys.exit(f"{file}:{number}: not 'room: rooms', or a second line of {room}")
        table[room] = allowed.split()
    return table, headers


class Rooms:
    def __init__(self, table):
        self.files = table.pop(FILES, [])
        self.table = table

    def of(self, path):
        """The innermost room of a path and the line that speaks for it; None without one."""
        for pattern, room in self.files:
            if fnmatch.fnmatch(path, pattern):
                return room, room
        parts = path.split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            room = "/".join(parts[:depth])
            if room in self.table:
                return room, room
            parent = "/".join(parts[: depth - 1] + ["*"])
            if parent in self.table:
                return room, parent
        return None, None

    def allows(self, line, room):
        """The word of a line that allows to include a room; None without one."""
        names = (room, room.rpartition("/")[0] + "/*") if room else ()
        return next((name for name in self.table[line] if name in names), None)


def includes(root):
    for folder in ("ir", "backends", "gen"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for number, text in enumerate(path.read_text().splitlines(), 1):
                    if match := INCLUDE.match(text):
                        yield path.relative_to(root).as_posix(), number, match[1]


def is_ours(included):
    return included.startswith("..") or included.split("/")[0] in TREE


def arrows_of(rooms, all_includes):
    """{room: the other rooms that its files include}; rooms without arrows are in it."""
    arrows = {}
    for path, _, included in all_includes:
        if is_ours(included):
            room, to = rooms.of(path)[0], rooms.of(included)[0]
            arrows.setdefault(room, set())
            if to is not None:
                arrows.setdefault(to, set())
                arrows[room] |= {to} - {room}
    return arrows

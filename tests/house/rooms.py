#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the rooms of the tree and who includes whom: docs/pictures/rooms.svg.

usage: rooms.py ROOT           prints the picture
       rooms.py ROOT --check   fails when docs/pictures/rooms.svg is another one

Rooms are those of arrows.txt, arrows those of the includes. A room stands above every room that it includes, as low as
that lets it. An arrow that follows from others is left out; rooms with the same arrows share a box.
"""
import functools
import pathlib
import sys
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True  # the tree stays as it is
from includes import Rooms, arrows_of, includes, read_table

MARGIN, GAP, TRUNK = 8, 12, 14  # the edge of the picture, between boxes, room of a line that passes a row
FOLDER, NAME, LINE = 13, 16, 19  # sizes of letters, and from name to name
RISE = 46  # from row to row

STYLE = """\
text{fill:#1f2328;text-anchor:middle}.folder{fill:#57606a}rect{stroke:#57606a}.paper{fill:#ffffff;stroke:none}
.ir{fill:#f6e3b4}.templates{fill:#e4e4e4}.backends{fill:#cfe3f1}.gen{fill:#d8eccf}
.arrow{fill:none;stroke:#57606a;stroke-width:1.3}.head{fill:#57606a}
@media (prefers-color-scheme:dark){text{fill:#e4e8ec}.folder{fill:#b3bcc6}rect{stroke:#8b949e}.paper{fill:#14171b}
.ir{fill:#5a4713}.templates{fill:#3a4048}.backends{fill:#1d445f}.gen{fill:#2b4d24}
.arrow{stroke:#8b949e}.head{fill:#8b949e}}"""


class Item:
    """A box of rooms, or the place where a line to `target` passes a row."""

    def __init__(self, rooms, row, target=None):
        self.rooms, self.row, self.target = rooms, row, target
        self.above, self.below = [], []
        self.x = self.y = 0
        folders, names = {room.rpartition("/")[0] for room in rooms}, [room.rpartition("/")[2] for room in rooms]
        self.folder, self.names = min(folders, default=""), names
        self.height = LINE * len(names) + (17 if self.folder else 5) + 4 if rooms else 0
        letters = max([len(name) * NAME for name in names] + [(len(self.folder) + 1) * FOLDER], default=0)
        self.width = round(letters * 0.56) + 16 if rooms else TRUNK

    def key(self):
        return self.rooms or ["~" + self.target.rooms[0]]


def levels(arrows):
    @functools.cache
    def level(room):
        return 1 + max((level(to) for to in arrows[room]), default=-1)

    return {room: level(room) for room in sorted(arrows)}


def reduced(arrows):
    """Without the arrows that a longer way says as well."""

    @functools.cache
    def reach(room):
        return frozenset(arrows[room]).union(*(reach(to) for to in arrows[room]))

    return {room: {to for to in tos if not any(to in reach(other) for other in tos)} for room, tos in arrows.items()}


def items_of(arrows):
    """Rows of items from the highest down; a line that passes rows has an item in each, shared with all to its target."""
    level, direct = levels(arrows), reduced(arrows)
    back = {room: {other for other in direct if room in direct[other]} for room in direct}
    groups = {}
    for room in sorted(direct):
        alike = (level[room], room.rpartition("/")[0], tuple(sorted(direct[room])), tuple(sorted(back[room])))
        groups.setdefault(alike if direct[room] and back[room] else room, []).append(room)
    top = max(level.values())
    rows = [[] for _ in range(top + 1)]
    box = {}
    for rooms in groups.values():
        item = Item(rooms, top - level[rooms[0]])
        rows[item.row].append(item)
        box |= {room: item for room in rooms}
    passing = {}

    def join(upper, lower):
        if lower not in upper.below:
            upper.below.append(lower)
            lower.above.append(upper)

    for rooms in groups.values():
        for to in sorted(direct[rooms[0]]):
            upper, target = box[rooms[0]], box[to]
            for row in range(upper.row + 1, target.row):
                if (target, row) not in passing:
                    passing[target, row] = Item([], row, target)
                    rows[row].append(passing[target, row])
                join(upper, passing[target, row])
                upper = passing[target, row]
            join(upper, target)
    return rows


def crossings(upper, lower):
    place = {item: i for i, item in enumerate(lower)}
    lines = [(i, place[to]) for i, item in enumerate(upper) for to in item.below]
    return sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(lines) for c, d in lines[:k])


def all_crossings(rows):
    return sum(crossings(upper, lower) for upper, lower in zip(rows, rows[1:]))


def ordered(rows):
    """Rows sorted towards the middle of their neighbours, to and fro; then neighbours exchanged where lines cross less."""
    rows = [sorted(row, key=Item.key) for row in rows]
    best = [list(row) for row in rows]
    for turn in range(24):
        down = turn % 2 == 0
        for row in rows if down else rows[::-1]:
            place = {item: i / len(other) for other in rows for i, item in enumerate(other)}

            def middle(item):
                near = item.above if down else item.below
                return sum(place[n] for n in near) / len(near) if near else place[item]

            row.sort(key=lambda item: (middle(item), item.key()))
        improved = True
        while improved:
            improved = False
            for row in rows:
                for i in range(len(row) - 1):
                    before = all_crossings(rows)
                    row[i], row[i + 1] = row[i + 1], row[i]
                    if all_crossings(rows) < before:
                        improved = True
                    else:
                        row[i], row[i + 1] = row[i + 1], row[i]
        if all_crossings(rows) < all_crossings(best):
            best = [list(row) for row in rows]
    return best


def settled(row, wanted, width):
    """Places next to those wanted, in order and without overlap, within the picture."""
    offset, total = [], 0
    for item in row:
        offset.append(total + item.width / 2)
        total += item.width + GAP
    room = width - 2 * MARGIN - (total - GAP)
    blocks = []  # [sum, count]: items side by side that are moved together
    for i, item in enumerate(row):
        blocks.append([wanted[item] - offset[i] - MARGIN, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1]]
    shifts = [min(max(block[0] / block[1], 0), room) for block in blocks for _ in range(block[1])]
    return {item: MARGIN + offset[i] + shifts[i] for i, item in enumerate(row)}


def place(rows):
    """Width and height of the picture: the widest row fills it."""
    width = max(sum(item.width + GAP for item in row) for row in rows) - GAP + 2 * MARGIN
    for row in rows:
        for item, x in settled(row, {item: width / 2 for item in row}, width).items():
            item.x = x
    for turn in range(40):
        for row in rows if turn % 2 else rows[::-1]:
            wanted = {}
            for item in row:
                near = item.above + item.below
                weight = [4 if not n.rooms and not item.rooms else 1 for n in near]
                wanted[item] = sum(w * n.x for w, n in zip(weight, near)) / sum(weight) if near else item.x
            for item, x in settled(row, wanted, width).items():
                item.x = x
    y = MARGIN
    for row in rows:
        height = max(item.height for item in row)
        for item in row:
            item.height = item.height or height
            item.y = y + (height - item.height) / 2
        y += height + RISE
    return width, y - RISE + MARGIN


def ports(item, near):
    """Where lines leave an edge of a box: side by side, in the order of where they go."""
    step = min(16, 0.7 * item.width / max(len(near), 1))
    order = sorted(near, key=lambda n: n.x)
    return {n: item.x + (i - (len(order) - 1) / 2) * step if item.rooms else item.x for i, n in enumerate(order)}


def draw(rows):
    width, height = place(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 {width} {height:.0f}" '
           'font-family="sans-serif" style="color-scheme:light dark">', f"<style>{STYLE}</style>",
           "<title>The rooms of the tree: an arrow says who includes whom</title>",
           f'<rect width="{width}" height="{height:.0f}" class="paper"/>']
    for row in rows:
        for item in row:
            leaves = ports(item, item.below)
            if not item.rooms:
                out.append(f'<path d="M{item.x:.1f} {item.y:.1f}v{item.height:.1f}" class="arrow"/>')
            for to in item.below:
                x, y = leaves[to], item.y + item.height
                end, tip = ports(to, to.above)[item], to.y
                half = (tip - y) / 2
                stop = tip - 6 if to.rooms else tip
                out.append(f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {y + half:.1f} {end:.1f} {tip - half:.1f} {end:.1f} {stop:.1f}" '
                           'class="arrow"/>')
                if to.rooms:
                    out.append(f'<path d="M{end - 4:.1f} {tip - 8:.1f}h8l-4 8z" class="head"/>')
    for row in rows:
        for item in row:
            if not item.rooms:
                continue
            out.append(f'<rect x="{item.x - item.width / 2:.1f}" y="{item.y:.1f}" width="{item.width}" '
                       f'height="{item.height}" rx="4" class="{item.rooms[0].partition("/")[0]}"/>')
            y = item.y + 3
            if item.folder:
                out.append(f'<text x="{item.x:.1f}" y="{y + 12:.1f}" font-size="{FOLDER}" class="folder">'
                           f"{escape(item.folder)}/</text>")
                y += 13
            for name in item.names:
                out.append(f'<text x="{item.x:.1f}" y="{y + 15:.1f}" font-size="{NAME}">{escape(name)}</text>')
                y += LINE
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    table, _ = read_table(root / "tests/house/arrows.txt")
    arrows = arrows_of(Rooms(table), includes(root))
    if not arrows or None in arrows:
        sys.exit("no includes, or a file without a room: layering.py says which")
    try:
        picture = draw(ordered(items_of(arrows)))
    except RecursionError:
        sys.exit("rooms include each other in a circle: layering.py says which")
    if len(sys.argv) == 2:
        sys.stdout.write(picture)
        return 0
    file = root / "docs/pictures/rooms.svg"
    if file.is_file() and file.read_text() == picture:
        print(f"{len(arrows)} rooms, drawn as they are")
        return 0
    print("docs/pictures/rooms.svg is not what the includes say: python3 tests/house/rooms.py . > docs/pictures/rooms.svg")
    return 1


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of every page leads somewhere, and README.md stays short.

usage: links.py ROOT              the tree
       links.py ROOT --installed  share/doc/kumiki of an installation

Looked at: relative links and pictures in all .md files (not in code), whether the file or folder is there, and whether an
anchor is a heading of its page. An installation has no sources, tests, templates and packages there, and calls LICENSE `copyright`:
links to these are let be there, everything else has to be installed.
"""
import os
import pathlib
import re
import sys

MOST_WORDS = 1500  # of README.md, as wc -w counts
ONLY_IN_TREE = re.compile(r"LICENSE|(ir|tests|third_party|templates|primitives)(/.*)?|(gen|backends)/.*\.(h|cpp|txt)")

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\]\([^)]*\)|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
PICTURE = re.compile(r"!\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s.*)?$")
FENCE = re.compile(r"^ {0,3}(```|~~~)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def pages(root):
    """In order. What is built is not looked into: other tests make and remove folders there meanwhile."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("build", "out")]
        found += [pathlib.Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def prose(text):
    """The text with its lines where they were, without what stands in fences."""
    lines, fence = [], ""
    for line in text.splitlines():
        match = FENCE.match(line)
        if match and fence in ("", match[1]):
            fence = "" if fence else match[1]
            line = ""
        lines.append("" if fence else line)
    return lines


def links(lines):
    """(number of the line, where it leads)"""
    text = SPAN.sub(lambda span: re.sub(r"[^\n]", "`", span[0]), "\n".join(lines))
    found = set()
    for pattern in (LINK, PICTURE):
        for match in pattern.finditer(text):
            found.add((text.count("\n", 0, match.start()) + 1, match[1]))
    for number, line in enumerate(text.splitlines(), 1):
        if match := DEFINITION.match(line):
            found.add((number, match[1]))
    return sorted(found)


def anchors(lines):
    """The names of the headings, as GitHub makes them."""
    names, count = set(), {}
    for line in lines:
        if not (match := HEADING.match(line)):
            continue
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", match[1])
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count[name] = count.get(name, -1) + 1
        names.add(f"{name}-{count[name]}" if count[name] else name)
    return names


def exists(path):
    """In this spelling: some file systems take any."""
    return path.exists() and (path.name in ("", "..") or path.name in (entry.name for entry in path.parent.iterdir()))


def problem(root, page, target, installed):
    """What is wrong with a link; None when it leads somewhere."""
    if re.match(r"[a-zA-Z][a-zA-Z+.-]*:", target):
        return None
    if target.startswith("/"):
        return "is no relative link"
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if path != root and root not in path.parents:
        return "leads out of the tree"
    if not exists(path):
        if installed and ONLY_IN_TREE.fullmatch(path.relative_to(root).as_posix()):
            return None
        return "is not installed" if installed else "leads nowhere"
    if anchor and (path.suffix != ".md" or anchor not in anchors(prose(path.read_text()))):
        return "has no heading of this name"
    return None


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--installed"]):
        sys.exit(__doc__)
    root, installed = pathlib.Path(sys.argv[1]).resolve(), len(sys.argv) == 3
    problems, count, number_of_pages = [], 0, 0
    for page in pages(root):
        number_of_pages += 1
        for number, target in links(prose(page.read_text())):
            count += 1
            if what := problem(root, page, target, installed):
                problems.append(f"{page.relative_to(root).as_posix()}:{number}: {target} {what}")
    readme = root / "README.md"
    words = len(readme.read_text().split()) if readme.is_file() else 0
    if not readme.is_file():
        problems.append("README.md is missing")
    if words > MOST_WORDS:
        problems.append(f"README.md has {words} words, at most {MOST_WORDS} may it have: the rest belongs into docs/")
    print("\n".join(problems + [f"{number_of_pages} pages, {count} links, {len(problems)} problems; README.md: {words} words"]))
    return 1 if problems or count == 0 else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/walkthrough.md and compares what they print with what the page shows.

usage: walkthrough.py PROGRAM ROOT WORK VENV

A line of a block that begins with "$ " is a command, the lines below it are what it prints, on both streams. "…" stands for
any text, in a line of its own for any lines. Every command has to end with 0. A block of Python, YAML and the like is in a
file of examples/walkthrough, to the character; the picture is the one that was drawn. Blocks behind a remark `with torch` run where KUMIKI_TORCH_PYTHON names a
Python that has it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

# How fast this machine is, and how far it has come.
PROGRESS = re.compile(r"[\d.]+ (images a second|seconds an image)|kumiki: (running|waiting|compiling) .*\(\d+ s so far\)")
MAKES_VENV = "python3 -m venv out/venv"  # which was made before, from the list that the next command installs
WITH_TORCH = "<!-- with torch -->"


class Block:
    def __init__(self, number, language, torch):
        self.number, self.language, self.torch, self.lines = number, language, torch, []

    def commands(self):
        """Number of a line, command, what it prints."""
        found = []
        for number, line in enumerate(self.lines, self.number + 1):
            if line.startswith("$ "):
                found.append((number, line[2:], []))
            elif found:
                found[-1][2].append(line)
            else:
                sys.exit(f"docs/walkthrough.md:{number}: a block begins with a command: \"$ ...\"")
        return found


def blocks(page):
    inside, found, torch = None, [], False
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.startswith("```"):
            if inside is None:
                inside = Block(number, line[3:].strip(), torch)
                found.append(inside)
            else:
                inside = None
            torch = False
        elif inside is not None:
            inside.lines.append(line)
        elif line.strip():
            torch = line.strip() == WITH_TORCH
    return found


def pattern(shown):
    lines = ["(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\n" for line in shown]
    return re.compile("".join(lines))


def run(command, folder, environment):
    done = subprocess.run(["bash", "-uo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.splitlines() if not PROGRESS.fullmatch(line)]
    return done.returncode, "".join(line + "\n" for line in lines)


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("\n\n")[1])
    program, root, work, venv = (pathlib.Path(word).absolute() for word in sys.argv[1:])
    root = root.resolve()
    shutil.rmtree(work, ignore_errors=True)
    bin_folder = work / "bin"
    bin_folder.mkdir(parents=True)
    (work / "out").mkdir()
    (work / "examples").symlink_to(root / "examples")
    (work / "out/venv").symlink_to(venv)
    (bin_folder / "kumiki").symlink_to(program)
    torch = os.environ.get("KUMIKI_TORCH_PYTHON")
    if torch:
        executable(bin_folder / "python", f'#!/bin/sh\nexec "{torch}" "$@"\n')
    environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
                                "OPENBLAS_NUM_THREADS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    sources = [file.read_text() for file in sorted((root / "examples/walkthrough").iterdir()) if file.is_file()]

    ran = left = wrong = quoted = 0
    for block in blocks(root / "docs/walkthrough.md"):
        if block.language not in ("", "sh", "console"):
            quoted += 1
            if not any("\n".join(block.lines) + "\n" in source for source in sources):
                print(f"docs/walkthrough.md:{block.number}: is in no file of examples/walkthrough")
                wrong += 1
            continue
        for number, command, shown in block.commands():
            if block.torch and not torch:
                print(f"NOT TESTED, as KUMIKI_TORCH_PYTHON names no Python with torch: {command}")
                left += 1
                continue
            if command == MAKES_VENV:
                continue
            status, printed = run(command, work, environment)
            ran += 1
            if status != 0 or not pattern(shown).fullmatch(printed):
                wrong += 1
                print(f"docs/walkthrough.md:{number}: {command}\nends with {status} and prints\n{printed}"
                      "where the page has\n" + "\n".join(shown))
    if (work / "out/walk/int8.svg").read_bytes() != (root / "docs/pictures/walkthrough.svg").read_bytes():
        print("docs/pictures/walkthrough.svg is not what kumiki show draws")
        wrong += 1
    print(f"{ran} commands ran, {left} were left out, {quoted} pieces of code compared; {wrong} are not as the page says")
    return 1 if wrong or ran < 12 or quoted < 2 else 0


sys.exit(main())

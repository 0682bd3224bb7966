#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of `kumiki-bench zoo --json` with outcomes.txt.

usage: outcomes.py ROWS.json OUTCOMES.txt

A line of OUTCOMES.txt has a network and, form by form, its outcome: equal in every value, or refused. A network that newly
goes in is an error as well: change its line.
"""
import json
import sys


def expected(path):
    lines = [line.split() for line in open(path) if line.strip() and line[0] != "#"]
    forms = lines[0][1:]
    return {(name, form): outcome for name, *outcomes in lines[1:] for form, outcome in zip(forms, outcomes, strict=True)}


def main():
    rows, wanted, stale = json.load(open(sys.argv[1])), expected(sys.argv[2]), 0
    for row in rows:
        outcome, there = row["outcome"], wanted.get((row["network"], row["form"]), "no line for it")
        if outcome != there:
            stale += 1
            print(f"{row['network']}.{row['form']} is {outcome}; {sys.argv[2]} has {there}")
            print(row.get("reason") or f"{row['differing']} of {row['values']} values differ")
    equal = sum(row["outcome"] == "equal" for row in rows)
    print(f"{len(rows)} models: {equal} are equal in every value; {stale} are not as expected")
    sys.exit(bool(stale))


main()

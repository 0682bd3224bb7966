#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the examples cost on the chip, by revision: a generator that became worse is seen.

usage: quality.py measure PROGRAM                 the figures of this build
       quality.py check PROGRAM                   against the last recorded ones: exit code 1 when one is worse, or
                                                  better, than the tolerance; figures that got better are recorded, too
       quality.py record PROGRAM REVISION         adds them to history.json
       quality.py compare [REVISION [REVISION]]   two of history.json (default: the last two)

Every configuration of examples/ is generated in a folder of its own, with an empty cache: trees are searched for, not
remembered. Figures are counts, the same on every machine. Without KUMIKI_LONG `check` leaves out what takes long.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"
HISTORY = HERE / "history.json"
TOLERANCE = 0.01  # of each figure
SLOW = {"proofs.json", "compressor.json"}
# Of two figures the smaller one is better.
FIGURES = ("dsps", "luts", "lut_memory", "ffs", "carry_bits", "muxf", "bram18", "levels", "latency", "clocks", "lines")


def figures_of(program, example, folder):
    out = folder / example.stem
    said = subprocess.run([program, "gen", example, "-o", out, "--json", "--cache", folder / "cache"],
                          check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout
    report = json.loads(said)
    total = report["resources"]["total"]
    figures = {name: total[name] for name in ("dsps", "luts", "lut_memory", "ffs", "carry_bits", "muxf", "bram18")}
    figures["levels"] = report["depth"]["levels"]
    plans = [layer["plan"] for layer in report["layers"]]
    figures["latency"] = sum(p["latency"] for p in plans if isinstance(p.get("latency"), int))
    figures["clocks"] = sum(p.get("cycles_a_frame", 0) + p.get("interval", 0) +
                            sum(l["predicted_clocks"] for l in p.get("network", [])) for p in plans)
    files = (out / f"{report['name']}.f").read_text().split()
    figures["lines"] = sum(len((out / name).read_text().splitlines()) for name in files)
    return figures


def measure(program, leave_out=()):
    all_figures = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        for example in sorted(EXAMPLES.glob("*.json")):
            if example.name not in leave_out and "layers" in json.loads(example.read_text()):
                all_figures[example.name] = figures_of(program, example, pathlib.Path(folder))
    return all_figures


def history():
    return json.loads(HISTORY.read_text())["revisions"]


def write(revisions):
    """A line an example: what changed is read in a diff."""
    lines = []
    for one in revisions:
        rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(figures)}" for name, figures in one["figures"].items())
        lines.append(f'  {{"revision": {json.dumps(one["revision"])}, "figures": {{\n{rows}}}}}')
    HISTORY.write_text('{"revisions": [\n' + ",\n".join(lines) + "\n]}\n")


def differences(before, after):
    """(example, figure, before, after) of all that differ; an example that only one has counts as none."""
    for example in sorted(before.keys() | after.keys()):
        for name in FIGURES:
            a, b = before.get(example, {}).get(name), after.get(example, {}).get(name)
            if a != b:
                yield example, name, a, b


def share(a, b):
    return (b - a) / a if a else float("inf")


def show(rows):
    for example, name, a, b in rows:
        change = "new" if a is None else "gone" if b is None else f"{share(a, b):+.1%}"
        print(f"{example:24} {name:12} {a if a is not None else '-':>10} {b if b is not None else '-':>10}  {change}")


def check(program):
    before = history()[-1]
    left_out = set() if os.environ.get("KUMIKI_LONG") else SLOW
    known = {example: figures for example, figures in before["figures"].items() if example not in left_out}
    rows = [row for row in differences(known, measure(program, left_out))
            if row[2] is None or row[3] is None or abs(share(row[2], row[3])) > TOLERANCE]
    show(rows)
    print(f"{len(known)} examples, {len(rows)} figures more than {TOLERANCE:.0%} from those of {before['revision']}"
          + ("; quality.py record writes them down where that is meant" if rows else ""))
    return 1 if rows or not known else 0


def compare(names):
    revisions = {one["revision"]: one["figures"] for one in history()}
    names = names or list(revisions)[-2:]
    if unknown := [name for name in names if name not in revisions]:
        sys.exit(f"history.json has no {', '.join(unknown)}: {', '.join(revisions)} are there")
    before, after = (revisions[name] for name in (names if len(names) == 2 else [names[0], list(revisions)[-1]]))
    rows = list(differences(before, after))
    show(rows)
    print(f"{len(after)} examples, {len(rows)} figures differ")
    return 0


def main():
    command, *rest = sys.argv[1:] or [""]
    if command == "measure" and len(rest) == 1:
        print(json.dumps(measure(rest[0]), indent=1))
    elif command == "check" and len(rest) == 1:
        return check(rest[0])
    elif command == "record" and len(rest) == 2:
        revisions = [one for one in (history() if HISTORY.exists() else []) if one["revision"] != rest[1]]
        write(revisions + [{"revision": rest[1], "figures": measure(rest[0])}])
    elif command == "compare" and len(rest) <= 2:
        return compare(rest)
    else:
        sys.exit(__doc__)
    return 0


sys.exit(main())

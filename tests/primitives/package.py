#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The models as a package: installed alone into an empty folder, its commands run there as its README has them, and its
figures are what they print.

usage: package.py CMAKE BUILD ROOT WORK
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

JUDGED_BY_RECORDINGS = ["DSP48E1", "DSP48E2", "RAMB18E1", "RAMB36E1", "URAM288"]

problems = []


def expect(right, what):
    if not right:
        problems.append(what)


def run(*arguments, cwd, status=0):
    done = subprocess.run([str(a) for a in arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def example(package, expected, skipped=()):
    """The commands of the README's first block: 0 and PASS, or what is said of a wrong model."""
    block = re.search(r"```\ncd example\n(.*?)```", (package / "README.md").read_text(), re.DOTALL).group(1)
    commands = block.strip().splitlines()
    tools = [c.split()[0] for c in commands]
    expect(tools == ["iverilog", "verilator", "yosys"], f"commands of the README: {tools}")
    for tool, command in zip(tools, commands):
        if tool in skipped:
            continue
        shutil.rmtree(package / "example" / "obj_dir", ignore_errors=True)
        done = subprocess.run(["bash", "-c", command], cwd=package / "example", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if tool == "yosys":
            right = (done.returncode == 0) == expected
        else:
            right = done.returncode == 0 and (("PASS\n" in done.stdout), ("FAIL" in done.stdout)) == (expected, not expected)
        expect(right, f"{tool}, expected {'PASS' if expected else 'FAIL'}: {done.returncode}\n{done.stdout[-3000:]}")


def change(file, old, new):
    text = file.read_text()
    expect(text.count(old) == 1, f"{file.name}: {old} stands there {text.count(old)} times")
    file.write_text(text.replace(old, new))


def main(cmake, build, root, work):
    root, work = pathlib.Path(root), pathlib.Path(work)
    seed, long = int(os.environ.get("KUMIKI_SEED", 1)), bool(os.environ.get("KUMIKI_LONG"))
    print(f"KUMIKI_SEED={seed}")
    shutil.rmtree(work, ignore_errors=True)
    run(cmake, "--install", build, "--component", "primitives", "--prefix", work / "prefix", cwd=root)
    expect([p.name for p in (work / "prefix").iterdir()] == ["share"], "only share is installed")
    expect([p.name for p in (work / "prefix/share").iterdir()] == ["kumiki-primitives"], "only kumiki-primitives is installed")
    # Moved: nothing in it knows where it was.
    package = work / "elsewhere"
    shutil.move(work / "prefix/share/kumiki-primitives", package)
    models = sorted(p.stem for p in (package / "verilog").iterdir())
    expect(models == sorted(p.stem for p in (root / "templates/primitives").glob("*.v")), f"models: {models}")
    for file in package.rglob("*"):
        expect(not file.is_file() or str(root).encode() not in file.read_bytes(), f"{file.name} names the source folder")

    core = yaml.safe_load((package / "kumiki-primitives.core").read_text().split("\n", 1)[1])
    files = [f for s in core["filesets"].values() for f in s["files"]]
    expect(all((package / f).is_file() for f in files), f"files of the core: {files}")
    expect(core["filesets"]["models"]["files"] == [f"verilog/{m}.v" for m in models], "models of the core")
    expect(all(s in core["filesets"] for t in core["targets"].values() for s in t["filesets"]), "filesets of the targets")

    example(package, True)
    said = run(sys.executable, "replay.py", cwd=package)
    replayed = re.findall(r"(\w+), icarus: (\d+) parameter sets, (\d+) cycles, (\d+) known digits, 0 outputs differ", said)
    expect([name for name, *_ in replayed] == JUDGED_BY_RECORDINGS, said)
    for how, every in (("yosys", 5 if long else 30), ("verilator", 15 if long else 180)):
        run(sys.executable, "replay.py", "--with", how, "--every", every, "--first", seed, cwd=package)

    readme = " ".join((package / "README.md").read_text().split())
    mutants = [line for line in (root / "tests/primitives/mutants.txt").read_text().splitlines() if line and line[0] != "#"]
    recorded = [line for line in mutants if line.split()[0] in JUDGED_BY_RECORDINGS]
    figures = [f"{len(models) - len(replayed)} models are proved equal", f"refuses {len(mutants) - len(recorded)} models",
               f"refuse {len(recorded)} models", f"Models: {', '.join(models)}."]
    for _, sets, cycles, digits in replayed:
        figures += [f"{sets} parameter sets of {int(cycles) // int(sets)} cycles", f"{int(digits):,} known digits"]
    for figure in figures:
        expect(figure in readme, f"README.md does not say: {figure}")
    proved = re.search(r"readonly all=\((.*?)\)", (root / "tests/primitives/prove.sh").read_text()).group(1).split()
    expect(sorted(proved + JUDGED_BY_RECORDINGS) == models, "not every other model is proved")
    recorded = set(re.findall(r'"(IS_\w+_INVERTED)": "?(?!0\b|0x0\b)', "".join(
        p.open().readline() for p in (package / "vectors").glob("dsp48e?/*.csv"))))
    expect(not any(name == "IS_CLK_INVERTED" or name.startswith("IS_RST") for name in recorded),
           f"inversions that are recorded: {sorted(recorded)}")

    # A wrong model is seen by the example, a wrong slice by the recordings, a short package by everybody.
    change(package / "verilog/CARRY8.v", "wire c1 = S[0] ? CI : DI[0];", "wire c1 = S[0] ? DI[0] : CI;")
    change(package / "verilog/CARRY8.v", "assign O = {high[3:0], low[3:0]};", "assign O = {low[3:0], high[3:0]};")
    example(package, False, skipped=[] if long else ["verilator"])
    change(package / "verilog/DSP48E2.v", "ALUMODE ^ IS_ALUMODE_INVERTED", "ALUMODE ^ ~IS_ALUMODE_INVERTED")
    said = run(sys.executable, "replay.py", "--every", 20, cwd=package, status=1)
    expect(re.search(r"cycle \d+: P is \d+, recorded is \w+", said), said)
    print("\n".join(problems) or f"{len(models)} models, {len(replayed)} of them replayed: as the README says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

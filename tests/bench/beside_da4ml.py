#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The matrices of `kumiki-bench matrix` by da4ml, LUTs counted by Yosys: a table with both.

  beside_da4ml.py PROGRAM WORK [--row TEXT] [--latency N] [--seed N]

da4ml (beside_da4ml.txt) is installed from PyPI into a virtual environment in WORK. Its Verilog goes through synth_xilinx with
and without -nowidelut, the smaller one counts: LUTs and shift registers, no inverters. Ours goes through the same commands.
Exit code 1 where ours has more than 0.9 of its LUTs, with --latency more than all of them, or needs more adders one behind
the other.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys


def into_venv(work, script):
    here = pathlib.Path(script).resolve()
    python = work / "venv" / "bin" / "python"
    wanted = here.with_name("beside_da4ml.txt")
    kept = work / "venv" / "requirements.txt"
    if not kept.exists() or kept.read_text() != wanted.read_text():
        subprocess.run([sys.executable, "-m", "venv", "--clear", work / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", wanted], check=True)
        kept.write_text(wanted.read_text())
    sys.exit(subprocess.run([python, here, *sys.argv[1:], "--inside"]).returncode)


def luts(sources, top, folder):
    least = None
    for wide in ("-nowidelut", ""):
        out = folder / "stat.json"
        reads = " ".join(str(s.resolve()) for s in sources)
        subprocess.run(["yosys", "-q", "-p",
                        f"read_verilog -sv {reads}; synth_xilinx -family xcup -flatten -nodsp -noiopad {wide} "
                        f"-top {top}; tee -q -o {out.resolve()} stat -json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cells = json.loads(out.read_text())["design"]["num_cells_by_type"]
        count = sum(n for kind, n in cells.items() if kind.startswith(("LUT", "SRL")))
        least = count if least is None else min(least, count)
    return least


def theirs(matrix, bits, folder):
    import numpy as np
    from da4ml.cmvm import solve
    from da4ml.codegen import VerilogModel

    half = 2.0 ** (bits - 1)
    # It reads the rows as they lie in memory.
    kernel = np.ascontiguousarray(matrix.T, dtype=np.float32)
    solution = solve(kernel, qintervals=[(-half, half - 1, 1.0)] * matrix.shape[1])
    if not np.array_equal(np.asarray(solution.kernel), matrix.T):
        raise SystemExit("da4ml has another matrix")
    VerilogModel(solution, "top", folder).write()
    fit_adder(folder)
    sources = [f for f in sorted(folder.glob("src/**/*.v")) if not re.search("wrapper|lookup", f.name)]
    stages = solution.solutions
    return {"luts": luts(sources, "top", folder),
            "adders": sum(op.opcode in (0, 1) for s in stages for op in s.ops),
            "depth": int(max(max(s.latency) for s in stages))}


def fit_adder(folder):
    """Some words are declared a bit wider than its adder is: Yosys would leave that bit undefined and simplify by it."""
    adder = folder / "src/static/shift_adder.v"
    text, count = re.subn(r"localparam BW_ADD =(.*?);",
                          r"localparam BW_NARROW =\1;\n  localparam BW_ADD = BW_NARROW > BW_OUT ? BW_NARROW : BW_OUT;",
                          adder.read_text())
    if count != 1:
        raise SystemExit("shift_adder.v is not that of the version in beside_da4ml.txt")
    adder.write_text(text)


def ours(row, options, folder):
    config = {"kumiki": 1, "name": "net", "layers": [
        {"type": "const_matrix", "inputs": row["inputs"], "outputs": row["outputs"], "bits": row["bits"],
         "weights_from": "random", "weight_bits": row["weight_bits"], "seed": options.seed,
         **({} if options.latency is None else {"latency": options.latency})}]}
    file = folder / "net.json"
    file.write_text(json.dumps(config))
    subprocess.run([options.program, "gen", file, "-o", folder / "net", "--force"], check=True, stdout=subprocess.DEVNULL)
    return luts(sorted((folder / "net").glob("*.v")), "net", folder)


def begun(script, add=lambda parser: None):
    """The options of a script, which goes on in the environment that has da4ml."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--row", default="", help="rows whose name has this in it")
    add(parser)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if not options.inside:
        into_venv(options.work, script)
    return options


def main():
    options = begun(__file__, lambda parser: (
        parser.add_argument("--latency", type=int, help="clocks at most; 0: combinational"),
        parser.add_argument("--seed", type=int, default=1, help="of the weights")))
    import numpy as np

    weights = options.work / "weights"
    rows = json.loads(subprocess.run(
        [f"{options.program}-bench", "matrix", "--json", "--row", options.row, "--weights", weights, "--force",
         "--weights-seed", str(options.seed), *(() if options.latency is None else ("--latency", str(options.latency)))],
        check=True, stdout=subprocess.PIPE).stdout)
    print(f"{'matrix':12} {'bits':>5} {'LUTs':>6} {'by Yosys':>8} {'da4ml':>6} {'ratio':>6} {'clocks':>6} {'da4ml adders':>12}"
          f" {'exact':>5}", flush=True)
    missed = False
    for row in rows:
        name = f"{row['inputs']}x{row['outputs']}_w{row['weight_bits']}_x{row['bits']}"
        folder = options.work / name
        folder.mkdir(exist_ok=True)
        matrix = np.loadtxt(weights / f"{name}.csv", delimiter=",", dtype=int, ndmin=2)
        other = theirs(matrix, row["bits"], folder / "da4ml")
        again = ours(row, options, folder)
        most = max(row["luts"] + row["lutmem"], again)
        allowed = 0.9 if options.latency is None else 1
        missed |= most > allowed * other["luts"] or row["latency"] > other["depth"] or not row["exact"]
        print(f"{row['matrix']:12} {row['bits']:5} {row['luts']:6} {again:8} {other['luts']:6} {most / other['luts']:6.3f}"
              f" {row['latency']:6} {other['depth']:12} {str(row['exact']):>5}", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()

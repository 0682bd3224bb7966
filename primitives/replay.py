#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays recorded answers of the vendor's simulation models on the Verilog models beside this file.

usage: replay.py [--with icarus|verilator|yosys] [--every N] [--first I] [--work FOLDER] [PRIMITIVE | --model FILE]

Every known digit below vectors/ is compared, or only those of one primitive. Icarus runs all of
them in seconds. Verilator compiles a module for each parameter set; Yosys compares its own simulation of the elaborated
model with what Icarus has shown: take every N-th of them (--every), beginning with the I-th. Yosys does without the memories.
Exit 0: all equal, 1: some differ.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NOT_IN_YOSYS = {"RAMB18E1", "RAMB36E1", "URAM288"}  # for Yosys, the words of a large memory are unknown at first


def run(arguments, work):
    done = subprocess.run([str(a) for a in arguments], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"replay.py: {arguments[0]} failed ({done.returncode})\n{done.stdout[-4000:]}")
    return done.stdout


class Model:
    """The ports and parameters of the Verilog model, as its head declares them."""

    def __init__(self, file):
        self.file = pathlib.Path(file).resolve()
        self.library = ["-y", self.file.parent]  # a DSP48E1 holds a DSP48E2
        head = self.file.read_text().split(");", 1)[0]
        self.name = re.search(r"^module (\w+)", head, re.MULTILINE).group(1)
        self.inputs, self.outputs, self.widths = [], [], {}
        for direction, msb, name in re.findall(r"^\s*(input|output) (?:\[(\d+):0\] )?(\w+)", head, re.MULTILINE):
            (self.inputs if direction == "input" else self.outputs).append(name)
            self.widths[name] = int(msb or 0) + 1
        self.parameters = {name: int(msb) + 1 if msb else 0
                           for msb, name in re.findall(r"parameter (?:integer |\[(\d+):0\] )?(\w+) =", head)}

    def value(self, name, value):
        """A parameter as Verilog has it."""
        width = self.parameters[name]
        if width:
            return f"{width}'h{int(str(value), 0):x}"
        return str(value) if isinstance(value, int) else f'"{value}"'


class Trace:
    def __init__(self, file, model):
        lines = file.read_text().split("\n")
        self.name = file.stem
        self.parameters = {k: model.value(k, v) for k, v in json.loads(lines[0].lstrip("# ")).items()}
        pins = lines[1].split(",")
        rows = [line.split(",") for line in lines[2:] if line]
        self.pins = [p for p in pins if p in model.inputs]
        # A clock that has a column rises where the column has 1. Others rise in every cycle.
        self.clocks = [p for p in model.inputs if p.startswith("CLK")]
        self.stimulus = ["".join(self.bits(dict(zip(pins, row))[p], model.widths[p]) for p in self.pins) for row in rows]
        self.expected = [{p: v for p, v in zip(pins, row) if p in model.outputs} for row in rows]

    @staticmethod
    def bits(digits, width):
        return f"{int(digits, 16):0{width}b}"

    def bench(self, model, dumps):
        """A module that prints every output after every edge."""
        width = sum(model.widths[p] for p in self.pins)
        wires = "".join(f"  wire [{model.widths[p] - 1}:0] {p};\n" for p in self.pins + model.outputs)
        wires += "".join(f"  reg clock_{p} = 1'b0;\n" for p in self.clocks)
        ports = ", ".join([f".{p}(clock_{p})" for p in self.clocks] +
                          [f".{p}({p})" for p in self.pins + model.outputs if p not in self.clocks])
        clocks = ", ".join(f"clock_{p}" for p in self.clocks)
        rises = ", ".join(p if p in self.pins else "1'b1" for p in self.clocks)
        parameters = ", ".join(f".{k}({v})" for k, v in self.parameters.items())
        dump = f'    $dumpfile("{self.name}.fst");\n    $dumpvars(0, {self.name}.u);\n' if dumps else ""
        return (f"module {self.name};\n{wires}  reg [{width - 1}:0] now, all[0:{len(self.stimulus) - 1}];\n"
                f"  integer n;\n  assign {{{', '.join(self.pins)}}} = now;\n  {model.name} #({parameters}) u ({ports});\n"
                f"  initial begin\n{dump}    $readmemb(\"{self.name}.bin\", all);\n"
                f"    for (n = 0; n < {len(self.stimulus)}; n = n + 1) begin\n      now = all[n];\n      #1 {{{clocks}}} = {{{rises}}};\n"
                f"      #1 $display(\"{self.name} %0d{' %b' * len(model.outputs)}\", n, {', '.join(model.outputs)});\n"
                f"      {{{clocks}}} = 0;\n      #1;\n    end\n  end\nendmodule\n")

    def compare(self, cycle, got):
        """How many digits were known, and the outputs that differ from one of them."""
        known, wrong = 0, []
        for pin, digits in self.expected[cycle].items():
            step = 1 if digits.startswith("%") else 4
            text = got[pin].zfill(-(-len(got[pin]) // step) * step)
            digits = digits.lstrip("%").rjust(len(text) // step, "0")
            for i, digit in enumerate(digits):
                if digit in "xX":
                    continue
                known += 1
                if text[step * i:step * (i + 1)] != f"{int(digit, 16):0{step}b}":
                    wrong.append(f"{self.name} cycle {cycle}: {pin} is {got[pin]}, recorded is {digits}")
                    break
        return known, wrong


def simulate(how, traces, model, work):
    """The lines that the benches print."""
    for t in traces:
        (work / f"{t.name}.bin").write_text("\n".join(t.stimulus) + "\n")
    (work / "bench.v").write_text("".join(t.bench(model, how == "yosys") for t in traces))
    if how == "verilator":
        (work / "top.v").write_text("module top;\n" + "".join(f"  {t.name} r_{t.name} ();\n" for t in traces) +
                                    "  initial #1000 $finish;\nendmodule\n")
        run(["verilator", "--binary", "-Wno-fatal", "-Wno-lint", "--top-module", "top", *model.library, "top.v", "bench.v", model.file], work)
        return run(["obj_dir/Vtop"], work)
    said = ""
    # With a dump each runs alone: a simulation has one.
    for together in [[t] for t in traces] if how == "yosys" else [traces]:
        tops = [word for t in together for word in ("-s", t.name)]
        run(["iverilog", "-g2001", "-o", "bench.vvp", *tops, *model.library, "bench.v", model.file], work)
        said += run(["vvp", "-n", "bench.vvp"] + (["-fst"] if how == "yosys" else []), work)
    return said


def in_yosys(trace, model, work):
    """The elaborated model in Yosys' own simulation, held to what is in the dump."""
    parameters = " ".join(f"-set {k} {v}" for k, v in trace.parameters.items())
    (work / f"{trace.name}.ys").write_text(
        f"read_verilog {model.file}\nchparam {parameters} {model.name}\nhierarchy -top {model.name} -libdir {model.file.parent}\nproc\nflatten\nopt -purge\n"
        f"sim -clock CLK -r {trace.name}.fst -scope {trace.name}.u -sim-cmp\n")
    return run(["yosys", "-q", f"{trace.name}.ys"], work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--with", dest="how", choices=["icarus", "verilator", "yosys"], default="icarus")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--work")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("primitive", nargs="?")
    which.add_argument("--model")
    given = parser.parse_args()
    names = [given.primitive] if given.primitive else sorted(f.name.upper() for f in (HERE / "vectors").iterdir())
    if given.how == "yosys" and not given.model:
        names = [name for name in names if name not in NOT_IN_YOSYS]
    models = [given.model] if given.model else [HERE / "verilog" / f"{name}.v" for name in names]
    return max(replayed(given, Model(file)) for file in models)


def replayed(given, model):
    files = sorted((HERE / "vectors" / model.name.lower()).glob("*.csv"))
    every = min(given.every, max(len(files), 1))
    traces = [Trace(f, model) for f in files[given.first % every::every]]
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(given.work or temporary)
        work.mkdir(parents=True, exist_ok=True)
        said = simulate(given.how, traces, model, work)
        by_name, seen, known, wrong = {t.name: t for t in traces}, 0, 0, []
        for line in said.splitlines():
            words = line.split()
            if len(words) != 2 + len(model.outputs) or words[0] not in by_name:
                continue
            more, differ = by_name[words[0]].compare(int(words[1]), dict(zip(model.outputs, words[2:])))
            seen, known, wrong = seen + 1, known + more, wrong + differ
        if given.how == "yosys":
            for t in traces:
                in_yosys(t, model, work)
    cycles = sum(len(t.stimulus) for t in traces)
    if not traces or seen != cycles:
        sys.exit(f"replay.py: {seen} of {cycles} cycles were answered")
    for line in wrong[:20]:
        print(line)
    print(f"{model.name}, {given.how}: {len(traces)} parameter sets, {cycles} cycles, {known} known digits, {len(wrong)} outputs differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Initial contents of block RAM: every bit of INIT_xx and INITP_xx is read back where UG473 has it.

usage: contents.py MODELS_DIR WORK_DIR     exit: 0 all right, 1 a word differs
The recordings set a few of these parameters only.
"""
import pathlib
import random
import subprocess
import sys

WIDTH, DATA = 18, 16


def bench(name, inits, address_bits, half):
    """A module that prints every word, and the words that UG473 expects."""
    draw = random.Random(473)
    data = [draw.getrandbits(256) for _ in range(inits)]
    parity = [draw.getrandbits(256) for _ in range(inits // 8)]
    parameters = [f".INIT_{i:02X}(256'h{v:x})" for i, v in enumerate(data)]
    parameters += [f".INITP_{i:02X}(256'h{v:x})" for i, v in enumerate(parity)]
    parameters += [f".READ_WIDTH_A({WIDTH})", f".INIT_A({WIDTH}'h1)"]
    words = inits * 256 // DATA
    expected = []
    for word in range(words):
        bit, byte = DATA * word, DATA // 8 * word
        expected.append((data[bit // 256] >> bit % 256 & 0xffff, parity[byte // 256] >> byte % 256 & 3))
    text = (f"module bench;\n  reg clk = 1'b0;\n  reg [{address_bits - 1}:0] at;\n  wire [{half - 1}:0] data;\n"
            f"  wire [{half // 8 - 1}:0] parity;\n  {name} #({', '.join(parameters)}) u (.CLKARDCLK(clk), .ENARDEN(1'b1),\n"
            "      .ADDRARDADDR(at), .RSTRAMARSTRAM(1'b0), .RSTREGARSTREG(1'b0), .REGCEAREGCE(1'b0), .WEA({{0}}), .ENBWREN(1'b0),\n"
            "      .CLKBWRCLK(1'b0), .DOADO(data), .DOPADOP(parity));\n  integer n;\n  initial\n"
            f"    for (n = 0; n < {words}; n = n + 1) begin\n      at = n << 4;\n      #1 clk = 1'b1;\n"
            "      #1 $display(\"%0d %0d\", data[15:0], parity[1:0]);\n      clk = 1'b0;\n      #1;\n    end\nendmodule\n")
    return text.replace("{{0}}", f"{half // 8}'d0"), expected


def main(models, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, inits, address_bits, half in (("RAMB18E1", 64, 14, 16), ("RAMB36E1", 128, 16, 32)):
        text, expected = bench(name, inits, address_bits, half)
        (work / f"{name}.v").write_text(text)
        subprocess.run(["iverilog", "-g2001", "-s", "bench", "-y", models, "-o", work / name, work / f"{name}.v"], check=True)
        said = subprocess.run(["vvp", "-n", work / name], check=True, stdout=subprocess.PIPE, text=True).stdout
        got = [tuple(int(word) for word in line.split()) for line in said.splitlines()]
        differ = sum(a != b for a, b in zip(got, expected)) + abs(len(got) - len(expected))
        print(f"{name}: {len(expected)} words, {differ} differ")
        wrong += differ
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

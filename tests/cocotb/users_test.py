# SPDX-License-Identifier: Apache-2.0
"""What a user does with a written testbench."""

from __future__ import annotations

import os
import sys

import pytest

from bench import Written
from handed_over import Configuration

DOT: Configuration = {"name": "one", "layers": [{"type": "dot", "name": "d", "scheme": "wp487-int8", "terms": 2}]}

# 3 * 5 + -4 * 7 and 2 * 5 + 100 * 7, by hand, through the streams.
STREAM_TEST = '''
import cocotb
from kumiki_bench import Bench, Dut
from kumiki_streams import Streams, Word
from one_layers import CLOCKS, D, LAYERS


@cocotb.test()
async def products(dut: Dut) -> None:
    bench = Bench(dut, LAYERS, CLOCKS)
    streams = Streams(bench, D)
    await streams.reset()
    streams.pause(0.5, "seed")
    word = D.pack("d_s_axis_in_tdata", x=[3, -4, 2, 100], y=[5, 7])
    await streams.send("d_s_axis_in", [Word(word)] * 20)
    for _ in range(20):
        seen = await streams.receive("d_m_axis_out")
        assert D.unpack("d_m_axis_out_tdata", seen.data)["sum"] == [-13, SUM]


@cocotb.test()
async def nothing_is_sent(dut: Dut) -> None:
    bench = Bench(dut, LAYERS, CLOCKS)
    streams = Streams(bench, D)
    await streams.reset()
    try:
        await streams.receive("d_m_axis_out", cycles=50)
    except cocotb.triggers.SimTimeoutError:
        return
    raise AssertionError("a word out of nothing")


@cocotb.test()
async def numbers_are_checked(dut: Dut) -> None:
    for x in ([1, 2, 3], [1, 2, 3, 128], [1, 2, 3, -129]):
        try:
            D.pack("d_s_axis_in_tdata", x=x, y=[0, 0])
        except ValueError:
            continue
        raise AssertionError(f"{x} was packed")
'''


def test_own_tests_beside_the_written_ones(written: Written) -> None:
    written.generate(DOT, "--axi-stream", "--vectors", "100", "--cocotb")
    written.write("out/cocotb/test_mine.py", STREAM_TEST.replace("SUM", "710"))
    status, said, tests = written.make()
    assert status == 0 and len(tests) == 4 + 3 and all(tests.values()), said
    # They stay when the netlist is made anew, and fail with their reason.
    written.generate(DOT, "--axi-stream", "--vectors", "100", "--cocotb")
    written.corrupt("out/cocotb/test_mine.py", "710", "711")
    status, said, tests = written.make("COCOTB_TEST_MODULES=test_mine")
    assert status != 0 and tests == {"products": False, "nothing_is_sent": True, "numbers_are_checked": True}, said
    # Written Python is typed, and so is what uses it.
    status, said = written.run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", "mypy", "out/cocotb")
    assert status == 0, said


def test_what_is_missing_is_said(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    written.generate(DOT, "--vectors", "100", "--cocotb")
    status, said, tests = written.make("SIM=verilator")
    assert status != 0 and not tests, said
    assert "cocotb requires Verilator 5.036 or later" in said or "5.006" not in written.run("verilator", "--version")[1]
    others = [p for p in os.environ["PATH"].split(":") if not os.path.exists(f"{p}/cocotb-config")]
    monkeypatch.setenv("PATH", ":".join(others))
    status, said, tests = written.make()
    assert status != 0 and "pip install -r requirements.txt" in said, said

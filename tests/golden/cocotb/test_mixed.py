# SPDX-License-Identifier: Apache-2.0
"""The layers of mixed beside their golden vectors, written by kumiki 0.1.0.

Tests of your own go into a file test_SOMETHING.py beside this one; the Makefile finds it. They see the same layers:

    from kumiki_bench import Bench, Dut
    from mixed_layers import CLOCKS, LAYERS, D

    @cocotb.test()
    async def mine(dut: Dut) -> None:
        bench = Bench(dut, LAYERS, CLOCKS)
        ...
"""

import cocotb
from kumiki_bench import Bench, Dut, replay
from kumiki_streams import through_streams
from mixed_layers import CLOCKS, LAYERS, D, ONES


@cocotb.test()
async def d_golden(dut: Dut) -> None:
    """Every cycle since power-up; stalls and resets are among them."""
    bench = Bench(dut, LAYERS, CLOCKS)
    since = await bench.power_up(D)
    await replay(bench, D, since=since)


@cocotb.test()
async def ones_golden(dut: Dut) -> None:
    """Every cycle since power-up; stalls and resets are among them."""
    bench = Bench(dut, LAYERS, CLOCKS)
    since = await bench.power_up(ONES)
    await replay(bench, ONES, since=since)


@cocotb.test()
async def d_reset(dut: Dut) -> None:
    """Interrupted in the middle and begun again: nothing of what was under way may be left."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await bench.reset(D)
    await replay(bench, D, since=D.settled, cycles=50)
    await bench.reset(D)
    await replay(bench, D, since=D.settled)


@cocotb.test()
async def d_streams(dut: Dut) -> None:
    """The words of the vectors with other pauses on either side."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await through_streams(bench, D, pauses=0.3)


@cocotb.test()
async def d_streams_reset(dut: Dut) -> None:
    """Reset while words are under way, and sent once more."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await through_streams(bench, D, pauses=0.3, interrupted=True)


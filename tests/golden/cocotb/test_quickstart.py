# SPDX-License-Identifier: Apache-2.0
"""The layers of quickstart beside their golden vectors, written by kumiki 0.1.0.

Tests of your own go into a file test_SOMETHING.py beside this one; the Makefile finds it. They see the same layers:

    from kumiki_bench import Bench, Dut
    from quickstart_layers import CLOCKS, LAYERS, PIXELS

    @cocotb.test()
    async def mine(dut: Dut) -> None:
        bench = Bench(dut, LAYERS, CLOCKS)
        ...
"""

import cocotb
from kumiki_bench import Bench, Dut, replay
from quickstart_layers import CLOCKS, LAYERS, PIXELS, MAPS


@cocotb.test()
async def pixels_golden(dut: Dut) -> None:
    """Every cycle since power-up; stalls and resets are among them."""
    bench = Bench(dut, LAYERS, CLOCKS)
    since = await bench.power_up(PIXELS)
    await replay(bench, PIXELS, since=since)


@cocotb.test()
async def maps_golden(dut: Dut) -> None:
    """Every cycle since power-up; stalls and resets are among them."""
    bench = Bench(dut, LAYERS, CLOCKS)
    since = await bench.power_up(MAPS)
    await replay(bench, MAPS, since=since)


@cocotb.test()
async def pixels_stalls(dut: Dut) -> None:
    """The same with more stalls: nothing may be taken and nothing lost while there is no enable."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await bench.reset(PIXELS)
    await replay(bench, PIXELS, since=PIXELS.settled, stalls=0.3)


@cocotb.test()
async def pixels_reset(dut: Dut) -> None:
    """Interrupted in the middle and begun again: nothing of what was under way may be left."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await bench.reset(PIXELS)
    await replay(bench, PIXELS, since=PIXELS.settled, cycles=50)
    await bench.reset(PIXELS)
    await replay(bench, PIXELS, since=PIXELS.settled)


@cocotb.test()
async def maps_stalls(dut: Dut) -> None:
    """The same with more stalls: nothing may be taken and nothing lost while there is no enable."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await bench.reset(MAPS)
    await replay(bench, MAPS, since=MAPS.settled, stalls=0.3)


@cocotb.test()
async def maps_reset(dut: Dut) -> None:
    """Interrupted in the middle and begun again: nothing of what was under way may be left."""
    bench = Bench(dut, LAYERS, CLOCKS)
    await bench.reset(MAPS)
    await replay(bench, MAPS, since=MAPS.settled, cycles=50)
    await bench.reset(MAPS)
    await replay(bench, MAPS, since=MAPS.settled)


# SPDX-License-Identifier: Apache-2.0
"""An engine between the AXI4-Lite master and the AXI4 memory of cocotbext-axi. The driver that `gen` writes is its host.

engine_test.py runs it: the folder has the driver, a program, images and what onnxruntime makes of them.
"""

from __future__ import annotations

import os
import pathlib
import random
import sys
from collections.abc import Iterator
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiSlave, MemoryRegion

FOLDER = pathlib.Path(os.environ["KUMIKI_ENGINE"])
sys.path.insert(0, str(FOLDER / "out"))
import kumiki_engine as host  # noqa: E402

SIZE = 1 << 16


def pauses(seed: int, share: float) -> Iterator[bool]:
    draw = random.Random(seed)
    while True:
        yield draw.random() < share


class Rig:
    """The memory begins at 0; what is read or written behind its end is answered with an error."""

    def __init__(self, dut: Any, seed: int, share: float) -> None:
        self.dut = dut
        Clock(dut.clk, 10, "ns").start()
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        self.region = MemoryRegion(SIZE)
        slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=self.region)
        write, read = slave.write_if, slave.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel,
                    self.registers.read_if.r_channel, self.registers.write_if.b_channel)
        for at, channel in enumerate(channels):
            channel.set_pause_generator(pauses(seed + at, share))

    async def reset(self) -> None:
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 4)

    def engine(self, address: int = 0) -> host.Engine:
        """To be called in another thread than the simulation. The engine sees this memory at `address`."""
        memory = np.full(SIZE, 0xEE, np.uint8)

        @resume
        async def read(offset: int) -> int:
            return int(await self.registers.read_dword(offset))

        @resume
        async def write(offset: int, value: int) -> None:
            await self.registers.write_dword(offset, value)

        def to_device(at: int, count: int) -> None:
            self.region.mem[at:at + count] = memory[at:at + count].tobytes()

        def from_device(at: int, count: int) -> None:
            memory[at:at + count] = np.frombuffer(self.region.mem[at:at + count], np.uint8)

        return host.Engine(read, write, memory, address, looks=5000, to_device=to_device, from_device=from_device)


async def computes(rig: Rig) -> None:
    @bridge
    def run() -> Any:
        return rig.engine().load(FOLDER / "net.engine").predict(np.load(FOLDER / "images.npy"))

    np.testing.assert_array_equal(await run(), np.load(FOLDER / "wanted.npy"))


@cocotb.test()
async def numbers_are_those_of_onnxruntime(dut: Any) -> None:
    rig = Rig(dut, int(os.environ["KUMIKI_SEED"]), 0)
    await rig.reset()
    await computes(rig)


@cocotb.test()
async def whoever_pauses(dut: Any) -> None:
    rig = Rig(dut, int(os.environ["KUMIKI_SEED"]), 0.4)
    await rig.reset()
    await computes(rig)


@cocotb.test()
async def a_memory_that_refuses_stops_it(dut: Any) -> None:
    """The program is where the memory ends; the same engine computes again with the right address."""
    rig = Rig(dut, int(os.environ["KUMIKI_SEED"]), 0.2)
    await rig.reset()

    @bridge
    def run() -> str:
        try:
            rig.engine(address=SIZE).load(FOLDER / "net.engine").predict(np.load(FOLDER / "images.npy"))
        except host.EngineError as error:
            return str(error)
        return "it has computed"

    assert "memory" in await run()
    await computes(rig)

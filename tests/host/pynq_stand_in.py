# SPDX-License-Identifier: Apache-2.0
"""What PYNQ documents of `pynq.allocate` and of `pynq.lib.DMA` in simple mode, on the registers of a board that is a program.
A buffer has a cache: the board sees what was flushed, the program what was invalidated."""

from __future__ import annotations

import subprocess
from typing import Any, Optional

import numpy as np

ALIGNED = 4  # addresses of a DMA without realignment


class Board:
    """The program at the other end of a pipe."""

    base = 0x4000_0000
    memory = 1 << 16

    def __init__(self, program: str, configuration: str) -> None:
        self._process = subprocess.Popen([program, configuration], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reads = 0

    def ask(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def read(self, offset: int) -> int:
        self.reads += 1
        return int(self.ask(f"read {offset}"))

    def write(self, offset: int, value: int) -> None:
        assert self.ask(f"write {offset} {value}") == "done"

    def poke(self, offset: int, data: bytes) -> None:
        assert self.ask(f"poke {offset} {data.hex()}") == "done"

    def peek(self, offset: int, size: int) -> bytes:
        return bytes.fromhex(self.ask(f"peek {offset} {size}"))

    def close(self) -> None:
        self.ask("quit")
        assert self._process.wait() == 0


class Buffer(np.ndarray[Any, Any]):
    board: Board
    physical_address: int
    freed: list[int]

    def flush(self) -> None:
        self.board.poke(self.physical_address - Board.base, self.tobytes())

    def invalidate(self) -> None:
        there = self.board.peek(self.physical_address - Board.base, self.nbytes)
        self[...] = np.frombuffer(there, self.dtype).reshape(self.shape)

    def freebuffer(self) -> None:
        self.freed.append(self.physical_address)


class Pynq:
    """The module."""

    def __init__(self, board: Board) -> None:
        self._board, self._next = board, Board.base
        self.taken: list[int] = []
        self.freed: list[int] = []

    def allocate(self, shape: tuple[int, ...], dtype: Any = "u4") -> Buffer:
        made = np.full(shape, 0xEE, dtype).view(Buffer)
        made.board, made.physical_address, made.freed = self._board, self._next, self.freed
        self.taken.append(self._next)
        self._next += -(-made.nbytes // 64) * 64
        assert self._next <= Board.base + Board.memory
        return made


class Channel:
    def __init__(self, board: Board, offset: int, sends: bool) -> None:
        self._board, self._offset, self._sends = board, offset, sends
        self._active: Optional[Buffer] = None
        self._first = True
        self.transferred = 0
        self.starts: list[int] = []
        board.write(offset, 1)

    def _status(self) -> int:
        return self._board.read(self._offset + 4)

    def transfer(self, array: Buffer, start: int = 0, nbytes: int = 0) -> None:
        status = self._status()
        if status & 1:
            raise RuntimeError("DMA channel not started")
        if not status & 2 and not self._first:
            raise RuntimeError("DMA channel not idle")
        address, size = array.physical_address + start, nbytes or array.nbytes - start
        if address % ALIGNED:
            raise RuntimeError("DMA does not support unaligned transfers")
        if self._sends:
            array.flush()
        self.transferred, self._active, self._first = 0, array, False
        self.starts.append(start)
        self._board.write(self._offset + 0x18, address & 0xFFFF_FFFF)
        self._board.write(self._offset + 0x1C, address >> 32)
        self._board.write(self._offset + 0x28, size)

    def wait(self) -> None:
        while True:
            status = self._status()
            if status & 0x70:
                raise RuntimeError(f"DMA error {status:#x}")
            if status & 2:
                break
        self.transferred = self._board.read(self._offset + 0x28)
        if not self._sends and self._active is not None:
            self._active.invalidate()


class DMA:
    def __init__(self, board: Board) -> None:
        board.write(0, 4)
        while board.read(0) & 4 or board.read(0x30) & 4:
            pass
        self.sendchannel = Channel(board, 0x00, True)
        self.recvchannel = Channel(board, 0x30, False)

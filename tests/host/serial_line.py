# SPDX-License-Identifier: Apache-2.0
"""What pyserial documents of `serial.Serial`, on the pins of a netlist behind a serial line, under Icarus."""

from __future__ import annotations

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Line:
    def __init__(self, folder: pathlib.Path, top: str, *files: str, period: int = 1000) -> None:
        """`top` is a module of the files. `period`: of a bit as the host sends it, in thousandths of what the netlist expects."""
        program = folder / f"pins_{period}"
        subprocess.run(["iverilog", "-g2001", "-o", program, "-s", "serial_pins", f"-Pserial_pins.PERIOD={period}",
                        f"-DTOP={top}_serial", HERE / "serial_pins.v", f"{top}_serial.v", *files], cwd=folder, check=True)
        self._process = subprocess.Popen(["vvp", "-n", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.timeout = 1.0
        self.in_waiting = 0  # nothing is known before it is read

    def _tell(self, command: int, value: int) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{command} {value}\n")
        self._process.stdin.flush()

    def _ask(self, command: int) -> str:
        assert self._process.stdout
        self._tell(command, 0)
        return self._process.stdout.readline().strip()

    def write(self, data: bytes) -> None:
        for byte in data:
            self._tell(1, byte)

    def cut(self, byte: int) -> None:
        """Sends a byte without its stop bit."""
        self._tell(1, 256 + byte)

    def read(self, size: int) -> bytes:
        got = bytearray()
        while len(got) < size and (one := self._ask(2)) != "none":
            got.append(int(one))
        return bytes(got)

    def send_break(self, duration: float) -> None:
        assert duration > 0
        self._tell(3, 12)

    def press(self) -> None:
        self._tell(5, 2)

    def lost(self) -> bool:
        return self._ask(4) == "1"

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        assert self._process.wait() == 0

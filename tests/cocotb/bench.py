# SPDX-License-Identifier: Apache-2.0
"""A folder with a written testbench, and what its tests said."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml

from handed_over import Folder


class Written(Folder):
    def make(self, *words: str, out: str = "out") -> tuple[int, str, dict[str, bool]]:
        """Exit code, what was said, and of every test whether it passed."""
        results = self.folder / out / "cocotb/results.xml"
        results.unlink(missing_ok=True)
        status, said = self.run("make", "-C", f"{out}/cocotb", *words)
        if not results.exists():
            return status, said, {}
        cases = xml.parse(results).getroot().iter("testcase")
        return status, said, {case.attrib["name"]: case.find("failure") is None for case in cases}


def compared(said: str, layer: str) -> list[int]:
    """What each scoreboard of a layer counted."""
    return [int(n) for n in re.findall(rf"{layer}: (\d+) compared, 0 differ", said)]

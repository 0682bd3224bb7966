# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/handing-over.md, as they stand there, in one folder and in their order."""

from __future__ import annotations

import pathlib

import pytest

from handed_over import ROOT
from soc import ON_VERILATOR, PREFIX, Soc

# What the commands print at least.
PRINTS = {
    "fusesoc run --target sim quickstart": "PASS: 1000 cycles, 1000 of them compared, 0 mismatches",
    "fusesoc run --target sim quickstart --tool verilator": "PASS: 1000 cycles, 1000 of them compared, 0 mismatches",
    "fusesoc run --target sim vote": "PASS: 500 votes",
    "fusesoc run --target golden vote": "PASS: 200 cycles, 200 of them compared, 0 mismatches",
}


def commands() -> list[str]:
    """Of the blocks with FuseSoC, without the remarks behind them."""
    blocks = (ROOT / "docs/handing-over.md").read_text().split("```")[1::2]
    lines = [line for block in blocks if "\nfusesoc " in block for line in block.split("\n")]
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


def test_every_command(soc: Soc, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    (soc.folder / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "home/kumiki").symlink_to(PREFIX)
    monkeypatch.setenv("KUMIKI", str(PREFIX / "bin"))
    shown = commands()
    assert len(shown) >= 10 and set(PRINTS) <= set(shown)
    for command in shown:
        if "verilator" in command and "page" not in ON_VERILATOR:
            continue
        status, said = soc.run("bash", "-c", f'PATH="$KUMIKI:$PATH"; {command}')
        assert status == 0, said
        assert PRINTS.get(command, "") in said, said

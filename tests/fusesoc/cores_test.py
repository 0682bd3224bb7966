# SPDX-License-Identifier: Apache-2.0
"""Every emitted core does what its targets say."""

from __future__ import annotations

import re

import pytest

from handed_over import Configuration, layers_of_examples, others, this_time
from soc import ON_VERILATOR, Soc


def passed(said: str) -> int:
    """So many cycles were compared."""
    found = re.search(r"^PASS: (\d+) cycles, (\d+) of them compared, 0 mismatches$", said, re.M)
    assert found, said
    return int(found[2])


def replays(soc: Soc, configuration: Configuration, options: list[str], tool: str) -> None:
    soc.generate(configuration, "--vectors", "150", *options)
    soc.library("out", "out")
    status, said = soc.fusesoc("run", "--target", "sim", configuration["name"], "--tool", tool)
    assert status == 0, said
    assert passed(said) > 0


ALL = {**layers_of_examples(), **others()}


@pytest.mark.parametrize("name", this_time(list(ALL), 4))
def test_replays_on_icarus_and_is_linted(soc: Soc, name: str) -> None:
    configuration, options = ALL[name]
    replays(soc, configuration, options, "icarus")
    status, said = soc.fusesoc("run", "--target", "lint", configuration["name"])
    assert status == 0, said
    assert "Warning" not in said, said


def wrong_netlist(soc: Soc, tool: str) -> None:
    configuration = {"name": "one", "layers": [{"type": "popcount", "name": "ones", "bits": 6}]}
    soc.generate(configuration, "--vectors", "100")
    # One bit of one table.
    file = next((soc.folder / "out").glob("popcount*.v"))
    text = file.read_text()
    table = re.search(r"64'h([0-9a-f]{16})", text, re.I)
    assert table, text
    soc.corrupt(f"out/{file.name}", table[0], f"64'h{int(table[1], 16) ^ (1 << 5 | 1 << 37):016x}")
    soc.library("out", "out")
    status, said = soc.fusesoc("run", "--target", "sim", "one", "--tool", tool)
    assert status != 0, said
    assert "FAIL: 100 cycles" in said, said


def test_a_wrong_netlist_is_an_exit_code(soc: Soc) -> None:
    wrong_netlist(soc, "icarus")


def vectors_that_end_too_early(soc: Soc, tool: str) -> None:
    configuration = {"name": "one", "layers": [{"type": "popcount", "name": "ones", "bits": 6}]}
    soc.generate(configuration, "--vectors", "100")
    for file in ("stimulus", "valid"):
        path = soc.folder / f"out/vectors/{file}.hex"
        path.write_text("\n".join(path.read_text().split("\n")[:-20]) + "\n")
    soc.library("out", "out")
    status, said = soc.fusesoc("run", "--target", "sim", "one", "--tool", tool)
    assert status != 0, said
    assert "cycles compared where 100 were recorded" in said, said


# A simulator that knows no x is another one where vectors are missing.
VERILATED = {
    "two_clocks": lambda soc: replays(soc, *ALL["two_clocks"], "verilator"),
    "wrong": lambda soc: wrong_netlist(soc, "verilator"),
    "streams": lambda soc: replays(soc, *ALL["streams"], "verilator"),
    "too_early": lambda soc: vectors_that_end_too_early(soc, "verilator"),
    "series7": lambda soc: replays(soc, *ALL["series7"], "verilator"),
}


@pytest.mark.parametrize("case", [case for case in ON_VERILATOR if case in VERILATED])
def test_on_verilator(soc: Soc, case: str) -> None:
    VERILATED[case](soc)


def test_vivado_gets_netlist_and_clocks_but_no_models(soc: Soc) -> None:
    configuration = {"name": "one", "target": {"part": "xczu9eg-ffvb1156-2-e"},
                     "layers": [{"type": "popcount", "name": "ones", "bits": 9, "pipeline": 2}]}
    soc.generate(configuration)
    soc.library("out", "out")
    status, said = soc.fusesoc("run", "--setup", "--target", "synth", "one")
    assert status == 0, said
    scripts = [text for file in (soc.folder / "build").rglob("*.tcl") if "create_project" in (text := file.read_text())]
    assert len(scripts) == 1
    script = scripts[0]
    for line in ("set_property part xczu9eg-ffvb1156-2-e", "/one.v}", "/one_ooc.xdc}", "set_property top one "):
        assert line in script, script
    assert "primitives" not in script
    status, said = soc.fusesoc("run", "--target", "sim", "one")
    assert status != 0 and "has no target 'sim'" in said, said

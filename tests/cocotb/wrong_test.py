# SPDX-License-Identifier: Apache-2.0
"""What is wrong in a netlist is seen by the tests that are there for it."""

from __future__ import annotations

import pytest

from bench import Written
from handed_over import Configuration, this_time

DOT: Configuration = {"name": "one", "layers": [{"type": "dot", "name": "d", "scheme": "wp487-int8-lut", "terms": 3}]}
REQUANT: Configuration = {
    "name": "one", "layers": [{"type": "requant", "name": "d", "accumulator_bits": 20, "scale": 0.01}]}
STREAM = ["--axi-stream"]

# A mistake in the models of the registers is one in every register: what fails is what was replayed with it.
MISTAKES = {
    "register": ("Q <= data;", "Q <= ~data;", {"golden", "stalls", "reset"}, []),
    # Stalls of the vectors, and those that were added.
    "enable": ("else if (CE) Q", "else Q", {"golden", "stalls", "reset"}, []),
    # Resets of the vectors, and the one in the middle.
    "reset": ("if (reset) Q <= 1'b0;", "if (1'b0) Q <= 1'b0;", {"golden", "reset"}, []),
    # Words are lost between the streams.
    "skid": ("else if (CE) Q", "else Q", {"golden", "streams", "streams_reset"}, STREAM),
    # What was under way comes out behind the reset.
    "old words": ("if (reset) Q <= 1'b0;", "if (1'b0) Q <= 1'b0;", {"golden", "streams_reset"}, STREAM),
}


@pytest.mark.parametrize("mistake", this_time(list(MISTAKES), 1))
@pytest.mark.parametrize("configuration", this_time([DOT, REQUANT], 1), ids=lambda c: c["layers"][0]["type"])
def test_a_mistake_is_an_exit_code(written: Written, mistake: str, configuration: Configuration) -> None:
    right, wrong, failing, options = MISTAKES[mistake]
    written.generate(configuration, "--vectors", "240", "--cocotb", *options)
    model = written.folder / "out/primitives/FDRE.v"
    text = model.read_text()
    assert right in text
    model.write_text(text.replace(right, wrong))
    status, said, tests = written.make()
    assert status != 0, said
    failed = {name.removeprefix("d_") for name, is_right in tests.items() if not is_right}
    assert failing <= failed, (failed, said)
    assert " instead of " in said, said


def ends_too_early(written: Written, table: str) -> None:
    path = written.folder / f"out/vectors/{table}.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-20]) + "\n")
    status, said, tests = written.make("COCOTB_TEST_FILTER=golden")
    assert status != 0 and tests == {"d_golden": False}, said
    assert "the tables differ in their length" in said, said


def changed_number(written: Written) -> None:
    table = written.folder / "out/vectors/expected.csv"
    lines = table.read_text().splitlines()
    # out_valid always counts.
    cells = lines[200].split(",")
    assert lines[0].split(",")[1] == "d_out_valid" and cells[1] in ("0x0", "0x1")
    cells[1] = "0x1" if cells[1] == "0x0" else "0x0"
    lines[200] = ",".join(cells)
    table.write_text("\n".join(lines) + "\n")
    status, said, tests = written.make()
    assert status != 0 and not any(tests.values()), said
    assert "d: cycle 199: d_out_valid: " in said and "1 of " in said, said


@pytest.mark.parametrize("place", this_time(["valid", "number", "expected", "stimulus"], 1))
def test_wrong_vectors(written: Written, place: str) -> None:
    """A changed number is a mismatch, a table that ends too early an error."""
    written.generate(DOT, "--vectors", "240", "--cocotb")
    changed_number(written) if place == "number" else ends_too_early(written, place)

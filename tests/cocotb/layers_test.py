# SPDX-License-Identifier: Apache-2.0
"""Every type of layer has a testbench that passes, with the tests that its ports allow."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest

from bench import Written, compared
from handed_over import KUMIKI, ROOT, Configuration, layers_of_examples, others, this_time

ALONE = layers_of_examples()
# Layers with an enable and layers with streams, put between AXI4-Streams.
BETWEEN = ("matvec_2x2", "matmul_2x2x2", "conv_2x2", "serial_8x2", "requant_8", "lut_macc_2", "wp487_int8_aligned")
STREAMS = {f"axi_{name}": (ALONE[name][0], ["--axi-stream"]) for name in BETWEEN}
ALL = {**ALONE, **STREAMS, **{name: one for name, one in others().items() if name not in ("dataflow", "array")}}


def kinds(configuration: Configuration, options: list[str]) -> set[str]:
    """The tests that a layer of these ports has to have, by what the README of its type says of them."""
    layer = configuration["layers"][0]
    if "--axi-stream" in options:
        return {"golden", "reset", "streams", "streams_reset"}
    if layer["type"] in ("vision", "matvec", "matmul", "conv2d", "pe_array"):
        return {"golden", "reset"}
    clocked = ("dot", "lut_macc", "requant", "bnn_serial", "const_matrix")
    is_clocked = layer["type"] in clocked or layer.get("pipeline")
    return {"golden", "stalls", "reset"} if is_clocked else {"golden"}


def passes(written: Written, configuration: Configuration, options: list[str], cycles: int) -> None:
    written.generate(configuration, "--vectors", str(cycles), "--cocotb", *options)
    status, said, tests = written.make()
    assert status == 0, said
    assert all(tests.values()), said
    name = configuration["layers"][0]["name"]
    assert set(tests) == {f"{name}_{kind}" for kind in kinds(configuration, options)}
    assert "DeprecationWarning" not in said, said
    counts = compared(said, name)
    # A reset test replays twice; behind a reset few cycles may be left out.
    assert len(counts) == len(tests) + (f"{name}_reset" in tests)
    assert counts[0] >= cycles // 2 and min(counts) > 0, said


@pytest.mark.parametrize("name", this_time(list(ALL), 2))
def test_layer(written: Written, name: str) -> None:
    passes(written, *ALL[name], 240)


def pipeline(written: Written) -> None:
    configuration, _ = others()["dataflow"]
    # A frame takes a hundred clocks, so few resets.
    passes(written, {**configuration, "simulation": {"resets": 1}}, ["--axi-stream"], 900)


def array(written: Written) -> None:
    passes(written, *others()["array"], 300)


def image_through_an_array(written: Written) -> None:
    """Whose vectors are those of a run, not of a stimulus."""
    models = ROOT / "examples/models"
    status, said = written.run(KUMIKI, "import", models / "digits_mlp.onnx", "--as", "array", "-o", "digits.json")
    assert status == 0, said
    images = models / "digits_images.npy"
    status, said = written.run(KUMIKI, "gen", "digits.json", "--image-vectors", images, "--cocotb")
    assert status == 0, said
    status, said, tests = written.make()
    assert status == 0 and tests["array_golden"], said
    assert compared(said, "array")[0] > 300, said


# They take seconds each, the pipeline ten.
NETWORKS = [image_through_an_array, array] + ([pipeline] if os.environ.get("KUMIKI_LONG") else [])


@pytest.mark.parametrize("network", NETWORKS)
def test_network(written: Written, network: Callable[[Written], None]) -> None:
    network(written)


def test_several_layers_each_from_power_up(written: Written) -> None:
    """Names that would be one name in Python, layers without a clock, and one with two."""
    tree = {"type": "popcount", "bits": 7}
    layers = [{"name": "a", **tree, "pipeline": 2}, {"name": "a_streams", **tree, "pipeline": 1},
              {"name": "layers", **tree}, {"name": "clocks", **tree},
              {"type": "dot", "name": "fast", "terms": 2, "scheme": "wp487-int8-lut", "clocking": "double"}]
    written.generate({"name": "several", "layers": layers}, "--vectors", "100", "--cocotb", "--axi-stream")
    status, said, tests = written.make()
    assert status == 0 and all(tests.values()), said
    written_names = re.findall(r"^async def (\w+)", (written.folder / "out/cocotb/test_several.py").read_text(), re.M)
    assert len(set(written_names)) == len(written_names) == 3 * 4 + 2
    assert set(tests) == set(written_names)

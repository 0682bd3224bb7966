# SPDX-License-Identifier: Apache-2.0
"""Trained networks: by the definition, on hardware, and as onnxruntime has them."""

from __future__ import annotations

import pathlib
import subprocess

import judge
import kumiki
import numpy as np
import pytest
from judge import MODELS

DIGITS = MODELS / "digits_mlp.onnx"
PIXELS = np.load(MODELS / "digits_images.npy")
IMAGES = PIXELS / np.float32(16)
LABELS = np.load(MODELS / "digits_labels.npy")


@pytest.fixture(scope="module")
def digits() -> kumiki.Network:
    return kumiki.import_model(DIGITS)


def test_what_it_is(digits: kumiki.Network) -> None:
    assert digits.input.shape == (64,) and (digits.input.bits, digits.input.signed) == (8, False)
    (out,) = digits.outputs
    assert out.shape == (10,)
    assert digits._repr_svg_().startswith("<svg") and digits.picture.svg == digits._repr_svg_()
    assert (digits.predict(IMAGES).argmax(1) == LABELS.reshape(-1)).mean() > 0.95


def test_numbers_of_another_scale_are_doubted(digits: kumiki.Network) -> None:
    with pytest.warns(UserWarning, match="pixels of another scale"):
        digits.predict(PIXELS)


def test_as_onnxruntime_has_it(digits: kumiki.Network) -> None:
    session = judge.session(DIGITS)
    name = session.get_inputs()[0].name
    reals = np.random.default_rng(4).uniform(-0.1, 1.1, (500, 64)).astype(np.float32)
    for x in (reals, IMAGES):
        wanted = session.run(None, {name: x})[0]
        np.testing.assert_array_equal(digits.predict(x, as_="float"), wanted)


def test_on_hardware(digits: kumiki.Network) -> None:
    x = IMAGES[:70]
    wanted = digits.predict(x)
    np.testing.assert_array_equal(digits.run(x, with_="native"), wanted)
    np.testing.assert_array_equal(digits.run(x[:2], with_="model"), wanted[:2])
    assert digits.run(x[:3], as_="float").dtype == np.float32


def test_as_a_pipeline_of_a_configuration(digits: kumiki.Network, tmp_path: pathlib.Path) -> None:
    what = digits.write(tmp_path / "digits.json", as_="dataflow", clocks=96)
    assert "a frame every 96 clocks" in what
    pipeline = kumiki.load(tmp_path / "digits.json")["pipeline"]
    assert pipeline.inputs == (digits.input,)
    x = IMAGES[:66]
    wanted = digits.predict(x)
    np.testing.assert_array_equal(pipeline.predict(x), wanted)
    np.testing.assert_array_equal(pipeline.run(x), wanted)
    np.testing.assert_array_equal(pipeline.run(x[:2], with_="model"), wanted[:2])
    with pytest.raises(kumiki.FileError):
        digits.write(tmp_path / "digits.json", as_="dataflow", clocks=96)
    digits.write(tmp_path / "digits.json", as_="dataflow", clocks=200, force=True)
    with pytest.raises(kumiki.UsageError, match="slices"):
        digits.write(tmp_path / "more.json", as_="dataflow")
    with pytest.raises(kumiki.UsageError, match="it must be"):
        digits.write(tmp_path / "more.json", as_="tree")  # type: ignore[arg-type]
    with pytest.raises(kumiki.LimitError):
        digits.write(tmp_path / "more.json", as_="dataflow", slices=1)
    with pytest.raises(kumiki.UsageError, match="must be NAME.json"):
        digits.write(tmp_path / "more.graph", as_="dataflow", clocks=96)
    with pytest.raises(kumiki.LimitError, match="in-luts nobody is not a node"):
        digits.write(tmp_path / "more.json", as_="dataflow", clocks=1, in_luts=["nobody"])
    assert not (tmp_path / "more.json").exists() and not (tmp_path / "more.graph").exists()
    with pytest.raises(kumiki.LimitError, match="in-trees binarised: no layer has"):
        digits.write(tmp_path / "more.json", as_="dataflow", clocks=96, in_trees="binarised")
    trees = digits.write(tmp_path / "trees.json", as_="dataflow", clocks=96, in_trees="all")
    assert trees == "a pipeline of 3 slices, a frame every 96 clocks"
    with pytest.raises(kumiki.LimitError, match="weights-outside nobody is not a node"):
        digits.write(tmp_path / "more.json", as_="dataflow", clocks=400, weights_outside="nobody")
    outside = digits.write(tmp_path / "outside.json", as_="dataflow", clocks=400, weights_outside="all")
    assert outside.endswith("3 layers with weights outside, 9.86 bytes a clock")
    with pytest.raises(kumiki.LimitError, match="bytes-a-clock 0.5 is too few"):
        digits.write(tmp_path / "more.json", as_="dataflow", clocks=400, bram18=0, bytes_a_clock=0.5)
    unrolled = digits.write(tmp_path / "luts.json", as_="dataflow", clocks=1, in_luts="all")
    assert unrolled == "a pipeline of 0 slices, a frame every 1 clocks"


def test_the_same_files_as_the_program(digits: kumiki.Network, tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    digits.write(tmp_path / "mine/net.json", as_="dataflow", clocks=96)
    subprocess.run([judge.PROGRAM, "import", DIGITS, "-o", tmp_path / "theirs/net.json", "--as", "dataflow",
                    "--clocks", "96"], check=True, capture_output=True)
    for name in ("net.json", "net.graph"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()


def test_words(digits: kumiki.Network) -> None:
    with pytest.raises(kumiki.UsageError, match="it must be"):
        digits.run(IMAGES, with_="paper")  # type: ignore[arg-type]
    with pytest.raises(kumiki.UsageError, match="it must be"):
        digits.predict(IMAGES, as_="text")  # type: ignore[arg-type]
    with pytest.raises(kumiki.UsageError, match="use "):
        digits.predict(IMAGES, output="none")
    for threads in (-1, 257):
        with pytest.raises(kumiki.UsageError, match="1 to 256"):
            digits.predict(IMAGES, threads=threads)
    assert digits.predict(IMAGES, output=digits.outputs[0].name).shape == (len(IMAGES), 10)


def test_a_larger_one_with_convolutions() -> None:
    network = kumiki.import_model(MODELS / "fashion_cnn.onnx")
    x = np.random.default_rng(5).integers(0, 256, (3, *network.input.shape), np.uint8, endpoint=False)
    t = network.input
    x = (x.astype(np.int16) + (-128 if t.signed else 0)).astype(np.int8 if t.signed else np.uint8)
    one, two = network.predict(x, threads=1), network.predict(x, threads=2)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one[1:2], network.predict(x[1]))


def test_a_wrong_array_is_a_wrong_argument(digits: kumiki.Network) -> None:
    for array, code in (
        (np.full((1, 64), 256), "image-range"),
        (np.zeros((2, 8, 7), np.float32), "array-shape"),
        (np.zeros((0, 64), np.float32), "image-count"),
        (np.full((1, 64), np.nan, np.float32), "not-a-number"),
        (np.ma.masked_array(np.zeros((1, 64), np.float32), True), "unknown-number-type"),
    ):
        with pytest.raises(kumiki.UsageError) as error:
            digits.predict(array)
        assert error.value.code == code and isinstance(error.value, ValueError)

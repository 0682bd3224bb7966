# SPDX-License-Identifier: Apache-2.0
"""Arrays that are not as they should be: a sentence that says what to do, or the right result, never a cast."""

from __future__ import annotations

import re
from typing import Any

import kumiki
import numpy as np
import pytest
from judge import MODELS, Array

WHAT_TO_DO = "must|give|use|call|holds"


@pytest.fixture(scope="module")
def blur() -> kumiki.Layer:
    return kumiki.load({"kumiki": 1, "name": "n", "layers": [
        {"type": "const_dot", "name": "blur", "bits": 8, "effort": 0, "signed": False, "weights": [1, 2, 1]}]})["blur"]


@pytest.fixture(scope="module")
def digits() -> kumiki.Network:
    return kumiki.import_model(MODELS / "digits_mlp.onnx")


def refused(call: Any, *arrays: Any, **more: Any) -> kumiki.UsageError:
    with pytest.raises(kumiki.UsageError) as error:
        call(*arrays, **more)
    assert re.search(WHAT_TO_DO, str(error.value))
    assert str(error.value).endswith(f"[{error.value.code}]") and error.value.meaning
    return error.value


@pytest.mark.parametrize(
    "array, code",
    [
        (np.zeros((2, 3), np.float32), "unknown-number-type"),
        (np.zeros((2, 3), np.float16), "unknown-number-type"),
        (np.zeros((2, 3), np.complex64), "unknown-number-type"),
        (np.zeros((2, 3), object), "unknown-number-type"),
        (np.zeros((2, 3), "U1"), "unknown-number-type"),
        ([[1, 2, 3]], "unknown-number-type"),
        (np.zeros((2, 4), np.uint8), "array-shape"),
        (np.zeros((2, 2, 3), np.uint8), "array-shape"),
        (np.zeros((), np.uint8), "array-shape"),
        (np.zeros((0, 3), np.uint8), "array-shape"),
        (np.full((2, 3), -1, np.int8), "image-range"),
        (np.full((2, 3), 256, np.int16), "image-range"),
        (np.full((2, 3), np.iinfo(np.int64).max), "image-range"),
    ],
)
def test_sets(blur: kumiki.Layer, array: Any, code: str) -> None:
    assert refused(blur.predict, array).code == code
    assert refused(blur.run, array).code == code


def test_unsigned_numbers_of_64_bits(blur: kumiki.Layer) -> None:
    with pytest.raises(kumiki.Error, match="entries must be at most 9223372036854775807"):
        blur.predict(np.full((1, 3), np.iinfo(np.uint64).max, np.uint64))


def test_a_number_out_of_range_is_named(blur: kumiki.Layer) -> None:
    x = np.zeros((5, 3), np.int16)
    x[3, 1] = 300
    assert "set 3 of 5, number x[1] is 300, but x holds [0, 255]" in str(refused(blur.predict, x))


def test_operands(blur: kumiki.Layer) -> None:
    x = np.zeros((1, 3), int)
    assert refused(blur.predict, y=x).code == "unknown-name"
    assert refused(blur.predict).code == "missing-argument"
    assert refused(blur.predict, x, x=x).code == "extra-argument"
    assert refused(blur.run, x, with_="verilator").code == "option-value"
    product = kumiki.load({"kumiki": 1, "name": "n", "layers": [
        {"type": "multiplier", "name": "p", "a_bits": 4, "b_bits": 4}]})["p"]
    assert "a, b" in str(refused(product.predict, x))
    assert "must have the same number" in str(refused(product.predict, a=np.zeros((2, 1), int), b=np.zeros((3, 1), int)))


@pytest.mark.parametrize(
    "array, code",
    [
        (np.full((2, 64), np.nan, np.float32), "not-a-number"),
        (np.full((2, 64), 256, np.int16), "image-range"),
        (np.full((2, 64), -1, np.int8), "image-range"),
        (np.zeros((2, 63), np.uint8), "array-shape"),
        (np.zeros((0, 64), np.uint8), "image-count"),
        (np.zeros((2, 64), np.float16), "unknown-number-type"),
    ],
)
def test_images(digits: kumiki.Network, array: Array, code: str) -> None:
    for call in (digits.predict, digits.run):
        with pytest.raises(kumiki.Error, match=WHAT_TO_DO) as error:
            call(array)
        assert error.value.code == code


def same(a: Array, b: Array) -> None:
    np.testing.assert_array_equal(a, b)


def test_however_it_lies_in_memory(digits: kumiki.Network, blur: kumiki.Layer) -> None:
    x = np.random.default_rng(1).integers(0, 256, (6, 64))
    wanted = digits.predict(x)
    read_only = x.astype(np.uint8)
    read_only.flags.writeable = False
    for array in (
        x.astype(np.uint8), x.astype(np.int16), x.astype(">i4"), x.astype(">u8"), np.asfortranarray(x), read_only,
        np.repeat(x, 2, axis=0)[::2], np.repeat(x, 2, axis=1)[:, ::2], x[::-1][::-1], np.ascontiguousarray(x.T).T,
    ):
        before = array.copy()
        same(digits.predict(array), wanted)
        same(array, before)
        same(blur.predict(array[:, :3]), blur.predict(x[:, :3].copy()))


def test_real_numbers_are_quantised_as_onnx_says(digits: kumiki.Network) -> None:
    t = digits.input
    reals = np.random.default_rng(2).uniform(-0.2, 1.2, (50, 64))
    for kind in (np.float32, np.float64):
        x = reals.astype(kind)
        scaled = np.rint(x.astype(np.float32) / np.float32(t.scale)) + t.zero_point
        same(digits.predict(x), digits.predict(np.clip(scaled, 0, 255).astype(np.uint8)))
    ends = np.tile(np.array([np.inf, -np.inf], np.float32), (1, 32))
    same(digits.predict(ends), digits.predict(np.tile(np.array([255, 0], np.uint8), (1, 32))))


def test_weights_in_a_dict() -> None:
    def load(weights: Any) -> kumiki.Project:
        return kumiki.load({"kumiki": 1, "name": "n", "layers": [
            {"type": "const_dot", "name": "d", "bits": 4, "effort": 0, "weights": weights}]})

    w = np.array([1, -2, 3], np.int8)
    same(load(w)["d"].predict(np.array([[1, 2, 3]])), np.array([[6]]))
    assert load(w).configuration == load([1, -2, 3]).configuration
    assert "/layers/0/weights" in str(refused(load, np.array([1.0, 2.0])))
    assert "/layers/0/weights" in str(refused(load, {1, 2}))
    for number in (float("nan"), float("inf"), np.float32("nan")):
        assert "/layers/0/scale" in str(refused(kumiki.load, {"layers": [{"type": "requant", "scale": number}]}))
    assert refused(kumiki.load, 7).code == "wrong-type"

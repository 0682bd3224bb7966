# SPDX-License-Identifier: Apache-2.0
"""Numbers through layers: by the model, by the netlist, and as numpy has them."""

from __future__ import annotations

from typing import Any

import judge
import kumiki
import numpy as np
import pytest
from judge import Array

RANDOM = np.random.default_rng(22)


def layer(**keys: Any) -> kumiki.Layer:
    return kumiki.load({"kumiki": 1, "name": "n", "defaults": {"effort": 0}, "layers": [{"name": "l", **keys}]})["l"]


def operand(of: kumiki.Layer, name: str, sets: int) -> Array:
    """Corners first, then anything that it holds."""
    o = next(o for o in of.inputs if isinstance(o, kumiki.Operand) and o.name == name)
    numbers = RANDOM.integers(o.low, o.high, (sets, *o.shape), endpoint=True)
    numbers[0], numbers[1] = o.low, o.high
    return numbers


def both(of: kumiki.Layer, *args: Array, **operands: Array) -> Any:
    """The model's results, which the netlist gives too."""
    by_model, by_netlist = of.predict(*args, **operands), of.run(*args, with_="native", **operands)
    np.testing.assert_array_equal(by_model, by_netlist)
    assert by_model.dtype == by_netlist.dtype
    return by_model


@pytest.mark.parametrize("skew", ["internal", "external"])
def test_dot(skew: str) -> None:
    dot = layer(type="dot", scheme="wp487-int8", terms=7, skew=skew)
    x, y = operand(dot, "x", 150), operand(dot, "y", 150)
    sums = both(dot, x=x, y=y)
    assert sums.shape == (150, 2, 1) and sums.dtype == np.int32
    np.testing.assert_array_equal(sums, np.einsum("spt,skt->spk", x, y))


def test_dot_over_several_clocks() -> None:
    dot = layer(type="dot", scheme="wp486-macc", terms=25)
    x, y = operand(dot, "x", 70), operand(dot, "y", 70)
    np.testing.assert_array_equal(both(dot, x=x, y=y), np.einsum("spt,skt->spk", x, y))


def test_trees_without_a_clock() -> None:
    ones = layer(type="popcount", bits=30)
    bits = operand(ones, "x", 65)
    np.testing.assert_array_equal(both(ones, bits)[:, 0], bits.sum(1))
    np.testing.assert_array_equal(ones.predict(bits.astype(bool)), ones.predict(bits))
    product = layer(type="multiplier", a_bits=6, b_bits=5, signed=True)
    a, b = operand(product, "a", 65), operand(product, "b", 65)
    np.testing.assert_array_equal(both(product, a=a, b=b), a * b)


def test_operands_of_one_number() -> None:
    scaled = layer(type="requant", accumulator_bits=20, bias_bits=12, shift=16, result_bits=8, rounding="half-up")
    acc, scale, bias = (operand(scaled, name, 300) for name in ("acc", "scale", "bias"))
    assert acc.shape == (300,)
    wanted = np.clip(((acc + bias) * scale + 32768) >> 16, -128, 127)
    np.testing.assert_array_equal(both(scaled, acc=acc, scale=scale, bias=bias), wanted)
    product = layer(type="lut_macc", terms=5, sum="systolic")
    a, b = operand(product, "a", 90), operand(product, "b", 90)
    np.testing.assert_array_equal(both(product, a=a, b=b), (a * b).sum(1))


def test_constant_matrix_of_an_array() -> None:
    weights = RANDOM.integers(-7, 8, (3, 5))
    matrix = layer(type="const_matrix", outputs=3, inputs=5, bits=6, weights=weights)
    x = operand(matrix, "x", 100)
    np.testing.assert_array_equal(both(matrix, x), x @ weights.T)


def test_neurons_in_portions() -> None:
    neuron = layer(type="bnn_serial", inputs=11, cycles=3)
    x, w, t = (operand(neuron, name, 130) for name in ("x", "w", "t"))
    agree = (x == w).sum(1)
    np.testing.assert_array_equal(both(neuron, x=x, w=w, t=t).reshape(-1), agree >= t.reshape(-1))


@pytest.mark.parametrize("channels, words", [(5, 1), (4, 2)])
def test_convolution(channels: int, words: int) -> None:
    weights = RANDOM.integers(-128, 128, (7, channels, 3, 3))
    conv = layer(type="conv2d", in_channels=channels, height=4, width=5, out_channels=7, kernel=[3, 3], padding=1, rows=2,
                 columns=2, values=weights, words_a_clock=words)
    x = operand(conv, "in_data", 66)
    assert x.shape == (66, channels, 4, 5)
    np.testing.assert_array_equal(both(conv, x), judge.convolved(x, weights, 1))


def test_dense() -> None:
    weights = RANDOM.integers(-128, 128, (5, 6))
    dense = layer(type="matvec", outputs=5, inputs=6, rows=3, columns=2, values=weights)
    x = operand(dense, "in_data", 70)
    np.testing.assert_array_equal(both(dense, x).reshape(70, 5), x.reshape(70, 6) @ weights.T)


def test_matrix_product_between_axi_streams() -> None:
    weights = RANDOM.integers(-128, 128, (5, 6))
    project = kumiki.load(
        {"kumiki": 1, "name": "n", "layers": [
            {"type": "matmul", "name": "l", "m": 5, "k": 6, "n": 3, "rows": 4, "columns": 1, "values": weights}]},
        axi_stream=True,
    )
    x = operand(project["l"], "s_axis_in_tdata", 5)
    got = both(project["l"], x).reshape(5, 5, 3)
    np.testing.assert_array_equal(got, np.einsum("mk,skn->smn", weights, x.reshape(5, 6, 3)))


def test_one_set_alone_is_a_batch_of_one() -> None:
    blur = layer(type="const_dot", bits=8, weights=[1, 2, 1])
    np.testing.assert_array_equal(blur.predict(np.array([1, 2, 3])), [[8]])


@pytest.mark.parametrize(
    "keys, why",
    [
        ({"type": "vision", "width": 8, "height": 4, "stages": [{"kernel": "erode"}]}, "known only at run time"),
        ({"type": "matvec", "outputs": 2, "inputs": 2, "weights_from": "port"}, "does not arrive together with"),
    ],
)
def test_layers_without_sets_say_so(keys: dict[str, Any], why: str) -> None:
    with pytest.raises(kumiki.UsageError, match=why) as error:
        layer(**keys).predict(np.zeros((1, 2), np.int8))
    assert error.value.code == "option-needs-layer" and "use layers" in str(error.value)


def test_operands_that_a_plan_excludes() -> None:
    # Symmetric operands: the plan counts on -128 never being there.
    dot = layer(type="dot", terms=4, packed={"bits": 8, "narrow": True}, shared={"bits": 8})
    x, y = np.zeros((3, 2, 4), int), np.zeros((3, 1, 4), int)
    x[2, 0, 1] = -128
    with pytest.raises(kumiki.UsageError, match="set 2 has numbers that this layer was not planned for"):
        dot.predict(x=x, y=y)

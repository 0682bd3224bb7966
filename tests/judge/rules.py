#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of single operators beside onnxruntime, with every number that bytes can be.

usage: rules.py PROGRAM WORK [--only WORD]

Each case is a model of one operator between quantisers, in QDQ or QLinear form, with scales and zero points that are drawn:
half of them such that results lie halfway between two numbers. `kumiki run` has to give every number of onnxruntime's
default session, and `kumiki import` must not say that a number may differ. A case that fails stays in WORK with its files.
KUMIKI_SEED says which are drawn, KUMIKI_LONG=1 draws many more, 500 sums of two maps among them; --only takes the groups
whose name has the word.

Of functions whose last bits in float32 are not known, import may say that a number can differ: those groups allow it.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/models"))
import exact

ORT = "com.microsoft"
U8, S8 = numpy.uint8, numpy.int8
KINDS = {U8: TensorProto.UINT8, S8: TensorProto.INT8, numpy.int32: TensorProto.INT32, numpy.int64: TensorProto.INT64}
GROUPS = {}


def group(few, many, notes=False):
    def keep(make):
        GROUPS[make.__name__] = (make, few, many, notes)
        return make
    return keep


class Model:
    """Nodes one behind the other, from one input of bytes."""

    def __init__(self, kind):
        self.kind, self.given, self.nodes, self.constants, self.opset = kind, kind, [], [], 20

    def constant(self, value, kind):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(value, kind), name))
        return name

    def node(self, op, *inputs, domain="", **attributes):
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", domain=domain, **attributes))
        return out

    def as_inputs(self, q):
        return self.constant(q[0], numpy.float32), self.constant(q[1], self.kind)

    def dq(self, x, q):
        return self.node("DequantizeLinear", x, *self.as_inputs(q))

    def q(self, x, q):
        return self.node("QuantizeLinear", x, *self.as_inputs(q))

    def bytes(self, y, shape, images):
        """The model as a file; y is its result."""
        value = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "rule", [value("x", KINDS[self.given], [images, *shape])],
                                  [value(y, KINDS[self.kind], None)], self.constants)
        return helper.make_model(graph, ir_version=9,
                                 opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid(ORT, 1)]).SerializeToString()


class Draw:
    def __init__(self, random):
        self.random = random
        self.kind = (U8, S8)[random.integers(2)]
        info = numpy.iinfo(self.kind)
        self.low, self.high = int(info.min), int(info.max)
        self.every = numpy.arange(self.low, self.high + 1)
        self.unit = float(numpy.float32(random.uniform(0.002, 0.1)))
        self.halves = random.random() < 0.5  # ratios of small integers, whose results are often halfway
        self.linear = random.random() < 0.5  # as an operator of integers

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def scale(self):
        if self.halves:
            return numpy.float32(self.unit) * numpy.float32(self.random.integers(1, 9))
        return numpy.float32(self.unit * 2 ** self.random.uniform(-3, 3))

    def zero(self):
        return int(self.random.integers(self.low, self.high + 1))

    def quantiser(self, scale=None):
        return (self.scale() if scale is None else numpy.float32(scale), self.zero())


def two_of(m, x, a, b):
    """The two channels of the input, which has the quantiser of a, as numbers of a and of b."""
    made = []
    for channel, q in ((0, a), (1, b)):
        weights = numpy.zeros((1, 2, 1, 1), S8)
        weights[0, channel] = 1
        bias = m.constant([0 if channel == 0 else a[1] - b[1]], numpy.int32)
        made.append(m.node("QLinearConv", x, *m.as_inputs(a), m.constant(weights, S8), m.constant(q[0] / a[0], numpy.float32),
                           m.constant(0, S8), *m.as_inputs(q), bias))
    return made


@group(40, 500)
def add_of_all_pairs(d):
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    first, second = two_of(m, "x", a, b)
    if d.random.random() < 0.5:
        (first, a), (second, b) = (second, b), (first, a)
    if d.linear:
        y = m.node("QLinearAdd", first, *m.as_inputs(a), second, *m.as_inputs(b), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Add", m.dq(first, a), m.dq(second, b)), c)
    pairs = numpy.stack(numpy.meshgrid(d.every, d.every, indexing="ij"))
    return m, y, pairs.reshape(2, 16, 64, 64).transpose(1, 0, 2, 3)


@group(30, 200)
def add_of_a_constant(d):
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    shape, of = d.pick(((16, 16, 16), (16, 1, 1)), ((64, 1, 1), (64, 1, 1)), ((64,), (64,)), ((16, 16, 16), ()), ((64,), (1,)),
                       ((1,), (1,)), ((1, 1, 1), ()), *[((64, 1, 1), of) for of in ((), (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1))],
                       ((1, 1, 8), (1,)), ((2, 8, 1), (1, 1)), ((1, 1, 1), (1, 1, 1, 1)))
    k = m.constant(d.random.integers(d.low, d.high + 1, of), d.kind)
    pair = [("x", a), (k, b)] if d.random.random() < 0.5 else [(k, b), ("x", a)]
    if d.linear:
        (i, p), (j, q) = pair
        y = m.node("QLinearAdd", i, *m.as_inputs(p), j, *m.as_inputs(q), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Add", *(m.dq(i, q) for i, q in pair)), c)
    images = numpy.array([numpy.roll(d.every, i) for i in range(16)]).reshape(-1)
    size = int(numpy.prod(shape))
    return m, y, images.reshape(-1, size)[:: max(1, 16 // size)].reshape(-1, *shape)


@group(40, 500)
def requantised(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    return m, m.q(m.dq("x", a), c), d.every.reshape(1, -1)


@group(20, 200)
def quantised_twice(d):
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    x = m.dq("x", a)
    if d.random.random() < 0.5:
        x = m.node("Neg", x)
    first = m.dq(m.q(x, b), b)
    second = m.dq(m.q(first, c), c)
    read_between = d.random.random() < 0.3
    y = m.node("Add", first, second) if read_between else m.node("Relu" if d.linear else "Abs", second)
    return m, m.q(y, c), d.every.reshape(1, -1)


@group(20, 200)
def concat(d):
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    (first, second) = two_of(m, "x", a, b)
    if d.linear:
        y = m.node("QLinearConcat", *m.as_inputs(c), first, *m.as_inputs(a), second, *m.as_inputs(b), domain=ORT, axis=1)
    else:
        y = m.q(m.node("Concat", m.dq(first, a), m.dq(second, b), axis=1), c)
    return m, y, numpy.stack([d.every, d.every[::-1]]).reshape(1, 2, 16, 16)


@group(20, 200)
def batch_normalised(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    uniform = lambda low, high: d.random.uniform(low, high, 64)
    scales, variances, shifts = uniform(-2, 2), uniform(0.1, 3), (uniform(-1, 1), uniform(-1, 1))
    c = (numpy.float32(c[0] * 8), c[1])
    if d.halves:
        scales, variances, shifts = d.random.integers(1, 9, 64) * 0.3, numpy.full(64, variances[0]), (numpy.zeros(64),) * 2
        c = (numpy.float32(a[0] * 0.6 / variances[0] ** 0.5), c[1])
    of_channels = (m.constant(values, numpy.float32) for values in (scales, *shifts, variances))
    y = m.node("BatchNormalization", m.dq("x", a), *of_channels, epsilon=0.0)
    return m, m.q(m.node("Relu", y) if d.linear else y, c), numpy.tile(d.every, 64).reshape(1, 64, 16, 16)


# With what onnxruntime computes exactly as known here, and then the others.
EXACT = {"Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "HardSwish", "Softsign", "Abs", "Neg", "Relu", "ThresholdedRelu", "Erf", "Exp",
         "Gelu", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Sign"}
FUNCTIONS = {
    "Sigmoid": {}, "Tanh": {}, "LeakyRelu": {"alpha": 0.01}, "HardSigmoid": {"alpha": 0.2, "beta": 0.5}, "HardSwish": {},
    "Elu": {"alpha": 1.0}, "Selu": {}, "Celu": {"alpha": 1.2}, "Softplus": {}, "Softsign": {}, "Erf": {}, "Exp": {}, "Abs": {},
    "Neg": {}, "Relu": {}, "Gelu": {}, "Mish": {}, "ThresholdedRelu": {"alpha": 0.7}, "Sqrt": {}, "Log": {}, "Reciprocal": {},
    "Floor": {}, "Ceil": {}, "Round": {}, "Sign": {},
}


def function(op):
    def make(d):
        m = Model(d.kind)
        a = (numpy.float32(d.random.uniform(4, 18) / 255), d.zero())
        most = {"Sigmoid": 1, "Tanh": 2, "HardSigmoid": 1, "Softsign": 2, "Erf": 2}.get(op, 255 * a[0])
        scale = d.pick(most / 256, most / 255, most / d.random.uniform(60, 300), most / 128)
        c = (numpy.float32(scale), d.zero())
        attributes = dict(FUNCTIONS[op])
        if op == "Gelu":
            attributes["approximate"] = d.pick("none", "tanh")
        if op in ("Sqrt", "Log"):
            a = (a[0], d.low)  # of numbers from 0 on
        if op in ("Sigmoid", "LeakyRelu") and d.linear:
            return m, m.node("QLinear" + op, "x", *m.as_inputs(a), *m.as_inputs(c), domain=ORT, **FUNCTIONS[op]), d.every.reshape(1, -1)
        return m, m.q(m.node(op, m.dq("x", a), **attributes), c), d.every.reshape(1, -1)
    make.__name__ = "function_" + op.lower()
    return make


for name in FUNCTIONS:
    group(8, 200, notes=name not in EXACT)(function(name))


@group(30, 300)
def global_average(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    rows, columns = int(d.random.integers(1, 9)), int(d.random.integers(1, 9))
    if d.linear:
        y = m.node("QLinearGlobalAveragePool", "x", *m.as_inputs(a), *m.as_inputs(c), domain=ORT, channels_last=0)
    else:
        y = m.q(m.node("GlobalAveragePool", m.dq("x", a)), c)
    return m, y, d.random.integers(d.low, d.high + 1, (8, 64, rows, columns))


@group(40, 400)
def average(d):
    m, a = Model(d.kind), d.quantiser()
    c = a if d.random.random() < 0.4 else d.quantiser()
    kernel = [int(d.random.integers(1, 5)), int(d.random.integers(1, 5))]
    attributes = {"kernel_shape": kernel, "strides": [int(d.random.integers(1, 4)), int(d.random.integers(1, 4))]}
    if d.random.random() < 0.3:
        attributes |= {"pads": [int(d.random.integers(0, k)) for k in kernel * 2], "count_include_pad": 1}
    size = [kernel[0] + int(d.random.integers(0, 9)), kernel[1] + int(d.random.integers(0, 9))]
    if d.linear:
        y = m.node("QLinearAveragePool", "x", *m.as_inputs(a), *m.as_inputs(c), domain=ORT, **attributes)
    else:
        y = m.q(m.node("AveragePool", m.dq("x", a), **attributes), c)
    return m, y, d.random.integers(d.low, d.high + 1, (4, 16, *size))


@group(20, 200)
def of_a_real_constant(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    k = m.constant(d.random.uniform(-3, 3) * d.unit * 100, numpy.float32)
    x = m.dq("x", a)
    op = d.pick("Add", "Sub", "Mul", "Div")
    return m, m.q(m.node(op, *([x, k] if op == "Div" or d.linear else [k, x])), c), d.every.reshape(1, -1)


@group(30, 300)
def times_a_constant(d):
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    c = (numpy.float32(c[0] * b[0] * 64), c[1])
    shape, of = d.pick(((16, 16, 16), (16, 1, 1)), ((16, 16, 16), ()))
    k = m.constant(d.random.integers(d.low, d.high + 1, of), d.kind)
    if d.linear:
        y = m.node("QLinearMul", "x", *m.as_inputs(a), k, *m.as_inputs(b), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Mul", m.dq("x", a), m.dq(k, b)), c)
    return m, y, numpy.tile(d.every, 16).reshape(1, *shape)


def scale_of_products(d, a, b):
    """Of a result that the products fill: a multiple of their unit if many of them are to lie halfway."""
    return a[0] * b[0] * numpy.float32(d.random.integers(1, 200) if d.halves else 2 ** d.random.uniform(0, 9))


def multiplied(d, m, first, a, second, b, c):
    pair = [(first, a), (second, b)] if d.random.random() < 0.5 else [(second, b), (first, a)]
    if d.linear:
        (i, p), (j, q) = pair
        return m.node("QLinearMul", i, *m.as_inputs(p), j, *m.as_inputs(q), *m.as_inputs(c), domain=ORT)
    return m.q(m.node("Mul", *(m.dq(i, q) for i, q in pair)), c)


@group(40, 500)
def mul_of_all_pairs(d):
    m, a, b = Model(d.kind), d.quantiser(), d.quantiser()
    y = multiplied(d, m, *(n for pair in zip(two_of(m, "x", a, b), (a, b)) for n in pair), d.quantiser(scale_of_products(d, a, b)))
    pairs = numpy.stack(numpy.meshgrid(d.every, d.every, indexing="ij"))
    return m, y, pairs.reshape(2, 16, 64, 64).transpose(1, 0, 2, 3)


@group(12, 200)
def float_of_all_pairs(d):
    """Pairs that onnxruntime computes in float32."""
    m, a, b = Model(d.kind), d.quantiser(), d.quantiser()
    op = d.pick("Sub", "Div", "Max", "Min")
    first, second = two_of(m, "x", a, b)
    y = m.q(m.node(op, m.dq(first, a), m.dq(second, b)), d.quantiser())
    pairs = numpy.stack(numpy.meshgrid(d.every, d.every, indexing="ij"))
    return m, y, pairs.reshape(2, 16, 64, 64).transpose(1, 0, 2, 3)


@group(40, 500)
def several_readers(d):
    """Signed numbers between quantisers, of which some have two readers."""
    d.kind, d.low, d.high = S8, -128, 127
    d.every = numpy.arange(d.low, d.high + 1)
    m, a, b, c = Model(S8), d.quantiser(), d.quantiser(), d.quantiser()
    m.opset = d.pick(13, 20)
    op = d.pick("Add", "Add", "Mul", "Concat", "AveragePool", "GlobalAveragePool", "LeakyRelu")
    ends = []

    def channel(number, q):
        weights = numpy.zeros((1, 2, 1, 1), S8)
        weights[0, number] = 1
        scale = m.constant(q[0] / a[0], numpy.float32)
        bias = m.node("DequantizeLinear", m.constant([a[1] - q[1]], numpy.int32),
                      m.constant(numpy.float32(a[0]) * numpy.float32(q[0] / a[0]), numpy.float32))
        weights = m.node("DequantizeLinear", m.constant(weights, S8), scale, m.constant(0, S8))
        return read_twice(m.q(m.node("Conv", m.dq("x", a), weights, bias), q), q)

    def read_twice(tensor, q):
        if d.random.random() < 0.5:
            ends.append(m.node("Flatten", m.dq(tensor, q)))
        return tensor

    if op in ("Add", "Mul", "Concat"):
        if op == "Mul":
            c = (scale_of_products(d, a, b), c[1])
        given = [m.dq(channel(0, a), a), m.dq(channel(1, b), b)]
        y = m.node(op, *given[::d.pick(1, -1)], **({"axis": 1} if op == "Concat" else {}))
        pairs = numpy.stack(numpy.meshgrid(d.every, d.every, indexing="ij"))
        images = pairs.reshape(2, 16, 64, 64).transpose(1, 0, 2, 3)
    else:
        rows, columns = int(d.random.integers(2, 7)), int(d.random.integers(2, 7))
        kernel = [rows, columns] if d.random.random() < 0.3 else [int(d.random.integers(1, rows + 1)), 2]
        attributes = {"AveragePool": {"kernel_shape": kernel, "strides": d.pick([1, 1], [2, 2])},
                      "LeakyRelu": {"alpha": float(d.random.uniform(0.01, 0.9))}}.get(op, {})
        y = m.node(op, m.dq(channel(0, a), a), **attributes)
        images = d.random.integers(d.low, d.high + 1, (200, 2, rows, columns))
    y = read_twice(m.q(y, c), c)
    return m, m.q(m.node("Concat", m.node("Flatten", m.dq(y, c)), *ends, axis=1), d.quantiser()), images


@group(12, 200)
def slopes_of_channels(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    slopes = m.constant(d.random.uniform(-1.5, 1.5, (16, 1, 1)), numpy.float32)
    return m, m.q(m.node("PRelu", m.dq("x", a), slopes), c), numpy.tile(d.every, 16).reshape(1, 16, 16, 16)


@group(12, 100, notes=True)
def pow_of_one(d):
    m, exponent = Model(d.kind), d.pick(2, 3, 4, 0.5, 1.5)
    a = (numpy.float32(d.random.uniform(1, 9) / 255), d.zero() if exponent in (2, 3, 4) else d.low)
    y = m.node("Pow", m.dq("x", a), m.constant(exponent, numpy.float32))
    return m, m.q(y, d.quantiser((255 * a[0]) ** exponent / d.random.uniform(60, 300))), d.every.reshape(1, -1)


@group(20, 200)
def mul_by_a_gate(d):
    """A map times a number for each channel, the largest one of the map."""
    m, a, b = Model(d.kind), d.quantiser(), d.quantiser()
    gate = m.q(m.node("Sigmoid", m.dq(m.node("MaxPool", "x", kernel_shape=[8, 8]), a)), b)
    y = multiplied(d, m, "x", a, gate, b, d.quantiser(scale_of_products(d, a, b)))
    return m, y, d.random.integers(d.low, d.high + 1, (4, 64, 8, 8)) // d.random.integers(1, 40, (4, 64, 1, 1))


@group(40, 400)
def of_one_number(d):
    """Several functions of one number, joined; some with quantisers of their own between them."""
    m, a = Model(d.kind), (numpy.float32(d.random.uniform(4, 18) / 255), d.zero())
    x, made = m.dq("x", a), []
    for _ in range(2):
        op = d.pick("Sigmoid", "HardSigmoid", "Tanh", "Identity", "Clip", "Abs", "Neg")
        more = (m.constant(0, numpy.float32), m.constant(6, numpy.float32)) if op == "Clip" else ()
        f = m.node(op, x, *more) if op != "Identity" else x
        if d.random.random() < 0.5:
            b = (numpy.float32(d.pick(1 / 256, 1 / 255, 2 / 255, 0.02)), d.zero())
            f = m.dq(m.q(f, b), b)
        made.append(f)
    y = m.node("Mul", *made)
    if d.random.random() < 0.3:
        y = m.node("Mul", y, x)
    return m, m.q(y, d.quantiser(d.random.uniform(1, 40) / 255)), d.every.reshape(1, -1)


@group(30, 300)
def add_for_the_last_axis(d):
    """Constants for the channels of tokens, the last axis."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    shape = d.pick((16, 64), (1, 64), (37, 5), (5, 5), (197, 3), (2, 8, 33), (64, 1))
    k = m.constant(d.random.integers(d.low, d.high + 1, d.pick((shape[-1],), (1, shape[-1]))), d.kind)
    pair = [("x", a), (k, b)] if d.random.random() < 0.5 else [(k, b), ("x", a)]
    multiplies = d.random.random() < 0.2
    if multiplies:
        c = d.quantiser(scale_of_products(d, a, b))
    if d.linear:
        (i, p), (j, q) = pair
        y = m.node("QLinearMul" if multiplies else "QLinearAdd", i, *m.as_inputs(p), j, *m.as_inputs(q), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Mul" if multiplies else "Add", *(m.dq(i, q) for i, q in pair)), c)
    size = int(numpy.prod(shape))
    numbers = numpy.concatenate([numpy.roll(d.every, i) for i in range(64)])
    return m, y, numpy.resize(numbers, (max(1, 16384 // size), *shape))


@group(60, 500)
def dense_of_tokens(d):
    """Vectors along the last axis, by constant weights, with what quantisers write behind them."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    tokens, ins, outs = d.pick(1, 2, 16, 197), d.pick(1, 7, 33, 64), d.pick(1, 5, 16, 35)
    shape = d.pick((tokens, ins), (tokens, ins), (2, tokens, ins))
    scales = d.scale() * (d.random.integers(1, 9, outs) if d.halves else d.random.uniform(0.1, 2, outs))
    if d.random.random() < 0.4:
        scales = scales[:1]
    scales = scales.astype(numpy.float32)
    kind = d.pick(d.kind, S8) if d.linear else S8
    weights = d.random.integers(-127, 128, (ins, outs)).astype(kind)
    b = d.quantiser(a[0] * scales[0] * d.random.integers(1, 60) * (ins ** 0.5 if not d.halves else 1))
    form = d.pick("alone", "biased", "biased", "gemm")
    vector = (lambda values, of: m.constant(values, of) if len(scales) > 1 else m.constant(values[0], of))
    zeros = vector(numpy.zeros(outs, numpy.int64) if kind is S8 else numpy.full(outs, d.zero()), kind)
    given = m.constant(weights, kind), vector(scales, numpy.float32), zeros
    x, images = "x", max(1, 4096 // (tokens * ins))
    bias = d.random.integers(-2000, 2000, outs)
    if form == "gemm" and not (d.linear and kind is not d.kind):
        images = 1
        x = m.node("Reshape", x, m.constant([int(numpy.prod(shape[:-1])), ins], numpy.int64))
    numbers = d.random.integers(d.low, d.high + 1, (images, *shape))
    if x != "x":
        if d.linear:
            y = m.node("QGemm", x, *m.as_inputs(a), *given, m.constant(bias, numpy.int32), *m.as_inputs(b), domain=ORT)
        else:
            dense = m.node("DequantizeLinear", *given, **({"axis": 1} if len(scales) > 1 else {}))
            of_bias = m.node("DequantizeLinear", m.constant(bias, numpy.int32), vector(scales * numpy.float32(a[0]), numpy.float32),
                             vector(numpy.zeros(outs, numpy.int32), numpy.int32), **({"axis": 0} if len(scales) > 1 else {}))
            y = m.q(m.node("Gemm", m.dq(x, a), dense, of_bias), b)
        return m, m.node("Reshape", y, m.constant([1, *shape[:-1], outs], numpy.int64)), numbers
    if d.linear:
        y = m.node("QLinearMatMul", x, *m.as_inputs(a), *given, *m.as_inputs(b))
    else:
        dense = m.node("DequantizeLinear", *given, **({"axis": 1} if len(scales) > 1 else {}))
        y = m.q(m.node("MatMul", m.dq(x, a), dense), b)
    if form == "biased":
        k, q = m.constant(d.random.integers(d.low, d.high + 1, outs), d.kind), d.quantiser(b[0] * d.pick(1, 2, 0.37))
        c = d.quantiser(b[0] * d.pick(1, 2, 1.41))
        pair = [(y, b), (k, q)] if d.random.random() < 0.5 else [(k, q), (y, b)]
        if d.linear:
            y = m.node("QLinearAdd", *(i for n, q in pair for i in (n, *m.as_inputs(q))), *m.as_inputs(c), domain=ORT)
        else:
            y = m.q(m.node("Add", *(m.dq(n, q) for n, q in pair)), c)
    return m, y, numbers


def taken(m, x, axis, start, end):
    return m.node("Slice", x, *(m.constant([i], numpy.int64) for i in (start, end, axis)))


def two_results(m, first, a, second, b):
    """The numbers of the input, first those of one shape and then those of the other, as numbers of a and of b."""
    sizes = [int(numpy.prod(shape)) for shape in (first, second)]
    whole = lambda values: m.constant(values, numpy.int64)
    flat = m.node("Reshape", "x", whole([1, sum(sizes)]))
    x = m.node("Reshape", taken(m, flat, 1, 0, sizes[0]), whole([1, *first]))
    line = m.node("Reshape", taken(m, flat, 1, sizes[0], sum(sizes)), whole([1, 1, sizes[1], 1]))
    line = m.node("QLinearConv", line, *m.as_inputs(a), m.constant([[[[1]]]], S8), m.constant(b[0] / a[0], numpy.float32),
                  m.constant(0, S8), *m.as_inputs(b), m.constant([a[1] - b[1]], numpy.int32))
    return x, m.node("Reshape", line, whole([1, *second]))


def all_pairs(d):
    """[pairs of bytes, 2]"""
    return numpy.stack(numpy.meshgrid(d.every, d.every, indexing="ij"), axis=-1).reshape(-1, 2)


@group(30, 300)
def matmul_of_results(d):
    """Products of two results: all pairs of bytes with one term, many terms, several matrices."""
    m, a, b = Model(d.kind), d.quantiser(), d.quantiser()
    rows, terms, columns = d.pick((256, 1, 256), (256, 1, 256), (197, 64, 5), (3, 197, 16), (1, 7, 1), (5, 33, 3))
    matrices = d.pick((), (1,), (2,), (3,)) if terms > 1 else d.pick((), (1,))
    first, second = two_results(m, (*matrices, rows, terms), a, (*matrices, terms, columns), b)
    c = d.quantiser(scale_of_products(d, a, b) * numpy.float32(terms ** 0.5))
    if d.linear:
        y = m.node("QLinearMatMul", first, *m.as_inputs(a), second, *m.as_inputs(b), *m.as_inputs(c))
    else:
        y = m.q(m.node("MatMul", m.dq(first, a), m.dq(second, b)), c)
    if terms == 1:
        return m, y, numpy.concatenate([d.every, d.every]).reshape(1, -1)
    images = d.random.integers(d.low, d.high + 1, (2, int(numpy.prod(matrices)) * (rows * terms + terms * columns)))
    return m, y, images


def reads_it(m, y, c):
    """A softmax that only quantisers follow is left to the host."""
    return m.q(m.node("Abs", m.dq(y, c)), c)


@group(40, 500)
def softmax(d):
    m, a = Model(d.kind), d.quantiser(d.scale() * d.pick(1, 3, 10))
    size = d.pick(2, 2, 3, 16, 64, 197)
    quarter = numpy.float32(1 / 256)
    scale = d.pick(1 / 256, 1 / 255, 1 / 255, 1 / 127, numpy.nextafter(quarter, numpy.float32(0)),
                   numpy.nextafter(quarter, numpy.float32(1)), d.random.uniform(1 / 500, 1 / 128), d.random.uniform(1e-5, 1e-3), 0.3, 3)
    c = numpy.float32(scale), d.pick(d.low, d.low, 0, d.zero())
    rows = 64 if size == 2 else 4
    if d.linear:
        y = m.node("QLinearSoftmax", "x", *m.as_inputs(a), *m.as_inputs(c), domain=ORT, axis=d.pick(-1, 2), opset=d.pick(11, 13))
    else:
        y = m.q(m.node("Softmax", m.dq("x", a), axis=d.pick(-1, 2)), c)
    if size == 2:
        images = all_pairs(d).reshape(-1, rows, 2)
    else:
        spread = d.random.integers(1, 256, (16, rows, 1))
        images = d.high - d.random.integers(0, 256, (16, rows, size)) * spread // 256
    return m, reads_it(m, y, c), images


@group(40, 500)
def layer_normalised(d):
    m, a = Model(d.kind), d.quantiser()
    size, tokens = d.pick(8, 8, 64, 192, 768), d.pick(1, 5, 16)
    factors = m.constant(d.random.normal(1, 0.5, size), numpy.float32)
    biases = [m.constant(d.random.normal(0, 0.5, size), numpy.float32)] if d.random.random() < 0.7 else []
    epsilon = d.pick(1e-5, 1e-6, 1e-12, 1e-5, float(numpy.float32(a[0]) ** 2), 1e-30, 1000.0)
    c = d.quantiser(d.pick(8 / 255, d.random.uniform(1 / 255, 8 / 255), 1 / 32))
    y = m.q(m.node("LayerNormalization", m.dq("x", a), factors, *biases, axis=d.pick(-1, 2), epsilon=epsilon), c)
    images = d.random.integers(d.low, d.high + 1, (max(4, 8192 // (size * tokens)), tokens, size))
    images[0] = d.random.integers(d.low, d.high + 1, (tokens, 1))  # equal numbers
    images[1] = images[1] // 64
    images[2, :, 1:] = a[1]  # one number that is no zero
    return m, y, images


@group(40, 400)
def add_of_two_shapes(d):
    """Results, of which each may have one place where the other one has many."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    first, second = d.pick(((2, 7, 5), (2, 1, 1)), ((7, 5), (1, 5)), ((7, 5), (7, 1)), ((7, 5), (1, 1)), ((7, 1), (1, 5)),
                           ((2, 7, 1), (2, 1, 5)), ((2, 1, 5), (1, 7, 1)), ((16, 16, 1), (1, 1, 16)), ((4, 1, 1), (4, 1, 1)),
                           ((1, 1, 1), (1, 1, 1)), ((1,), (1,)), ((7, 1), (1, 1)), ((3, 4, 4), (1, 4, 4)), ((3, 4, 1), (3, 1, 1)))
    if d.random.random() < 0.5:
        first, second = second, first
    x, y = two_results(m, first, a, second, b)
    if d.linear:
        y = m.node("QLinearAdd", x, *m.as_inputs(a), y, *m.as_inputs(b), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Add", m.dq(x, a), m.dq(y, b)), c)
    size = int(numpy.prod(first) + numpy.prod(second))
    return m, y, d.random.integers(d.low, d.high + 1, (max(8, 8192 // size), size))


@group(40, 400)
def add_of_many_constants(d):
    """Constants that are neither one number nor one for each channel."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    shape, of = d.pick(((7, 5), (1, 7, 5)), ((7, 5), (7, 5)), ((16, 64), (1, 16, 64)), ((2, 7, 5), (7, 5)), ((2, 7, 5), (2, 1, 5)),
                       ((2, 7, 5), (1, 2, 7, 1)), ((3, 7, 1), (1, 7, 1)), ((3, 1, 1), (1, 1, 1)), ((1, 5), (1, 1, 5)), ((7, 5), (7, 1)),
                       ((2, 7, 5), (7, 1)), ((5, 1), (1, 5, 1)))
    k = m.constant(d.random.integers(d.low, d.high + 1, of), d.kind)
    pair = [("x", a), (k, b)] if d.random.random() < 0.5 else [(k, b), ("x", a)]
    if d.linear:
        (i, p), (j, q) = pair
        y = m.node("QLinearAdd", i, *m.as_inputs(p), j, *m.as_inputs(q), *m.as_inputs(c), domain=ORT)
    else:
        y = m.q(m.node("Add", *(m.dq(i, q) for i, q in pair)), c)
    return m, y, numpy.resize(numpy.concatenate([numpy.roll(d.every, i) for i in range(64)]), (max(1, 16384 // int(numpy.prod(shape))), *shape))


@group(20, 200)
def add_of_two_types(d):
    """Results and constants of u8 and s8, which onnxruntime adds in float32."""
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    other = U8 if d.kind is S8 else S8
    b = d.scale(), int(d.random.integers(numpy.iinfo(other).min, numpy.iinfo(other).max + 1))
    as_b = m.constant(b[0], numpy.float32), m.constant(b[1], other)
    x = m.dq("x", a)
    if d.linear:
        info = numpy.iinfo(other)
        y = m.node("DequantizeLinear", m.constant(d.random.integers(info.min, info.max + 1, (1, 16, 16)), other), *as_b)
    else:
        y = m.node("Transpose", x, perm=[0, 2, 1])
        y = m.node("DequantizeLinear", m.node("QuantizeLinear", y, *as_b), *as_b)
    y = m.node("Add", *[x, y][:: d.pick(1, -1)])
    return m, m.q(y, c), d.random.integers(d.low, d.high + 1, (64, 16, 16))


@group(30, 300)
def concat_with_constants(d):
    """A class token before the others, also of Expand."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    tokens, size = d.pick(1, 7, 16), d.pick(1, 5, 64)
    numbers, reals = d.random.integers(d.low, d.high + 1, (1, 1, size)), d.random.normal(0, 60 * d.unit, (1, 1, size))
    form = d.pick("linear", "quantised", "real", "expanded", "expanded")
    if form == "linear":
        k = m.constant(numbers, d.kind)
        pair = [(k, b), ("x", a)][:: d.pick(1, -1)]
        y = m.node("QLinearConcat", *m.as_inputs(c), *(i for n, q in pair for i in (n, *m.as_inputs(q))), domain=ORT, axis=1)
    else:
        if form == "quantised":
            k = m.dq(m.constant(numbers, d.kind), b)
        else:
            k = m.constant(reals, numpy.float32)
        if form == "expanded":
            batch = m.node("Gather", m.node("Shape", "x"), m.constant([0], numpy.int64))
            sizes = m.node("Concat", batch, m.constant([d.pick(1, 3), size], numpy.int64), axis=0)
            k = m.node("Expand", k, sizes)
            if d.random.random() < 0.5:
                k = m.dq(m.q(k, b), b)
        y = m.q(m.node("Concat", *[k, m.dq("x", a)][:: d.pick(1, -1)], axis=d.pick(1, -2)), c)
    images = numpy.resize(d.every, (max(1, 1024 // (tokens * size)), tokens, size))
    return m, y, images


@group(30, 300)
def mean_of_tokens(d):
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    tokens, size = d.pick(1, 2, 16, 49, 197), d.pick(1, 8, 64)
    keeps = d.pick(0, 1)
    axes = [m.constant([d.pick(1, -2)], numpy.int64)]
    y = m.q(m.node("ReduceMean", m.dq("x", a), *axes, keepdims=keeps), c)
    return m, y, d.random.integers(d.low, d.high + 1, (max(4, 8192 // (tokens * size)), tokens, size))


def normalised(d, m, x, size):
    factors, biases = (m.constant(d.random.normal(mean, 0.5, size), numpy.float32) for mean in (1, 0))
    return m.node("LayerNormalization", x, factors, biases, axis=-1)


@group(30, 300)
def mean_of_normalised_tokens(d):
    """As the form of integers leaves it: the mean reads what is not quantised."""
    m, a = Model(d.kind), d.quantiser()
    tokens, size = d.pick(1, 2, 16, 49, 197), d.pick(8, 64, 192)
    y = normalised(d, m, m.dq("x", a), size)
    y = m.node("ReduceMean", y, m.constant([d.pick(1, -2)], numpy.int64), keepdims=d.pick(0, 1))
    images = d.random.integers(d.low, d.high + 1, (max(4, 8192 // (tokens * size)), tokens, size))
    return m, m.q(y, d.quantiser(d.random.uniform(1, 4) / 255)), images


@group(30, 300)
def part_of_normalised_tokens(d):
    """As the form of integers leaves it: the class token is picked before the quantiser."""
    m, a = Model(d.kind), d.quantiser()
    tokens, size = d.pick(2, 16, 50), d.pick(8, 64)
    y = normalised(d, m, m.dq("x", a), size)
    if d.random.random() < 0.5:
        place = int(d.random.integers(-tokens, tokens))
        y = m.node("Gather", y, m.constant(place, numpy.int64), axis=d.pick(1, -2))
    else:
        start = int(d.random.integers(0, tokens))
        whole = lambda values: m.constant(values, numpy.int64)
        ends = whole([int(d.random.integers(start + 1, tokens + 1)), 8])
        y = m.node("Slice", y, whole([start, 3]), ends, whole([1, 2]))
    images = d.random.integers(d.low, d.high + 1, (max(4, 8192 // (tokens * size)), tokens, size))
    return m, m.q(y, d.quantiser(d.random.uniform(1, 8) / 255)), images


@group(30, 300)
def integers_as_reals(d):
    """An input of integers whose values are used, as a mask is: 1 becomes 0 and 0 becomes a number far below."""
    m, c = Model(d.kind), d.quantiser()
    m.given = d.pick(numpy.int64, numpy.int32)
    x = m.node("Unsqueeze", "x", m.constant([1, 2], numpy.int64)) if d.random.random() < 0.5 else "x"
    x = m.node("Cast", x, to=TensorProto.FLOAT)
    if d.random.random() < 0.7:
        x = m.node("Sub", m.constant(1, numpy.float32), x)
        far = d.pick(-10000, -1, -3.0e38, numpy.finfo(numpy.float32).min)
        if abs(far) > 1:
            images = d.random.integers(0, 2, (16, 8))
            c = d.pick((-far / numpy.float32(255), d.high), d.quantiser())
        else:
            images = numpy.arange(-128, 128).reshape(1, -1)
        x = m.node("Mul", x, m.constant(far, numpy.float32))
    else:
        images = numpy.arange(-128, 128).reshape(1, -1)
    return m, m.q(x, c), images


def reshaped(m, x, shape):
    return m.node("Reshape", x, m.constant(shape, numpy.int64))


@group(30, 300)
def concat_along_axes(d):
    """Of two results of up to four axes behind the images, along each of them."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    shape = [int(n) for n in d.random.integers(1, 6, d.pick(1, 2, 3, 3, 4))]
    axis = int(d.random.integers(1, len(shape) + 1))
    other = list(shape)
    other[axis - 1] = int(d.random.integers(1, 6))
    first, second = two_results(m, shape, a, other, b)
    given = d.pick(axis, axis - len(shape) - 1)
    if d.linear:
        y = m.node("QLinearConcat", *m.as_inputs(c), first, *m.as_inputs(a), second, *m.as_inputs(b), domain=ORT, axis=given)
    else:
        y = m.q(m.node("Concat", m.dq(first, a), m.dq(second, b), axis=given), c)
    size = int(numpy.prod(shape) + numpy.prod(other))
    return m, reshaped(m, y, [1, -1]), numpy.resize(d.every, (max(2, 1024 // size), size))


@group(30, 300)
def softmax_along_axes(d):
    m, a = Model(d.kind), d.quantiser(d.scale() * d.pick(1, 3))
    shape = [int(n) for n in d.random.integers(1, 9, d.pick(2, 3, 3))]
    axis = int(d.random.integers(1, len(shape) + 1))
    c = numpy.float32(d.pick(1 / 256, 1 / 255, d.random.uniform(1 / 500, 1 / 128))), d.pick(d.low, 0, d.zero())
    if d.linear:
        y = m.node("QLinearSoftmax", "x", *m.as_inputs(a), *m.as_inputs(c), domain=ORT, axis=axis, opset=d.pick(11, 13))
    else:
        y = m.q(m.node("Softmax", m.dq("x", a), axis=d.pick(axis, axis - len(shape) - 1)), c)
    images = d.random.integers(d.low, d.high + 1, (max(2, 8192 // int(numpy.prod(shape))), *shape))
    return m, reads_it(m, y, c), images


@group(30, 300)
def largest_along_axes(d):
    """Also of a function that falls and rises."""
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    shape = [int(n) for n in d.random.integers(1, 7, d.pick(1, 2, 3, 3))]
    count = int(d.random.integers(1, len(shape) + 1))
    axes = sorted(int(n) for n in d.random.choice(len(shape), count, replace=False) + 1)
    x = m.dq("x", a)
    if d.random.random() < 0.3:
        x = m.node("Abs", x)
    y = m.node("ReduceMax", x, m.constant(axes, numpy.int64), keepdims=d.pick(0, 1))
    images = d.random.integers(d.low, d.high + 1, (max(2, 4096 // int(numpy.prod(shape))), *shape))
    return m, reshaped(m, m.q(y, c), [1, -1]), images


@group(60, 600)
def with_constants_of_any_shape(d):
    """A result and constants, each repeated along axes in which it has one place."""
    m, a, b, c = Model(d.kind), d.quantiser(), d.quantiser(), d.quantiser()
    shape = [int(n) for n in d.random.integers(1, 7, d.pick(1, 2, 3, 3))]
    of = [d.pick(n, n, 1) for n in shape]
    if len(of) > 1 and d.random.random() < 0.2:
        shape[int(d.random.integers(len(shape)))] = 1
    of = d.pick(of, [1, *of], of[int(d.random.integers(len(of))):])
    op = d.pick("Add", "Sub", "Mul", "Mul", "Div", "Max", "Min")
    x = m.dq("x", a)
    if d.random.random() < 0.3 and op in ("Add", "Mul"):
        k = m.dq(m.constant(d.random.integers(d.low, d.high + 1, of), d.kind), b)
    else:
        k = m.constant(numpy.resize(d.random.choice(200, int(numpy.prod(of))) - 100.5, of) * d.unit * 3, numpy.float32)
    if op in ("Mul", "Div"):
        c = d.quantiser(scale_of_products(d, a, b) if op == "Mul" else None)
    y = m.q(m.node(op, *[x, k][:: d.pick(1, -1)]), c)
    images = numpy.resize(numpy.concatenate([numpy.roll(d.every, i) for i in range(16)]),
                          (max(1, 2048 // int(numpy.prod(shape))), *shape))
    return m, reshaped(m, y, [1, -1]), images


@group(20, 200)
def sums_that_wrap(d):
    """Biases near the ends of 32 bits, as the quantiser makes them for channels of small weights."""
    m, a, c = Model(d.kind), d.quantiser(), d.quantiser()
    channels = 16
    weights = d.random.integers(-127, 128, (channels, 1, 1, 1))
    bias = d.random.choice([-1, 1], channels) * (2**31 - 1 - d.random.integers(0, 40000, channels))
    scales = c[0] / a[0] * d.random.uniform(1, 300, channels) / 2**31
    y = m.node("QLinearConv", "x", *m.as_inputs(a), m.constant(weights, S8), m.constant(scales, numpy.float32),
               m.constant(numpy.zeros(channels), S8), *m.as_inputs(c), m.constant(bias, numpy.int32))
    return m, y, d.every.reshape(1, 1, 16, 16)


@group(60, 600)
def mean_of_maps(d):
    """ReduceMean in float32, whose order of additions depends on the operators around it. The scale makes many ties."""
    m, a, b = Model(d.kind), d.quantiser(), d.quantiser()
    channels, rank = d.pick(3, 8), d.pick(3, 4, 4)
    size = [int(n) for n in d.random.integers(3, 15, rank - 2)]

    def conv(x, q, inputs, outputs, taps, to):
        weights = m.constant(d.random.integers(-127, 128, (outputs, inputs, *[taps] * (rank - 2))), S8)
        weights = m.node("DequantizeLinear", weights, m.constant(to[0] / q[0] / 127 / inputs, numpy.float32), m.constant(0, S8))
        return m.q(m.node("Conv", m.dq(x, q), weights, pads=[taps // 2] * (2 * rank - 4)), to)

    x, before = "x", d.pick("conv", "conv", "function", "pool", "sum", "joined", "with_input", "nothing")
    if before == "nothing":
        x = m.q(m.node("Sigmoid", m.dq(x, a)), b)
    else:
        x = conv(x, a, 3, channels, 3, b)
    if before == "function":
        x = m.q(m.node("Tanh", m.dq(x, b)), b)
    if before == "pool":
        x = m.q(m.node("MaxPool", m.dq(x, b), kernel_shape=[2] * (rank - 2)), b)
        size = [n - 1 for n in size]
    if before == "sum":
        x = m.q(m.node("Add", m.dq(x, b), m.dq(conv("x", a, 3, channels, 1, b), b)), b)
    if before in ("joined", "with_input"):
        other = "x" if before == "with_input" else conv("x", a, 3, 3, 1, a)
        x = m.q(m.node("Concat", m.dq(x, b), m.dq(other, a), axis=1), b)
        channels += 3
    if before == "nothing":
        channels = 3
    taps, steps = int(numpy.prod(size)), 2 * (2 * int(d.random.integers(1, 40)) + 1)
    c = d.quantiser(numpy.float32(b[0]) * numpy.float32(steps) / numpy.float32(taps))
    keeps = d.pick(0, 1)
    mean = m.q(m.node("ReduceMean", m.dq(x, b), m.constant(range(2, rank), numpy.int64), keepdims=keeps), c)
    behind = d.pick("conv", "conv", "gate", "gate_and_conv") if keeps else "nothing"
    y, q = mean, c
    if behind.startswith("gate"):
        y, q = m.q(m.node("Mul", m.dq(x, b), m.dq(mean, c)), a), a
    if behind.endswith("conv"):
        y = conv(y, q, channels, 4, 1, a)
    return m, reshaped(m, y, [1, -1]), d.random.integers(d.low, d.high + 1, (40, 3, *(n + (before == "pool") for n in size)))


def judged(model, images):
    session = exact.session(model)
    return numpy.concatenate([session.run(None, {"x": image[None]})[0] for image in images])


def said(program, *words):
    done = subprocess.run([program, *map(str, words)], text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def failure(program, stem, may_note):
    """Why the case is none that is equal; nothing: it is."""
    status, text = said(program, "run", f"{stem}.onnx", "--input", f"{stem}.in.npy", "--expect", f"{stem}.out.npy")
    if status == 0 and may_note:
        return ""
    notes = [line for line in said(program, "import", f"{stem}.onnx")[1].splitlines() if "onnxruntime" in line and "note" in line]
    if status == 0:
        return "\n".join(notes)
    return "" if may_note and status == 1 and notes else "\n".join(text.splitlines()[-3:])


@group(20, 200)
def resized(d):
    m, a = Model(d.kind), d.quantiser()
    ways = [("asymmetric", "floor")] + [(c, r) for c in ("half_pixel", "pytorch_half_pixel", "half_pixel_symmetric")
                                        for r in ("round_prefer_floor", "round_prefer_ceil")]
    coordinates, rounding = d.pick(*ways)
    rows, columns = (int(d.random.integers(1, 6)) for _ in range(2))
    scales = ["", m.constant([1, 1, rows, columns], numpy.float32)]
    sizes = ["", "", m.constant([1, 2, 8 * rows, 8 * columns], numpy.int64)]
    y = m.q(m.node("Resize", m.dq("x", a), *d.pick(scales, sizes), mode="nearest", coordinate_transformation_mode=coordinates,
                   nearest_mode=rounding), a)
    return m, y, d.every.reshape(2, 2, 8, 8)


@group(30, 300)
def interpolated(d):
    m, a = Model(d.kind), d.quantiser()
    rows, columns = (float(d.pick(1, 2, 2, 3, 4, d.random.uniform(0.4, 3))) for _ in range(2))
    attributes = {"mode": "linear", "coordinate_transformation_mode": d.pick("half_pixel", "pytorch_half_pixel", "asymmetric",
                                                                             "align_corners")}
    scales = ["", m.constant([1, 1, rows, columns], numpy.float32)]
    sizes = ["", "", m.constant([1, 16, int(9 * rows), int(11 * columns)], numpy.int64)]
    if d.linear:  # of the numbers themselves; by other factors the two kernels of onnxruntime differ
        rows, columns = (float(d.pick(1, 2, 4)) for _ in range(2))
        if attributes["coordinate_transformation_mode"] == "align_corners":
            attributes["coordinate_transformation_mode"] = "half_pixel"
        scales[1] = m.constant([1, 1, rows, columns], numpy.float32)
        sizes[2] = m.constant([1, 16, int(9 * rows), int(11 * columns)], numpy.int64)
        y = m.node("Resize", m.node("QLinearConv", "x", *m.as_inputs(a), m.constant(numpy.eye(16).reshape(16, 16, 1, 1), S8),
                                    m.constant(1, numpy.float32), m.constant(0, S8), *m.as_inputs(a)),
                   *d.pick(scales, sizes), **attributes)
    else:
        y = m.q(m.node("Resize", m.dq("x", a), *d.pick(scales, sizes), **attributes), d.pick(a, d.quantiser()))
    return m, y, d.random.integers(d.low, d.high + 1, (4, 16, 9, 11))


@group(80, 800)
def moved(d):
    """Up to four operators that move numbers, with quantisers between some of them."""
    m, q = Model(d.kind), d.quantiser()
    shape = [1, *d.pick((4, 8, 8), (16, 4, 4), (8, 2, 16))]
    images = d.every.reshape(shape)
    x, integers = ("x", True) if d.linear else (m.dq("x", q), False)
    whole = lambda values: m.constant(values, numpy.int64)
    number = lambda low, high: int(d.random.integers(low, high))
    for _ in range(number(1, 5)):
        op = d.pick("Slice", "Split", "Gather", "Pad", "Shuffle", "Transpose", *(["DepthToSpace", "SpaceToDepth"] * 2))
        axis = number(1, 4)
        size = shape[axis]
        if op in ("DepthToSpace", "SpaceToDepth") and integers:
            x, integers = m.dq(x, q), False  # onnxruntime has them for real numbers
        if op == "Slice":
            step = d.pick(1, 2, 3, -1, -2)
            places = range(size)[slice(*d.pick((0, size), (number(0, size), size), (-size - 3, number(1, size + 1)))
                                       if step > 0 else (d.pick(-1, size + 5, size - 1), d.pick(-size - 1, -size - 7)))]
            starts, ends = (0, size) if step > 0 and not places else (places.start, places.stop) if step > 0 else (size - 1, -size - 1)
            x = m.node("Slice", x, whole([starts]), whole([ends]), whole([d.pick(axis, axis - 4)]), whole([step]))
            shape[axis] = len(range(*slice(starts, ends, step).indices(size)))
        elif op == "Split":
            if size < 2:
                continue
            first = number(1, size)
            parts = [f"s{len(m.nodes)}a", f"s{len(m.nodes)}b"]
            m.nodes.append(helper.make_node("Split", [x, whole([first, size - first])], parts, name=parts[0], axis=axis))
            if axis == 1 and d.random.random() < 0.5:
                x = m.node("Concat", *parts[::-1], axis=1)
            else:
                x, shape[axis] = parts[1], size - first
        elif op == "Gather":
            places = d.random.integers(-size, size, number(1, size + 3))
            x = m.node("Gather", x, whole(places), axis=axis)
            shape[axis] = len(places)
        elif op == "Pad":
            mode = d.pick("constant", "constant", "reflect", "edge")
            most = 3 if mode != "reflect" else min(shape[1:])
            pads = [0, *(number(0, most) for _ in range(3)), 0, *(number(0, most) for _ in range(3))]
            if d.random.random() < 0.5:
                pads[1] = pads[5] = 0
            if numpy.prod([s + a + b for s, a, b in zip(shape, pads, pads[4:])]) > 1 << 14:
                continue
            if mode == "constant":
                value = m.constant(d.zero(), d.kind) if integers else m.constant(d.pick(0, q[0] * 3, d.random.normal()), numpy.float32)
                x = m.node("Pad", x, whole(pads), *d.pick([], [value]), mode=mode)
                if not integers:
                    c = d.pick(q, d.quantiser())
                    x, q = m.dq(m.q(x, c), c), c
            else:
                x = m.node("Pad", x, whole(pads), mode=mode)
            shape = [s + a + b for s, a, b in zip(shape, pads, pads[4:])]
        elif op == "Shuffle":
            groups = d.pick(*(g for g in range(1, shape[1] + 1) if shape[1] % g == 0))
            x = m.node("Reshape", x, whole([*d.pick([1], [-1]), groups, shape[1] // groups, *shape[2:]]))
            x = m.node("Transpose", x, perm=[0, 2, 1, 3, 4])
            x = m.node("Reshape", x, whole([0, -1, *shape[2:]]))
        elif op == "Transpose":
            order = [0, *(1 + d.random.permutation(3))]
            x, shape = m.node("Transpose", x, perm=[int(a) for a in order]), [shape[a] for a in order]
        elif op == "DepthToSpace" and shape[1] % 4 == 0:
            x = m.node(op, x, blocksize=2, mode=d.pick("DCR", "CRD"))
            shape = [1, shape[1] // 4, shape[2] * 2, shape[3] * 2]
        elif op == "SpaceToDepth" and shape[2] % 2 == 0 and shape[3] % 2 == 0:
            x = m.node(op, x, blocksize=2)
            shape = [1, shape[1] * 4, shape[2] // 2, shape[3] // 2]
        if not integers and m.nodes[-1].op_type != "DequantizeLinear" and d.random.random() < 0.4:
            c = d.pick(q, d.quantiser())
            x, q = m.dq(m.q(x, c), c), c
    if integers:
        return m, m.node("Identity", x), images
    # Two quantisers in a row are another group.
    return m, m.q(x, q if m.nodes[-1].op_type == "DequantizeLinear" else d.pick(q, d.quantiser())), images


@group(60, 1000)
def arithmetic_of_shapes(d):
    """Integers that follow from the shape of the input and from constants; their low bytes are added to zeros."""
    d.kind = U8
    m, q = Model(U8), (numpy.float32(1), 0)
    number = lambda low, high: int(d.random.integers(low, high))
    integer = lambda values: m.constant(values, numpy.int64)
    sizes = [1, *(number(1, 7) for _ in range(3))]
    known = [(m.node("Shape", "x"), numpy.array(sizes))]

    def keep(made, op, *inputs, **attributes):
        known.append((m.node(op, *inputs, **attributes), numpy.asarray(made)))

    for _ in range(3):
        values = d.random.integers(-9, 10, d.pick((), (number(1, 5),), (number(1, 4), number(1, 4))))
        known.append((integer(values), values))
    for _ in range(number(4, 14)):
        (a, x), (b, y) = (known[number(0, len(known))] for _ in range(2))
        op = d.pick("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Where", "Concat", "Gather", "Slice", "Unsqueeze", "Squeeze",
                    "Reshape", "Transpose", "Range", "ConstantOfShape", "Expand", "Cast", "Neg", "Abs", "ReduceProd", "ReduceSum",
                    "ReduceMax", "Tile", "Split", "Identity", "Shape", "Size", "Real", "Not")
        try:
            together = numpy.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            together = None
        axis = number(0, x.ndim) if x.ndim else None
        if x.size > 200 or y.size > 200 or x.size == 0 or y.size == 0:
            continue
        if op in ("Add", "Sub", "Mul", "Min", "Max") and together is not None:
            does = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Min": numpy.minimum, "Max": numpy.maximum}[op]
            if op in ("Add", "Sub", "Mul") and not (x.ndim == y.ndim == 1 and (x.size == y.size or 1 in (x.size, y.size))):
                # ONNX' inference takes known values for lines and refuses others; it does not look through Neg.
                a = m.node("Neg", m.node("Neg", a))
            keep(does(x, y), op, a, b)
        elif op in ("Div", "Mod") and together is not None and (y != 0).all():
            keep(numpy.trunc(x / y).astype(numpy.int64) if op == "Div" else numpy.mod(x, y), op, a, b)
        elif op == "Where" and together is not None:
            compare, does = d.pick(("Equal", numpy.equal), ("Less", numpy.less), ("Greater", numpy.greater),
                                   ("LessOrEqual", numpy.less_equal), ("GreaterOrEqual", numpy.greater_equal))
            keep(numpy.where(does(x, y), x, y), op, m.node(compare, a, b), a, b)
        elif op == "Not" and together is not None:
            two = m.node(d.pick("And", "Or", "Xor"), m.node("Equal", a, b), m.node("Less", a, b))
            keep(numpy.zeros(together), "Cast", m.node("Not", two), to=TensorProto.INT64)
        elif op == "Concat" and x.ndim and x.ndim == y.ndim and all(
                i == axis or s == t for i, (s, t) in enumerate(zip(x.shape, y.shape))):
            keep(numpy.concatenate([x, y], axis), op, a, b, axis=axis)
        elif op == "Gather" and x.ndim:
            indices = d.random.integers(-x.shape[axis], x.shape[axis], d.pick((), (2,), (2, 2)))
            keep(numpy.take(x, indices % x.shape[axis], axis), op, a, integer(indices), axis=axis)
        elif op == "Slice" and x.ndim:
            size = x.shape[axis]
            part = slice(number(-size - 2, size + 2), d.pick(number(-size - 2, size + 2), 2**31 - 1, 2**63 - 1), d.pick(1, 2, -1, -3))
            indices = [slice(None)] * x.ndim
            indices[axis] = part
            if x[tuple(indices)].size:
                keep(x[tuple(indices)], op, a, *(integer([v]) for v in (part.start, part.stop, axis, part.step)))
        elif op == "Unsqueeze" and x.ndim < 4:
            keep(numpy.expand_dims(x, 0), op, a, integer([0]))
        elif op == "Squeeze" and x.ndim and x.shape[axis] == 1:
            keep(numpy.squeeze(x, axis), op, a, integer([axis]))
        elif op == "Reshape":
            keep(x.reshape(-1), op, a, integer([-1]))
        elif op == "Transpose" and x.ndim:
            keep(x.T, op, a)
        elif op == "Range":
            start, limit, delta = number(-9, 9), number(-9, 9), d.pick(1, 2, -1)
            if len(range(start, limit, delta)):
                keep(numpy.arange(start, limit, delta), op, *(integer(v) for v in (start, limit, delta)))
        elif op == "ConstantOfShape" and x.ndim == 1 and x.min() > 0 and x.prod() < 100 and x.size < 4:
            keep(numpy.full(x, 7), op, a, value=helper.make_tensor("v", TensorProto.INT64, [1], [7]))
        elif op == "Expand" and x.ndim < 3:
            wanted = [number(1, 4), *x.shape]
            keep(numpy.broadcast_to(x, wanted), op, a, integer(wanted))
        elif op == "Tile" and x.ndim:
            times = [number(1, 3) for _ in x.shape]
            keep(numpy.tile(x, times), op, a, integer(times))
        elif op == "Split" and x.ndim and x.shape[axis] > 1:
            parts = [f"s{len(m.nodes)}a", f"s{len(m.nodes)}b"]
            m.nodes.append(helper.make_node("Split", [a, integer([1, x.shape[axis] - 1])], parts, axis=axis))
            known.append((parts[1], numpy.split(x, [1], axis)[1]))
        elif op == "Cast":
            kind = d.pick(numpy.int32, numpy.int8, numpy.uint8, numpy.float32, numpy.float64, numpy.bool_)
            if numpy.abs(x).max() < 120 and (kind != numpy.uint8 or x.min() >= 0):
                to = helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))
                keep(x.astype(kind).astype(numpy.int64), op, m.node("Cast", a, to=to), to=TensorProto.INT64)
        elif op == "Real" and numpy.abs(x).max() < 1e6:
            real = m.node("Div", m.node("Cast", a, to=TensorProto.FLOAT), m.constant(d.pick(2, 3, 0.7), numpy.float32))
            keep(numpy.zeros(x.shape), "Cast", m.node(d.pick("Floor", "Ceil", "Round"), real), to=TensorProto.INT64)
        elif op in ("Neg", "Abs", "Identity"):
            keep({"Neg": numpy.negative, "Abs": numpy.abs, "Identity": lambda v: v}[op](x), op, a)
        elif op.startswith("Reduce") and x.ndim:
            keeps = number(0, 2)
            does = {"ReduceProd": numpy.prod, "ReduceSum": numpy.sum, "ReduceMax": numpy.max}[op]
            keep(does(x, axis=axis, keepdims=bool(keeps)), op, a, integer([axis]), keepdims=keeps)
        elif op == "Shape":
            if x.ndim:
                keep(numpy.array(x.shape), op, a)
        elif op == "Size":
            keep(numpy.array(x.size), op, a)
    # All of them side by side; numpy's values only decided what fits.
    flat = [m.node("Reshape", name, integer([-1])) for name, _ in known]
    bytes_of = m.node("Mod", m.node("Concat", *flat, axis=0), integer(256))
    channels = sum(int(value.size) for _, value in known)
    addend = m.node("Reshape", m.node("Cast", bytes_of, to=TensorProto.FLOAT), integer([1, channels]))
    # A vector of zeros, of the input.
    line = m.node("Reshape", m.dq("x", q), integer([1, -1]))
    zeros = m.node("Gather", line, integer([0] * channels), axis=1)
    return m, m.q(m.node("Add", zeros, addend), q), numpy.zeros(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    seed, long = int(os.environ.get("KUMIKI_SEED") or time.time() // 86400), os.environ.get("KUMIKI_LONG") == "1"
    print(f"KUMIKI_SEED={seed}")
    arguments.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for number, (name, (make, few, many, notes)) in enumerate(GROUPS.items()):
        if arguments.only not in name:
            continue
        count, wrong, numbers = many if long else few, 0, 0
        for case in range(count):
            draw = Draw(numpy.random.default_rng([seed, number, case]))
            model, y, images = make(draw)
            images = images.astype(model.given)
            stem = arguments.work / f"{name}-{case}"
            stem.with_suffix(".onnx").write_bytes(model.bytes(y, images.shape[1:], 1))
            numpy.save(f"{stem}.in.npy", images)
            expected = judged(f"{stem}.onnx", images)
            numpy.save(f"{stem}.out.npy", expected)
            numbers += expected.size
            if why := failure(arguments.program, stem, notes):
                wrong += 1
                print(f"{stem}.onnx: {why}")
            else:
                for file in (".onnx", ".in.npy", ".out.npy"):
                    pathlib.Path(f"{stem}{file}").unlink()
        failed += wrong
        print(f"{name}: {count - wrong} of {count} equal, {numbers} numbers", flush=True)
    sys.exit(bool(failed))


main()

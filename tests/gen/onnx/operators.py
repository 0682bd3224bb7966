#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small network for each operator that random ones seldom draw, and what onnxruntime makes of it.

usage: operators.py OUTDIR

NAME.onnx, NAME.in.npy and NAME.out.npy: in QDQ or QLinear form as onnxruntime runs them, or in QONNX as
examples/models/qonnx_judge.py has it. Scales of sums that onnxruntime adds in float32 are powers of two, so nothing may
differ. Needs onnx, onnxruntime and numpy from PyPI (examples/models/requirements.txt).
"""
import pathlib
import sys
import zlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/models"))
import exact
import qonnx_judge

QONNX = "qonnx.custom_op.general"
ORT = "com.microsoft"
U8, S8 = numpy.uint8, numpy.int8
CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


class Net:
    """Nodes one behind the other; `x` is what the last one made."""

    case = ""  # that is made: each has random numbers of its own

    def __init__(self, *shape):
        self.random = numpy.random.default_rng(zlib.crc32(Net.case.encode()))
        self.nodes, self.constants, self.values, self.shape, self.x = [], [], [], shape, "x"
        self.low, self.high = -1.0, 1.0
        self.input = None  # the type of integers that come in
        self.rows = None  # of the table that the integers pick from
        self.opset, self.count, self.alone = 20, 24, False

    def constant(self, value, kind=numpy.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(value, kind), name))
        return name

    def node(self, op, *more, domain="", inputs=None, shape=None, **attributes):
        out = f"t{len(self.nodes)}"
        inputs = [self.x, *more] if inputs is None else inputs
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", domain=domain, **attributes))
        if shape is not None:
            self.values.append(helper.make_tensor_value_info(out, TensorProto.FLOAT, ["N", *shape]))
        self.x = out
        return self

    def q(self, scale, zero=0, kind=S8):
        return self.node("QuantizeLinear", self.constant(scale), self.constant(zero, kind))

    def dq(self, scale, zero=0, kind=S8):
        return self.node("DequantizeLinear", self.constant(scale), self.constant(zero, kind))

    def qdq(self, scale, zero=0, kind=S8):
        return self.q(scale, zero, kind).dq(scale, zero, kind)

    def weights(self, shape, scale, low=-20, high=21):
        numbers = self.constant(self.random.integers(low, high, shape), S8)
        out = f"w{len(self.nodes)}"
        self.nodes.append(helper.make_node("DequantizeLinear", [numbers, self.constant(scale), self.constant(0, S8)],
                                           [out], name=out))
        return out

    def quantised(self, value, scale, zero, kind):
        """Constants behind a DequantizeLinear."""
        out = f"d{len(self.nodes)}"
        self.nodes.append(helper.make_node("DequantizeLinear", [self.constant(value, kind), self.constant(scale),
                                                                self.constant(zero, kind)], [out], name=out))
        return out

    def quant(self, bits, scale, signed=1, narrow=0, zero=0, mode="ROUND"):
        return self.node("Quant", self.constant(scale), self.constant(zero), self.constant(bits), domain=QONNX,
                         signed=signed, narrow=narrow, rounding_mode=mode)

    def conv(self, outs, channels, kernel=1, scale=0.125, **attributes):
        return self.node("Conv", self.weights((outs, channels, kernel, kernel), scale), kernel_shape=[kernel] * 2,
                         shape=(outs, 1, 1), **attributes)

    def floats(self, *shape):
        return self.constant(self.random.normal(size=shape))

    def model(self):
        value = lambda name, shape, kind: helper.make_tensor_value_info(name, kind, shape)
        kind = TensorProto.FLOAT if self.input is None else helper.np_dtype_to_tensor_dtype(numpy.dtype(self.input))
        graph = helper.make_graph(self.nodes, "operators", [value("x", ["N", *self.shape], kind)],
                                  [value(self.x, None, TensorProto.FLOAT)], self.constants, value_info=self.values)
        return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid(*d) for d in
                                                                     (("", self.opset), (QONNX, 1), (ORT, 1))])

    def images(self):
        if self.input is not None:
            kind = numpy.iinfo(self.input)
            low, high = (-self.rows, self.rows) if self.rows else (kind.min, kind.max + 1)
            return self.random.integers(low, high, (self.count, *self.shape)).astype(self.input)
        return self.random.uniform(self.low, self.high, (self.count, *self.shape)).astype(numpy.float32)


def function(op, scale=0.02, zero=0, made=0.01, low=0, domain="", *constants, **attributes):
    net = Net(2, 4, 4).qdq(scale, zero)
    net.low, net.high = -128 * scale * 1.1, 127 * scale * 1.1
    return net.node(op, *(net.constant(c) for c in constants), domain=domain, **attributes).qdq(made, low)


CASES.update({
    "elu": lambda: function("Elu", 0.023, 3, 0.017, -60, alpha=0.7),
    "celu": lambda: function("Celu", 0.031, -5, 0.019, -60, alpha=1.5),
    "selu": lambda: function("Selu", 0.027, 0, 0.023, -50),
    "softplus": lambda: function("Softplus", 0.041, 0, 0.021, -128),
    "softsign": lambda: function("Softsign", 0.037, 1, 0.0077),
    "thresholded_relu": lambda: function("ThresholdedRelu", 0.02, 0, 0.013, -128, alpha=0.9),
    "gelu": lambda: function("Gelu", 0.029, 0, 0.017, -100),
    "gelu_tanh": lambda: function("Gelu", 0.029, 0, 0.017, -100, approximate="tanh"),
    "gelu_of_microsoft": lambda: function("Gelu", 0.029, 0, 0.017, -100, ORT),
    "mish": lambda: function("Mish", 0.033, 0, 0.019, -100),
    "erf": lambda: function("Erf", 0.023, 0, 0.0071),
    "exp": lambda: function("Exp", 0.011, 0, 0.013, -128),
    "sqrt": lambda: function("Sqrt", 0.02, -128, 0.0093, -120),
    "reciprocal": lambda: function("Reciprocal", 0.02, -128, 0.031, -128),
    "floor": lambda: function("Floor", 0.02, 3, 0.3, 5),
    "ceil": lambda: function("Ceil", 0.02, 3, 0.3, 5),
    "round": lambda: function("Round", 0.0625, 3, 0.3, 5),
    "sign": lambda: function("Sign", 0.02, 3, 0.3, 5),
    "abs": lambda: function("Abs", 0.02, 3, 0.0137, -128),
    "neg": lambda: function("Neg", 0.02, 3, 0.0237, 5),
    "slope_of_all": lambda: function("PRelu", 0.02, 0, 0.013, -20, "", 0.3),
    "slope_of_channels": lambda: function("PRelu", 0.02, 0, 0.013, -20, "", [[[0.3]], [[0.07]]]),
    "slopes_below_0": lambda: function("PRelu", 0.02, 0, 0.013, -20, "", [[[0.3]], [[-0.7]]]),
    "pow_of_two": lambda: function("Pow", 0.02, 7, 0.023, -120, "", 2.0),
    "pow_of_a_half": lambda: function("Pow", 0.02, -128, 0.011, -100, "", 0.5),
})


@case
def leaky_behind_a_sum():
    return Net(3, 4, 4).qdq(0.0078125).conv(4, 3).node("LeakyRelu", alpha=0.3).qdq(0.03125, -30)


@case
def slopes_behind_a_sum():
    net = Net(3, 4, 4).qdq(0.0078125).conv(3, 3)
    return net.node("PRelu", net.constant([[[0.1]], [[0.25]], [[0.6]]])).qdq(0.03125, -30)


def constant_added(shape, value, first, scale=0.013, zero=7, kind=S8):
    net = Net(*shape).qdq(0.0083, -9)
    c = net.quantised(value, scale, zero, kind)
    return net.node("Add", inputs=[c, net.x] if first else [net.x, c]).qdq(0.0171, 11)


CASES.update({
    "constant_of_channels": lambda: constant_added((3, 4, 5), [[[-100]], [[3]], [[77]]], False),
    "constant_of_channels_first": lambda: constant_added((3, 4, 5), [[[[-99]], [[5]], [[78]]]], True),
    "constant_of_pixels": lambda: constant_added((3, 1, 1), [[[-100]], [[3]], [[77]]], False),
    "constant_of_features": lambda: constant_added((5,), [-100, 3, 77, 120, -8], False),
    "constant_of_features_first": lambda: constant_added((5,), [[-100, 3, 77, 120, -8]], True),
})


def linear_added(shape, value, first):
    net = Net(*shape).q(0.0083, 120, U8)
    a = [net.x, net.constant(0.0083), net.constant(120, U8)]
    c = [net.constant(value, U8), net.constant(0.0131), net.constant(130, U8)]
    inputs = [*(c + a if first else a + c), net.constant(0.0171), net.constant(121, U8)]
    return net.node("QLinearAdd", inputs=inputs, domain=ORT).dq(0.0171, 121, U8)


CASES.update({
    "q_linear_constant": lambda: linear_added((3, 4, 5), 99, False),
    "q_linear_constant_of_channels": lambda: linear_added((3, 4, 5), [[[1]], [[150]], [[255]]], False),
    "q_linear_constant_first": lambda: linear_added((3, 4, 5), [[[1]], [[150]], [[255]]], True),
    "q_linear_constant_of_features": lambda: linear_added((4,), [1, 150, 255, 33], False),
})


def dense(alpha, beta, bias, turned=0):
    net = Net(6).qdq(0.0078125)
    w = net.weights((4, 6) if turned else (6, 4), 0.0625)
    inputs = [net.x, w]
    if bias == "int32":
        inputs.append(net.quantised(net.random.integers(-500, 500, 4), 0.0078125 * 0.0625 * abs(alpha), 0, numpy.int32))
    elif bias:
        inputs.append(net.constant(numpy.rint(net.random.normal(size=4) * 64) / 64))
    return net.node("Gemm", inputs=inputs, alpha=alpha, beta=beta, transB=turned).qdq(0.0123, 5)


CASES.update({
    "alpha": lambda: dense(0.7, 1.0, None),
    "alpha_and_bias": lambda: dense(0.25, 1.0, "int32", 1),
    "alpha_below_0": lambda: dense(-0.7, 1.0, None),
    "alpha_below_0_and_bias": lambda: dense(-0.5, 1.0, "int32"),
    "beta": lambda: dense(1.0, 0.25, True),
    "alpha_and_beta": lambda: dense(0.5, -2.0, True, 1),
    "beta_of_0": lambda: dense(1.0, 0.0, True),
})


def padded(kind, zero, pads, op, **attributes):
    net = Net(2, 5, 5).qdq(0.0078125, zero, kind)
    if op == "AveragePool" and kind == S8:
        net.low = 0
    net.node("Pad", net.constant(pads, numpy.int64))
    if op:
        net.node(op, **attributes)
    return net.qdq(0.0078125, zero, kind)


AROUND = [0, 0, 1, 0, 0, 0, 1, 2]
CASES.update({
    "pad_and_max": lambda: padded(S8, 3, AROUND, "MaxPool", kernel_shape=[2, 2]),
    "pad_and_max_from_0": lambda: padded(U8, 0, [0, 0, 1, 0, 0, 0, 1, 1], "MaxPool", kernel_shape=[2, 2],
                                         strides=[2, 2]),
    "pad_and_average": lambda: padded(S8, 0, AROUND, "AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
    "pad_and_mean": lambda: padded(S8, 0, AROUND, "GlobalAveragePool"),
    "pad_alone": lambda: padded(S8, -7, AROUND, None),
})


@case
def pad_and_another_scale():
    net = Net(2, 5, 5).qdq(0.0078125, 5)
    return net.node("Pad", net.constant(AROUND, numpy.int64)).qdq(0.011, -3).conv(2, 2, 3).qdq(0.05, 1)


@case
def pad_of_the_input():
    net = Net(2, 5, 5)
    net.node("Pad", net.constant([1, 0, 1, 2], numpy.int64), "", net.constant([2, 3], numpy.int64))
    return net.qdq(0.0078125, 9).conv(2, 2, 3).qdq(0.05, 1)


@case
def norm_of_the_input():
    net = Net(3, 4, 4)
    of = [net.constant(v) for v in ([1.1, 0.7, -2], [0.1, 0, 0.3], [0.4, 0.5, 0.45], [0.05, 0.06, 0.04])]
    return net.node("BatchNormalization", *of).qdq(0.031, 4).conv(2, 3).qdq(0.3, 1)


@case
def affine_input():
    net = Net(3, 4, 4)
    net.node("Sub", net.constant([[[0.485]], [[0.456]], [[0.406]]]))
    net.node("Div", net.constant([[[0.229]], [[0.224]], [[0.225]]]))
    net.node("Transpose", perm=[0, 1, 3, 2]).node("Mul", net.constant(0.75))
    net.node("Sub", inputs=[net.constant(0.5), net.x]).node("Add", net.constant(0.1))
    return net.qdq(0.031, 4).conv(2, 3).qdq(0.3, 1)


# ---- QONNX


def rounding(mode):
    net = Net(2, 3, 3).quant(8, 0.0078125).quant(5, 0.0625, mode=mode).conv(3, 2)
    return net.node("Relu" if mode == "CEIL" else "Identity", shape=(3, 3, 3)).quant(4, 0.125, mode=mode)


for mode in ("CEIL", "FLOOR", "UP", "DOWN", "ROUND_TO_ZERO", "HALF_UP", "HALF_DOWN", "half_even"):
    CASES[f"qonnx_{mode.lower()}"] = lambda mode=mode: rounding(mode)


@case
def qonnx_weights_rounded_down():
    net = Net(2, 3, 3).quant(8, 0.0078125)
    w, x = net.floats(3, 2, 1, 1), net.x
    net.x = w
    net.quant(4, 0.25, mode="FLOOR")
    return net.node("Conv", inputs=[x, net.x], kernel_shape=[1, 1]).quant(5, 0.25, mode="ROUND")


@case
def qonnx_thresholds():
    net = Net(2, 3, 3).quant(8, 0.0078125).conv(3, 2)
    steps = numpy.sort(net.random.normal(size=(3, 7)), axis=1)
    return net.node("MultiThreshold", net.constant(steps), domain=QONNX, out_dtype="UINT3", out_scale=0.5)


@case
def qonnx_thresholds_of_all():
    net = Net(2, 3, 3).quant(8, 0.0078125, zero=0)
    net.node("Mul", net.constant([[[-1.5]], [[0.7]]]), shape=(2, 3, 3))
    steps = numpy.sort(net.random.normal(size=(1, 15)), axis=1)
    return net.node("MultiThreshold", net.constant(steps), domain=QONNX, out_dtype="INT4", out_bias=-8.0,
                    data_layout="NCHW")


@case
def qonnx_two_values():
    net = Net(6).quant(8, 0.0078125)
    net.node("MatMul", net.constant(net.random.integers(-1, 2, (6, 4))), shape=(4,))
    net.node("MultiThreshold", net.constant([[0.1], [-0.3], [0.25], [0.0]]), domain=QONNX, out_dtype="BIPOLAR",
             out_scale=2.0, out_bias=-1.0)
    return net.node("MatMul", net.constant(net.random.integers(-1, 2, (4, 3))), shape=(3,)).quant(4, 1.0)


def of_integers(kind, *shape):
    net = Net(*shape)
    net.input = kind
    return net


@case
def integers_in_another_shape():
    net = of_integers(U8, 2, 3, 4).node("Flatten").dq(0.0078125, 3, U8)
    return net.node("MatMul", net.weights((24, 5), 0.125), shape=(5,)).qdq(0.0625)


@case
def integers_in_another_order():
    net = of_integers(S8, 4, 5, 3).node("Transpose", perm=[0, 3, 1, 2]).dq(0.0078125, -7)
    return net.conv(4, 3).qdq(0.0625)


@case
def integers_through_a_pool():
    net = of_integers(U8, 3, 6, 6).node("MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    return net.dq(0.0078125, 128, U8).conv(4, 3).qdq(0.0625)


@case
def integers_clipped():
    net = of_integers(U8, 3, 4, 4)
    net.node("Clip", net.constant(9, U8), net.constant(99, U8))
    return net.dq(0.0078125, 128, U8).conv(4, 3).qdq(0.0625)


@case
def integers_joined():
    net = of_integers(S8, 2, 4, 4).node("MaxPool", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    net.node("Concat", inputs=[net.x, "x"], axis=1).dq(0.0078125, 5)
    return net.conv(4, 4).qdq(0.0625)


@case
def weights_by_a_node():
    net = Net(3, 4, 4).q(0.0078125)
    weights = net.node("QuantizeLinear", inputs=[net.floats(4, 3, 1, 1), net.constant(0.03125), net.constant(0, S8)]).x
    net.node("QLinearConv", inputs=["t0", net.constant(0.0078125), net.constant(0, S8), weights, net.constant(0.03125),
                                    net.constant(0, S8), net.constant(0.0625), net.constant(0, S8)])
    return net.dq(0.0625)


@case
def zero_points_of_channels():
    net = Net(2, 4, 4).qdq(0.0078125)
    x, numbers = net.x, net.random.integers(0, 256, (3, 2, 3, 2))
    weights = net.node("DequantizeLinear", inputs=[net.constant(numbers, U8), net.constant([2.0**-6, 2.0**-5, 2.0**-7]),
                                                   net.constant([120, 0, 255], U8)], axis=0).x
    return net.node("Conv", inputs=[x, weights], pads=[1, 0, 1, 1]).qdq(0.0625)


@case
def qonnx_thresholds_of_numbers():
    net = Net(3, 2, 2).quant(8, 0.0078125)
    net.node("Identity", shape=(3, 2, 2))
    steps = numpy.sort(net.random.normal(size=(3, 5)) / 2, axis=1)
    return net.node("MultiThreshold", net.constant(steps), domain=QONNX, out_dtype="UINT4")


@case
def qonnx_truncated_sum():
    net = Net(2, 4, 4).quant(4, 0.0625, signed=0)
    net.low = 0
    net.node("AveragePool", kernel_shape=[2, 2], strides=[2, 2]).node("Mul", net.constant(4.0))
    return net.node("Trunc", net.constant(0.0625), net.constant(0.0), net.constant(6.0), net.constant(4.0),
                    domain=QONNX, rounding_mode="FLOOR")


@case
def qonnx_truncated_twice():
    net = Net(2, 4, 4).quant(8, 0.0078125).conv(3, 2, scale=0.25)
    return net.node("Trunc", net.constant(0.001953125), net.constant(0.0), net.constant(11.0), net.constant(0.125),
                    net.constant(6.0), domain=QONNX, rounding_mode="ROUND", signed=1, narrow=1)


@case
def qonnx_affine_input():
    net = Net(1, 4, 4)
    net.low = 0
    net.node("Mul", net.constant(2.0)).node("Sub", net.constant(1.0)).quant(8, 0.0078125)
    return net.conv(3, 1).quant(4, 0.25)


# ---- Scales at which many results lie halfway, so that the order of float32 decides.


def every_number(op, scale, zero, made, low, domain="", shape=(256,), largest=False, **attributes):
    net = of_integers(U8, *shape).dq(scale, zero, U8).node(op, domain=domain, **attributes)
    return (net.node("MaxPool", kernel_shape=[2, 2]) if largest else net).qdq(made, low, U8)


CASES.update({
    "tanh_at_halves": lambda: every_number("Tanh", 0.102, 128, 2 / 255, 128),
    "sigmoid_at_halves": lambda: every_number("Sigmoid", 0.047, 120, 0.0039, 3),
    "softsign_at_halves": lambda: every_number("Softsign", 0.025, 128, 2 / 255, 128),
    "requantised_at_halves": lambda: every_number("Identity", 0.06, 7, 0.04, 101),
})


def averaged_at_halves(scale, made, zero, low, op="AveragePool", kernel=(2, 2), **attributes):
    net = of_integers(U8, 2, 6, 5)
    if op == "AveragePool":
        return net.dq(scale, zero, U8).node(op, kernel_shape=kernel, **attributes).qdq(made, low, U8)
    quantisers = [net.constant(scale), net.constant(zero, U8), net.constant(made), net.constant(low, U8)]
    return net.node(op, *quantisers, domain=ORT, kernel_shape=kernel, **attributes).dq(made, low, U8)


CASES.update({
    "average_at_halves": lambda: averaged_at_halves(0.05, 0.05, 3, 3, strides=[2, 2]),
    "average_at_halves_with_pads": lambda: averaged_at_halves(0.06, 0.03, 90, 77, kernel=(2, 3), pads=[1, 0, 1, 2],
                                                              count_include_pad=1),
    "average_at_exact_halves": lambda: averaged_at_halves(0.0625, 0.0625, 4, 7),
    "average_of_other_scales": lambda: averaged_at_halves(0.0517, 0.0493, 4, 7),
    "average_of_the_map": lambda: averaged_at_halves(0.05, 0.025, 4, 7, kernel=(6, 5)),
    "q_linear_average_at_halves": lambda: averaged_at_halves(0.05, 0.05, 131, 8, "QLinearAveragePool", strides=[1, 2]),
})


PRODUCT = (0.06, 100), (0.02, 3), (0.0024, 57)
SUM = (float.fromhex("0x1.211e1ap-3"), 83), (float.fromhex("0x1.b1ad28p-3"), 227), (float.fromhex("0x1.b1ad28p-2"), 88)


def with_constants_at_halves(op, value, quantisers, first=False):
    net = of_integers(U8, 4, 8, 8)
    of_x, of_k, made = quantisers
    numbers = net.constant(value, U8)
    quantiser = lambda q: [net.constant(q[0]), net.constant(q[1], U8)]
    if op.startswith("QLinear"):
        a, b = [net.x, *quantiser(of_x)], [numbers, *quantiser(of_k)]
        net.node(op, inputs=[*(b + a if first else a + b), *quantiser(made)], domain=ORT)
        return net.dq(*made, U8)
    net.dq(*of_x, U8)
    x, k = net.x, net.quantised(value, *of_k, U8)
    return net.node(op, inputs=[k, x] if first else [x, k]).qdq(*made, U8)


CASES.update({
    "times_a_quantised_constant": lambda: with_constants_at_halves("Mul", 4, PRODUCT),
    "times_quantised_constants": lambda: with_constants_at_halves("Mul", [[[4]], [[0]], [[3]], [[6]]], PRODUCT),
    "q_linear_mul_at_halves": lambda: with_constants_at_halves("QLinearMul", [[[4]], [[0]], [[2]], [[8]]], PRODUCT, True),
    "plus_a_quantised_constant": lambda: with_constants_at_halves("Add", 4, SUM),
    "plus_quantised_constants_first": lambda: with_constants_at_halves("Add", [[[4]], [[0]], [[252]], [[6]]], SUM, True),
})


# Two pairs of quantisers, one behind the other, become one.
CASES.update({
    "quantised_twice": lambda: Net(2, 6, 5).qdq(0.011, 7, U8).qdq(0.008, 101, U8),
    "sums_quantised_twice": lambda: Net(2, 6, 5).qdq(0.0078125).conv(3, 2).qdq(0.011, 7).qdq(0.008, -11).conv(2, 3).qdq(0.02, 1),
    "quantised_twice_in_two_types": lambda: Net(2, 6, 5).qdq(0.011, 7, U8).qdq(0.008, 1, S8),
})


@case
def sum_of_maps_at_halves():
    of_x, other, made = SUM
    net = of_integers(U8, 2, 16, 16).dq(*of_x, U8)
    x = net.x
    net.node("MaxPool", kernel_shape=[3, 3], pads=[1, 1, 1, 1]).qdq(*other, U8)
    return net.node("Add", inputs=[x, net.x]).qdq(*made, U8)


# Two results. Functions of one number are no pair, whatever stands between them.
def paired(op, linear=False, gate=False, one=None, quantised=True, of_x=(0.06, 100), other=(0.0039, 3), made=(0.0024, 57)):
    net = of_integers(U8, 2, 8, 8)
    x = net.dq(*of_x, U8).x
    if one:
        net.node(one)
    else:
        net.node("MaxPool", kernel_shape=[8, 8] if gate else [3, 3], **({} if gate else {"pads": [1, 1, 1, 1]})).node("Sigmoid")
    if quantised:
        net.qdq(*other, U8)
    if linear:
        quantiser = lambda q: [net.constant(q[0]), net.constant(q[1], U8)]
        inputs = ["x", *quantiser(of_x), net.nodes[-2].output[0], *quantiser(other), *quantiser(made)]
        return net.node(op, inputs=inputs, domain=ORT).dq(*made, U8)
    return net.node(op, inputs=[net.x, x] if gate else [x, net.x]).qdq(*made, U8)


CASES.update({
    "mul_of_maps": lambda: paired("Mul", made=(0.05, 57)),
    "mul_by_a_gate": lambda: paired("Mul", gate=True, made=(0.05, 57)),
    "q_linear_mul_of_maps": lambda: paired("QLinearMul", True, made=(0.05, 57)),
    "q_linear_mul_by_a_gate": lambda: paired("QLinearMul", True, True, made=(0.05, 57)),
    "silu": lambda: paired("Mul", one="Sigmoid", quantised=False, made=(0.04, 20)),
    "silu_quantised": lambda: paired("Mul", one="Sigmoid", made=(0.04, 20)),
    "q_linear_silu": lambda: paired("QLinearMul", True, one="Sigmoid", made=(0.04, 20)),
    "hard_swish_in_parts": lambda: paired("Mul", one="HardSigmoid", made=(0.04, 20)),
    "sub_of_maps": lambda: paired("Sub", made=(0.05, 57)),
    "sub_from_a_gate": lambda: paired("Sub", gate=True, made=(0.05, 57)),
    "div_of_maps": lambda: paired("Div", made=(0.5, 57)),
    "max_of_maps": lambda: paired("Max", made=(0.03, 17)),
    "min_of_maps": lambda: paired("Min", made=(0.03, 117)),
})


# Every number several times, in two of the ways that say so.
def resized(shape, factors, **attributes):
    net = Net(*shape).qdq(0.0078125, 3).conv(4, 2).qdq(0.0625, -5)
    net.node("Resize", "", net.constant([1, 1, *factors]), **attributes)
    return net.qdq(0.0625, -5).conv(2, 4).qdq(0.125, 1)


CASES.update({
    "resize_by_two": lambda: resized((2, 5, 4), (2, 2), coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    "resize_as_by_default": lambda: resized((2, 4, 5), (3, 1)),
})


def mean_of(op, zero, made, shape=(2, 7, 6), opset=20, pool="AveragePool", **attributes):
    net = Net(*shape).qdq(0.011, zero)
    net.low, net.high, net.opset = -1.5, 1.5, opset
    return net.node(op).node(pool, **attributes).qdq(made, 3)


@case
def max_of_slopes():
    net = Net(3, 6, 5).qdq(0.02, 7)
    net.low, net.high = -2.5, 2.4
    slopes = net.constant([[[0.1]], [[0.25]], [[0.6]]])
    return net.node("PRelu", slopes).node("MaxPool", kernel_shape=[2, 2], strides=[2, 1]).qdq(0.013, -30)


# Functions that both fall and rise, before a maximum and before a mean.
def bent(*shape, zero=7):
    net = Net(*shape).qdq(0.02, zero)
    net.low, net.high = -2.5, 2.4
    slopes = net.random.uniform(-0.6, 0.4, (shape[0], *[1] * (len(shape) - 1)))
    return net.node("PRelu", net.constant(slopes))


@case
def mean_of_normalised():
    net = Net(5, 7, 9).qdq(0.02, 7)
    uniform = lambda: net.constant(net.random.uniform(0.5, 1.5, 5))
    return net.node("BatchNormalization", uniform(), net.floats(5), net.floats(5), uniform()).node("Relu").node(
        "GlobalAveragePool").qdq(0.0013, -100)


CASES.update({
    "mean_of_tanh": lambda: mean_of("Tanh", 5, 0.0075, kernel_shape=[2, 2], strides=[2, 2]),
    "mean_of_sigmoid": lambda: mean_of("Sigmoid", -20, 0.003, kernel_shape=[3, 2]),
    "mean_by_columns": lambda: mean_of("Tanh", 5, 2**-10, (3, 9, 12), 17, kernel_shape=[3, 4]),
    "mean_by_rows": lambda: mean_of("Tanh", 5, 2**-10, (3, 9, 12), 17, kernel_shape=[3, 4], strides=[2, 3]),
    "mean_by_fours": lambda: mean_of("Tanh", 5, 2**-12, (9, 7, 9), 17, kernel_shape=[7, 9]),
    "mean_of_all": lambda: mean_of("Tanh", 5, 2**-12, (9, 7, 9), pool="GlobalAveragePool"),
    "max_of_bends": lambda: bent(6, 7, 8).node("MaxPool", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]).qdq(0.013, -30),
    "max_of_a_bend": lambda: every_number("HardSwish", 0.03, 150, 0.011, 5, shape=(2, 8, 16), largest=True),
    "mean_of_max_of_bends": lambda: bent(6, 12, 10).node("MaxPool", kernel_shape=[2, 2], strides=[2, 2]).node(
        "GlobalAveragePool").qdq(0.008, -100),
    "line_and_max_of_bends": lambda: bent(4, 13).node("MaxPool", kernel_shape=[3], strides=[2]).node("GlobalAveragePool").qdq(
        0.02, -90),
})


def transposed(shape, outs, kernel, groups=1, **attributes):
    net = Net(*shape).qdq(0.0078125, 3)
    w = net.weights((shape[0], outs // groups, *kernel), 0.0625)
    bias = net.quantised(net.random.integers(-300, 300, outs), 0.0078125 * 0.0625, 0, numpy.int32)
    return net.node("ConvTranspose", w, bias, group=groups, **attributes).qdq(0.0123, 5)


def rounded_transposed(shape, outs, kernel, groups=1, floats=False, relu=False, **attributes):
    """Scales at which sums in float32 are rounded."""
    net = Net(*shape).qdq(0.0091, 3)
    net.count = min(24, 20000 // numpy.prod(shape))
    if floats:
        w, bias = net.floats(shape[0], outs // groups, *kernel), net.floats(outs)
    else:
        w = net.weights((shape[0], outs // groups, *kernel), 0.037)
        bias = net.quantised(net.random.integers(-300, 300, outs), 0.0091 * 0.037, 0, numpy.int32)
    net.node("ConvTranspose", w, bias, group=groups, **attributes)
    return (net.node("Relu") if relu else net).qdq(2**-5 * shape[0] ** 0.5, -11)


CASES.update({
    "transposed_by_two": lambda: transposed((3, 4, 5), 2, (2, 2), strides=[2, 2]),
    "transposed_of_three": lambda: transposed((2, 4, 3), 3, (3, 3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    "transposed_of_four_in_groups": lambda: transposed((4, 3, 4), 6, (4, 5), 2, strides=[2, 3], pads=[1, 2, 1, 0]),
    "transposed_in_place": lambda: transposed((2, 5, 4), 1, (3, 3), pads=[1, 1, 1, 1]),
    "transposed_apart": lambda: transposed((1, 3, 3), 1, (2, 1), strides=[3, 2]),
    "transposed_and_cut": lambda: transposed((2, 4, 4), 2, (3, 3), strides=[2, 2], pads=[3, 4, 2, 3]),
    "transposed_and_rounded": lambda: rounded_transposed((5, 4, 6), 3, (3, 2), strides=[2, 2], pads=[1, 0, 0, 1]),
    "transposed_in_groups_and_clipped": lambda: rounded_transposed((6, 5, 3), 4, (2, 3), 2, relu=True, strides=[1, 2]),
    "transposed_of_many": lambda: rounded_transposed((300, 5, 5), 2, (2, 2), strides=[2, 2]),
    "transposed_of_floats": lambda: rounded_transposed((5, 4, 3), 3, (4, 4), floats=True, strides=[2, 2], pads=[1, 1, 1, 1]),
    "transposed_line_of_floats": lambda: rounded_transposed((4, 9), 3, (4,), floats=True, strides=[2], output_padding=[1]),
    "transposed_line": lambda: transposed((2, 6), 2, (4,), strides=[2], pads=[1, 1]),
})


# Numbers between others.
CASES.update({
    "between_by_two": lambda: resized((2, 5, 4), (2, 2), mode="linear"),
    "between_by_three_from_corners": lambda: resized((2, 4, 5), (3, 2), mode="linear",
                                                     coordinate_transformation_mode="align_corners"),
    "between_by_fractions": lambda: resized((2, 6, 5), (1.7, 0.6), mode="linear",
                                            coordinate_transformation_mode="pytorch_half_pixel"),
    "between_numbers": lambda: resized_numbers(S8, mode="linear"),
    "between_bytes_from_the_left": lambda: resized_numbers(U8, mode="linear", coordinate_transformation_mode="asymmetric"),
})


def resized_numbers(kind, **attributes):
    net = of_integers(kind, 2, 6, 5)
    net.node("Resize", "", net.constant([1, 1, 2, 4]), **attributes)
    return net.dq(0.0625, 5, kind)


# Vectors of words.
def embedded(kind, floats=True, rows=37, *, made=(0.031, 120)):
    net = of_integers(kind, 11)
    net.rows = rows
    table = net.random.integers(0, 256, (rows, 6))
    if not floats:
        net.node("Gather", inputs=[net.constant(table, U8), net.x]).dq(0.03, 131, U8)
    else:
        net.node("Gather", inputs=[net.quantised(table, 0.03, 131, U8), net.x], axis=0).qdq(*made, U8)
    return net.node("Transpose", perm=[0, 2, 1]).qdq(*(made if floats else (0.03, 131)), U8)


CASES.update({
    "embedded": lambda: embedded(numpy.int64),
    "embedded_as_they_are": lambda: embedded(numpy.int64, made=(0.03, 131)),
    "embedded_bytes": lambda: embedded(numpy.int32, False, 300),
})


# Operators of one dimension.
class Line(Net):
    def conv(self, outs, channels, kernel=1, scale=0.125, **attributes):
        return self.node("Conv", self.weights((outs, channels, kernel), scale), kernel_shape=[kernel],
                         **attributes)


def line(low=0):
    return Line(3, 21).qdq(0.0078125, 3).conv(4, 3, 5, pads=[4, 0], dilations=[2], strides=[2]).qdq(0.0625, low)


@case
def line_convolved_twice():
    return line().node("Relu").qdq(0.0625, -128).conv(4, 1, 3, group=4, pads=[1, 1]).qdq(0.125, 1)


@case
def line_without_kernel_shape():
    net = line()
    return net.node("Conv", net.weights((2, 4, 2), 0.0625)).qdq(0.125, 1)


@case
def line_and_mean():
    net = line().node("MaxPool", kernel_shape=[2], strides=[2]).qdq(0.0625)
    return net.node("ReduceMean", net.constant([-1], numpy.int64), keepdims=0).qdq(0.03125)


@case
def line_and_sum():
    net = line()
    x = net.x
    net.conv(4, 4, 3, pads=[1, 1]).qdq(0.125, -3)
    return net.node("Add", inputs=[x, net.x]).qdq(0.0625, 1)


@case
def line_and_join():
    net = line()
    x = net.x
    net.conv(2, 4, 3, pads=[1, 1]).qdq(0.0625)
    return net.node("Concat", inputs=[x, net.x], axis=1).qdq(0.0625)


@case
def line_in_a_matrix():
    net = line().node("Flatten")
    return net.node("Gemm", net.weights((36, 5), 0.0625)).qdq(0.25)


@case
def q_linear_line():
    net = Net(3, 12).q(0.01, 120, U8)
    return net.node("QLinearConv", net.constant(0.01), net.constant(120, U8),
                    net.constant(net.random.integers(-20, 21, (4, 3, 3)), S8), net.constant(0.02), net.constant(0, S8),
                    net.constant(0.03), net.constant(128, U8), pads=[1, 1]).dq(0.03, 128, U8)


CASES.update({
    "line_and_max": lambda: line(5).node("MaxPool", kernel_shape=[3], strides=[2], ceil_mode=1).qdq(0.0625, 5),
    "line_of_the_input_and_max": lambda: Net(2, 9).node("MaxPool", kernel_shape=[2], pads=[1, 0]).qdq(0.0078125, 3),
    "line_and_max_of_all": lambda: line(5).node("GlobalMaxPool").qdq(0.0625, 5),
    "max_of_all": lambda: Net(3, 5, 4).qdq(0.0078125, 3).node("GlobalMaxPool").qdq(0.0078125, 3),
    "line_and_average": lambda: line().node("AveragePool", kernel_shape=[4], strides=[2]).qdq(0.0625),
    "line_and_average_of_all": lambda: line().node("GlobalAveragePool").qdq(0.03125),
})


# Numbers that move, in QDQ form; a model of one image may move its axis too.
def convolved(net, outs, channels, kernel=1):
    return net.node("Conv", net.weights((outs, channels, kernel, kernel), 0.125), kernel_shape=[kernel] * 2)


def moving(*shape):
    return convolved(Net(*shape).qdq(0.0078125, 3), 4, shape[0]).qdq(0.0625, -5)


def integers(net, *values):
    return net.constant(list(values), numpy.int64)


@case
def slices_of_focus():
    """YOLOv5's first layer: four strided slices of the float input, joined."""
    net = Net(3, 6, 8)
    parts = []
    for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):
        parts.append(net.node("Slice", *(integers(net, *v) for v in ((row, column), (6, 2**62), (2, 3), (2, 2)))).x)
        net.x = "x"
    return convolved(net.node("Concat", inputs=parts, axis=1).qdq(0.0078125, 3), 4, 12).qdq(0.0625, -5)


@case
def slices_backwards():
    net = moving(3, 5, 6)
    return net.node("Slice", *(integers(net, *v) for v in ((-1, 4, 1), (-99, 0, 99), (2, 3, 1), (-2, -1, 2)))).qdq(0.05, -3)


@case
def crop_and_concat():
    """The skip connection of a U-Net without padding."""
    net = moving(3, 6, 6)
    skip = net.x
    convolved(net.node("MaxPool", kernel_shape=[2, 2]).qdq(0.0625, -5), 4, 4, 2).qdq(0.05, 1)
    deep = net.x
    net.node("Slice", inputs=[skip, *(integers(net, *v) for v in ((1, 1), (-1, -1), (2, 3)))])
    return net.node("Concat", inputs=[deep, net.x], axis=1).qdq(0.07, 2)


def shuffled(net):
    """Shapes with the channels in two halves, and together again."""
    sizes = net.node("Shape").x
    numbers = {i: net.node("Gather", inputs=[sizes, net.constant(i, numpy.int64)]).x for i in (0, 1, 2, 3)}
    half = net.node("Div", inputs=[numbers[1], net.constant(2, numpy.int64)]).x
    axes = [net.node("Unsqueeze", inputs=[n, integers(net, 0)]).x for n in (numbers[0], half, numbers[2], numbers[3])]
    two = integers(net, 2)
    five = net.node("Concat", inputs=[axes[0], two, *axes[1:]], axis=0).x
    four = net.node("Concat", inputs=[axes[0], integers(net, -1), *axes[2:]], axis=0).x
    return five, four


@case
def shuffle_of_channels():
    """A unit of ShuffleNet-v2, its shapes computed as PyTorch exports them."""
    net = moving(4, 5, 4)
    name = f"s{len(net.nodes)}"
    net.nodes.append(helper.make_node("Split", [net.x, integers(net, 2, 2)], [name, name + "b"], name=name, axis=1))
    net.x = name + "b"
    convolved(net, 2, 2).qdq(0.0625, -5)
    net.node("Concat", inputs=[name, net.x], axis=1).qdq(0.0625, -5)
    x = net.x
    five, four = shuffled(net)
    net.node("Reshape", inputs=[x, five]).qdq(0.0625, -5).node("Transpose", perm=[0, 2, 1, 3, 4]).qdq(0.0625, -5)
    return convolved(net.node("Reshape", four).qdq(0.0625, -5), 3, 4).qdq(0.125, 1)


def gathered():
    net = moving(3, 5, 4)
    net.node("Gather", net.constant([[3, 0], [-1, 1]], numpy.int64), axis=1).node("Reshape", integers(net, 0, 4, 5, 4))
    return convolved(net.qdq(0.0625, -5), 2, 4).qdq(0.125, 1)


def surrounded(mode, pads, *value):
    net = moving(3, 5, 6)
    return net.node("Pad", integers(net, *pads), *(net.constant(v) for v in value), mode=mode).qdq(0.05, -3)


def to_pixels(mode):
    net = moving(3, 4, 5)
    return convolved(net.node("DepthToSpace", blocksize=2, mode=mode).qdq(0.0625, -5), 3, 1).qdq(0.125, 1)


CASES.update({
    "gather_of_channels": gathered,
    "pad_reflected": lambda: surrounded("reflect", (0, 0, 2, 1, 0, 0, 1, 3)),
    "pad_with_the_edge": lambda: surrounded("edge", (0, 1, 2, 0, 0, 0, 1, 3)),
    "pad_with_a_number": lambda: surrounded("constant", (0, 0, 1, 1, 0, 0, 0, 2), 0.3),
    "pad_of_channels": lambda: surrounded("constant", (0, 2, 0, -1, 0, 1, 0, 1)),
    "depth_to_space": lambda: to_pixels("DCR"),
    "depth_to_space_crd": lambda: to_pixels("CRD"),
    "space_to_depth": lambda: convolved(moving(3, 4, 6).node("SpaceToDepth", blocksize=2).qdq(0.0625, -5), 3, 16).qdq(0.125, 1),
})


def dense_of_tokens(kind, linear=False):
    """Two dense layers on tokens, each with its bias, and a table between them."""
    net = Net(5, 7).q(0.0625, 3, kind)
    tokens = lambda scale, zero: (net.constant(scale), net.constant(zero, kind))
    before = (0.0625, 3)
    for outs, ins in ((12, 7), (4, 12)):
        scales = (2.0 ** -net.random.integers(4, 7, outs)).astype(numpy.float32)
        weights = net.constant(net.random.integers(-20, 21, (ins, outs)), S8)
        bias = net.random.integers(3, 100, outs)
        after, sums = (0.25, 100 if kind is U8 else -9), (0.375, 90 if kind is U8 else 4)
        if linear:
            net.node("QLinearMatMul", *tokens(*before), weights, net.constant(scales), net.constant(numpy.zeros(outs), S8),
                     *tokens(*after))
            net.node("QLinearAdd", inputs=[net.constant(bias, kind), *tokens(0.125, 50), net.x, *tokens(*after), *tokens(*sums)],
                     domain=ORT)
        else:
            net.dq(*before, kind)
            x = net.x
            dense = net.node("DequantizeLinear", inputs=[weights, net.constant(scales), net.constant(numpy.zeros(outs), S8)],
                             axis=1).x
            net.node("MatMul", inputs=[x, dense]).qdq(*after, kind)
            x = net.x
            net.node("Add", inputs=[net.quantised(bias, 0.125, 50, kind), x]).q(*sums, kind)
        before = sums
        if ins == 7:
            net.dq(*sums, kind).node("LeakyRelu", alpha=0.25).q(0.25, 60, kind)
            before = (0.25, 60)
    return net.dq(*before, kind)


CASES.update({
    "tokens_u8": lambda: dense_of_tokens(U8),
    "tokens_s8": lambda: dense_of_tokens(S8),
    "tokens_of_integers": lambda: dense_of_tokens(U8, linear=True),
})


def attention(kind, zero, linear=False):
    """Two heads; the scores are a product of two results, and so is what they mix."""
    net = Net(5, 8).qdq(0.0078125, zero, kind)
    net.node("Reshape", integers(net, 0, 5, 2, 4)).node("Transpose", perm=[0, 2, 1, 3])
    low = 0 if kind is U8 else -128
    if linear:
        net.q(0.0078125, zero, kind)
        tokens = net.x
        q = lambda scale, zero: (net.constant(scale), net.constant(zero, kind))
        net.node("Transpose", perm=[0, 1, 3, 2])
        net.node("QLinearMatMul", inputs=[tokens, *q(0.0078125, zero), net.x, *q(0.0078125, zero), *q(0.0171, zero)])
        net.node("QLinearSoftmax", *q(0.0171, zero), *q(1 / 256, low), domain=ORT, axis=-1, opset=20)
        net.node("QLinearMatMul", inputs=[net.x, *q(1 / 256, low), tokens, *q(0.0078125, zero), *q(0.0061, zero)])
        net.dq(0.0061, zero, kind)
    else:
        tokens = net.x
        net.node("Transpose", perm=[0, 1, 3, 2])
        net.node("MatMul", inputs=[tokens, net.x]).qdq(0.0171, zero, kind)
        net.node("Softmax", axis=-1).qdq(1 / 256, low, kind)
        net.node("MatMul", inputs=[net.x, tokens]).qdq(0.0061, zero, kind)
    return net.node("Transpose", perm=[0, 2, 1, 3]).node("Reshape", integers(net, 0, 5, 8))


def normalised(net, *biases, epsilon=1e-5):
    size = net.shape[-1]
    return net.node("LayerNormalization", net.floats(size), *(net.floats(size) for _ in biases), axis=-1, epsilon=epsilon)


def mean_of_tokens(normal):
    net = Net(5, 16).qdq(0.0078125, 3)
    if normal:
        normalised(net, "bias")
    return net.node("ReduceMean", net.constant([1], numpy.int64), keepdims=0).qdq(0.0061, -5)


@case
def class_token():
    """A token of its own before the others, a position for each, and the first one alone behind a normalisation."""
    net = Net(5, 8).qdq(0.0078125, 3)
    x = net.x
    batch = net.node("Gather", inputs=[net.node("Shape", inputs=[x]).x, integers(net, 0)]).x
    sizes = net.node("Concat", inputs=[batch, integers(net, 1, 8)], axis=0).x
    token = net.node("Expand", inputs=[net.floats(1, 1, 8), sizes]).qdq(0.0173, 7).x
    net.node("Concat", inputs=[token, x], axis=1).qdq(0.0171, 5)
    positions = net.quantised(net.random.integers(-128, 128, (1, 6, 8)), 0.0091, 3, S8)
    net.node("Add", inputs=[net.x, positions]).qdq(0.0237, 2)
    return normalised(net, "bias").node("Gather", net.constant(0, numpy.int64), axis=1).qdq(0.021, -7)


def added(first):
    """One number for each token, to all of its channels."""
    net = Net(5, 8).qdq(0.0078125, 3)
    x = net.x
    one = net.node("Slice", *(integers(net, i) for i in (3, 4, 2))).node("Abs").qdq(0.0091, -100).x
    return net.node("Add", inputs=[one, x] if first else [x, one]).qdq(0.0113, 4)


CASES.update({
    "attention_u8": lambda: attention(U8, 131),
    "attention_s8": lambda: attention(S8, 3),
    "attention_of_integers": lambda: attention(U8, 131, linear=True),
    "layer_norm": lambda: normalised(Net(5, 16).qdq(0.0078125, 3), "bias").qdq(0.023, 5),
    "layer_norm_without_bias": lambda: normalised(Net(5, 16).qdq(0.0078125, 3), epsilon=0.5).qdq(0.023, 5),
    "mean_of_tokens": lambda: mean_of_tokens(False),
    "mean_of_normalised_tokens": lambda: mean_of_tokens(True),
    "sum_with_one_number_for_many": lambda: added(False),
    "sum_with_one_number_for_many_first": lambda: added(True),
})


def map_of(low=0, size=(5, 7)):
    return Net(3, *size).qdq(0.0078125, 3).conv(4, 3).qdq(0.0625, low)


def joined(axis):
    net = map_of()
    x = net.x
    net.node("MaxPool", kernel_shape=[2, 1] if axis == 2 else [1, 3]).qdq(0.0625)
    return net.node("Concat", inputs=[net.x, x, x], axis=axis).qdq(0.03125, 7)


def softmax_of(axis):
    net = map_of().node("Softmax", axis=axis).qdq(1 / 256, -128)
    return net.node("Abs").qdq(1 / 256, -128)


def largest(axes, keeps):
    net = map_of().node("Abs")
    return net.node("ReduceMax", net.constant(axes, numpy.int64), keepdims=keeps).qdq(0.0625, 5)


def anchored(op, shape, quantised=False, first=True):
    net = map_of()
    numbers = net.random.integers(-100, 100, shape)
    k = net.quantised(numbers, 0.03125, 9, S8) if quantised else net.constant(numbers * 0.37)
    return net.node(op, inputs=[k, net.x] if first else [net.x, k]).qdq(0.25 if op == "Mul" else 0.3, -4)


def mean_at_halves(reaches_a_convolution):
    """Sums of 35 numbers, of which every sixth one is a half; the order of the additions decides, which is another one for
    several images."""
    net = Net(3, 5, 7).qdq(0.0078125, 3).conv(4, 3).qdq(0.0613)
    net.count, net.alone = 60, True
    scale = numpy.float32(0.0613) * numpy.float32(6) / numpy.float32(35)
    net.node("ReduceMean", net.constant([2, 3], numpy.int64), keepdims=1).qdq(scale, 1)
    return net.conv(4, 4).qdq(0.125) if reaches_a_convolution else net


def wrapping():
    """Two channels whose sums leave 32 bits at one end, and two that just do not."""
    net = Net(1, 16, 16).qdq(0.0078125)
    weights = net.quantised([[[[w]]] for w in (127, -90, 1, -1)], 2.0**-24, 0, S8)
    bias = net.quantised([2**31 - 5000, 5000 - 2**31, 2**31 - 129, -(2**31) + 129], 2.0**-31, 0, numpy.int32)
    return net.node("Conv", weights, bias, kernel_shape=[1, 1]).qdq(0.015625, 3)


CASES.update({
    "concat_of_lines": lambda: joined(2),
    "concat_of_columns": lambda: joined(-1),
    "softmax_of_channels": lambda: softmax_of(1),
    "softmax_of_lines": lambda: softmax_of(-2),
    "largest_of_lines": lambda: largest([2], 1),
    "largest_of_channels_and_columns": lambda: largest([1, -1], 0),
    "from_anchors": lambda: anchored("Sub", (1, 4, 5, 7)),
    "over_columns": lambda: anchored("Div", (7,), first=False),
    "times_quantised_lines": lambda: anchored("Mul", (5, 1), quantised=True),
    "plus_quantised_lines": lambda: anchored("Add", (1, 1, 5, 1), quantised=True, first=False),
    "larger_than_lines": lambda: anchored("Max", (5, 1)),
    "mean_at_halves": lambda: mean_at_halves(False),
    "mean_at_halves_between_convolutions": lambda: mean_at_halves(True),
    "wrapping": wrapping,
})


def run(model, images):
    if any(n.domain == QONNX for n in model.graph.node):
        return qonnx_judge.session(model).run(None, {"x": images})[0]
    kept = onnx.ModelProto()
    kept.CopyFrom(model)
    del kept.opset_import[1]  # QONNX
    return exact.session(kept.SerializeToString()).run(None, {"x": images})[0]


def pair(outdir):
    """Two inputs through the same weights, and their sum: pair.onnx, left.npy, right.npy and pair.out.npy."""
    net = Net(3, 6, 6)
    weights = net.weights((4, 3, 3, 3), 0.125)
    branches = []
    for name in ("left", "right"):
        net.x = name
        net.qdq(0.0078125, 3).node("Conv", weights, kernel_shape=[3, 3]).qdq(0.0625, -5)
        branches.append(net.x)
    net.node("Add", inputs=branches).qdq(0.1, 2)
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(net.nodes, "pair", [value("left", ["N", 3, 6, 6]), value("right", ["N", 3, 6, 6])],
                              [value(net.x, None)], net.constants)
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 20)])
    images = {name: net.images() for name in ("left", "right")}
    onnx.save(model, outdir / "pair.onnx")
    numpy.save(outdir / "pair.out.npy", exact.session(model.SerializeToString()).run(None, images)[0])
    for name, of in images.items():
        numpy.save(outdir / f"{name}.npy", of)


def main():
    outdir = pathlib.Path(sys.argv[1])
    outdir.mkdir(parents=True, exist_ok=True)
    for name, make in CASES.items():
        Net.case = name
        net = make()
        model, images = net.model(), net.images()
        results = numpy.concatenate([run(model, image[None]) for image in images]) if net.alone else run(model, images)
        assert len(numpy.unique(results)) > 1, name
        onnx.save(model, outdir / f"{name}.onnx")
        numpy.save(outdir / f"{name}.in.npy", images)
        numpy.save(outdir / f"{name}.out.npy", results)
    (outdir / "inputs").mkdir(exist_ok=True)
    Net.case = "pair"
    pair(outdir / "inputs")


if __name__ == "__main__":
    main()

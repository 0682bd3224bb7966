# SPDX-License-Identifier: Apache-2.0
"""A float network with random weights that grows node by node, written as exporters write it."""
import pathlib
import sys
from typing import Callable, NamedTuple

import numpy
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "gen/onnx"))
from drawn import Drawn

TOPOLOGIES = {}


class Topology(NamedTuple):
    draw: Callable  # grows a Net, gives its outputs
    pixels: int
    width: float  # part of the published channels
    gain: float  # of weights, above those of ReLU, so that images reach the outputs


def topology(name, pixels=64, width=1.0, gain=1.0):
    def keep(draw):
        TOPOLOGIES[name] = Topology(draw, pixels, width, gain)
        return draw
    return keep


class Net(Drawn):
    """Shapes are those of one image, channels first."""

    def __init__(self, random, pixels, width, gain):
        super().__init__(random)
        self.pixels, self.width, self.gain, self.inputs = pixels, width, gain, {}

    # Ends.
    def image(self, channels=3, size=None, name="x"):
        return self.input(name, (channels, *((self.pixels, self.pixels) if size is None else size)), TensorProto.FLOAT)

    def input(self, name, shape, kind):
        self.inputs[name], self.shapes[name] = kind, shape
        return name

    def model(self, outputs):
        value = lambda name, kind: helper.make_tensor_value_info(name, kind, ["N", *self.shapes[name]])
        graph = helper.make_graph(self.nodes, "main_graph", [value(*i) for i in self.inputs.items()],
                                  [value(y, TensorProto.FLOAT) for y in outputs], self.constants)
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        onnx.checker.check_model(model, full_check=True)
        return model

    def random_inputs(self, count):
        """COUNT images; integers are words of a vocabulary, or a mask."""
        return {name: (self.pictures if kind == TensorProto.FLOAT else self.words)(name, count)
                for name, kind in self.inputs.items()}

    def pictures(self, name, count):
        """Each has its own contrast, its own channels are brighter, and it has large and small shapes."""
        shape = self.shapes[name]
        draw = lambda *of: self.random.uniform(-1, 1, (count, *of))
        large = draw(shape[0], *(-(-n // 8) for n in shape[1:]))
        for axis, n in enumerate(shape[1:], 2):
            large = large.repeat(8, axis).take(range(n), axis)
        ones = [1] * len(shape[1:])
        pictures = draw(shape[0], *ones) + draw(1, *ones) * (large + draw(*shape))
        return numpy.clip(pictures, -1, 1).astype(numpy.float32)

    def words(self, name, count):
        low, high = (0, 2) if "mask" in name else (0, VOCABULARY)
        return self.random.integers(low, high, (count, *self.shapes[name])).astype(numpy.int64)

    # Any node, and constants.
    def node(self, op, inputs, shape, **attributes):
        out = f"/{op}_{len(self.nodes)}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"/{op}_{len(self.nodes)}", **attributes))
        self.shapes[out] = tuple(int(n) for n in shape)
        return out

    def literal(self, value, kind=numpy.int64):
        """A constant as a node, not as an initialiser."""
        array = numpy.asarray(value, kind)
        return self.node("Constant", [], array.shape, value=onnx.numpy_helper.from_array(array))

    def reals(self, values):
        return self.constant(numpy.asarray(values, numpy.float32))

    def weights(self, shape, terms):
        return self.reals(self.random.normal(size=shape) * self.gain * (2 / terms) ** 0.5)

    def bias(self, outs):
        return self.reals(self.random.normal(size=outs) * 0.1)

    def channels(self, published):
        return max(8, int(published * self.width + 4) // 8 * 8)

    # Layers with weights.
    def conv(self, x, outs, kernel=3, stride=1, pads=None, dilation=1, groups=1):
        """pads: of the first ends and of the last ones; without, the map keeps its size at a stride of 1."""
        channels, *size = self.shapes[x]
        each = lambda n: list(n) if isinstance(n, (list, tuple)) else [n] * len(size)
        kernel, stride, dilation = each(kernel), each(stride), each(dilation)
        if pads is None:
            pads = [d * (k - 1) // 2 for d, k in zip(dilation, kernel)] * 2
        after = [(n + pads[i] + pads[i + len(size)] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
                 for i, n in enumerate(size)]
        terms = channels // groups * int(numpy.prod(kernel))
        return self.node("Conv", [x, self.weights((outs, channels // groups, *kernel), terms), self.bias(outs)],
                         (outs, *after), kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation, group=groups)

    def depthwise(self, x, kernel=3, stride=1):
        return self.conv(x, self.shapes[x][0], kernel, stride, groups=self.shapes[x][0])

    def deconv(self, x, outs, kernel=2, stride=2, pads=0):
        channels, *size = self.shapes[x]
        rank = len(size)
        after = [(n - 1) * stride + kernel - 2 * pads for n in size]
        terms = channels * kernel ** rank // stride ** rank
        return self.node("ConvTranspose", [x, self.weights((channels, outs, *[kernel] * rank), terms), self.bias(outs)],
                         (outs, *after), kernel_shape=[kernel] * rank, strides=[stride] * rank, pads=[pads] * 2 * rank)

    def normalised(self, x):
        channels = self.shapes[x][0]
        uniform = lambda: self.reals(self.random.uniform(0.5, 1.5, channels))
        return self.node("BatchNormalization", [x, uniform(), self.bias(channels), self.bias(channels), uniform()],
                         self.shapes[x], epsilon=1e-5)

    def dense(self, x, outs):
        (terms,) = self.shapes[x]
        return self.node("Gemm", [x, self.weights((outs, terms), terms), self.bias(outs)], (outs,), transB=1)

    def linear(self, x, outs):
        """On the last axis, as MatMul and Add."""
        *before, terms = self.shapes[x]
        y = self.node("MatMul", [x, self.weights((terms, outs), 2 * terms)], (*before, outs))
        return self.node("Add", [self.bias(outs), y], (*before, outs))

    # Functions.
    def apply(self, op, x, *more, **attributes):
        return self.node(op, [x, *more], self.shapes[x], **attributes)

    def relu(self, x):
        return self.apply("Relu", x)

    def relu6(self, x):
        return self.apply("Clip", x, self.literal(0, numpy.float32), self.literal(6, numpy.float32))

    def leaky(self, x):
        return self.apply("LeakyRelu", x, alpha=0.1)

    def prelu(self, x):
        channels, *size = self.shapes[x]
        return self.apply("PRelu", x, self.reals(self.random.uniform(-0.1, 0.4, (channels, *[1] * len(size)))))

    def tanh(self, x):
        return self.apply("Tanh", x)

    def hard_sigmoid(self, x):
        return self.apply("HardSigmoid", x, alpha=1 / 6, beta=0.5)

    def sigmoid(self, x):
        return self.apply("Sigmoid", x)

    def hard_swish(self, x):
        return self.two("Mul", x, self.hard_sigmoid(x))

    def silu(self, x):
        return self.two("Mul", x, self.sigmoid(x))

    def gelu(self, x):
        scaled = self.apply("Div", x, self.literal(2 ** 0.5, numpy.float32))
        one = self.apply("Add", self.apply("Erf", scaled), self.literal(1, numpy.float32))
        return self.apply("Mul", self.two("Mul", x, one), self.literal(0.5, numpy.float32))

    def dropout(self, x):
        return self.apply("Identity", x)

    # Two maps and more.
    def two(self, op, a, b):
        return self.node(op, [a, b], numpy.broadcast_shapes(self.shapes[a], self.shapes[b]))

    def add(self, a, b):
        return self.two("Add", a, b)

    def concat(self, parts):
        return self.node("Concat", parts, (sum(self.shapes[p][0] for p in parts), *self.shapes[parts[0]][1:]), axis=1)

    def gate(self, x, middle, inner, outer):
        """Squeeze and excite."""
        y = inner(self.conv(self.global_average(x), middle, 1))
        return self.two("Mul", x, outer(self.conv(y, self.shapes[x][0], 1)))

    # Windows.
    def pool(self, op, x, kernel, stride=None, pads=0, ceil=False, **attributes):
        channels, *size = self.shapes[x]
        stride, rank = stride or kernel, len(size)
        after = [-(-(n + 2 * pads - kernel) // stride) + 1 if ceil else (n + 2 * pads - kernel) // stride + 1 for n in size]
        if ceil:  # a window begins inside of the map
            after = [m - ((m - 1) * stride >= n + pads) for m, n in zip(after, size)]
        return self.node(op, [x], (channels, *after), kernel_shape=[kernel] * rank, strides=[stride] * rank,
                         pads=[pads] * 2 * rank, ceil_mode=int(ceil), **attributes)

    def max_pool(self, x, kernel=2, stride=None, pads=0, ceil=False):
        return self.pool("MaxPool", x, kernel, stride, pads, ceil)

    def average_pool(self, x, kernel=2, stride=None, pads=0):
        return self.pool("AveragePool", x, kernel, stride, pads, count_include_pad=1)

    def global_average(self, x):
        channels, *size = self.shapes[x]
        return self.node("GlobalAveragePool", [x], (channels, *[1] * len(size)))

    def mean(self, x):
        """x.mean([2, 3])"""
        channels, *size = self.shapes[x]
        return self.node("ReduceMean", [x], (channels,), axes=[i + 2 for i in range(len(size))], keepdims=0)

    # Shapes.
    def flat(self, x):
        return self.node("Flatten", [x], (int(numpy.prod(self.shapes[x])),), axis=1)

    def size_of(self, x, axis):
        """One dimension, as a list of one integer."""
        shape = self.node("Shape", [x], (len(self.shapes[x]) + 1,))
        index = self.node("Gather", [shape, self.literal(axis)], (), axis=0)
        return self.node("Unsqueeze", [index, self.literal([0])], (1,))

    def view(self, x, shape):
        """x.view(n, ...), where n is read from the shape of x."""
        dims = [self.size_of(x, 0), *(self.literal([n]) for n in shape)]
        return self.node("Reshape", [x, self.node("Concat", dims, (len(dims),), axis=0)], shape)

    def transpose(self, x, order):
        """order: of the axes of an image, from 0."""
        return self.node("Transpose", [x], [self.shapes[x][i] for i in order], perm=[0, *(i + 1 for i in order)])

    def slice(self, x, begin, end, axis=0):
        shape = list(self.shapes[x])
        shape[axis] = end - begin
        limits = [self.literal([n]) for n in (begin, end, axis + 1, 1)]
        return self.node("Slice", [x, *limits], shape)

    def chunk(self, x):
        """The first and the second half of the channels, by one Split."""
        channels, *size = self.shapes[x]
        outs = [f"/Split_{len(self.nodes)}_output_{i}" for i in range(2)]
        half = self.literal([channels // 2] * 2)
        self.nodes.append(helper.make_node("Split", [x, half], outs, name=f"/Split_{len(self.nodes)}", axis=1))
        for out in outs:
            self.shapes[out] = (channels // 2, *size)
        return outs

    def pad(self, x, pads):
        """torch.nn.functional.pad, whose pads begin at the last axis, as the exporter of PyTorch writes it."""
        rank = len(self.shapes[x]) + 1
        there = self.literal(pads)
        missing = self.node("ConstantOfShape", [self.literal([2 * rank - len(pads)])], (2 * rank - len(pads),),
                            value=onnx.numpy_helper.from_array(numpy.zeros(1, numpy.int64)))
        pairs = self.node("Reshape", [self.node("Concat", [there, missing], (2 * rank,), axis=0), self.literal([-1, 2])],
                          (rank, 2))
        turned = self.node("Slice", [pairs, *(self.literal([n]) for n in (-1, -2**63 + 1, 0, -1))], (rank, 2))
        flat = self.node("Reshape", [self.node("Transpose", [turned], (2, rank), perm=[1, 0]), self.literal([-1])], (2 * rank,))
        both = numpy.array([*pads, *[0] * (2 * rank - len(pads))]).reshape(rank, 2)[::-1].sum(1)
        cast = self.node("Cast", [flat], (2 * rank,), to=TensorProto.INT64)
        return self.node("Pad", [x, cast], [n + p for n, p in zip(self.shapes[x], both[1:])], mode="constant")

    def upsample(self, x, mode="nearest", factor=2):
        """Upsample(scale_factor)"""
        channels, *size = self.shapes[x]
        scales = self.literal([1, 1, *[factor] * len(size)], numpy.float32)
        return self.node("Resize", [x, "", scales], (channels, *(factor * n for n in size)), **WAYS[mode])

    def resized_as(self, x, other, mode="linear"):
        """interpolate(x, size=other.shape[-2:])"""
        channels, *size = self.shapes[x][0], *self.shapes[other][1:]
        limits = lambda shape: [self.literal([n]) for n in shape]
        ends = lambda y, *span: self.node("Slice", [self.node("Shape", [y], (4,)), *limits(span)], (2,))
        sizes = self.node("Concat", [ends(x, 0, 2, 0), ends(other, 2, 4, 0)], (4,), axis=0)
        return self.node("Resize", [x, "", "", sizes], (channels, *size), **WAYS[mode])


VOCABULARY = 200  # of the embeddings
WAYS = {"nearest": {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        "linear": {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}}

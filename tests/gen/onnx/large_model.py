#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model of the size of ResNet-50, for measuring `kumiki import`: the same layers, quantised per channel, random weights.

usage: large_model.py OUT.onnx [--seed N]

25.5 million weights, 27,560 channels with a scale each, 25.7 MB. The weights are drawn as trained ones lie (normal, each
channel of its own size), so the scales have full mantissas. Needs numpy and onnx from PyPI (examples/models/requirements.txt).
"""
import argparse
import pathlib

import numpy
from onnx import TensorProto, helper, numpy_helper


class Network:
    def __init__(self, random):
        self.random, self.nodes, self.constants, self.scales = random, [], [], {}
        self.zero = self.constant(numpy.int8(0))

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op, inputs, **attributes):
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"{op}_{len(self.nodes)}", **attributes))
        return out

    def quantised(self, x):
        """x behind a quantiser, as real numbers again."""
        size = numpy.float32(self.random.uniform(0.01, 0.05))
        scale = self.constant(size)
        y = self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, scale, self.zero]), scale, self.zero])
        self.scales[y] = size
        return y

    def constants_of(self, numbers, scales):
        zeros = self.constant(numpy.zeros(len(scales), numbers.dtype))
        return self.node("DequantizeLinear", [self.constant(numbers), self.constant(scales), zeros], axis=0)

    def weights(self, x, shape):
        outs, terms = shape[0], int(numpy.prod(shape[1:]))
        floats = self.random.standard_normal((outs, terms), numpy.float32)
        most = numpy.abs(floats).max(1, keepdims=True)
        numbers = numpy.rint(floats / most * 127).astype(numpy.int8).reshape(shape)
        scales = (most[:, 0] * self.random.uniform(0.3, 1.5, outs) * (2 / terms) ** 0.5 / 127).astype(numpy.float32)
        bias = self.random.integers(-3000, 3000, outs).astype(numpy.int32)
        return [self.constants_of(numbers, scales), self.constants_of(bias, scales * self.scales[x])]

    def conv(self, x, inputs, outputs, kernel, stride=1, relu=True):
        pads = [kernel // 2] * 4
        y = self.node("Conv", [x, *self.weights(x, (outputs, inputs, kernel, kernel))], kernel_shape=[kernel] * 2,
                      strides=[stride] * 2, pads=pads)
        return self.quantised(self.node("Relu", [y]) if relu else y)

    def block(self, x, inputs, middle, stride):
        outputs = 4 * middle
        y = self.conv(x, inputs, middle, 1)
        y = self.conv(y, middle, middle, 3, stride)
        y = self.conv(y, middle, outputs, 1, relu=False)
        if inputs != outputs:
            x = self.conv(x, inputs, outputs, 1, stride, relu=False)
        return self.quantised(self.node("Relu", [self.node("Add", [y, x])]))


def model(seed):
    n = Network(numpy.random.default_rng(seed))
    x = n.conv(n.quantised("image"), 3, 64, 7, 2)
    x = n.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    n.scales[x] = n.scales[n.nodes[-2].output[0]]
    channels = 64
    for middle, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(count):
            x = n.block(x, channels, middle, 2 if i == 0 and middle > 64 else 1)
            channels = 4 * middle
    x = n.quantised(n.node("GlobalAveragePool", [x]))
    scale = n.scales[x]
    x = n.node("Flatten", [x])
    n.scales[x] = scale
    x = n.quantised(n.node("Gemm", [x, *n.weights(x, (1000, 2048))], transB=1))
    n.nodes[-1].output[0] = "logits"
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape])
    graph = helper.make_graph(n.nodes, "large", [value("image", [3, 224, 224])], [value("logits", [1000])], n.constants)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.write_bytes(model(arguments.seed).SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()

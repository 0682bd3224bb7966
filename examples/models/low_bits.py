# SPDX-License-Identifier: Apache-2.0
"""Layers of few bits for training, and the same network as a QONNX file.

Quantisers round in the forward pass and hand gradients on as if they did not. All scales are powers of two, so float32
sums of quantised values are exact in any order, and what onnxruntime computes of the file is one number and no other.
"""
import numpy
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

DOMAIN = "qonnx.custom_op.general"


def straight(rounded, x):
    """`rounded` going forward, the gradient of x going back."""
    return x + (rounded - x).detach()


class Quantised(nn.Module):
    """Numbers of so many bits without a sign, or with one, as a real value each; a fixed scale."""

    def __init__(self, bits, scale, signed=False):
        super().__init__()
        self.bits, self.scale, self.signed = bits, scale, signed
        self.low, self.high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)

    def forward(self, x):
        x = (x / self.scale).clamp(self.low, self.high)
        return straight(torch.round(x), x) * self.scale

    def write(self, file, x):
        return file.quant(x, numpy.float32(self.scale), self.bits, self.signed)


class Bipolar(nn.Module):
    """1 where x is at least 0, -1 elsewhere."""

    def forward(self, x):
        x = x.clamp(-1, 1)
        return straight(torch.where(x >= 0, 1.0, -1.0), x)

    def write(self, file, x):
        return file.node("BipolarQuant", [x, file.constant(numpy.float32(1))], domain=DOMAIN)


def power_of_two(x):
    return torch.exp2(torch.ceil(torch.log2(x)))


def few_bits(weight, bits):
    """Numbers from -(2^(bits-1)-1) on, with a scale for each output: rounded, and the scales."""
    high = (1 << bits - 1) - 1
    most = weight.detach().abs().flatten(1).amax(1).clamp(min=1e-6)
    scale = power_of_two(most * 0.75 / high).reshape(-1, *[1] * (weight.dim() - 1))
    x = (weight / scale).clamp(-high, high)
    return straight(torch.round(x), x), scale


class FewBits:
    """A layer whose weights have so many bits; of 1 bit they are -1 and 1."""

    def rounded(self):
        if self.bits == 1:
            x = self.weight.clamp(-1, 1)
            return straight(torch.where(x >= 0, 1.0, -1.0), x), torch.ones(())
        return few_bits(self.weight, self.bits)

    def write_weights(self, file):
        with torch.no_grad():
            numbers, scale = (t.numpy() for t in self.rounded())
        if isinstance(self, nn.Linear):  # MatMul has the outputs behind
            numbers, scale = numbers.T, scale.T
        # int8 in the file, a quarter of float32.
        x = file.node("Cast", [file.constant(numbers.astype(numpy.int8))], to=TensorProto.FLOAT)
        if self.bits == 1:
            return file.node("BipolarQuant", [x, file.constant(numpy.float32(1))], domain=DOMAIN)
        x = file.node("Mul", [x, file.constant(scale.astype(numpy.float32))])
        return file.quant(x, scale.astype(numpy.float32), self.bits, True, narrow=1)


class Conv(nn.Conv2d, FewBits):
    def __init__(self, bits, inputs, outputs, kernel, stride=1, groups=1):
        super().__init__(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.bits = bits

    def forward(self, x):
        numbers, scale = self.rounded()
        return nn.functional.conv2d(x, numbers * scale, None, self.stride, self.padding, groups=self.groups)

    def write(self, file, x):
        return file.node("Conv", [x, self.write_weights(file)], kernel_shape=list(self.kernel_size),
                         strides=list(self.stride), pads=list(self.padding * 2), group=self.groups)


class Dense(nn.Linear, FewBits):
    def __init__(self, bits, inputs, outputs):
        super().__init__(inputs, outputs, bias=False)
        self.bits = bits

    def forward(self, x):
        numbers, scale = self.rounded()
        return nn.functional.linear(x, numbers * scale)

    def write(self, file, x):
        return file.node("MatMul", [x, self.write_weights(file)])


class File:
    """A model that grows at one end, a node a call."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op, inputs, **attributes):
        at = len(self.nodes)
        self.nodes.append(helper.make_node(op, inputs, [f"t{at}"], name=f"{op}_{at}", **attributes))
        return f"t{at}"

    def quant(self, x, scale, bits, signed, narrow=0):
        inputs = [x, self.constant(scale), self.constant(numpy.float32(0)), self.constant(numpy.float32(bits))]
        return self.node("Quant", inputs, domain=DOMAIN, signed=int(signed), narrow=narrow, rounding_mode="ROUND")

    def add(self, layer, x):
        if hasattr(layer, "write"):
            return layer.write(self, x)
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            values = (layer.weight, layer.bias, layer.running_mean, layer.running_var)
            inputs = [self.constant(v.detach().numpy()) for v in values]
            return self.node("BatchNormalization", [x, *inputs], epsilon=layer.eps)
        if isinstance(layer, nn.ReLU):
            return self.node("Relu", [x])
        if isinstance(layer, nn.MaxPool2d):
            size = [layer.kernel_size] * 2
            return self.node("MaxPool", [x], kernel_shape=size, strides=size)
        if isinstance(layer, nn.Flatten):
            return self.node("Flatten", [x])
        raise TypeError(f"{type(layer).__name__}: no node for it")


def write(network, shape, path):
    """The trained network, a Sequential, as QONNX: `image` in, `logits` out."""
    file, x = File(), "image"
    for layer in network:
        x = file.add(layer, x)
    file.nodes[-1].output[0] = "logits"
    value = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *size])
    graph = helper.make_graph(file.nodes, "main_graph", [value("image", shape)], [value("logits", [10])],
                              file.constants)
    model = helper.make_model(graph, ir_version=8, producer_name="train.py",
                              opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)])
    path.write_bytes(model.SerializeToString(deterministic=True))

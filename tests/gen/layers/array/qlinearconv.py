#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Small random convolutions as onnxruntime computes them (QLinearConv), for qlinearconv_test.cpp:
#
#   python3 qlinearconv.py > qlinearconv.txt    (onnx, onnxruntime, numpy; x86)
#
# A case is six lines: in_channels height width out_channels kernel stride dilation groups padding_before
# padding_after zero_point_in zero_point_out is_signed; scales as the bits of their float32; bias; weights; input;
# output.
# Weights stay within 6 bits and a sign: machines without VNNI clamp pairs of larger products.
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

random = np.random.default_rng(7)


def any_of(low, high):
    return int(random.integers(low, high + 1))


def initializer(name, kind, values):
    return helper.make_tensor(name, kind, values.shape, values.flatten().tolist())


def case(number):
    signed = number % 2
    kind = TensorProto.INT8 if signed else TensorProto.UINT8
    dtype = np.int8 if signed else np.uint8
    low, high = (-128, 127) if signed else (0, 255)
    groups = any_of(1, 2)
    channels, outputs = groups * any_of(1, 3), groups * any_of(1, 3)
    kernel, stride, dilation = any_of(1, 3), any_of(1, 3), any_of(1, 2)
    before, after = any_of(0, 4), any_of(0, 4)
    span = (kernel - 1) * dilation + 1
    height, width = (max(any_of(1, 7), span - before - after) for _ in range(2))
    zero_in, zero_out = (random.choice([low, high, any_of(low, high)]) for _ in range(2))
    x = random.integers(low, high + 1, (1, channels, height, width)).astype(dtype)
    w = random.integers(-64, 64, (outputs, channels // groups, kernel, kernel)).astype(np.int8)
    bias = random.integers(-4000, 4000, outputs).astype(np.int32)
    xs, ys = np.float32(random.uniform(0.01, 0.1)), np.float32(random.uniform(0.1, 0.5))
    ws = random.uniform(0.01, 0.1, outputs).astype(np.float32)
    if number % 4 == 0:  # powers of two have ties
        xs, ys = np.float32(0.0625), np.float32(0.25)
        ws = np.exp2(random.integers(-6, -3, outputs)).astype(np.float32)
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"],
                            group=groups, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                            dilations=[dilation] * 2, pads=[before, before, after, after])
    constants = [
        initializer("xs", TensorProto.FLOAT, np.array(xs)), initializer("xz", kind, np.array(zero_in)),
        initializer("w", TensorProto.INT8, w), initializer("ws", TensorProto.FLOAT, ws),
        initializer("wz", TensorProto.INT8, np.zeros(outputs, np.int8)),
        initializer("ys", TensorProto.FLOAT, np.array(ys)), initializer("yz", kind, np.array(zero_out)),
        initializer("b", TensorProto.INT32, bias)]
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, x.shape)],
                              [helper.make_tensor_value_info("y", kind, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    y = session.run(None, {"x": x})[0]
    scales = (xs * ws).astype(np.float32) / ys
    assert scales.dtype == np.float32
    print(channels, height, width, outputs, kernel, stride, dilation, groups, before, after, zero_in, zero_out, signed)
    print(*scales.view(np.uint32))
    for values in (bias, w, x, y):
        print(*values.flatten())


for n in range(48):
    case(n)

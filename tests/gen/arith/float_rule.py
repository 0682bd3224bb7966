#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks onnxruntime what accumulators become: one QLinearConv of weights 0, whose biases are the accumulators.

usage: float_rule.py > float_rule.csv     (onnx, onnxruntime and numpy from PyPI)

A line: the scale in hexadecimal digits as C reads them, the type of the result, its zero point, an accumulator, the
result. Half of the accumulators lie where a next result begins: there every rounding shows.
"""
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def results(scale, zero, kind, accumulators):
    n = len(accumulators)
    constants = {
        "xs": numpy.float32(1), "xz": kind(0), "w": numpy.zeros((n, 1, 1, 1), numpy.int8), "ws": scale,
        "wz": numpy.int8(0), "ys": numpy.float32(1), "yz": kind(zero), "b": accumulators,
    }
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"]
    byte = TensorProto.UINT8 if kind is numpy.uint8 else TensorProto.INT8
    graph = helper.make_graph(
        [helper.make_node("QLinearConv", names, ["y"])], "requantise",
        [helper.make_tensor_value_info("x", byte, [1, 1, 1, 1])],
        [helper.make_tensor_value_info("y", byte, [1, n, 1, 1])],
        [numpy_helper.from_array(numpy.asarray(v), k) for k, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": numpy.zeros((1, 1, 1, 1), kind)})[0].reshape(-1)


def main():
    random = numpy.random.default_rng(18)
    for case in range(48):
        exponent = random.integers(-20, 0) if case % 6 else 0
        fraction = 1.0 if case % 8 == 0 else random.uniform(1, 2)
        scale = numpy.float32(fraction * 2.0 ** exponent)
        kind = numpy.uint8 if case % 2 else numpy.int8
        low, high = (0, 255) if case % 2 else (-128, 127)
        zero = int(random.integers(low, high + 1))
        near = (random.integers(low, high + 1, 24) - zero + 0.5) / float(scale)
        around = numpy.rint(near).astype(numpy.int64) + random.integers(-1, 2, 24)
        wide = random.integers(-2**31, 2**31, 4)
        inside = (random.uniform(low - zero - 4, high - zero + 4, 12) / float(scale)).astype(numpy.int64)
        fixed = numpy.array([0, 1, -1, 2**31 - 1, -2**31], numpy.int64)
        accumulators = numpy.concatenate([around, inside, wide, fixed])
        accumulators = numpy.clip(accumulators, -2**31, 2**31 - 1).astype(numpy.int32)
        for a, q in zip(accumulators, results(scale, zero, kind, accumulators)):
            print(f"{float(scale).hex()},{'u8' if case % 2 else 's8'},{zero},{a},{q}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files for run_test.cpp, and what onnxruntime and numpy make of them.

usage: judged.py     (onnx, onnxruntime and numpy from PyPI; writes beside itself)

net.graph        case1 of tests/gen/graph/judged.txt, whose tensors onnxruntime computed
images.npy       its image, three times; OUTPUT.npy: what each tensor is for them
quantise.graph   the input of a network and nothing else: a reshape
reals.npy        real values for it, with ties, ends, infinities; reals_quantised.npy: QuantizeLinear of them
                 reals_back.npy: DequantizeLinear of that
pixels-ubyte     every pixel there is, as IDX, for quantise.graph; pixels_quantised.npy: what torchvision's ToTensor
                 and Normalize with mean 0.45 and std 0.225 make of them in float32, quantised
"""
import pathlib
import struct

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

here = pathlib.Path(__file__).parent
SCALE, ZERO, SHAPE = numpy.float32(2.0 ** -6 * 1.3), -13, (1, 16, 16)


def cases():
    case = {}
    for line in (here.parent.parent / "gen/graph/judged.txt").read_text().splitlines():
        key, *rest = line.split()
        if key == "graph":
            case = {"text": [], "is": {}}
        if key == "image":
            case["image"] = [int(n) for n in rest]
        elif key == "is":
            case["is"][rest[0]] = [int(n) for n in rest[1:]]
        elif key == "end":
            yield case
        else:
            case["text"].append(line)


def save(name, array):
    numpy.save(here / f"{name}.npy", array)


def run(op, value, kind):
    node = helper.make_node(op, ["x", "scale", "zero"], ["y"])
    constants = [helper.make_tensor("scale", TensorProto.FLOAT, [], [float(SCALE)]),
                 helper.make_tensor("zero", TensorProto.INT8, [], [ZERO])]
    types = {"x": helper.np_dtype_to_tensor_dtype(value.dtype), "y": helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))}
    graph = helper.make_graph([node], "q", [helper.make_tensor_value_info("x", types["x"], value.shape)],
                              [helper.make_tensor_value_info("y", types["y"], value.shape)], constants)
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": value})[0]


def main():
    case = list(cases())[1]
    (here / "net.graph").write_text("\n".join(case["text"]) + "\n")
    shapes, kinds = {}, {}
    for line in case["text"]:
        if line.startswith("tensor"):
            _, name, kind, shape, *_ = line.split()
            shapes[name] = [int(n) for n in shape.split("x")]
            kinds[name] = numpy.uint8 if kind == "u8" else numpy.int8
    repeat = lambda name, numbers: numpy.tile(numpy.array(numbers, kinds[name]).reshape(1, *shapes[name]),
                                              [3] + [1] * len(shapes[name]))
    save("images", repeat("t0", case["image"]))
    for name, numbers in case["is"].items():
        save(name, repeat(name, numbers))

    (here / "quantise.graph").write_text(
        f"graph quantise\ntensor x s8 1x16x16 scale {float(SCALE).hex()} zero {ZERO}\n"
        f"tensor y s8 16x16 scale {float(SCALE).hex()} zero {ZERO}\ninput x\noutput y\nreshape r x -> y\n")
    random = numpy.random.default_rng(7)
    reals = random.normal(0, 1.5, (4, *SHAPE)).astype(numpy.float32)
    flat = reals.reshape(-1)
    flat[:256] = (numpy.arange(256, dtype=numpy.float32) - 128 - ZERO + numpy.float32(0.5)) * SCALE  # about ties
    flat[256:266] = [0.0, -0.0, numpy.inf, -numpy.inf, 1e30, -1e30, 1e-40, 3.4e38, SCALE / 2, -SCALE / 2]
    save("reals", reals)
    quantised = run("QuantizeLinear", reals, numpy.int8)
    save("reals_quantised", quantised)
    save("reals_back", run("DequantizeLinear", quantised, numpy.float32))
    pixels = numpy.arange(256, dtype=numpy.uint8).reshape(1, 16, 16)
    (here / "pixels-ubyte").write_bytes(struct.pack(">BBBB3I", 0, 0, 8, 3, 1, 16, 16) + pixels.tobytes())
    scaled = (pixels.astype(numpy.float32) / numpy.float32(255) - numpy.float32(0.45)) / numpy.float32(0.225)
    save("pixels_quantised", run("QuantizeLinear", scaled.reshape(1, *SHAPE), numpy.int8))


if __name__ == "__main__":
    main()

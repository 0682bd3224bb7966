#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What onnxruntime makes of all test images: the numbers of the last layer before they become float.

usage: judge.py OUTDIR [NAME...]     writes OUTDIR/NAME.npy, int8 or uint8, images x 10
       judge.py --check DIR [NAME...]     compares with what is there

The session is that of exact.py. In a default one onnxruntime runs u8 in integers all the same,
but s8 convolutions and sums at a fork in float, which moves a number by a step here and there. The logits are
(q - zero point) * scale in float32: q is read from them, and every logit must come back to the bit. So the model runs as
it is; another output could change what onnxruntime fuses.
"""
import argparse
import pathlib
import sys

import numpy
import onnx
from onnx import numpy_helper

import data
import exact
import qonnx_judge

NAMES = ("digits_mlp", "fashion_cnn", "fashion_residual", "fashion_w4a4", "fashion_bnn")
HERE = pathlib.Path(__file__).parent


def last_parameters(model):
    """Scale and zero point of the DequantizeLinear that makes the logits."""
    constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    (last,) = (n for n in model.graph.node if model.graph.output[0].name in n.output)
    if last.op_type != "DequantizeLinear":
        sys.exit(f"judge.py: the last node is {last.op_type}, not DequantizeLinear")
    return constants[last.input[1]], constants[last.input[2]]


def is_qonnx(model):
    return any(qonnx_judge.is_quantiser(n) for n in model.graph.node)


def session(path):
    model = onnx.load(path)
    if is_qonnx(model):
        return qonnx_judge.session(model)
    return exact.session(path)


def few_bits(path, images):
    """Logits of QONNX, divided by the scale of the quantiser that makes them; of plain sums as they are."""
    model = onnx.load(path)
    constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    last = model.graph.node[-1]
    scale = constants[last.input[1]] if qonnx_judge.is_quantiser(last) else numpy.float32(1)
    numbers = session(path).run(None, {"image": images})[0] / scale
    if not numpy.array_equal(numbers, numpy.rint(numbers)) or numpy.abs(numbers).max() > 127:
        sys.exit(f"judge.py: {path}: logits are no multiples of {scale}")
    return numbers.astype(numpy.int8)


def answers(name):
    path = HERE / f"{name}.onnx"
    if is_qonnx(onnx.load(path)):
        return few_bits(path, data.network_input(data.judged_images(name)))
    logits = session(path).run(None, {"image": data.network_input(data.judged_images(name))})[0]
    scale, zero = last_parameters(onnx.load(path))
    numbers = (numpy.rint(logits / scale).astype(numpy.int32) + zero).astype(zero.dtype)
    again = (numbers.astype(numpy.int32) - zero).astype(numpy.float32) * scale
    if not numpy.array_equal(again, logits):
        sys.exit(f"judge.py: {name}: logits are not multiples of their scale")
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(NAMES))
    arguments = parser.parse_args()
    wrong = False
    for name in arguments.names or NAMES:
        numbers = answers(name)
        path = arguments.folder / f"{name}.npy"
        if not arguments.check:
            arguments.folder.mkdir(parents=True, exist_ok=True)
            numpy.save(path, numbers)
            print(f"{path}: {numbers.dtype} {'x'.join(str(n) for n in numbers.shape)}")
            continue
        there = numpy.load(path)
        same = there.dtype == numbers.dtype and numpy.array_equal(there, numbers)
        print(f"{name}: {'the same' if same else 'differs'}")
        wrong |= not same
    sys.exit(int(wrong))


if __name__ == "__main__":
    main()

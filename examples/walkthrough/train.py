#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small CNN on 8x8 digits with numpy alone and writes it as ONNX in float32.

usage: train.py FILE.onnx

What train_torch.py does, for those without PyTorch: seconds on one core. Weights are rounded to multiples of 1/128 in the
end: sums of such products are exact in float32, so every machine gets the same file, and the same numbers from it.
"""
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import digits

EPOCHS, BATCH, CHANNELS = 25, 64, 8


def patches(x):
    """N x 8 x 8 -> N x 64 x 9: what a 3x3 window sees at each pixel, zeros around."""
    padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1)))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return windows.reshape(len(x), 64, 9)


def forward(w, x):
    """Convolution, ReLU, max pooling 2x2, dense layer; what the way back needs comes along."""
    seen = patches(x)
    sums = seen @ w["conv"].T + w["conv_bias"]  # N x 64 x channels
    blocks = numpy.maximum(sums, 0).reshape(len(x), 4, 2, 4, 2, CHANNELS).transpose(0, 5, 1, 3, 2, 4)
    blocks = blocks.reshape(len(x), CHANNELS * 16, 4)  # the four pixels of a pooling window
    features = blocks.max(2)
    return features @ w["dense"].T + w["dense_bias"], (seen, sums, blocks, features)


def gradients(w, x, labels):
    logits, (seen, sums, blocks, features) = forward(w, x)
    likely = numpy.exp(logits - logits.max(1, keepdims=True))
    error = likely / likely.sum(1, keepdims=True)
    error[numpy.arange(len(x)), labels] -= 1
    error /= len(x)
    winner = numpy.arange(4) == blocks.argmax(2)[..., None]
    back = winner * (error @ w["dense"])[..., None]
    back = back.reshape(len(x), CHANNELS, 4, 4, 2, 2).transpose(0, 2, 4, 3, 5, 1).reshape(sums.shape) * (sums > 0)
    return {"conv": numpy.einsum("nkc,nki->ci", back, seen, optimize=True), "conv_bias": back.sum((0, 1)),
            "dense": error.T @ features, "dense_bias": error.sum(0)}


def train(images, labels):
    random = numpy.random.default_rng(1)
    w = {"conv": random.normal(size=(CHANNELS, 9)) / 3, "conv_bias": numpy.zeros(CHANNELS),
         "dense": random.normal(size=(10, CHANNELS * 16)) / 12, "dense_bias": numpy.zeros(10)}
    mean = {name: numpy.zeros_like(value) for name, value in w.items()}
    square = {name: numpy.zeros_like(value) for name, value in w.items()}
    step, steps = 0, EPOCHS * -(-len(images) // BATCH)
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for chosen in numpy.array_split(order, -(-len(images) // BATCH)):
            step += 1
            for name, gradient in gradients(w, images[chosen], labels[chosen]).items():  # Adam
                mean[name] += 0.1 * (gradient - mean[name])
                square[name] += 0.001 * (gradient**2 - square[name])
                direction = mean[name] / (1 - 0.9**step) / (numpy.sqrt(square[name] / (1 - 0.999**step)) + 1e-8)
                w[name] -= 0.01 * (1 - step / (steps + 1)) * direction
    return {name: numpy.rint(value * 128) / 128 for name, value in w.items()}


def write(w, path):
    constants = {"conv.weight": w["conv"].reshape(CHANNELS, 1, 3, 3), "conv.bias": w["conv_bias"],
                 "dense.weight": w["dense"], "dense.bias": w["dense_bias"]}
    nodes = [helper.make_node("Conv", ["image", "conv.weight", "conv.bias"], ["sums"], name="conv", pads=[1] * 4),
             helper.make_node("Relu", ["sums"], ["map"], name="relu"),
             helper.make_node("MaxPool", ["map"], ["pooled"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Flatten", ["pooled"], ["features"], name="flatten"),
             helper.make_node("Gemm", ["features", "dense.weight", "dense.bias"], ["logits"], name="dense", transB=1)]
    graph = helper.make_graph(
        nodes, "digits_cnn", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])],
        [numpy_helper.from_array(value.astype(numpy.float32), name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    images, labels, test_images, test_labels = digits.split()
    weights = train(images[:, 0].astype(numpy.float64), labels)
    write(weights, sys.argv[1])
    logits, _ = forward(weights, test_images[:, 0].astype(numpy.float64))
    right = int((logits.argmax(1) == test_labels).sum())
    print(f"{sys.argv[1]}: accuracy {100 * right / len(test_labels):.2f} % ({right} of {len(test_labels)})")


if __name__ == "__main__":
    main()

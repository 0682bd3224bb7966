#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast Network.predict is on examples/digits.graph (64-32-16-10), beside numpy on the same integers.

usage: predict.py       prints JSON: microseconds an image, the best of several rounds, every way checked to give the same

loop        a plain loop in numpy: of every image, every layer, every neuron `numpy.dot(row, x) + bias` in int32, then that
            sum as float32 times the scale, rounded to even, plus the zero point, clipped
by_image    a loop over the images alone: a layer is `W @ x + b` in int32, requantised as a vector
vectorised  no loop: a layer is `X @ W.T + b` of all images, in float64, which is exact for these sums and goes through
            BLAS, requantised as a matrix
predict     Network.predict of all images in one call, with one thread and with one a processor
call        Network.predict of one image, the median of 20,000 calls: what a call costs, the network in it
"""
import json
import os
import pathlib
import platform
import time

import kumiki
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
GRAPH = ROOT / "examples/digits.graph"
IMAGES = 16 * 1797  # all digits, 16 times


class Layer:
    """A dense layer as the text form of a graph has it."""

    def __init__(self, tensor_in, tensor_out, scales, bias, weights):
        self.zero_in, self.zero = tensor_in["zero"], tensor_out["zero"]
        self.scale = np.float32(float.fromhex(scales[0]))
        self.bias = np.array(bias, np.int32)
        self.weights = np.array(weights, np.int32).reshape(len(bias), -1)
        self.exact = self.weights.T.astype(np.float64)

    def numbers(self, sums):
        scaled = np.rint(sums.astype(np.float32) * self.scale) + np.float32(self.zero)
        return np.clip(scaled, 0, 255)


def layers_of(text):
    tensors, layers, now = {}, [], None
    for words in map(str.split, text.splitlines()):
        if words[0] == "tensor":
            assert words[2] == "u8"
            tensors[words[1]] = {"zero": int(words[words.index("zero") + 1])}
        elif words[0] == "conv":
            now = {"in": words[2], "out": words[4], "scales": [], "bias": [], "weights": []}
            layers.append(now)
        elif words[0] in ("scales", "bias", "weights"):
            now[words[0]] += words[1:]
        else:
            assert words[0] in ("graph", "input", "output", "reshape", "prepare"), words
    return [
        Layer(tensors[n["in"]], tensors[n["out"]], n["scales"], [*map(int, n["bias"])], [*map(int, n["weights"])])
        for n in layers
    ]


def loop(layers, images):
    results = []
    for image in images:
        x = image.astype(np.int32)
        for layer in layers:
            x = x - layer.zero_in
            y = np.empty(len(layer.bias), np.int32)
            for i, row in enumerate(layer.weights):
                y[i] = layer.numbers(np.dot(row, x) + layer.bias[i])
            x = y
        results.append(x)
    return np.array(results, np.uint8)


def by_image(layers, images):
    results = []
    for image in images:
        x = image.astype(np.int32)
        for layer in layers:
            x = layer.numbers(layer.weights @ (x - layer.zero_in) + layer.bias).astype(np.int32)
        results.append(x)
    return np.array(results, np.uint8)


def vectorised(layers, images):
    x = images.astype(np.float64)
    for layer in layers:
        x = layer.numbers((x - layer.zero_in) @ layer.exact + layer.bias).astype(np.float64)
    return x.astype(np.uint8)


def microseconds(work, images, rounds):
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work(images)
        best = min(best, time.perf_counter() - begin)
    return best / len(images) * 1e6


def median(call, rounds):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[rounds // 2] * 1e6


def main():
    network = kumiki.import_model(GRAPH)
    layers = layers_of(GRAPH.read_text())
    pixels = np.load(ROOT / "examples/models/digits_images.npy")
    reals = np.rint(pixels / np.float32(16) / np.float32(network.input.scale)).astype(np.uint8)
    images = np.tile(reals, (IMAGES // len(reals), 1))
    ways = {
        "loop": (lambda x: loop(layers, x), images[:100], 3),
        "by_image": (lambda x: by_image(layers, x), images[:2000], 5),
        "vectorised": (lambda x: vectorised(layers, x), images, 7),
        "predict_one_thread": (lambda x: network.predict(x, threads=1), images, 9),
        "predict": (network.predict, images, 9),
    }
    wanted = network.predict(images)
    for name, (work, x, _) in ways.items():
        assert np.array_equal(work(x), wanted[: len(x)]), name
    time_of = {name: microseconds(*way) for name, way in ways.items()}
    time_of["call"] = median(lambda: network.predict(images[:1]), 20000)
    fastest = min(time_of["predict"], time_of["predict_one_thread"])
    print(json.dumps({
        "network": GRAPH.name,
        "images": len(images),
        "microseconds_an_image": {name: round(t, 3) for name, t in time_of.items()},
        "times_as_fast_as": {name: round(time_of[name] / fastest, 1) for name in ("loop", "by_image", "vectorised")},
        "one_thread_times_as_fast_as": {
            name: round(time_of[name] / time_of["predict_one_thread"], 1) for name in ("loop", "by_image", "vectorised")
        },
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kumiki": kumiki.__version__,
    }, indent=2))


main()

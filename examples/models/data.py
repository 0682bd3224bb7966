#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The images that the networks are trained and judged on, as numpy arrays.

usage: data.py     writes digits_images.npy (1797 x 64, uint8) and digits_labels.npy beside itself
"""
import importlib.util
import pathlib
import sys

import numpy

import fashion_mnist

DIGITS = ("datasets", "data", "digits.csv.gz")  # inside of scikit-learn


def digits():
    """All 1,797 handwritten digits, 64 numbers from 0 to 16 each, and their labels."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None:
        sys.exit("no digits.csv.gz: pip install scikit-learn (or apt-get install python3-sklearn)")
    table = numpy.loadtxt(pathlib.Path(spec.origin).parent.joinpath(*DIGITS), delimiter=",", dtype=numpy.uint8)
    return table[:, :-1], table[:, -1]


def fashion(part):
    """The images and labels of a part of Fashion-MNIST: "train" (60,000) or "t10k" (10,000)."""
    (count, *size), images = fashion_mnist.read(f"{part}-images-idx3")
    _, labels = fashion_mnist.read(f"{part}-labels-idx1")
    return numpy.frombuffer(images, numpy.uint8).reshape(count, 1, *size), numpy.frombuffer(labels, numpy.uint8)


def network_input(images):
    """What the networks read: the brightest pixel, 16 or 255, becomes 1."""
    return images.astype(numpy.float32) / numpy.float32(16 if images.shape[1:] == (64,) else 255)


def split(name):
    """Training images and labels, test images and labels of a network."""
    if name != "digits_mlp":
        return *fashion("train"), *fashion("t10k")
    images, labels = digits()
    test = numpy.arange(len(images)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]


def judged_images(name):
    """The images whose answers are committed: all digits, or the test images of Fashion-MNIST."""
    return digits()[0] if name == "digits_mlp" else fashion("t10k")[0]


def main():
    images, labels = digits()
    folder = pathlib.Path(__file__).parent
    numpy.save(folder / "digits_images.npy", images)
    numpy.save(folder / "digits_labels.npy", labels)


if __name__ == "__main__":
    main()

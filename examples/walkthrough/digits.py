#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 1,797 digits of ../models: pixels from 0 to 1 as float32, 1 x 8 x 8 each. Every fifth is for testing.

usage: digits.py FOLDER

Writes the other ones, for training, as training.npy and their digits as training_labels.npy.
"""
import pathlib
import sys

import numpy

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def split():
    images = numpy.load(MODELS / "digits_images.npy").reshape(-1, 1, 8, 8).astype(numpy.float32) / numpy.float32(16)
    labels = numpy.load(MODELS / "digits_labels.npy")
    test = numpy.arange(len(images)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    images, labels, _, _ = split()
    numpy.save(pathlib.Path(sys.argv[1], "training.npy"), images)
    numpy.save(pathlib.Path(sys.argv[1], "training_labels.npy"), labels)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The 1,797 digits of ../models: pixels from 0 to 1 as float32, 1 x 8 x 8 each. Every fifth is for testing."""
import pathlib

import numpy

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def split():
    images = numpy.load(MODELS / "digits_images.npy").reshape(-1, 1, 8, 8).astype(numpy.float32) / numpy.float32(16)
    labels = numpy.load(MODELS / "digits_labels.npy")
    test = numpy.arange(len(images)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]

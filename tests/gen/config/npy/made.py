#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The .npy files beside this script, as numpy writes them: made.py (numpy from PyPI)."""
import pathlib

import numpy

here = pathlib.Path(__file__).parent
counted = numpy.arange(-3, 21).reshape(2, 3, 4)
for name, array in {
    "float32": numpy.array([[0.5, -0.0, 1e-40], [numpy.inf, -3.25, numpy.nan]], numpy.float32),
    "float64": numpy.array([0.1, -1e300, 5e-324]),
    "float32_fortran": numpy.asfortranarray(counted.astype(numpy.float32)),
    "int16_fortran": numpy.asfortranarray(counted.astype(numpy.int16)),
    "int8": counted.astype(numpy.int8),
    "uint16": numpy.array([0, 1, 65535], numpy.uint16),
    "int32": numpy.array([[-2**31, 2**31 - 1]], numpy.int32),
    "scalar": numpy.float32(2.5),
    "bool": numpy.array([True, False]),
    "float16": numpy.array([1.5], numpy.float16),
    "none": numpy.zeros((0, 3), numpy.uint8),
}.items():
    numpy.save(here / name, array)

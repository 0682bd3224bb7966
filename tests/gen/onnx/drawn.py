# SPDX-License-Identifier: Apache-2.0
"""What drawn networks have in common: random choices and constants."""
import numpy
from onnx import numpy_helper


class Drawn:
    def __init__(self, random):
        self.random = random
        self.nodes, self.constants, self.shapes = [], [], {}

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random QONNX networks of 1 to 8 bits, and what onnxruntime makes of random images.

usage: random_qonnx.py SEED COUNT OUTDIR [--exact]

Case N is N.onnx, N.in.npy and N.out.npy. Convolutions and dense layers with float biases, batch normalisations, factors
and offsets for each channel, additions and means stand between quantisers. The judge is onnxruntime with the quantisers
written in ONNX' own operators (examples/models/qonnx_judge.py). With --exact all scales are powers of two, so float32
sums are exact and every number has to be equal: qonnx/ is `4 10 qonnx --exact`.
"""
import argparse
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/models"))
import qonnx_judge
from drawn import Drawn

DOMAIN = "qonnx.custom_op.general"


class Network(Drawn):
    def __init__(self, random, exact):
        super().__init__(random)
        self.exact = exact

    def node(self, op, inputs, shape, **attributes):
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", **attributes))
        self.shapes[out] = tuple(int(n) for n in shape)
        return out

    def scale(self, near, shape=()):
        s = near * 2.0 ** self.random.uniform(-1, 1, shape)
        return (2.0 ** numpy.rint(numpy.log2(s)) if self.exact else s).astype(numpy.float32)

    def quant(self, x, bits, scale, signed, narrow=0, shape=None):
        shape = self.shapes[x] if shape is None else shape
        inputs = [x, self.constant(scale), self.constant(numpy.float32(0)), self.constant(numpy.float32(bits))]
        return self.node("Quant", inputs, shape, domain=DOMAIN, signed=signed, narrow=narrow, rounding_mode="ROUND")

    def quantised(self, x):
        if self.chance(0.2):
            return self.node("BipolarQuant", [x, self.constant(self.scale(1.0))], self.shapes[x], domain=DOMAIN)
        bits, signed = int(self.random.integers(2, 9)), int(self.chance(0.6))
        return self.quant(x, bits, self.scale(4.0 / 2**bits), signed, int(signed and self.chance(0.4)))

    def weights(self, shape, axis):
        w = self.constant(self.random.normal(size=shape).astype(numpy.float32))
        if self.chance(0.2):
            return self.node("BipolarQuant", [w, self.constant(self.scale(0.5))], shape, domain=DOMAIN)
        bits = int(self.random.integers(2, 9))
        size = tuple(n if i == axis else 1 for i, n in enumerate(shape))
        scale = self.scale(4.0 / 2**bits, size if self.chance(0.6) else ())
        return self.quant(w, bits, scale, 1, int(self.chance(0.7)), shape)

    def channel(self, x, low=-1.0, high=1.0):
        shape = self.shapes[x]
        size = (shape[0],) + (1,) * (len(shape) - 1)
        return self.constant(self.random.uniform(low, high, size if self.chance(0.7) else ()).astype(numpy.float32))

    def functions(self, x):
        """What may stand between a sum and its quantiser."""
        for _ in range(self.pick(0, 1, 1, 2)):
            kind = self.pick("norm", "norm", "Mul", "Add", "Sub", "Div", "Relu", "LeakyRelu", "Clip")
            shape = self.shapes[x]
            if kind == "norm":
                values = (self.random.normal(size=shape[0]), self.random.normal(size=shape[0]),
                          self.random.normal(size=shape[0]), self.random.uniform(0.2, 3, shape[0]))
                x = self.node("BatchNormalization", [x] + [self.constant(v.astype(numpy.float32)) for v in values], shape)
            elif kind in ("Mul", "Div"):
                x = self.node(kind, [x, self.channel(x, 0.3, 2)], shape)
            elif kind in ("Add", "Sub"):
                inputs = [x, self.channel(x)]
                x = self.node(kind, inputs[::-1] if self.chance(0.3) else inputs, shape)
            elif kind == "Clip":
                x = self.node("Clip", [x, self.constant(numpy.float32(-1)), self.constant(numpy.float32(2))], shape)
            elif kind == "LeakyRelu" and self.nodes[-1].op_type not in ("Conv", "MatMul", "Gemm", "AveragePool",
                                                                        "GlobalAveragePool", "Relu", "Clip"):
                x = self.node("LeakyRelu", [x], shape, alpha=0.125)
            elif kind == "Relu":
                x = self.node("Relu", [x], shape)
        return x

    def conv(self, x):
        channels, *size = self.shapes[x]
        groups = self.pick(1, 1, channels)
        outs, kernel, pad = groups * int(self.random.integers(1, 4)), self.pick(1, 2, 3), self.pick(0, 1)
        kernel = min(kernel, min(size) + 2 * pad)
        inputs = [x, self.weights((outs, channels // groups, kernel, kernel), 0)]
        if self.chance(0.3):  # multiples of a small power of two, which the sums mostly are too
            inputs.append(self.constant((numpy.rint(self.random.normal(size=outs) * 8) / 8).astype(numpy.float32)))
        after = [n + 2 * pad - kernel + 1 for n in size]
        return self.node("Conv", inputs, (outs, *after), kernel_shape=[kernel] * 2, pads=[pad] * 4, group=groups)

    def dense(self, x):
        (features,) = self.shapes[x]
        outs = int(self.random.integers(2, 7))
        return self.node("MatMul", [x, self.weights((features, outs), 1)], (outs,))

    def residual(self, x):
        shape = self.shapes[x]
        if self.nodes[-1].op_type == "MaxPool":
            return x
        y = self.node("Conv", [x, self.weights((shape[0], shape[0], 1, 1), 0)], shape, kernel_shape=[1, 1])
        return self.node("Add", [x, self.quantised(self.functions(y))], shape)

    def grow(self):
        self.shapes["x"] = (int(self.random.integers(1, 4)), *(int(n) for n in self.random.integers(5, 8, 2)))
        x = "x"
        if self.chance(0.3):  # before the first quantiser
            kind = self.pick("Relu", "MaxPool", "Transpose")
            c, h, w = self.shapes[x]
            if kind == "Relu":
                x = self.node("Relu", [x], (c, h, w))
            elif kind == "MaxPool":
                x = self.node("MaxPool", [x], (c, h - 1, w - 1), kernel_shape=[2, 2])
            else:
                x = self.node("Transpose", [x], (w, c, h), perm=[0, 3, 1, 2])
        x = self.quant(x, int(self.random.integers(3, 9)), self.scale(1 / 16), 1)
        for _ in range(self.pick(1, 2)):
            kind = self.pick(self.conv, self.conv, self.residual, "average")
            if kind == "average" and min(self.shapes[x][1:]) < 2:
                continue
            if kind == "average":
                c, h, w = self.shapes[x]
                x = self.node("AveragePool", [x], (c, h // 2, w // 2), kernel_shape=[2, 2], strides=[2, 2])
            else:
                x = kind(x)
            if self.nodes[-1].op_type not in ("Quant", "BipolarQuant"):
                x = self.quantised(x if self.nodes[-1].op_type == "Add" else self.functions(x))
            c, h, w = self.shapes[x]
            if min(h, w) >= 4 and self.chance(0.4):
                x = self.node("MaxPool", [x], (c, h // 2, w // 2), kernel_shape=[2, 2], strides=[2, 2])
        if self.chance(0.3):
            x = self.quantised(self.node("GlobalAveragePool", [x], (self.shapes[x][0], 1, 1)))
        x = self.node("Flatten", [x], (int(numpy.prod(self.shapes[x])),))
        x = self.dense(x)
        if self.chance(0.6):
            x = self.quantised(self.functions(x))
        elif not self.exact or len(self.constants_of(x)) > 1:
            x = self.quantised(x)
        return x

    def constants_of(self, x):
        """The scales of the weights that the last node reads."""
        made = {n.output[0]: n for n in self.nodes}
        scale = made[made[x].input[1]].input[1]
        return numpy.atleast_1d(numpy_helper.to_array(next(c for c in self.constants if c.name == scale))).ravel()

    def model(self, y):
        value = lambda t: helper.make_tensor_value_info(t, TensorProto.FLOAT, ["N", *self.shapes[t]])
        graph = helper.make_graph(self.nodes, "random", [value("x")], [value(y)], self.constants)
        return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                                     helper.make_opsetid(DOMAIN, 1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--exact", action="store_true", help="scales that are powers of two")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    for case in range(arguments.count):
        random = numpy.random.default_rng([arguments.seed, case])
        network = Network(random, arguments.exact)
        model = network.model(network.grow())
        images = random.normal(size=(8, *network.shapes["x"])).astype(numpy.float32)
        results = qonnx_judge.session(model).run(None, {"x": images})[0]
        onnx.save(model, arguments.outdir / f"{case}.onnx")
        numpy.save(arguments.outdir / f"{case}.in.npy", images)
        numpy.save(arguments.outdir / f"{case}.out.npy", results)
        print(f"{case}: {' '.join(n.op_type for n in network.nodes)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random networks of quantised operators, and what onnxruntime makes of random images.

usage: judged.py > judged.txt     (onnx, onnxruntime and numpy from PyPI; x86 with VNNI)

Each case is a graph in text form, then `image` and, for every tensor that a node makes, `is NAME` with its numbers. The
text is written here and not by the program, so neither its reader of ONNX nor its writer of graphs has a part in it.
"""
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.default_rng(20)


class Network:
    def __init__(self, name):
        self.name, self.nodes, self.constants, self.tensors, self.lines = name, [], [], {}, []

    def tensor(self, shape, kind=None, like=None):
        name = f"t{len(self.tensors)}"
        kind = kind or random.choice([numpy.int8, numpy.uint8])
        info = numpy.iinfo(kind)
        zero = int(random.integers(info.min, info.max + 1)) if random.random() < 0.8 else 0
        scale = numpy.float32(2.0 ** random.uniform(-8, 1))
        if like is not None:
            _, kind, scale, zero = self.tensors[like]
        self.tensors[name] = (tuple(int(n) for n in shape), kind, scale, zero)
        return name

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def quantised(self, t):
        _, kind, scale, zero = self.tensors[t]
        return [t, self.constant(scale), self.constant(kind(zero))]

    def node(self, op, inputs, out, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", domain=domain, **attributes))

    def line(self, op, inputs, out, more=""):
        self.lines.append(f"{op} {op}{len(self.lines)} {' '.join(inputs)} -> {out}{more}")

    # What sums of a node should be like: few saturate.
    def weights(self, x, out, shape, terms, per_channel):
        w = random.integers(-127, 128, shape).astype(numpy.int8)
        _, _, xs, _ = self.tensors[x]
        _, _, ys, _ = self.tensors[out]
        wanted = float(ys) / float(xs) / (73 * 73 * terms ** 0.5) * 60
        ws = (wanted * random.uniform(0.5, 2, shape[0] if per_channel else 1)).astype(numpy.float32)
        bias = random.integers(-4000, 4000, shape[0]).astype(numpy.int32)
        return w, ws, bias

    def conv_lines(self, x, out, w, ws, bias, more):
        _, _, xs, _ = self.tensors[x]
        _, _, ys, _ = self.tensors[out]
        scales = (xs * ws) / ys
        assert scales.dtype == numpy.float32
        self.line("conv", [x], out, more)
        self.lines.append("  scales " + " ".join(float(s).hex() for s in scales))
        self.lines.append("  bias " + " ".join(str(b) for b in bias))
        self.lines.append("  weights " + " ".join(str(v) for v in w.reshape(-1)))

    def conv(self, x, kind=None):
        (channels, rows, columns), xkind, _, _ = self.tensors[x]
        while True:
            kernel, stride, dilation = random.integers(1, 4, 2), random.integers(1, 3, 2), random.integers(1, 3, 2)
            before, after = random.integers(0, 3, 2), random.integers(0, 3, 2)
            size = (numpy.array([rows, columns]) + before + after - ((kernel - 1) * dilation + 1)) // stride + 1
            if (size > 0).all():
                break
        groups = int(random.choice([g for g in range(1, channels + 1) if channels % g == 0]))
        outs = groups * int(random.integers(1, 4))
        y = self.tensor([outs, *size], xkind)
        shape = (outs, channels // groups, *kernel)
        w, ws, bias = self.weights(x, y, shape, numpy.prod(shape[1:]), random.random() < 0.5)
        zeros = numpy.zeros(ws.shape, numpy.int8)
        per = (lambda v: v) if len(ws) > 1 else (lambda v: v[0])
        self.node("QLinearConv", self.quantised(x) + [self.constant(w), self.constant(per(ws)), self.constant(per(zeros))]
                  + self.quantised(y)[1:] + [self.constant(bias)], y, kernel_shape=[int(k) for k in kernel],
                  strides=[int(s) for s in stride], dilations=[int(d) for d in dilation], group=groups,
                  pads=[int(p) for p in (*before, *after)])
        pair = lambda key, v: f" {key} {v[0]}x{v[1]}"
        self.conv_lines(x, y, w, ws, bias, pair("kernel", kernel) + pair("stride", stride) + pair("dilation", dilation)
                        + pair("before", before) + pair("after", after) + f" groups {groups}")
        return y

    def dense(self, x):
        shape, kind, _, _ = self.tensors[x]
        n = int(numpy.prod(shape))
        outs = int(random.integers(1, 9))
        flat = self.tensor([n], like=x)
        self.node("Reshape", [x, self.constant(numpy.array([1, n], numpy.int64))], flat)
        self.line("reshape", [x], flat)
        column = self.tensor([n, 1, 1], like=x)
        self.node("Reshape", [flat, self.constant(numpy.array([1, n, 1, 1], numpy.int64))], column)
        self.line("reshape", [flat], column)
        y = self.tensor([outs], kind)
        w, ws, _ = self.weights(x, y, (outs, n), n, False)
        self.node("QLinearMatMul", self.quantised(flat) + [self.constant(w.T.copy()), self.constant(ws[0]),
                  self.constant(numpy.int8(0))] + self.quantised(y)[1:], y)
        map_of = self.tensor([outs, 1, 1], like=y)
        self.node("Reshape", [y, self.constant(numpy.array([1, outs, 1, 1], numpy.int64))], map_of)
        self.conv_lines(column, map_of, w, ws, numpy.zeros(outs, numpy.int32), "")
        self.line("reshape", [map_of], y)
        return y

    def add(self, a, b):
        shape, kind, _, _ = self.tensors[a]
        y = self.tensor(shape, kind)
        self.node("QLinearAdd", self.quantised(a) + self.quantised(b) + self.quantised(y)[1:], y, "com.microsoft")
        self.line("add", [a, b], y)
        return y

    def pool(self, x):
        (channels, rows, columns), *_ = self.tensors[x]
        kernel = numpy.minimum(random.integers(1, 4, 2), [rows, columns])
        stride = random.integers(1, 3, 2)
        before, after = random.integers(0, kernel), random.integers(0, kernel)
        size = (numpy.array([rows, columns]) + before + after - kernel) // stride + 1
        y = self.tensor([channels, *size], like=x)
        self.node("MaxPool", [x], y, kernel_shape=[int(k) for k in kernel], strides=[int(s) for s in stride],
                  pads=[int(p) for p in (*before, *after)])
        pair = lambda key, v: f" {key} {v[0]}x{v[1]}"
        self.line("max_pool", [x], y, pair("kernel", kernel) + pair("stride", stride) + pair("before", before)
                  + pair("after", after))
        return y

    def average(self, x):
        (channels, _, _), kind, _, _ = self.tensors[x]
        y = self.tensor([channels, 1, 1], kind)
        self.node("QLinearGlobalAveragePool", self.quantised(x) + self.quantised(y)[1:], y, "com.microsoft",
                  channels_last=0)
        self.line("global_average", [x], y)
        return y

    def concat(self, a, b):
        (ca, *rest), *_ = self.tensors[a]
        y = self.tensor([ca + self.tensors[b][0][0], *rest], like=a)
        self.node("Concat", [a, b], y, axis=1)
        self.line("concat", [a, b], y)
        return y

    def transpose(self, x):
        shape, *_ = self.tensors[x]
        order = random.permutation(3)
        y = self.tensor([shape[i] for i in order], like=x)
        self.node("Transpose", [x], y, perm=[0, *(int(i) + 1 for i in order)])
        self.line("transpose", [x], y, " order " + "x".join(str(i) for i in order))
        return y

    def print(self, x, outputs):
        kinds = {numpy.uint8: TensorProto.UINT8, numpy.int8: TensorProto.INT8}
        value = lambda t: helper.make_tensor_value_info(t, kinds[self.tensors[t][1]], [1, *self.tensors[t][0]])
        made = [n.output[0] for n in self.nodes]
        graph = helper.make_graph(self.nodes, self.name, [value(x)], [value(t) for t in made], self.constants)
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13),
                                                                      helper.make_opsetid("com.microsoft", 1)])
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        shape, kind, *_ = self.tensors[x]
        info = numpy.iinfo(kind)
        image = random.integers(info.min, info.max + 1, (1, *shape)).astype(kind)
        results = dict(zip(made, session.run(made, {x: image})))
        print(f"graph {self.name}")
        for name, (shape, kind, scale, zero) in self.tensors.items():
            print(f"tensor {name} {'u8' if kind is numpy.uint8 else 's8'} {'x'.join(str(n) for n in shape)}"
                  f" scale {float(scale).hex()} zero {zero}")
        print(f"input {x}")
        for t in outputs:
            print(f"output {t}")
        print("\n".join(self.lines))
        print("image " + " ".join(str(v) for v in image.reshape(-1)))
        for name, numbers in results.items():
            print(f"is {name} " + " ".join(str(v) for v in numbers.reshape(-1)))
        print("end")


def main():
    for case in range(30):
        n = Network(f"case{case}")
        x = n.tensor([int(random.integers(1, 5)), int(random.integers(4, 9)), int(random.integers(4, 9))])
        y = n.conv(x)
        if case % 3 == 0:
            z = n.add(y, y)
            y = n.add(z, y)
        if case % 4 == 1:
            y = n.transpose(y)
        if case % 5 == 2:
            y = n.concat(y, y)
        if case % 2 == 0:
            y = n.pool(y)
        y = n.conv(y)
        outputs = [y]
        outputs.append(n.dense(y) if case % 2 else n.average(y))
        n.print(x, outputs)


if __name__ == "__main__":
    main()

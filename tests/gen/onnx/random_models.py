#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random networks, quantised by onnxruntime's own quantiser, and what onnxruntime makes of random images.

usage: random_models.py SEED COUNT OUTDIR [--wide] [--small]

Case N is N.onnx, N.in.npy and N.out.npy, both float32 with the images along the first axis; a line a case says what was
drawn. A network starts in float32 and is quantised with random choices, so the files are such as users bring. Every
operator that sums stands between quantised tensors. --wide draws more: other operators, factors of a dense layer, and
files in which the quantiser left sums in float. --small keeps the files below 5 kB: random/ is `16 12 random --small`;
wide/ is 6, 42, 62 and 63 of `9 80 OUTDIR --wide --small` and 34 and 35 of `8 90 OUTDIR --wide`.
Needs onnx, onnxruntime and numpy from PyPI (examples/models/requirements.txt).
"""
import argparse
import logging
import pathlib
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/models"))
import exact
from drawn import Drawn

IR_OF_OPSET = {10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10}


class Images(CalibrationDataReader):
    def __init__(self, batches):
        self.left = iter([{"x": batch} for batch in batches])

    def get_next(self):
        return next(self.left, None)


class Network(Drawn):
    """A float network that grows at one end; shapes are those of one image."""

    def __init__(self, random, opset, batch, wide, small):
        super().__init__(random)
        self.opset, self.batch, self.wide, self.small, self.words = opset, batch, wide, small, []

    def node(self, op, inputs, shape, **attributes):
        out = f"t{len(self.shapes)}"
        self.shapes[out] = tuple(int(n) for n in shape)
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", **attributes))
        self.words.append(op)
        return out

    def weights(self, shape, terms):
        w = self.random.normal(size=shape) * (1.6 / terms) ** 0.5
        if self.chance(0.3):  # channels of quite different size
            w *= 2.0 ** self.random.uniform(-3, 1, (shape[0],) + (1,) * (len(shape) - 1))
        return w.astype(numpy.float32)

    def bias(self, outs):
        return self.constant(self.random.normal(size=outs).astype(numpy.float32) * numpy.float32(0.3))

    def convolution(self, x, kernel, stride, dilation, pads, groups, outs, attributes=None):
        channels, *size = self.shapes[x]
        if attributes is None:
            attributes = {"kernel_shape": kernel, "strides": stride, "dilations": dilation, "pads": pads,
                          "group": groups}
            usual = {"strides": [1, 1], "dilations": [1, 1], "pads": [0, 0, 0, 0], "group": 1, "kernel_shape": kernel}
            attributes = {k: v for k, v in attributes.items() if v != usual[k] or self.chance(0.5)}
        after = [(size[i] + pads[i] + pads[i + 2] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in (0, 1)]
        terms = channels // groups * kernel[0] * kernel[1]
        inputs = [x, self.constant(self.weights((outs, channels // groups, *kernel), terms))]
        if self.chance(0.8):
            inputs.append(self.bias(outs))
        return self.node("Conv", inputs, (outs, *after), **attributes)

    def conv(self, x):
        channels, *size = self.shapes[x]
        most = 4 if self.small else 8
        while True:
            kernel = [self.pick(1, 1, 2, 3, 3) for _ in size]
            stride = [self.pick(1, 1, 1, 2, 3) for _ in size]
            dilation = [self.pick(1, 1, 1, 2) for _ in size]
            pads = [self.pick(0, 1, 1, 2) for _ in range(4)]
            if all(size[i] + pads[i] + pads[i + 2] > (kernel[i] - 1) * dilation[i] for i in (0, 1)):
                break
        groups = self.pick(1, 1, channels, *(g for g in range(1, channels + 1) if channels % g == 0))
        outs = groups * int(self.random.integers(1, max(2, most // groups + 1)))
        return self.convolution(x, kernel, stride, dilation, pads, groups, outs)

    def same_size(self, x, outs, depthwise=False):
        groups = self.shapes[x][0] if depthwise else 1
        if not depthwise and self.chance(0.4):
            return self.convolution(x, [1, 1], [1, 1], [1, 1], [0, 0, 0, 0], groups, outs)
        if self.chance(0.2):
            return self.convolution(x, [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], groups, outs,
                                    {"auto_pad": "SAME_UPPER", "group": groups})
        return self.convolution(x, [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], groups, outs)

    def depthwise(self, x):
        return self.same_size(x, self.shapes[x][0], depthwise=True)

    def relu(self, x):
        return self.node("Relu", [x], self.shapes[x])

    def clip(self, x):
        low, high = self.pick((0, 6), (0, 6), (0, 1), (-1, 1))
        if self.opset < 11:
            return self.node("Clip", [x], self.shapes[x], min=float(low), max=float(high))
        limits = [self.constant(numpy.float32(v)) for v in (low, high)]
        return self.node("Clip", [x, *limits], self.shapes[x])

    def activation(self, x):
        return self.relu(x) if self.chance(0.6) else self.clip(x) if self.chance(0.5) else x

    def window(self, x):
        channels, *size = self.shapes[x]
        kernel = [int(min(n, self.pick(2, 2, 3))) for n in size]
        stride = [self.pick(1, 2, 2) for _ in size]
        pads = [int(self.random.integers(0, k)) if self.chance(0.3) else 0 for k in kernel * 2]
        after = [(size[i] + pads[i] + pads[i + 2] - kernel[i]) // stride[i] + 1 for i in (0, 1)]
        return (channels, *after), {"kernel_shape": kernel, "strides": stride, "pads": pads}

    def max_pool(self, x):
        shape, attributes = self.window(x)
        return self.node("MaxPool", [x], shape, **attributes)

    def residual(self, x):
        y = self.same_size(x, self.shapes[x][0])
        if self.chance(0.5):
            y = self.depthwise(self.activation(y))
        other = x if self.chance(0.7) else self.same_size(x, self.shapes[x][0])
        y = self.node("Add", [y, other] if self.chance(0.5) else [other, y], self.shapes[x])
        return self.activation(y)

    def concat(self, x):
        parts = [self.activation(self.same_size(x, int(self.random.integers(1, 4)))) for _ in range(self.pick(1, 2))]
        if self.chance(0.6) or len(parts) == 1:
            parts.append(x)
        channels = sum(self.shapes[p][0] for p in parts)
        return self.node("Concat", parts, (channels, *self.shapes[x][1:]), axis=1)

    def transpose(self, x):
        order = [int(i) for i in self.random.permutation(3)]
        return self.node("Transpose", [x], [self.shapes[x][i] for i in order], perm=[0, *(i + 1 for i in order)])

    def global_average(self, x):
        return self.node("GlobalAveragePool", [x], (self.shapes[x][0], 1, 1))

    def flat(self, x):
        features = int(numpy.prod(self.shapes[x]))
        if self.chance(0.5):
            return self.node("Flatten", [x], (features,), **({} if self.chance(0.5) else {"axis": 1}))
        shape = self.pick([-1, features], [0, -1], [0, features])
        return self.node("Reshape", [x, self.constant(numpy.array(shape, numpy.int64))], (features,))

    def gemm(self, x, outs=None):
        (features,) = self.shapes[x]
        outs = outs or int(self.random.integers(2, 9))
        w = self.weights((outs, features), features)
        transposed = self.chance(0.7)
        inputs = [x, self.constant(w if transposed else w.T.copy())]
        if self.opset < 11 or self.chance(0.8):
            inputs.append(self.bias(outs))
        attributes = {"transB": 1} if transposed else {}
        if self.wide and self.chance(0.15):
            attributes["alpha"] = 0.5
        if self.wide and self.chance(0.15):
            attributes["beta"] = 2.0
        return self.node("Gemm", inputs, (outs,), **attributes)

    def mat_mul(self, x, outs=None):
        (features,) = self.shapes[x]
        outs = outs or int(self.random.integers(2, 9))
        return self.node("MatMul", [x, self.constant(self.weights((outs, features), features).T.copy())], (outs,))

    # Drawn with --wide alone.
    def average_pool(self, x):
        shape, attributes = self.window(x)
        return self.node("AveragePool", [x], shape, count_include_pad=self.pick(0, 1), **attributes)

    def unary(self, x):
        ops = ["LeakyRelu", "Sigmoid", "Tanh", "Elu", "Identity", "Dropout"] + ["HardSwish"] * (self.opset >= 14)
        return self.node(self.pick(*ops), [x], self.shapes[x])

    def normalised(self, x):
        channels = self.shapes[x][0]
        values = [self.random.uniform(0.5, 1.5, channels), self.random.normal(size=channels),
                  self.random.normal(size=channels), self.random.uniform(0.5, 1.5, channels)]
        inputs = [x] + [self.constant(v.astype(numpy.float32)) for v in values]
        return self.node("BatchNormalization", inputs, self.shapes[x])

    def pad(self, x):
        channels, *size = self.shapes[x]
        pads = [int(self.random.integers(0, 3)) for _ in range(4)]
        shape = (channels, size[0] + pads[0] + pads[2], size[1] + pads[1] + pads[3])
        pads = [0, 0, *pads[:2], 0, 0, *pads[2:]]
        if self.opset < 11:
            return self.node("Pad", [x], shape, pads=pads)
        return self.node("Pad", [x, self.constant(numpy.array(pads, numpy.int64))], shape)

    def scaled(self, x):
        shape = self.pick((), (self.shapes[x][0], 1, 1))
        factor = self.random.uniform(0.5, 1.5, shape).astype(numpy.float32)
        return self.node("Mul", [x, self.constant(factor)], self.shapes[x])

    def biased(self, x):
        return self.node("Add", [x, self.constant(self.random.normal(size=self.shapes[x]).astype(numpy.float32))],
                         self.shapes[x])

    def squeezed(self, x):
        assert self.shapes[x][1:] == (1, 1)
        if self.opset < 13:
            return self.node("Squeeze", [x], self.shapes[x][:1], axes=[2, 3])
        return self.node("Squeeze", [x, self.constant(numpy.array([2, 3], numpy.int64))], self.shapes[x][:1])

    def grow(self):
        """From the input to the logits."""
        is_map = self.chance(0.85)
        edge = 6 if self.small else 12
        self.shapes["x"] = ((int(self.random.integers(1, 5)), *(int(n) for n in self.random.integers(4, edge, 2)))
                            if is_map else (int(self.random.integers(4, 20)),))
        x = "x"
        if is_map:
            x = self.activation(self.conv(x)) if not self.wide or self.chance(0.8) else x
            steps = [self.conv, self.conv, self.depthwise, self.max_pool, self.residual, self.residual, self.concat,
                     self.transpose]
            if self.wide:
                steps += [self.average_pool, self.unary, self.normalised, self.pad, self.scaled]
            for _ in range(self.pick(0, 1, 2) if self.small else self.pick(1, 2, 3, 4)):
                x = self.activation(self.pick(*steps)(x))
            features = int(numpy.prod(self.shapes[x]))
            if features > (40 if self.small else 300) or self.chance(0.4):
                x = self.global_average(x)
                x = self.squeezed(x) if self.wide and self.chance(0.3) else self.flat(x)
            else:
                x = self.flat(x)
        for _ in range(self.pick(0, 0, 1, 2)):
            x = self.activation(self.mat_mul(x) if self.chance(0.4) else self.gemm(x))
            if self.wide and self.chance(0.3):
                x = self.unary(x) if self.chance(0.5) else self.biased(x)
        x = self.gemm(x, self.pick(2, 3, 10))
        if self.wide and self.chance(0.2):
            x = self.node("Softmax", [x], self.shapes[x], axis=1)
        return x

    def model(self, y):
        value = lambda t: helper.make_tensor_value_info(t, TensorProto.FLOAT, [self.batch, *self.shapes[t]])
        graph = helper.make_graph(self.nodes, "random", [value("x")], [value(y)], self.constants)
        model = helper.make_model(graph, ir_version=IR_OF_OPSET[self.opset],
                                  opset_imports=[helper.make_opsetid("", self.opset)])
        onnx.checker.check_model(model, full_check=True)
        return model


def quantiser_choices(random, opset):
    chance = lambda p: bool(random.random() < p)
    choices = {"quant_format": QuantFormat.QOperator if chance(0.4) else QuantFormat.QDQ,
               "activation_type": QuantType.QInt8 if chance(0.4) else QuantType.QUInt8,
               "weight_type": QuantType.QInt8, "per_channel": opset >= 13 and chance(0.5)}
    if choices["activation_type"] is QuantType.QUInt8 and chance(0.1):
        choices["weight_type"] = QuantType.QUInt8
    extra = {"ActivationSymmetric": chance(0.3)}
    for word, probability in (("ForceQuantizeNoInputCheck", 0.15), ("DedicatedQDQPair", 0.15),
                              ("QDQKeepRemovableActivations", 0.15), ("AddQDQPairToWeight", 0.1),
                              ("UseQDQContribOps", 0.1), ("ActivationRestrictedAsymmetric", 0.1)):
        if chance(probability):
            extra[word] = True
    if chance(0.1):
        extra["WeightSymmetric"] = False
    return choices, extra


def said(choices, extra):
    words = [choices["quant_format"].name, choices["activation_type"].name[1:-1], choices["weight_type"].name[1:-1]]
    words += ["channel"] if choices["per_channel"] else []
    return " ".join(words + [k + ("" if v else "=False") for k, v in extra.items() if v or k == "WeightSymmetric"])


def quantised(model, images, pre_process, choices, extra):
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "float.onnx"), pathlib.Path(folder, "quantised.onnx")
        onnx.save(model, before)
        if pre_process:
            quant_pre_process(before, before, skip_symbolic_shape=True)
        quantize_static(before, after, Images(images), extra_options=extra, **choices)
        return onnx.load(after)


def run(model, images):
    session = exact.session(model.SerializeToString())
    (name,) = (i.name for i in session.get_inputs())
    return numpy.concatenate([session.run(None, {name: batch})[0] for batch in images])


# What may stand between float tensors: it takes numbers one by one, or the larger of two, or leaves them as they are.
HARMLESS = {"QuantizeLinear", "DequantizeLinear", "Relu", "Clip", "MaxPool", "Transpose", "Reshape", "Flatten",
            "QLinearConv", "QLinearMatMul", "QGemm", "QLinearAdd", "QLinearConcat", "QLinearGlobalAveragePool"}


def is_complete(model):
    """Whether all sums have quantised inputs and results."""
    made_by = {out: n for n in model.graph.node for out in n.output}
    sums = [n for n in model.graph.node if n.op_type not in HARMLESS]
    inputs = {made_by[i].op_type for n in sums for i in n.input if i in made_by}
    readers = {r.op_type for n in sums for r in model.graph.node if n.output[0] in r.input}
    return inputs <= {"DequantizeLinear"} and readers <= {"QuantizeLinear"}


def draw(random, wide, small):
    """One case: a quantised model, its images in batches, and what was drawn."""
    opset = int(random.integers(10, 22))
    batch = "N" if random.random() < 0.7 else 1
    network = Network(random, opset, batch, wide, small)
    y = network.grow()
    low, high = ((0, 1), (-1, 1), (-0.3, 2))[int(random.integers(3))]
    count = 3 if small else 4
    images = lambda n: random.uniform(low, high, (n, *network.shapes["x"])).astype(numpy.float32)
    batches = lambda n: [images(n)] if batch == "N" else [images(1) for _ in range(n)]
    choices, extra = quantiser_choices(random, opset)
    pre_process = bool(random.random() < 0.6)
    calibration, tested = batches(16), batches(count)
    text = f"opset {opset} batch {batch} {said(choices, extra)}{' pre-processed' if pre_process else ''}:"
    text += " " + " ".join(network.words)
    return network.model(y), calibration, tested, (pre_process, choices, extra), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--wide", action="store_true", help="operators beyond the common ones too")
    parser.add_argument("--small", action="store_true", help="files below 5 kB")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    case = refused = 0
    while case < arguments.count:
        random = numpy.random.default_rng([arguments.seed, case, refused])
        float_model, calibration, tested, how, text = draw(random, arguments.wide, arguments.small)
        try:
            model = quantised(float_model, calibration, *how)
            results = run(model, tested)
        except Exception as error:  # the quantiser and onnxruntime each have choices that they cannot do
            refused += 1
            print(f"refused: {str(error).splitlines()[0][:100]}: {text}", file=sys.stderr, flush=True)
            continue
        if arguments.small and model.ByteSize() > 5000 or not arguments.wide and not is_complete(model):
            refused += 1
            continue
        onnx.save(model, arguments.outdir / f"{case}.onnx")
        numpy.save(arguments.outdir / f"{case}.in.npy", numpy.concatenate(tested))
        numpy.save(arguments.outdir / f"{case}.out.npy", results)
        print(f"{case}: {text}", flush=True)
        case, refused = case + 1, 0


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""QONNX models in onnxruntime: Quant and BipolarQuant as the operators of ONNX that they are defined by.

onnxruntime knows no QONNX. Each quantiser becomes Div, Add, Clip (Max and Min), Round, Sub and Mul in float32, in the
order of the definition (qonnx/custom_op/general/quant.py); everything else stays as it is. Optimisation is off, so that
every node computes what it says: with it, batch normalisations become part of convolutions and are rounded otherwise.
"""
import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

DOMAINS = ("qonnx.custom_op.general", "onnx.brevitas")


def is_quantiser(node):
    return node.domain in DOMAINS and node.op_type in ("Quant", "BipolarQuant")


def bounds(bits, signed, narrow):
    low = -(2 ** (bits - 1)) + narrow if signed else 0
    high = 2 ** (bits - 1) - 1 if signed else 2**bits - 1 - narrow
    return low, high


def plain(model):
    """The same model in ONNX' own operators."""
    graph = model.graph
    constants = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    nodes = []
    for count, n in enumerate(graph.node):
        if not is_quantiser(n):
            nodes.append(n)
            continue
        names = iter(range(100))

        def made(op, *inputs, last=False):
            out = n.output[0] if last else f"{n.output[0]}/{next(names)}"
            nodes.append(helper.make_node(op, inputs, [out], name=f"{n.name or count}/{op}{len(nodes)}"))
            return out

        def number(value):
            name = f"{n.output[0]}/constant{next(names)}"
            graph.initializer.append(numpy_helper.from_array(numpy.float32(value), name))
            return name

        x, scale = n.input[0], n.input[1]
        if n.op_type == "BipolarQuant":
            at_least = made("GreaterOrEqual", x, number(0))
            made("Mul", made("Where", at_least, number(1), number(-1)), scale, last=True)
            continue
        attributes = {a.name: helper.get_attribute_value(a) for a in n.attribute}
        assert attributes.get("rounding_mode", b"ROUND") == b"ROUND"
        low, high = bounds(int(constants[n.input[3]]), attributes.get("signed", 1), attributes.get("narrow", 0))
        y = made("Add", made("Div", x, scale), n.input[2])
        y = made("Round", made("Max", made("Min", y, number(high)), number(low)))
        made("Mul", made("Sub", y, n.input[2]), scale, last=True)
    del graph.node[:]
    graph.node.extend(nodes)
    kept = [o for o in model.opset_import if o.domain not in DOMAINS]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    return model


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    converted = onnx.ModelProto()
    converted.CopyFrom(model)
    return onnxruntime.InferenceSession(plain(converted).SerializeToString(), options, providers=["CPUExecutionProvider"])

# SPDX-License-Identifier: Apache-2.0
"""QONNX models in onnxruntime: Quant, BipolarQuant, Trunc and MultiThreshold as the operators of ONNX that they are
defined by.

onnxruntime knows no QONNX. Each quantiser becomes Div, Add, Clip (Max and Min), Round, Sub and Mul in float32, in the
order of the definition (qonnx/custom_op/general/intquant.py, trunc.py, multithreshold.py); everything else stays as it is. Optimisation is off, so that
every node computes what it says: with it, batch normalisations become part of convolutions and are rounded otherwise.
"""
import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

DOMAINS = ("qonnx.custom_op.general", "onnx.brevitas")


def is_quantiser(node):
    return node.domain in DOMAINS and node.op_type in ("Quant", "IntQuant", "BipolarQuant", "Trunc", "MultiThreshold")


# Of |x|, with the sign of x behind it, or of x as it is.
ROUNDINGS = {"ROUND": ("Round", None), "HALF_EVEN": ("Round", None), "CEIL": ("Ceil", None), "FLOOR": ("Floor", None),
             "UP": ("Ceil", 0.0), "DOWN": ("Floor", 0.0), "ROUND_TO_ZERO": ("Floor", 0.0),
             "HALF_UP": ("Floor", 0.5), "HALF_DOWN": ("Ceil", -0.5)}


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

        def rounded(y, otherwise):
            op, half = ROUNDINGS[attributes.get("rounding_mode", otherwise).decode().upper()]
            if half is None:
                return made(op, y)
            return made("Mul", made("Sign", y), made(op, made("Add", made("Abs", y), number(half))))

        def clamped(y, bits):
            low, high = bounds(bits, attributes.get("signed", 1), attributes.get("narrow", 0))
            return made("Max", made("Min", y, number(high)), number(low))

        if n.op_type == "MultiThreshold":
            y = None
            thresholds = constants[n.input[1]]
            rank = {i.name: len(i.type.tensor_type.shape.dim) for i in list(graph.value_info) + list(graph.input)}
            for step in thresholds.T:
                one = step.reshape((-1,) + (1,) * (rank.get(x, 2) - 2))
                name = f"{n.output[0]}/threshold{next(names)}"
                graph.initializer.append(numpy_helper.from_array(one.astype(numpy.float32), name))
                reached = made("Cast", made("GreaterOrEqual", x, name))
                nodes[-1].attribute.append(helper.make_attribute("to", onnx.TensorProto.FLOAT))
                y = reached if y is None else made("Add", y, reached)
            y = made("Mul", y, number(attributes.get("out_scale", 1.0)))
            made("Add", y, number(attributes.get("out_bias", 0.0)), last=True)
        elif n.op_type == "Trunc":
            y = made("Round", made("Add", made("Div", x, scale), n.input[2]))
            if len(n.input) == 5:
                divisor = 2.0 ** float(constants[n.input[3]] - constants[n.input[4]])
                y = rounded(made("Div", y, number(divisor)), b"FLOOR")
                made("Mul", made("Sub", y, n.input[2]), scale, last=True)
            else:
                divisor = 2.0 ** numpy.round(numpy.log2(constants[n.input[4]] / constants[scale]))
                y = rounded(clamped(made("Div", y, number(divisor)), int(constants[n.input[5]])), b"FLOOR")
                made("Mul", made("Sub", y, number(constants[n.input[2]] / divisor)), n.input[4], last=True)
        else:
            y = rounded(clamped(made("Add", made("Div", x, scale), n.input[2]), int(constants[n.input[3]])), b"ROUND")
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

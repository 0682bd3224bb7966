#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What onnxruntime's QLinearAdd makes of all pairs of bytes, for scales and zero points at which orders of addition differ.

usage: adds.py > adds.txt     (onnx, onnxruntime and numpy from PyPI; x86 with VNNI)

A line is a type, scale and zero point of both operands and of the result, and the FNV-1a hash (64 bits) of the 65,536 results,
the first operand slowest. Triples are drawn until float32 in three other orders gives other results; each order is found
eight times.
"""
import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.default_rng(61)
KINDS = {"u8": (numpy.uint8, TensorProto.UINT8), "s8": (numpy.int8, TensorProto.INT8)}


def fused(a, b, c):
    """a * b + c with one rounding: the product of two float32 is exact in float64, and so is nearly every sum."""
    return (numpy.float64(a) * numpy.float64(b) + numpy.float64(c)).astype(numpy.float32)


def orders(a, b, quantisers):
    (sa, za), (sb, zb), (sc, zc) = quantisers
    ra, rb, za, zb, zc = sa / sc, sb / sc, numpy.float32(za), numpy.float32(zb), numpy.float32(zc)
    plain = zc - (ra * za + rb * zb)
    fixed = zc - fused(ra, za, rb * zb)
    return (fused(a, ra, fused(b, rb, plain)), fused(b, rb, fused(a, ra, fixed)), fused(a, ra, fused(b, rb, zc - fused(rb, zb, ra * za))))


def judged(a, b, quantisers, kind, onnx_kind):
    constants, inputs = [], []
    for i, (scale, zero) in enumerate(quantisers):
        constants += [numpy_helper.from_array(numpy.asarray(scale), f"s{i}"), numpy_helper.from_array(numpy.asarray(zero, kind), f"z{i}")]
    node = helper.make_node("QLinearAdd", ["a", "s0", "z0", "b", "s1", "z1", "s2", "z2"], ["y"], domain="com.microsoft")
    value = lambda name: helper.make_tensor_value_info(name, onnx_kind, [65536])
    graph = helper.make_graph([node], "add", [value("a"), value("b")], [value("y")], constants)
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"a": a.astype(kind), "b": b.astype(kind)})[0]


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2 ** 64
    return value


left = [8, 8, 8]
while any(left):
    name = str(random.choice(list(KINDS)))
    kind, onnx_kind = KINDS[name]
    info = numpy.iinfo(kind)
    unit = numpy.float32(random.uniform(0.005, 0.1))
    scales = random.integers(1, 9, 3).astype(numpy.float32) * unit if random.random() < 0.5 else random.uniform(0.001, 0.1, 3).astype(numpy.float32)
    quantisers = [(s, int(random.integers(info.min, info.max + 1))) for s in scales]
    every = numpy.arange(info.min, info.max + 1)
    a, b = (n.ravel().astype(numpy.float32) for n in numpy.meshgrid(every, every, indexing="ij"))
    results = judged(a, b, quantisers, kind, onnx_kind)
    differ = [bool((numpy.clip(numpy.rint(y), info.min, info.max) != results).any()) for y in orders(a, b, quantisers)]
    if not any(d and n for d, n in zip(differ, left)):
        continue
    left = [n - 1 if d and n else n for d, n in zip(differ, left)]
    print(name, *(f"{float(s).hex()} {z}" for s, z in quantisers), f"{fnv(results.tobytes()):016x}")

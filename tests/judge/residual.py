#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Residual networks with random weights, quantised by onnxruntime's quantiser, beside onnxruntime: every logit is equal.

usage: residual.py PROGRAM WORK

Each network has four blocks with a sum of two maps, of other scales everywhere. KUMIKI_SEED says which are drawn;
KUMIKI_LONG=1 draws 20 in place of 3. A network that differs stays in WORK.
"""
import logging
import os
import pathlib
import subprocess
import sys
import time

import numpy
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gen/onnx"))
import random_models
from onnxruntime.quantization import QuantFormat, QuantType


def block(net, x, outs):
    """Two convolutions beside a shortcut, which has a convolution of its own where channels change."""
    y = net.relu(net.convolution(x, [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], 1, outs))
    y = net.convolution(y, [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], 1, outs)
    other = x if net.shapes[x][0] == outs else net.convolution(x, [1, 1], [1, 1], [1, 1], [0, 0, 0, 0], 1, outs)
    return net.relu(net.node("Add", [y, other] if net.chance(0.5) else [other, y], net.shapes[y]))


def network(random):
    net = random_models.Network(random, 17, "N", False, False)
    net.shapes["x"] = (3, 16, 16)
    y = net.relu(net.convolution("x", [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], 1, 8))
    for outs in (8, 8, 16, 16):
        y = block(net, y, outs)
    y = net.node("GlobalAveragePool", [y], (16, 1, 1))
    y = net.node("Flatten", [y], (16,))
    weights = net.constant((random.normal(size=(16, 10)) / 4).astype(numpy.float32))
    return net, net.node("MatMul", [y, weights], (10,))


def main():
    program, work = sys.argv[1], pathlib.Path(sys.argv[2])
    logging.disable(logging.WARNING)
    work.mkdir(parents=True, exist_ok=True)
    seed, count = int(os.environ.get("KUMIKI_SEED") or time.time() // 86400), 20 if os.environ.get("KUMIKI_LONG") == "1" else 3
    print(f"KUMIKI_SEED={seed}")
    failed = 0
    for case in range(count):
        random = numpy.random.default_rng([seed, 61, case])
        net, y = network(random)
        images = lambda n: [random.uniform(-1, 1, (n, 3, 16, 16)).astype(numpy.float32)]
        kind = (QuantType.QUInt8, QuantType.QInt8)[case % 2]
        choices = {"activation_type": kind, "weight_type": QuantType.QInt8, "per_channel": case % 3 == 0,
                   "quant_format": (QuantFormat.QDQ, QuantFormat.QOperator)[case // 2 % 2]}
        model = random_models.quantised(net.model(y), images(16), True, choices, {})
        tested = images(100 if count == 20 else 20)
        stem = work / f"residual-{case}"
        onnx.save(model, f"{stem}.onnx")
        numpy.save(f"{stem}.in.npy", numpy.concatenate(tested))
        numpy.save(f"{stem}.out.npy", random_models.run(model, tested))
        done = subprocess.run([program, "run", f"{stem}.onnx", "--input", f"{stem}.in.npy", "--expect", f"{stem}.out.npy"],
                              text=True, capture_output=True)
        if done.returncode != 0:
            failed += 1
            print(f"{stem}.onnx: {(done.stdout + done.stderr).splitlines()[-1]}")
            continue
        for file in (".onnx", ".in.npy", ".out.npy"):
            pathlib.Path(f"{stem}{file}").unlink()
    print(f"{count - failed} of {count} residual networks are equal")
    sys.exit(bool(failed))


main()

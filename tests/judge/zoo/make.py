#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ordinary topologies with random weights, quantised by onnxruntime, and what onnxruntime makes of random images.

usage: make.py OUTDIR [--only NAME...] [--width PART] [--pixels N] [--forms FORM...] [--images N]

Writes NAME.FORM.onnx, NAME.FORM.in.npy and NAME.FORM.out.npy; further inputs and outputs are in1, out1 and so on.
KUMIKI_SEED says which weights and images are drawn. --width takes this part of the published channels in place of the small
one of each topology. Needs onnx, onnxruntime and numpy from PyPI (examples/walkthrough/requirements.txt).
"""
import argparse
import logging
import os
import pathlib
import sys
import tempfile
import zlib

import numpy
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/models"))
import classify, mobile, scenes, sequences, signals, yolo  # each registers its topologies
import exact
from net import TOPOLOGIES, Net

# Format, activations, a scale for each channel, onnxruntime's optimiser before the quantiser. Without the last the model is
# as an exporter leaves it.
FORMS = {
    "qdq-u8": (QuantFormat.QDQ, QuantType.QUInt8, True, False),
    "qdq-s8": (QuantFormat.QDQ, QuantType.QInt8, True, True),
    "qoperator": (QuantFormat.QOperator, QuantType.QUInt8, True, True),
    "tensor": (QuantFormat.QDQ, QuantType.QUInt8, False, False),
}


class Images(CalibrationDataReader):
    def __init__(self, batches):
        self.left = iter(batches)

    def get_next(self):
        return next(self.left, None)


def quantised(model, calibration, form):
    kind, activations, per_channel, optimises = FORMS[form]
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "float.onnx"), pathlib.Path(folder, "quantised.onnx")
        onnx.save(model, before)
        if optimises:
            quant_pre_process(before, before, skip_symbolic_shape=True)
        quantize_static(before, after, Images([calibration]), quant_format=kind, activation_type=activations,
                        weight_type=QuantType.QInt8, per_channel=per_channel)
        return onnx.load(after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=TOPOLOGIES, default=list(TOPOLOGIES), metavar="NAME")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--width", type=float, help="part of the published channels")
    parser.add_argument("--pixels", type=int)
    parser.add_argument("--images", type=int, default=8)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    seed = int(os.environ.get("KUMIKI_SEED") or 1)
    for name in arguments.only:
        of = TOPOLOGIES[name]
        random = numpy.random.default_rng([seed, zlib.crc32(name.encode())])
        net = Net(random, arguments.pixels or of.pixels, arguments.width or of.width, of.gain)
        model = net.model(of.draw(net))
        calibration, images = net.random_inputs(8), net.random_inputs(arguments.images)
        for form in arguments.forms:
            stem = f"{arguments.outdir / name}.{form}"
            onnx.save(quantised(model, calibration, form), f"{stem}.onnx")
            results = exact.session(f"{stem}.onnx").run(None, images)
            for word, arrays in (("in", images.values()), ("out", results)):
                for i, array in enumerate(arrays):
                    numpy.save(f"{stem}.{word}{i or ''}.npy", array)
        print(name, flush=True)


main()

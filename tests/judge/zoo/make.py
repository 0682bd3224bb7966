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
import zlib

import numpy
import onnx

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[3] / "examples/models"), str(HERE.parents[1])]
import classify, mobile, scenes, sequences, signals, yolo  # each registers its topologies
import exact
from forms import FORMS, quantised
from net import TOPOLOGIES, Net

OPTIMISED = {"qdq-s8", "qoperator"}  # the other forms are as an exporter leaves them


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
            onnx.save(quantised(model, [calibration], form, form in OPTIMISED), f"{stem}.onnx")
            results = exact.session(f"{stem}.onnx").run(None, images)
            for word, arrays in (("in", images.values()), ("out", results)):
                for i, array in enumerate(arrays):
                    numpy.save(f"{stem}.{word}{i or ''}.npy", array)
        print(name, flush=True)


main()

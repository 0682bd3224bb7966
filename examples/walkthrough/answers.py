#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what onnxruntime makes of the test images.

usage: answers.py INT8.onnx

Beside INT8.onnx: images.npy and labels.npy, the test images and their digits, and logits.npy, onnxruntime's answers.
"""
import pathlib
import sys

import numpy
import onnxruntime

import digits


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    model = pathlib.Path(sys.argv[1])
    _, _, images, labels = digits.split()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    # Without VNNI, sums of u8 times s8 would saturate in pairs.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    logits = session.run(None, {"image": images})[0]
    for name, array in (("images", images), ("labels", labels), ("logits", logits)):
        numpy.save(model.parent / f"{name}.npy", array)
    right = int((logits.argmax(1) == labels).sum())
    print(f"{model}: accuracy {100 * right / len(labels):.2f} % ({right} of {len(labels)})")


if __name__ == "__main__":
    main()

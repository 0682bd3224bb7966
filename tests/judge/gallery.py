#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/gallery.md and its pictures, from what the program prints.

usage: gallery.py PROGRAM ROOT WORK [--write]

Without --write page and pictures have to be what is computed, and README.md has to have the figures of fashion_cnn. Layers, bits and the accuracy in float32 are those of
examples/models/README.md, where train.py printed them. Everything else is computed here: accuracy from onnxruntime's logits
(tests/gen/onnx/judged), numbers that differ from them by `kumiki run --expect`, array, slices and clocks by `--with native`
on 64 images. A model has an array where all layers with weights run on it. KUMIKI_LONG=1 runs all images by the
definition; otherwise 300.
"""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

MODELS = ("digits_mlp", "fashion_cnn", "fashion_residual", "fashion_w4a4", "fashion_bnn")
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
BEGIN, END = "<!-- tests/judge/gallery.py --write writes this table -->\n", "<!-- end of the table -->\n"
ON_LANES = 64


def npy(path):
    """Shape and numbers of a file of bytes."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    kind = re.search(r"'descr': '\|([iu])1'", header)
    shape = tuple(int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip())
    return shape, memoryview(data[10 + size:]).cast({"i": "b", "u": "B"}[kind[1]])


def write_reals(path, shape, values):
    """A file of float32."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() +
                     struct.pack(f"<{len(values)}f", *values))


def rows_of_models(root):
    """The rows of the table in examples/models/README.md, by model."""
    rows = {}
    for line in (root / "examples/models/README.md").read_text().split("\n"):
        if match := re.match(r"\| \[(\w+)\]", line):
            rows[match[1]] = [cell.strip() for cell in line.strip("|").split("|")]
    return rows


class Program:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words, legal=(0,)):
        done = subprocess.run([self.path, *map(str, words)], text=True, capture_output=True)
        if done.returncode not in legal:
            sys.exit(f"kumiki {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done

    def json(self, *words):
        return json.loads(self(*words, "--json").stdout)


def digits(root, work):
    """Pixels from 0 to 16 as the models read them. Every fifth is for testing."""
    shape, pixels = npy(root / "examples/models/digits_images.npy")
    write_reals(work / "digits.npy", shape, [p / 16 for p in pixels])
    _, labels = npy(root / "examples/models/digits_labels.npy")
    return work / "digits.npy", labels, range(0, len(labels), 5)


def clothes(work):
    for name in ("images-idx3", "labels-idx1"):
        (work / name).write_bytes(gzip.decompress((FASHION / f"t10k-{name}-ubyte.gz").read_bytes()))
    labels = (work / "labels-idx1").read_bytes()[8:]
    return work / "images-idx3", labels, range(len(labels))


def right(judged, labels, tested):
    """How many of the tested images have their largest logit, the first one of them, at their label."""
    (_, classes), logits = npy(judged)
    of = [list(logits[i * classes:(i + 1) * classes]) for i in range(len(labels))]
    return sum(of[i].index(max(of[i])) == labels[i] for i in tested)


def array_of(kumiki, model, layers, images, judged):
    """Cells of the columns about the array."""
    done = kumiki("run", model, "--with", "native", "--input", images, "--images", ON_LANES, "--expect", judged, "--json",
                  legal=(0, 3))
    if done.returncode == 3 and "[nothing-on-array]" not in done.stderr:
        sys.exit(done.stderr)
    ran = json.loads(done.stdout)["array"] if done.returncode == 0 else {"layers": 0}
    if ran["layers"] < layers:
        return ["-"] * 4
    return [f"{ran['rows']} x {ran['columns']}, {ran['accumulators']} accumulators", str(ran["slices"]),
            f"{ran['clocks_an_image']:,}", f"{ran['images_a_second'] * 200 / ran['clock_mhz']:,.0f}"]


def row(kumiki, root, name, described, data):
    images, labels, tested = data
    model, judged = root / f"examples/models/{name}.onnx", root / f"tests/gen/onnx/judged/{name}.npy"
    _, layers, said_weights, bits, in_float, said, _ = described
    with_weights = [n["weights"] for n in kumiki.json("import", model)["nodes"] if n["weights"]]
    if f"{sum(with_weights):,}" != said_weights:
        sys.exit(f"examples/models/README.md: {name} has {sum(with_weights):,} weights")
    accuracy = f"{100 * right(judged, labels, tested) / len(tested):.2f} %"
    if accuracy != said:
        sys.exit(f"examples/models/README.md: {name}: onnxruntime's logits are {accuracy}")
    count = len(labels) if os.environ.get("KUMIKI_LONG") == "1" else 300
    expected = kumiki.json("run", model, "--input", images, "--images", count, "--expect", judged)["expected"]
    if expected["numbers"] != count * 10 or expected["numbers_that_differ"]:
        sys.exit(f"{name}: {expected}")
    cells = [f"[{name}](pictures/{name}.svg)", layers, said_weights, bits, in_float or "-", accuracy,
             f"0 of {10 * len(labels):,}", *array_of(kumiki, model, len(with_weights), images, judged)]
    return "| " + " | ".join(cells) + " |\n"


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["--write"]):
        sys.exit(__doc__.split("\n\n")[1])
    kumiki, root, work, write = Program(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    work.mkdir(parents=True, exist_ok=True)
    if not FASHION.is_dir():
        print("NOT TESTED: docs/gallery.md, since the package dataset-fashion-mnist is missing")
        sys.exit(77)
    page, described, stale = root / "docs/gallery.md", rows_of_models(root), []

    def compare(path, wanted):
        if path.exists() and path.read_bytes() == wanted:
            return
        if write:
            path.write_bytes(wanted)
        else:
            stale.append(str(path.relative_to(root)))

    table = ("| model | layers | weights | activations, weights | float | quantised | numbers that differ | array | slices |"
             " clocks an image | images/s at 200 MHz |\n" + "|---" * 11 + "|\n")
    of_digits, of_clothes = digits(root, work), clothes(work)
    for name in MODELS:
        table += row(kumiki, root, name, described[name], of_digits if name == "digits_mlp" else of_clothes)
        kumiki("show", root / f"examples/models/{name}.onnx", "--force", "-o", work / f"{name}.svg")
        compare(root / f"docs/pictures/{name}.svg", (work / f"{name}.svg").read_bytes())
    before, old = page.read_text().split(BEGIN)
    compare(page, (before + BEGIN + table + END + old.split(END)[1]).encode())
    # What the first screen says of one of them.
    cells = re.search(r"\| \[fashion_cnn\].*", table)[0].split(" | ")
    said = f"{cells[5]} of Fashion-MNIST, as under onnxruntime, on {cells[8]} slices"
    if said not in " ".join((root / "README.md").read_text().split()):
        sys.exit(f"README.md does not say: {said}")
    for path in stale:
        print(f"{path} is not what kumiki prints: tests/judge/gallery.py PROGRAM . FOLDER --write")
    if stale:
        print(table, end="")
    print(f"{len(MODELS)} models, {len(stale)} files are others")
    sys.exit(bool(stale))


main()

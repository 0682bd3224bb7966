# SPDX-License-Identifier: Apache-2.0
"""A float model becomes a quantised one, from Python and by `kumiki import --calibrate`; onnxruntime judges both."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import judge
import kumiki
import numpy as np
import onnx
import pytest
from judge import MODELS, Array
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

COUNT = 90


def float_model(path: pathlib.Path, images: str | int = "N", kind: int = TensorProto.FLOAT,
                inputs: int = 1) -> pathlib.Path:
    """LeNet in small: Tanh behind a convolution is what onnxruntime's quantiser leaves alone unless it is asked."""
    random = np.random.default_rng(7)
    shapes = {"w1": (6, 1, 3, 3), "b1": (6,), "w2": (8, 6, 3, 3), "b2": (8,), "w3": (10, 8 * 4 * 4), "b3": (10,)}
    weights = {name: random.normal(0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "conv1"),
             helper.make_node("Tanh", ["c1"], ["t1"], "tanh"),
             helper.make_node("Conv", ["t1", "w2", "b2"], ["c2"], "conv2"),
             helper.make_node("Relu", ["c2"], ["r2"], "relu"),
             helper.make_node("MaxPool", ["r2"], ["p2"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Flatten", ["p2"], ["f"], "flatten"),
             helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], "dense", transB=1)]
    ends = [helper.make_tensor_value_info(name, kind, [images, 1, 12, 12]) for name in ["x", "other"][:inputs]]
    if kind != TensorProto.FLOAT:
        nodes[0].input[0] = "real"
        nodes.insert(0, helper.make_node("Cast", ["x"], ["real"], "cast", to=TensorProto.FLOAT))
    logits = helper.make_tensor_value_info("y", TensorProto.FLOAT, [images, 10])
    graph = helper.make_graph(nodes, "small", ends, [logits],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def results(model: pathlib.Path, images: Array) -> Array:
    session = judge.session(model)
    found: Array = np.concatenate([session.run(None, {"x": image[None]})[0] for image in images])
    return found


class Case:
    def __init__(self, folder: pathlib.Path) -> None:
        self.model = float_model(folder / "float.onnx")
        pixels = np.random.default_rng(8).integers(0, 256, (COUNT, 1, 12, 12), np.uint8)
        self.pixels: Array = pixels
        self.images: Array = pixels / np.float32(255)
        self.wanted = results(self.model, self.images)
        self.labels: Array = self.wanted.argmax(1)
        self.labels[::9] = 3  # not all are right
        np.save(folder / "images.npy", self.images)
        np.save(folder / "labels.npy", self.labels)
        self.folder = folder


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("quantise"))


def test_what_it_costs_is_what_onnxruntime_says(case: Case, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "int8.onnx"
    report = kumiki.quantise(case.model, case.images, out=out, labels=case.labels)
    # Every second image is for calibration.
    x, labels, wanted = case.images[1::2], case.labels[1::2], case.wanted[1::2]
    got = results(out, x)
    assert (report.calibrated, report.measured, report.held_back, report.warnings) == (45, 45, True, ())
    right = int((wanted.argmax(1) == labels).sum())
    assert report.float_right == right < 45
    assert report.right == (got.argmax(1) == labels).sum()
    assert report.equal == (got.argmax(1) == wanted.argmax(1)).sum()
    exact = wanted.astype(np.float64)
    noise = 10 * np.log10((exact**2).sum() / ((exact - got) ** 2).sum())
    assert report.noise["y"] == pytest.approx(noise, abs=0.006) and noise > 25
    assert f"accuracy {100 * right / 45:.2f} % ({right} of 45) before" in str(report)
    # All of it is integers, and the same ones as onnxruntime's.
    network = kumiki.import_model(out)
    np.testing.assert_array_equal(network.predict(case.images, as_="float"), results(out, case.images))


def test_without_labels_and_with_few_images(case: Case, tmp_path: pathlib.Path) -> None:
    report = kumiki.quantise(str(case.model), case.images[:31], out=tmp_path / "int8.onnx")
    assert (report.calibrated, report.measured, report.held_back) == (31, 31, False)
    assert report.float_right is None and report.right is None and report.equal is not None
    assert len(report.warnings) == 1 and "31 images for calibration are few" in report.warnings[0]
    assert "accuracy" not in str(report) and "measured on the same 31 images" in str(report)
    assert kumiki.quantise(case.model, case.images[:32], out=tmp_path / "32.onnx").warnings == ()


def test_the_ranges_are_those_of_the_images_for_calibration(case: Case, tmp_path: pathlib.Path) -> None:
    images = case.images.copy()
    images[1::2] *= 4  # of the images held back
    kumiki.quantise(case.model, images, out=tmp_path / "int8.onnx")
    assert kumiki.import_model(tmp_path / "int8.onnx").input.scale == np.float32(images[::2].max()) / np.float32(255)


def test_one_image_at_a_time(case: Case, tmp_path: pathlib.Path) -> None:
    model = float_model(tmp_path / "one.onnx", images=1)
    assert kumiki.quantise(model, case.images, out=tmp_path / "a.onnx") == kumiki.quantise(
        case.model, case.images, out=tmp_path / "b.onnx")


def with_open_lengths(model: pathlib.Path, path: pathlib.Path) -> pathlib.Path:
    given = onnx.load(model)
    for axis, name in ((2, "height"), (3, "width")):
        given.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    onnx.save(given, path)
    return path


def test_open_lengths_become_those_of_the_images(case: Case, tmp_path: pathlib.Path) -> None:
    model = with_open_lengths(case.model, tmp_path / "open.onnx")
    report = kumiki.quantise(model, case.images, out=tmp_path / "a.onnx")
    assert report.lengths == (1, 12, 12) and "the model is for one image of 1x12x12, as the images are" in str(report)
    wanted = kumiki.quantise(case.model, case.images, out=tmp_path / "b.onnx")
    assert wanted.lengths is None and wanted.noise == report.noise
    a, b = (kumiki.import_model(tmp_path / f"{name}.onnx").predict(case.images[:9]) for name in "ab")
    np.testing.assert_array_equal(a, b)
    # Pictures, and one image.
    Image.fromarray(case.pixels[0, 0]).save(tmp_path / "0.png")
    assert kumiki.quantise(model, tmp_path / "0.png", out=tmp_path / "c.onnx").lengths == (1, 12, 12)
    assert kumiki.quantise(model, case.images[0], out=tmp_path / "d.onnx").lengths == (1, 12, 12)
    for wrong in (case.images[:, :, 0], np.concatenate([case.images] * 3, axis=1)):
        with pytest.raises(kumiki.UsageError, match="must be 1x.x., as the input x, whose open lengths become theirs"):
            kumiki.quantise(model, wrong, out=tmp_path / "e.onnx")


def test_a_module_and_a_program_and_always_the_same_bytes(case: Case, tmp_path: pathlib.Path) -> None:
    kumiki.quantise(case.model, case.images, out=tmp_path / "a.onnx")
    made = []
    for name, seed in (("b", "1"), ("c", "2")):
        folder = tmp_path / name
        folder.mkdir()
        done = subprocess.run([sys.executable, "-m", "kumiki.quantiser", case.model, "--calibrate",
                               case.folder / "images.npy", "--labels", case.folder / "labels.npy", "-o", "q.onnx"],
                              cwd=folder, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        assert done.stdout.startswith("calibrated on 45 images, measured on the other 45 images\naccuracy ")
        made.append((folder / "q.onnx").read_bytes())
    assert made[0] == made[1] == (tmp_path / "a.onnx").read_bytes()
    assert b"/tmp" not in made[0] and str(tmp_path).encode() not in made[0]


def test_folders_and_pictures(case: Case, tmp_path: pathlib.Path) -> None:
    kumiki.quantise(case.model, case.images, out=tmp_path / "a.onnx")
    wanted = (tmp_path / "a.onnx").read_bytes()
    for kind in ("npy", "png", "pgm"):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / "notes.txt").write_text("left alone")
        for i in range(COUNT):
            if kind == "npy":
                np.save(folder / f"{i:03}.npy", case.images[i, 0])
            else:
                Image.fromarray(case.pixels[i, 0]).save(folder / f"{i:03}.{kind}")
        kumiki.quantise(case.model, folder, out=tmp_path / f"{kind}.onnx")
        assert (tmp_path / f"{kind}.onnx").read_bytes() == wanted
    scaled = (case.images - np.float32(0.5)) / np.float32(0.25)
    kumiki.quantise(case.model, scaled, out=tmp_path / "s.onnx")
    kumiki.quantise(case.model, tmp_path / "png", mean=[0.5], std=[0.25], out=tmp_path / "t.onnx")
    assert (tmp_path / "s.onnx").read_bytes() == (tmp_path / "t.onnx").read_bytes() != wanted
    np.savez(tmp_path / "one.npz", anything=case.images)
    kumiki.quantise(case.model, tmp_path / "one.npz", out=tmp_path / "z.onnx")
    assert (tmp_path / "z.onnx").read_bytes() == wanted


def test_wrong_images(case: Case, tmp_path: pathlib.Path) -> None:
    def refused(images: Any, kind: type[kumiki.Error], code: str, text: str, **more: Any) -> None:
        with pytest.raises(kind, match=text) as error:
            kumiki.quantise(case.model, images, out=tmp_path / "q.onnx", **more)
        assert error.value.code == code and error.value.remedy, error.value
        assert not (tmp_path / "q.onnx").exists()

    refused(tmp_path / "none.npy", kumiki.FileError, "file-not-found", "none.npy does not exist")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", kumiki.UsageError, "image-count", "empty holds no image")
    (tmp_path / "text.npy").write_text("no array")
    refused(tmp_path / "text.npy", kumiki.FileError, "malformed-npy", "is not a .npy file")
    (tmp_path / "x.txt").write_text("no array")
    refused(tmp_path / "x.txt", kumiki.FileError, "unknown-input", "is not a file of images")
    np.savez(tmp_path / "two.npz", a=case.images, b=case.images)
    refused(tmp_path / "two.npz", kumiki.FileError, "unknown-input", "holds 2 arrays")
    refused(np.zeros((5, 1, 12, 11), np.float32), kumiki.UsageError, "array-shape",
            "5x1x12x11; it must be Nx1x12x12, N images of the input x")
    refused(case.pixels, kumiki.UsageError, "unknown-number-type", "holds uint8.*float32")
    refused(np.zeros((0, 1, 12, 12), np.float32), kumiki.UsageError, "image-count", "no image")
    images = case.images.copy()
    images[2, 0, 3, 4] = np.nan
    refused(images, kumiki.UsageError, "not-a-number", r"image 2, \[0\]\[3\]\[4\] is nan")
    refused(images.astype(np.float64) * 1e300, kumiki.UsageError, "not-a-number", "is inf")
    Image.fromarray(np.zeros((12, 13), np.uint8)).save(tmp_path / "wide.png")
    refused(tmp_path / "wide.png", kumiki.UsageError, "array-shape", "is grey, 13 x 12 pixels")
    Image.fromarray(np.zeros((12, 12, 3), np.uint8)).save(tmp_path / "colour.png")
    refused(tmp_path / "colour.png", kumiki.UsageError, "array-shape", "is in colour, 12 x 12 pixels")
    Image.fromarray(np.zeros((12, 12), np.uint16)).save(tmp_path / "deep.png")
    refused(tmp_path / "deep.png", kumiki.FileError, "picture-channels", "grey or RGB of 8 bits")
    (tmp_path / "cut.png").write_bytes(b"\x89PNG")
    refused(tmp_path / "cut.png", kumiki.FileError, "picture-damaged", "cut.png")
    refused(case.images, kumiki.UsageError, "option-needs", "--mean is for pictures", mean=[0.5])
    refused(case.images, kumiki.UsageError, "option-value", "--std has 2 values; it must have 1", std=[1, 2])
    refused(case.images, kumiki.UsageError, "option-value", "--std has a 0", std=[0])


def test_wrong_labels(case: Case, tmp_path: pathlib.Path) -> None:
    for labels, kind, code, text in (
        (case.labels[1:], kumiki.UsageError, "image-count", "labels is 89; it must hold 90 labels"),
        (case.labels.astype(np.float32), kumiki.UsageError, "unknown-number-type", "must be integers"),
        (case.labels + 7, kumiki.UsageError, "label-range", "label 1[0-6] is not an index.*0 to 9"),
        (tmp_path / "none.npy", kumiki.FileError, "file-not-found", "does not exist"),
    ):
        with pytest.raises(kind, match=text) as error:
            kumiki.quantise(case.model, case.images, out=tmp_path / "q.onnx", labels=labels)
        assert error.value.code == code and not (tmp_path / "q.onnx").exists()


def test_wrong_models(case: Case, tmp_path: pathlib.Path) -> None:
    (tmp_path / "text.onnx").write_text("no model")
    (tmp_path / "nothing.onnx").write_bytes(b"")
    for model, kind, code, text in (
        (tmp_path / "none.onnx", kumiki.FileError, "file-not-found", "does not exist"),
        (tmp_path / "text.onnx", kumiki.FileError, "onnx-file", "is not an ONNX model"),
        (tmp_path / "nothing.onnx", kumiki.FileError, "onnx-file", "is not an ONNX model"),
        (MODELS / "digits_mlp.onnx", kumiki.UsageError, "quantised-already", "leave|without --calibrate"),
        (float_model(tmp_path / "four.onnx", images=4), kumiki.DesignError, "onnx-refused", "takes 4 images at a time"),
        (float_model(tmp_path / "two.onnx", inputs=2), kumiki.DesignError, "onnx-refused", "has 2 inputs"),
        (float_model(tmp_path / "int.onnx", kind=TensorProto.INT32), kumiki.DesignError, "onnx-refused", "x is int32"),
    ):
        with pytest.raises(kind, match=text) as error:
            kumiki.quantise(model, case.images, out=tmp_path / "q.onnx")
        assert error.value.code == code and not (tmp_path / "q.onnx").exists()


def test_no_file_is_replaced_unasked(case: Case, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "mine.onnx"
    out.write_text("mine")
    with pytest.raises(kumiki.FileError, match="is there already"):
        kumiki.quantise(case.model, case.images, out=out)
    assert out.read_text() == "mine"
    kumiki.quantise(case.model, case.images, out=out, force=True)
    assert kumiki.import_model(out).name == "small"
    with pytest.raises(kumiki.FileError, match="cannot write"):
        kumiki.quantise(case.model, case.images, out=tmp_path / "no/such/folder.onnx")


# The program.


def program(*arguments: object, python: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    path = str(python or pathlib.Path(sys.executable).parent)
    return subprocess.run([judge.PROGRAM, "import", *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{path}:/usr/bin:/bin"})


def test_import_quantises(case: Case, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "q.onnx"
    images, labels = case.folder / "images.npy", case.folder / "labels.npy"
    report = kumiki.quantise(case.model, images, labels=labels, out=tmp_path / "mine.onnx")
    done = program(case.model, "--calibrate", images, "--labels", labels, "-o", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{report}\n\nsmall: ") and done.stderr.endswith(f"the quantised model: {out}\n")
    assert out.read_bytes() == (tmp_path / "mine.onnx").read_bytes()
    assert done.stdout.split("\n\n", 1)[1] == program(out).stdout
    assert program(case.model, "--calibrate", images, "-o", out).returncode == 4  # it is there
    # Without labels; the same numbers as a graph and as a configuration.
    said = json.loads(program(case.model, "--calibrate", images, "--json").stdout)["calibration"]
    assert said == {"calibrated": 45, "measured": 45, "held_back": True, "float_right": None, "right": None,
                    "equal": report.equal, "noise": report.noise, "warnings": []}
    done = program(case.model, "--calibrate", images, "--as", "array", "-o", tmp_path / "net.json")
    assert done.returncode == 0, done.stderr
    program(out, "-o", tmp_path / "again.graph")
    assert (tmp_path / "net.graph").read_text() == (tmp_path / "again.graph").read_text()


def test_import_warns_and_refuses(case: Case, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "few.npy", case.images[:8])
    done = program(case.model, "--calibrate", tmp_path / "few.npy")
    assert done.returncode == 0 and "kumiki: 8 images for calibration are few" in done.stderr
    assert "measured on the same 8 images" in done.stdout
    np.save(tmp_path / "wide.npy", case.images[:, :, :, 1:])
    np.save(tmp_path / "nine.npy", case.labels[:9])
    two = float_model(tmp_path / "two.onnx", inputs=2)
    images = case.folder / "images.npy"
    for status, code, arguments in (
        (4, "file-not-found", (case.model, "--calibrate", tmp_path / "none.npy")),
        (4, "array-shape", (case.model, "--calibrate", tmp_path / "wide.npy")),
        (4, "image-count", (case.model, "--calibrate", images, "--labels", tmp_path / "nine.npy")),
        (2, "option-needs", (case.model, "--calibrate", images, "--mean", "0.5")),
        (2, "quantised-already", (MODELS / "digits_mlp.onnx", "--calibrate", images)),
        (3, "onnx-refused", (two, "--calibrate", images)),
    ):
        done = program(*arguments, "-o", tmp_path / "q.onnx")
        assert done.returncode == status and done.stderr.endswith(f" [{code}]\n"), done.stderr
        assert done.stdout == "" and not (tmp_path / "q.onnx").exists()


def test_a_model_that_is_refused_is_kept_and_measured(tmp_path: pathlib.Path) -> None:
    """An operator that is not imported: the message has the name of the model, and its quantised form stays."""
    model = onnx.load(float_model(tmp_path / "float.onnx"))
    model.graph.node[1].op_type = "Hardmax"
    onnx.save(model, tmp_path / "float.onnx")
    np.save(tmp_path / "images.npy", np.random.default_rng(1).random((70, 1, 12, 12), np.float32))
    done = program(tmp_path / "float.onnx", "--calibrate", tmp_path / "images.npy", "-o", tmp_path / "q.onnx")
    assert done.returncode == 3 and "float.onnx, quantised: node tanh (Hardmax)" in done.stderr, done.stderr
    assert "signal to noise" in done.stdout and (tmp_path / "q.onnx").exists()


def test_python_is_missing_or_stopped(case: Case, tmp_path: pathlib.Path) -> None:
    arguments = (case.model, "--calibrate", case.folder / "images.npy")

    def fake(text: str) -> pathlib.Path:
        script = tmp_path / "python3"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
        return tmp_path

    done = program(*arguments, python=fake(f"exec {sys.executable} -S -E \"$@\""))
    assert done.returncode == 4 and "lacks numpy and onnx and onnxruntime; run: " in done.stderr, done.stderr
    assert "-m pip install onnx onnxruntime pillow [tool-missing]" in done.stderr
    done = program(*arguments, python=fake("echo Killed; exit 9"))
    assert done.returncode == 4 and "exit status 9" in done.stderr and "Killed [tool-failed]" in done.stderr
    # The program prints what Python is doing. Ctrl-C ends Python too.
    slow = fake(f"echo $$ > {tmp_path}/pid; echo 'calibrating: 3 of 9 images'; exec sleep 600")
    running = subprocess.Popen([judge.PROGRAM, "import", *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PATH": f"{slow}:/bin"})
    assert running.stderr
    assert "running onnxruntime's quantiser on" in (said := running.stderr.readline()), said
    assert ", calibrating: 3 of 9 images (" in said
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130 and said.endswith("kumiki: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)

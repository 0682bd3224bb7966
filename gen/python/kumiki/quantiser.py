# SPDX-License-Identifier: Apache-2.0
"""Quantises a float32 model with onnxruntime's quantiser, as Kumiki imports it, and measures what that cost.

usage: python3 -m kumiki.quantiser FLOAT.onnx --calibrate IMAGES [--labels LABELS] -o INT8.onnx

The file needs nothing else of the package: `kumiki import --calibrate` has it inside and starts it.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import logging
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NoReturn

MISSING = [name for name in ("numpy", "onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
if not MISSING:
    import numpy as np
    import onnx
    import onnx.version_converter
    import onnxruntime  # type: ignore[import-untyped]
    from onnxruntime import quantization

FEW = 32  # images: ranges from fewer are uncertain, and so is an accuracy
MOST_CALIBRATION = 512
BATCH = 32
MOST_BYTES = 1 << 30  # of all images, as for `kumiki run`
PICTURES = (".png", ".pgm", ".ppm", ".jpg", ".jpeg")
QUANTISED = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Quant", "IntQuant", "BipolarQuant",
             "MultiThreshold", "ConvInteger", "MatMulInteger", "QGemm")
# Kumiki leaves these to the host or reads them with float32 constants. Their neighbours are quantised.
LEFT_IN_FLOAT = {"Cast", "Shape", "Softmax", "LogSoftmax", "BatchNormalization"}
# Before the first quantiser the host computes these on the float input, so that no precision is lost there.
PREPARATION = {"Sub", "Div", "Mul", "Add", "BatchNormalization", "Identity", "Dropout", "Cast"}

Exit = Literal[2, 3, 4]


class Refused(Exception):
    """Something is wrong: its code for `kumiki explain`, and the exit status of the program.

    2 is a wrong argument, 3 a model that is refused, 4 a file or a module of Python.
    """

    def __init__(self, status: Exit, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code


@dataclasses.dataclass(frozen=True)
class Quantised:
    """What quantising a model cost, measured by onnxruntime on the same images before and after."""

    calibrated: int
    """Images that the ranges of activations are from."""
    measured: int
    """Images that both models were run on; others than those for calibration, unless there are few."""
    held_back: bool
    """Whether the measured images are others than those for calibration."""
    float_right: int | None
    """Images whose label is the largest result of the float model; ``None`` without labels."""
    right: int | None
    """The same for the quantised model."""
    equal: int | None
    """Images whose largest result is the same in both models; ``None`` if a result is no vector."""
    noise: dict[str, float | None]
    """For each result the ratio of signal to noise in dB; ``None`` if all values are equal."""
    warnings: tuple[str, ...]
    """What may be wrong, in words."""
    lengths: tuple[int, ...] | None = None
    """The shape of an image, if the model leaves lengths open and those of the images are taken."""

    def __str__(self) -> str:
        others = "the other " if self.held_back else "the same "
        lines = [] if self.lengths is None else [f"the model is for one image of {in_words(self.lengths)}, as the images are"]
        lines += [f"calibrated on {images_of(self.calibrated)}, measured on {others}{images_of(self.measured)}"]
        if self.float_right is not None and self.right is not None:
            lines.append(f"accuracy {share(self.float_right, self.measured)} before, "
                         f"{share(self.right, self.measured)} after")
        if self.equal is not None:
            lines.append(f"the largest result is the same for {share(self.equal, self.measured)}")
        for name, noise in self.noise.items():
            lines.append(f"{name}: " + ("equal" if noise is None else f"signal to noise {noise:.1f} dB"))
        return "\n".join(lines)


def images_of(count: int) -> str:
    return f"{count} image" + ("" if count == 1 else "s")


def share(count: int, of: int) -> str:
    return f"{100 * count / of:.2f} % ({count} of {of})"


def in_words(shape: Sequence[int | None]) -> str:
    return "x".join("?" if n is None else str(n) for n in shape) or "a single number"


# Images.


def without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    """As `kumiki run` compares shapes: ones at either end do not count."""
    begin, end = 0, len(shape)
    while end > begin and shape[end - 1] == 1:
        end -= 1
    while begin < end and shape[begin] == 1:
        begin += 1
    return tuple(shape[begin:end])


@dataclasses.dataclass
class Input:
    """The only input of the model, one image of it."""

    name: str
    shape: tuple[int, ...]
    batch: int | None  # images at a time; None: any number

    def taken(self, array: Any, name: str) -> Any:
        """The images of an array as float32, (N, *shape)."""
        if array.dtype.kind != "f":
            raise Refused(4, "unknown-number-type",
                          f"{name} holds {array.dtype.name}; the input {self.name} of a float model needs the real "
                          "numbers of its training: save them as float32, for example numpy.float32(images) / 255")
        wanted = without_ones(self.shape)
        if array.ndim > 0 and without_ones(array.shape[1:]) == wanted:
            count = array.shape[0]
        elif without_ones(array.shape) == wanted:
            count = 1
        else:
            raise Refused(4, "array-shape", f"{name} is {in_words(array.shape)}; it must be Nx{in_words(self.shape)}, "
                                            f"N images of the input {self.name}")
        with np.errstate(over="ignore"):  # beyond float32 they become inf, which is refused
            images = np.ascontiguousarray(array, np.float32).reshape(count, *self.shape)
        wrong = np.argwhere(~np.isfinite(images))
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            raise Refused(4, "not-a-number", f"{name}: image {at[0]}, {''.join(f'[{i}]' for i in at[1:])} is "
                                             f"{images[at]}; it must be a real number")
        return images


def read_array(path: pathlib.Path) -> Any:
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise Refused(4, "file-not-read", f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, EOFError):
        raise Refused(4, "malformed-npy", f"{path} is not a .npy file; write it with numpy.save") from None
    if isinstance(array, np.ndarray):
        return array
    with array:
        if len(array.files) != 1:
            raise Refused(4, "unknown-input",
                          f"{path} holds {len(array.files)} arrays ({', '.join(array.files)}); it must hold one")
        return array[array.files[0]]


def pixels_of(path: pathlib.Path) -> tuple[str, Any]:
    """Grey or RGB, and (channels, rows, columns)."""
    if importlib.util.find_spec("PIL") is None:
        raise Refused(4, "tool-missing", f"{path} is a picture, which Python reads with Pillow, and Pillow is not "
                                         f"installed; run: {sys.executable} -m pip install pillow")
    from PIL import Image

    try:
        with Image.open(path) as picture:
            mode, pixels = picture.mode, np.asarray(picture)
    except OSError as error:
        raise Refused(4, "picture-damaged", f"{path} is not a picture that can be read: {error}") from None
    if mode not in ("L", "RGB"):
        raise Refused(4, "picture-channels",
                      f"{path} has pixels of the kind {mode}; they must be grey or RGB of 8 bits")
    return mode, pixels.reshape(*pixels.shape[:2], -1).transpose(2, 0, 1)


def read_picture(path: pathlib.Path, to: Input, mean: Sequence[float], deviation: Sequence[float]) -> Any:
    """Pixels / 255, minus the mean, over the deviation, each step in float32, as `kumiki run` does it."""
    mode, pixels = pixels_of(path)
    if pixels.shape != to.shape:
        kind = "grey" if mode == "L" else "in colour"
        raise Refused(4, "array-shape",
                      f"{path} is {kind}, {pixels.shape[2]} x {pixels.shape[1]} pixels, which is "
                      f"{in_words(pixels.shape)}; it must be {in_words(to.shape)}, as the input {to.name}")
    image = pixels.astype(np.float32) / np.float32(255)
    if len(mean):
        image -= np.asarray(mean, np.float32).reshape(-1, 1, 1)
    if len(deviation):
        image /= np.asarray(deviation, np.float32).reshape(-1, 1, 1)
    return image


def is_array_file(path: pathlib.Path) -> bool:
    return path.suffix.lower() in (".npy", ".npz")


def is_picture(path: pathlib.Path) -> bool:
    return path.suffix.lower() in PICTURES


def files_of(path: pathlib.Path) -> list[pathlib.Path]:
    """The file, or the arrays and pictures of the folder by their names."""
    if not path.exists():
        raise Refused(4, "file-not-found", f"{path} does not exist; give a .npy file, or a folder of .npy files or "
                                           "pictures")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if is_array_file(file) or is_picture(file))
    if not files:
        raise Refused(4, "image-count", f"{path} holds no image; it must hold .npy files, or pictures: "
                                        + ", ".join(PICTURES))
    return files


def read_images(images: Any, to: Input, mean: Sequence[float], deviation: Sequence[float]) -> Any:
    """All images as float32, (N, *shape). IMAGES: an array, a file or a folder."""
    for option, values in (("--mean", mean), ("--std", deviation)):
        if len(values) not in (0, 1, to.shape[0] if to.shape else 1):
            raise Refused(2, "option-value", f"{option} has {len(values)} values; it must have 1, or one for each "
                                             f"channel, because the input {to.name} is {in_words(to.shape)}")
    if any(value == 0 for value in deviation):
        raise Refused(2, "option-value", "--std has a 0, which pixels are divided by; give another number")
    if not isinstance(images, (str, os.PathLike)):
        named: Iterator[tuple[str, Any]] = iter([("images", to.taken(np.asarray(images), "images"))])
        files: list[pathlib.Path] = []
    else:
        files = files_of(pathlib.Path(images))
        named = ((str(file), one_file(file, to, mean, deviation)) for file in files)
    if (len(mean) or len(deviation)) and not any(is_picture(file) for file in files):
        raise Refused(2, "option-needs", f"{'--mean' if len(mean) else '--std'} is for pictures; numbers of arrays are "
                                         "not scaled; remove the option")
    parts, size = [], 0
    for name, part in named:
        size += part.nbytes
        if size > MOST_BYTES:
            raise Refused(3, "too-many-images", f"the images up to {name} take {size} bytes in float32, more than "
                                                f"{MOST_BYTES}; give fewer: a few hundred are enough")
        parts.append(part)
    taken = np.concatenate(parts)
    if len(taken) == 0:
        raise Refused(4, "image-count", "there is no image; give at least one, better some hundred")
    return taken


def one_file(file: pathlib.Path, to: Input, mean: Sequence[float], deviation: Sequence[float]) -> Any:
    if is_picture(file):
        return read_picture(file, to, mean, deviation)[None]
    if is_array_file(file):
        return to.taken(read_array(file), str(file))
    raise Refused(4, "unknown-input", f"{file} is not a file of images; give .npy, .npz, or a picture: "
                                      + ", ".join(PICTURES))


def read_labels(labels: Any, images: int) -> Any:
    name = str(labels) if isinstance(labels, (str, os.PathLike)) else "labels"
    if isinstance(labels, (str, os.PathLike)):
        path = pathlib.Path(labels)
        if not path.exists():
            raise Refused(4, "file-not-found", f"{path} does not exist; give a .npy file of integers")
        labels = read_array(path)
    array = np.asarray(labels)
    if array.dtype.kind not in "iu":
        raise Refused(4, "unknown-number-type", f"{name} holds {array.dtype.name}; labels must be integers")
    if array.size != images or array.ndim == 0 or array.shape[0] != images:
        raise Refused(4, "image-count",
                      f"{name} is {in_words(array.shape)}; it must hold {images} labels, one for each image")
    return array.reshape(-1).astype(np.int64)


# The model.


def read_model(path: pathlib.Path) -> Any:
    if not path.exists():
        raise Refused(4, "file-not-found", f"{path} does not exist; give a model, NAME.onnx")
    try:
        model = onnx.load(path)
        onnx.checker.check_model(str(path))
    except Exception as error:  # protobuf's and onnx' errors have no common class
        first = str(error).strip().splitlines()
        raise Refused(4, "onnx-file", f"{path}: is not an ONNX model, or was cut off"
                                      + (f" ({first[0]})" if first else "")) from None
    for node in model.graph.node:
        if node.op_type in QUANTISED or node.op_type.startswith("QLinear"):
            raise Refused(2, "quantised-already", f"{path} is quantised already: node {node.name or node.output[0]} is "
                                                  f"a {node.op_type}; import it without --calibrate")
    return model


def shape_of(value: Any) -> list[int | None]:
    """A length of 0 is one that the model leaves open, too."""
    return [d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None for d in value.type.tensor_type.shape.dim]


def lengths_of(images: Any, axes: int) -> tuple[int, ...] | None:
    """The shape of the first image; None: it has other axes."""
    shape: tuple[int, ...]
    if not isinstance(images, (str, os.PathLike)):
        shape = np.asarray(images).shape
    elif is_picture(first := files_of(pathlib.Path(images))[0]):
        shape = pixels_of(first)[1].shape
    elif is_array_file(first):
        shape = read_array(first).shape
    else:
        return None  # it is refused when it is read
    return shape if len(shape) == axes else shape[1:] if len(shape) == axes + 1 else None


def with_lengths(model: Any, to: Input) -> Any:
    """The model for one image of this shape; what it says of other shapes goes. Then its arithmetic of shapes is constant."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    dims = next(value for value in fixed.graph.input if value.name == to.name).type.tensor_type.shape.dim
    for dim, length in zip(dims, (1, *to.shape)):
        dim.dim_value = length
    del fixed.graph.value_info[:]
    for value in fixed.graph.output:
        value.type.tensor_type.ClearField("shape")
    return fixed


def input_of(model: Any, path: pathlib.Path, images: Any) -> Input:
    """With the lengths of the images where the model leaves them open."""
    constants = {t.name for t in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in constants]
    if len(inputs) != 1:
        names = ", ".join(i.name for i in inputs) or "none"
        raise Refused(3, "onnx-refused",
                      f"{path} has {len(inputs)} inputs ({names}); calibration needs a model with one: quantise this "
                      "one with onnxruntime's quantize_static, then import the result")
    tensor = inputs[0].type.tensor_type
    if tensor.elem_type != onnx.TensorProto.FLOAT:
        kind = onnx.TensorProto.DataType.Name(tensor.elem_type).lower()
        raise Refused(3, "onnx-refused", f"{path}: the input {inputs[0].name} is {kind}; it must be float (float32)")
    shape = shape_of(inputs[0])
    if not shape:
        raise Refused(3, "onnx-refused", f"{path}: the input {inputs[0].name} is {in_words(shape)}; its first axis "
                                         "must count images")
    if None in shape[1:]:
        lengths = lengths_of(images, len(shape) - 1)
        if lengths is None or any(open not in (None, given) for open, given in zip(shape[1:], lengths)):
            raise Refused(4, "array-shape",
                          f"the images are {in_words(lengths or ())}; they must be {in_words(shape[1:])}, as the input "
                          f"{inputs[0].name}, whose open lengths become theirs")
        shape[1:] = lengths
    if shape[0] not in (None, 1):
        raise Refused(3, "onnx-refused",
                      f"{path}: the input {inputs[0].name} takes {shape[0]} images at a time; export the model for any "
                      "number of images, or for one")
    return Input(inputs[0].name, tuple(n for n in shape[1:] if n is not None), shape[0])


def before_the_first_quantiser(graph: Any, name: str) -> list[str]:
    """The nodes that prepare the float input, by constants alone, and whose result one node reads."""
    constants = {t.name for t in graph.initializer}
    nodes: list[str] = []
    while True:
        readers = [node for node in graph.node if name in node.input]
        if len(readers) != 1 or readers[0].op_type not in PREPARATION:
            return nodes
        if any(given and given != name and given not in constants for given in readers[0].input):
            return nodes
        nodes.append(readers[0].name)
        name = readers[0].output[0]


class Calibration(quantization.CalibrationDataReader if not MISSING else object):  # type: ignore[misc]
    def __init__(self, images: Any, to: Input, progress: Callable[[str], None]) -> None:
        self.images, self.to, self.progress, self.done = images, to, progress, 0

    def get_next(self) -> dict[str, Any] | None:
        if self.done == len(self.images):
            return None
        batch = self.images[self.done:][:self.to.batch or BATCH]
        self.done += len(batch)
        self.progress(f"calibrating: {self.done} of {images_of(len(self.images))}")
        return {self.to.name: batch}


def quantise_file(model: Any, after: pathlib.Path, to: Input, images: Any, progress: Callable[[str], None]) -> None:
    """QDQ, activations u8 from the lowest to the highest value, weights s8 with a scale for each channel."""
    progress("preparing the model")
    ready = after.with_name("ready.onnx")
    # A scale for each channel is new in version 13 of the operators.
    if all(use.version < 13 for use in model.opset_import if use.domain in ("", "ai.onnx")):
        model = onnx.version_converter.convert_version(model, 13)
    onnx.save(model, ready)
    quantization.quant_pre_process(str(ready), str(ready), skip_symbolic_shape=True)
    model = onnx.load(ready)
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{i}"
    onnx.save(model, ready)
    # By default onnxruntime leaves Tanh, HardSwish and other functions in float32, where Kumiki needs numbers.
    kinds = sorted({node.op_type for node in model.graph.node} - LEFT_IN_FLOAT)
    quantization.quantize_static(
        str(ready), str(after), Calibration(images, to, progress), quant_format=quantization.QuantFormat.QDQ,
        per_channel=True, activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8,
        op_types_to_quantize=kinds, nodes_to_exclude=before_the_first_quantiser(model.graph, to.name))
    ready.unlink()


# What it cost.


def session(path: pathlib.Path) -> Any:
    """Of onnxruntime, with the sums of its definition: examples/models/exact.py has the reasons."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def answers(result: Any) -> Any | None:
    """The index of the largest value of every image, or the index that the model gives; None: it is no vector."""
    vector = result.reshape(len(result), -1)
    if result.dtype.kind in "iu":
        return vector[:, 0] if vector.shape[1] == 1 else None
    return vector.argmax(1) if max(result.shape[1:], default=1) == vector.shape[1] > 1 else None


def require_measurable(before: pathlib.Path, to: Input, image: Any, labels: Any | None) -> None:
    """Runs one image, so that what is wrong is said before the long work."""
    model = session(before)
    results = model.run(None, {to.name: image})
    for result, name in zip(results, (o.name for o in model.get_outputs())):
        if result.ndim == 0 or len(result) != 1:
            raise Refused(3, "onnx-refused",
                          f"{before}: the result {name} of one image is {in_words(result.shape)}; its first axis must "
                          "count images")
    if labels is None:
        return
    first, name = results[0], model.get_outputs()[0].name
    if answers(first) is None:
        raise Refused(4, "array-shape",
                      f"labels are given, but the result {name} is {in_words(first.shape[1:])}, which is not one value "
                      "for each class; leave out --labels")
    wrong = labels[(labels < 0) | ((labels >= first.size) & (first.size > 1))]
    if len(wrong):
        raise Refused(4, "label-range", f"label {wrong[0]} is not an index of the result {name}; labels must be 0 to "
                                        f"{first.size - 1}")


def measured(before: pathlib.Path, after: pathlib.Path, to: Input, images: Any, labels: Any | None,
             progress: Callable[[str], None]) -> dict[str, Any]:
    """Both models on the same images: what `Quantised` says of them."""
    exact, rounded = session(before), session(after)
    names = [o.name for o in exact.get_outputs()]
    signal, noise = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    reals, is_vector = set(), False
    float_right = right = equal = 0
    step = to.batch or BATCH
    for begin in range(0, len(images), step):
        batch = {to.name: images[begin:begin + step]}
        wanted, given = exact.run(names, batch), rounded.run(names, batch)
        for name, x, y in zip(names, wanted, given):
            if x.dtype.kind == "f":
                reals.add(name)
                signal[name] += float(np.square(x.astype(np.float64)).sum())
                noise[name] += float(np.square(x.astype(np.float64) - y).sum())
        said, says = answers(wanted[0]), answers(given[0])
        is_vector = said is not None and says is not None
        if is_vector:
            equal += int(np.count_nonzero(said == says))
        if labels is not None:
            float_right += int(np.count_nonzero(said == labels[begin:begin + step]))
            right += int(np.count_nonzero(says == labels[begin:begin + step]))
        progress(f"measuring: {min(begin + step, len(images))} of {images_of(len(images))}")
    return {"float_right": None if labels is None else float_right, "right": None if labels is None else right,
            "equal": equal if is_vector else None,
            "noise": {name: decibels(signal[name], noise[name]) for name in names if name in reals}}


def decibels(signal: float, noise: float) -> float | None:
    return round(10 * float(np.log10(max(signal, np.finfo(np.float64).tiny) / noise)), 2) if noise else None


def split(count: int) -> tuple[Any, Any]:
    """Indices for calibration and for measuring: disjoint, and spread evenly over all images, if both are enough."""
    everything = np.arange(count)
    if count < 2 * FEW:
        return everything[:MOST_CALIBRATION], everything
    chosen = min(count // 2, MOST_CALIBRATION)
    calibration = everything[:chosen] * count // chosen
    return calibration, np.setdiff1d(everything, calibration)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the advice of onnxruntime's quantiser."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(level)


@contextlib.contextmanager
def onnxruntime_does(doing: str) -> Iterator[None]:
    try:
        yield
    except Refused:
        raise
    except Exception as error:  # classes of errors of onnxruntime and of onnx differ from version to version
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise Refused(4, "tool-failed", f"onnxruntime could not {doing}: {lines[0]}") from error


def require_modules() -> None:
    if MISSING:
        raise Refused(4, "tool-missing",
                      f"{sys.executable} lacks {' and '.join(MISSING)}; run: {sys.executable} -m pip install onnx "
                      "onnxruntime pillow")


def quantise(
    model: str | os.PathLike[str],
    images: Any,
    *,
    out: str | os.PathLike[str],
    labels: Any = None,
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
    force: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Quantised:
    """Writes OUT, the quantised MODEL; `Refused` if something is wrong."""
    require_modules()
    path, to_write = pathlib.Path(model), pathlib.Path(out)
    if os.path.lexists(to_write) and not force:
        raise Refused(4, "file-is-there", f"{to_write} is there already; name another file, or replace it (force)")
    given = read_model(path)
    progress("reading the images")
    to = input_of(given, path, images)
    is_open = None in shape_of(next(value for value in given.graph.input if value.name == to.name))[1:]
    if is_open:
        to = dataclasses.replace(to, batch=1)
        given = with_lengths(given, to)
    all_images = read_images(images, to, mean, std)
    all_labels = None if labels is None else read_labels(labels, len(all_images))
    calibration, rest = split(len(all_images))
    held_back = len(rest) < len(all_images)
    with onnxruntime_does(f"run {path}"):
        require_measurable(path, to, all_images[:1], all_labels)
    with tempfile.TemporaryDirectory() as folder, quiet():
        after = pathlib.Path(folder, "quantised.onnx")
        with onnxruntime_does(f"quantise {path}"):
            quantise_file(given, after, to, all_images[calibration], progress)
        with onnxruntime_does(f"run {path} after it was quantised"):
            cost = measured(path, after, to, all_images[rest], None if all_labels is None else all_labels[rest],
                            progress)
        write(to_write, after.read_bytes(), force)
    warnings = []
    if len(calibration) < FEW:
        warnings.append(f"{images_of(len(calibration))} for calibration are few: values of other images may leave the "
                        f"ranges of these; give at least {2 * FEW}, better some hundred")
    return Quantised(calibrated=len(calibration), measured=len(rest), held_back=held_back, warnings=tuple(warnings),
                     lengths=to.shape if is_open else None, **cost)


def write(path: pathlib.Path, content: bytes, force: bool) -> None:
    """Whole or not at all."""
    try:
        if not force:
            with open(path, "xb") as new:
                new.write(content)
            return
        with tempfile.NamedTemporaryFile(dir=path.resolve().parent, delete=False) as beside:
            beside.write(content)
        os.replace(beside.name, path.resolve())
    except FileExistsError:
        raise Refused(4, "file-is-there",
                      f"{path} is there already; name another file, or replace it (force)") from None
    except OSError as error:
        raise Refused(4, "file-not-written", f"cannot write {path}: {error.strerror or error}") from None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0], allow_abbrev=False)
    parser.add_argument("model", help="FLOAT.onnx, with one float32 input")
    parser.add_argument("--calibrate", required=True, metavar="IMAGES",
                        help="a .npy file of float32, or a folder of such files or of pictures")
    parser.add_argument("--labels", help=".npy: the class of every image; accuracy before and after is printed")
    parser.add_argument("--mean", type=float, nargs="+", default=[], help="of pictures: subtracted from pixels / 255")
    parser.add_argument("--std", type=float, nargs="+", default=[], help="of pictures: what they are divided by")
    parser.add_argument("-o", "--out", required=True, help="the quantised model to write")
    parser.add_argument("--force", action="store_true", help="replace it")
    parser.add_argument("--report", help=argparse.SUPPRESS)  # for the program kumiki: a file of JSON
    return parser.parse_args()


def main() -> NoReturn:
    given = arguments()
    progress = (lambda text: print(text, flush=True)) if given.report else (lambda text: None)
    try:
        if not MISSING:
            onnxruntime.set_default_logger_severity(3)
        report = quantise(given.model, given.calibrate, out=given.out, labels=given.labels, mean=given.mean,
                          std=given.std, force=given.force, progress=progress)
        status, told = 0, dataclasses.asdict(report) | {"text": str(report)}
    except Refused as refused:
        status, told = refused.status, {"code": refused.code, "text": str(refused)}
    if given.report:
        pathlib.Path(given.report).write_text(json.dumps(told), encoding="utf-8")
    elif status:
        print(f"kumiki.quantiser: {told['text']} [{told['code']}]", file=sys.stderr)
    else:
        print(told["text"], *(f"warning: {warning}" for warning in told["warnings"]), sep="\n")
    sys.exit(status)


if __name__ == "__main__":
    main()

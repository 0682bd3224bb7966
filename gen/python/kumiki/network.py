# SPDX-License-Identifier: Apache-2.0
"""Trained networks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from .arrays import Array, laid_out
from .reports import Picture, Tensor

if TYPE_CHECKING:
    from .quantiser import Quantised

__all__ = ["Network", "import_model", "quantise"]

Machine = Literal["model", "native", "verilator"]


def tensors(ends: list[tuple[str, list[int], int, bool, float, int]]) -> tuple[Tensor, ...]:
    return tuple(Tensor(name, tuple(shape), bits, signed, scale, zero) for name, shape, bits, signed, scale, zero in ends)


class Network:
    """A trained, quantised network as integers. `import_model` makes one.

    >>> network = import_model("examples/models/digits_mlp.onnx")
    >>> network.input.shape, network.outputs[0].shape
    ((64,), (10,))
    >>> images = np.load("examples/models/digits_images.npy") / np.float32(16)
    >>> network.predict(images[:5]).argmax(axis=1)
    array([0, 1, 2, 3, 4])
    """

    def __init__(self, core: _core.Network) -> None:
        self._core = core
        self._ends = tensors(core.ends)

    def __repr__(self) -> str:
        return f"<kumiki.Network {self.name}>"

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def input(self) -> Tensor:
        return self._ends[0]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return self._ends[1:]

    @property
    def notes(self) -> tuple[str, ...]:
        """What its user should know: what is left to the host, where onnxruntime may round otherwise."""
        return tuple(self._core.notes)

    def predict(
        self,
        images: Array,
        *,
        output: str | None = None,
        as_: Literal["numbers", "float"] = "numbers",
        threads: int = 0,
    ) -> Array:
        """An output (the first one, or that of a name) of every image, by the definition of the network.

        ``images`` is ``(N, *input.shape)``, or one image. Integers are numbers of the input as they are; float32 and
        float64 are quantised as ONNX' QuantizeLinear does it. Comes back as ``(N, *shape)`` in the smallest integers
        that hold the output, or with ``as_="float"`` as ``(number - zero point) * scale`` in float32.
        """
        return told(self._core.outputs(laid_out("images", images), "", output, is_float(as_), some(threads)))

    def run(
        self,
        images: Array,
        *,
        with_: Machine = "native",
        as_: Literal["numbers", "float"] = "numbers",
        threads: int = 0,
    ) -> Array:
        """The first output on hardware: on the array of elements that is suggested for this network.

        ``native`` takes 64 images at once through the netlist, ``verilator`` one, ``model`` runs the model of the
        array. Every result is compared with the definition: one that differs is a `DesignError`.
        """
        return told(self._core.outputs(laid_out("images", images), machine(with_), None, is_float(as_), some(threads)))

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        as_: Literal["array", "dataflow"],
        clocks: int | None = None,
        slices: int | None = None,
        luts: int | None = None,
        bram18: int | None = None,
        in_luts: str | Sequence[str] = (),
        in_trees: str | Sequence[str] = (),
        weights_outside: str | Sequence[str] = (),
        bytes_a_clock: float | None = None,
        force: bool = False,
    ) -> str:
        """Writes a configuration with a layer for this network (``NAME.json``), and its graph beside it.

        As ``kumiki import -o NAME.json --as ...`` does it: ``array`` is an array of elements, ``dataflow`` a pipeline
        with a frame in so many ``clocks`` at most, or a budget of ``slices``, ``luts`` or ``bram18``. Nodes
        ``in_luts``, a name, names, or ``"all"``, take no slice, nor do those ``in_trees``, where ``"binarised"`` may
        stand too. The weights of nodes ``weights_outside`` stay in a memory outside. With ``bytes_a_clock``, ``clocks``
        and ``bram18`` weights move there until the block RAMs suffice, and are read at most so fast. Returns in words
        what the layer is; `load` reads the configuration.
        """
        if as_ not in ("array", "dataflow"):
            raise refused("as_", as_, '"array" or "dataflow"')
        if not os.fspath(path).endswith(".json"):
            raise refused("path", os.fspath(path), "NAME.json")
        unrolled, trees, outside = (
            [nodes] if isinstance(nodes, str) else list(nodes) for nodes in (in_luts, in_trees, weights_outside)
        )
        return self._core.write(
            os.fspath(path), as_, clocks, slices, luts, bram18, unrolled, trees, outside, bytes_a_clock, force
        )

    @property
    def picture(self) -> Picture:
        return Picture(self.name, self._core.picture())

    def _repr_svg_(self) -> str:
        return self._core.picture()


def import_model(path: str | os.PathLike[str], *, cache: str | os.PathLike[str] = "") -> Network:
    """Reads a trained and quantised model (``.onnx``), or a graph in text form (``.graph``)."""
    return Network(_core.Network(os.fspath(path), os.fspath(cache)))


def quantise(
    path: str | os.PathLike[str],
    images: Array | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    labels: Array | str | os.PathLike[str] | None = None,
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
    force: bool = False,
) -> Quantised:
    """Has onnxruntime quantise a float model (``.onnx``), and writes the result ``out``, which `import_model` reads.

    As ``kumiki import --calibrate`` does it, with the packages of ``pip install kumiki[quantise]``. ``images`` are an
    array ``(N, *shape)`` of real numbers as in the training, a file, or a folder of arrays or pictures. From 64 images
    on, a part of them is for calibration, and both models are measured on the others. ``labels`` are the classes of all
    images. Pictures become pixels / 255, minus ``mean``, over ``std``.
    """
    from . import quantiser

    try:
        return quantiser.quantise(path, images, out=out, labels=labels, mean=mean, std=std, force=force)
    except quantiser.Refused as error:
        raise class_of(error.status, error.code)(f"{error} [{error.code}]", error.code) from error


def class_of(status: int, code: str) -> type[Exception]:
    from . import errors

    if code in ("tool-missing", "tool-failed"):
        return errors.ToolError
    if code in ("array-shape", "image-count", "not-a-number", "unknown-number-type", "label-range"):
        return errors.UsageError
    return {2: errors.UsageError, 3: errors.DesignError}.get(status, errors.FileError)


def told(made: tuple[Array, int | None, str]) -> Array:
    """The numbers; a doubt about the images is a warning."""
    if made[2]:
        warnings.warn(made[2], stacklevel=3)
    return made[0]


def refused(name: str, value: object, required: str) -> Exception:
    from .errors import UsageError

    return UsageError(f"{name} is {value!r}; it must be {required} [option-value]", "option-value")


def machine(word: Any) -> str:
    if word not in ("model", "native", "verilator"):
        raise refused("with_", word, '"model", "native" or "verilator"')
    return str(word)


def some(threads: int) -> int:
    if not 0 <= threads <= 256:
        raise refused("threads", threads, "1 to 256, or 0 for one a processor")
    return threads


def is_float(word: Any) -> bool:
    if word not in ("numbers", "float"):
        raise refused("as_", word, '"numbers" or "float"')
    return bool(word == "float")

# SPDX-License-Identifier: Apache-2.0
"""Configurations: plans, netlists, and layers with numbers in and out."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from . import _core
from .arrays import Array, as_json, laid_out
from .errors import UsageError
from .network import Machine, is_float, machine, refused, some, tensors, told
from .reports import (
    Check,
    CheckFinding,
    Counts,
    LayerPlan,
    Operand,
    Picture,
    Plan,
    Report,
    Tensor,
    Timing,
    counts_of,
    frozen,
)

__all__ = ["Layer", "Project", "load"]


class Layer:
    """A layer of a configuration: `Project.layers`, or `Project[name]`.

    >>> project = load({"kumiki": 1, "name": "counter", "layers": [{"type": "popcount", "name": "ones", "bits": 6}]})
    >>> ones = project["ones"]
    >>> ones.inputs
    (Operand(name='x', axes=('i',), shape=(6,), low=0, high=1),)
    >>> ones.predict(np.array([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1]]))
    array([[4],
           [1]], dtype=uint8)
    """

    def __init__(self, project: _core.Project, index: int) -> None:
        self._core = project
        self._index = index
        self._facts = project.layer_facts(index)
        self._ends: Any = None

    def __repr__(self) -> str:
        return f"<kumiki.Layer {self.name} ({self.type})>"

    @property
    def name(self) -> str:
        return self._facts[0]

    @property
    def type(self) -> str:
        return self._facts[1]

    @property
    def inputs(self) -> tuple[Operand, ...] | tuple[Tensor, ...]:
        """What `predict` takes: a tensor of a network, or the operands of a set."""
        kind, ends = self._known_ends()
        return tensors(ends[:1]) if kind == "network" else operands(ends[0])

    @property
    def outputs(self) -> tuple[Operand, ...] | tuple[Tensor, ...]:
        kind, ends = self._known_ends()
        return tensors(ends[1:]) if kind == "network" else operands(ends[1])

    def predict(self, x: Array | None = None, /, **more: Any) -> Any:
        """The results of every set of operands, by the model of the layer; of a network, by its definition.

        An operand is ``(N, *shape)`` for N sets, or one set; with one operand it needs no name. A layer with several
        results gives a dict of them. Of integers nothing is cast: a number that an operand does not hold is a
        `UsageError`. A network takes images as `Network.predict` does, with its keywords.
        """
        return self._through(x, more, "")

    def run(self, x: Array | None = None, /, *, with_: Machine = "native", **more: Any) -> Any:
        """The same on the netlist, 64 sets at once, every result compared with the model or the definition.

        For a network ``with_`` may also be ``"model"`` (clock by clock) or ``"verilator"``.
        """
        return self._through(x, more, machine(with_))

    def pictures(self) -> tuple[Picture, ...]:
        return tuple(Picture(name, svg) for name, svg in self._core.layer_pictures(self._index))

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{self.name}: {p.name}</h4>{p.svg}" for p in self.pictures())

    def _known_ends(self) -> tuple[str, Any]:
        if self._ends is None:
            kind, *ends = self._core.layer_ends(self._index)
            self._ends = (kind, ends[0] if kind == "network" else ends)
        return self._ends  # type: ignore[no-any-return]

    def _through(self, x: Array | None, more: dict[str, Any], how: str) -> Any:
        kind, ends = self._known_ends()
        if kind == "network":
            if x is None:
                raise UsageError(f"{self.name} takes images; call predict(images) [missing-argument]",
                                 "missing-argument")
            return self._through_network(x, how, **more)
        if how not in ("", "native"):
            raise refused("with_", how, f'"native" for {self.name}; its model is predict()')
        given = dict(more)
        if x is not None:
            names = [name for name, *_ in ends[0]]
            if len(names) != 1:
                raise UsageError(f"{self.name} has the operands {', '.join(names)}; give each by its name "
                                 "[missing-argument]", "missing-argument")
            if names[0] in given:
                raise UsageError(f"{names[0]} is given twice; give it once [extra-argument]", "extra-argument")
            given[names[0]] = x
        arrays = {name: laid_out(name, array) for name, array in given.items()}
        results = self._core.through_sets(self._index, arrays, how == "native")
        return next(iter(results.values())) if len(results) == 1 else results

    def _through_network(
        self,
        x: Array,
        how: str,
        *,
        output: str | None = None,
        as_: Literal["numbers", "float"] = "numbers",
        threads: int = 0,
    ) -> Array:
        if how and output is not None:
            raise refused("output", output, "left out; a run on hardware gives the first output")
        images = laid_out("images", x)
        return told(self._core.through_network(self._index, images, how, output, is_float(as_), some(threads)))


class Project(Mapping[str, Layer]):
    """A configuration that was read and planned: `load` makes one. A mapping of its layers by their names.

    >>> project = load("examples/quickstart.json")
    >>> project.name, list(project)
    ('quickstart', ['pixels', 'maps'])
    >>> project.plan().layers[0].slices
    7
    >>> project.check().passed, project.counts.dsps
    (True, 11)
    """

    def __init__(self, core: _core.Project) -> None:
        self._core = core
        self._layers = {layer.name: layer for layer in (Layer(core, i) for i in range(core.layer_count))}
        self._counts: Counts | None = None

    def __repr__(self) -> str:
        return f"<kumiki.Project {self.name}: {', '.join(self._layers)}>"

    def __getitem__(self, name: str) -> Layer:
        return self._layers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._layers)

    def __len__(self) -> int:
        return len(self._layers)

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def family(self) -> str:
        return self._core.family

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(self._layers.values())

    @property
    def configuration(self) -> dict[str, Any]:
        """The effective configuration: every key with its value, no defaults left."""
        return dict(json.loads(self._core.configuration()))

    def plan(self, *, alternatives: bool = False) -> Plan:
        """The arithmetic of every layer; with every other plan that there could be in ``values``."""
        values = frozen(json.loads(self._core.plans(alternatives)))
        layers = []
        for i, own in enumerate(values["layers"]):
            name, type_, text, latency, slices, macs, levels, frame = self._core.layer_facts(i)
            layers.append(LayerPlan(name, type_, slices, latency, macs, levels, frame, text, own))
        return Plan(self.name, self.family, tuple(layers), values)

    def check(self) -> Check:
        """Builds the netlist and checks it, as ``kumiki check`` does."""
        return Check(tuple(CheckFinding(*f) for f in self._core.check()))

    @property
    def counts(self) -> Counts:
        """What the netlist is made of."""
        if self._counts is None:
            self._counts = counts_of(json.loads(self._core.counts()))
        return self._counts

    def timing(self, *, grade: int | None = None, mhz: float | None = None) -> Timing:
        """An estimate of the fastest clock; ``mhz`` is a goal that it is held against."""
        if grade is not None and grade not in (1, 2, 3):
            raise refused("grade", grade, "1, 2 or 3")
        if mhz is not None and not 1 <= mhz <= 2000:
            raise refused("mhz", mhz, "1 to 2000")
        values = frozen(json.loads(self._core.timing(grade, mhz)))
        return Timing(values["mhz"], values["period_ns"], values["grade"], values.get("meets_goal"), values)

    def generate(
        self,
        folder: str | os.PathLike[str],
        *,
        force: bool = False,
        vectors: int = 0,
        placement: bool = False,
        driver: bool = False,
        cocotb: bool = False,
        whole: bool = False,
        seed: int | None = None,
    ) -> Report:
        """Writes Verilog, file lists, report and manifest, all or nothing, as ``kumiki gen -o FOLDER`` does.

        ``vectors``: golden vectors of so many cycles; ``placement``: relative placement for Vivado; ``driver``: C99
        and Python for frames through an AXI DMA; ``cocotb``: a testbench in Python that replays the vectors; ``whole``:
        streams of networks however long they are; ``force``: replace files that are not those of an earlier run.
        """
        if not 0 <= vectors <= 1_000_000:
            raise refused("vectors", vectors, "0 to 1000000")
        report, files, left_out = self._core.generate(
            os.fspath(folder), force, vectors, placement, driver, cocotb, whole, seed
        )
        for note in left_out:
            warnings.warn(note, stacklevel=2)
        values = json.loads(report)
        return Report(
            Path(folder),
            tuple(files),
            counts_of(values["resources"]),
            values["clock"]["mhz"],
            tuple(left_out),
            frozen(values),
        )

    def _repr_html_(self) -> str:
        return "".join(layer._repr_html_() for layer in self.layers)


def load(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    axi_stream: bool = False,
    cache: str | os.PathLike[str] = "",
    max_cells: int = _core.usual_limits[0],
    max_heap_bits: int = _core.usual_limits[1],
    max_weights: int = _core.usual_limits[2],
    max_layers: int = _core.usual_limits[3],
) -> Project:
    """Reads a configuration and plans its layers.

    ``source`` is a file, JSON text (it begins with ``{``), or a dict, whose weights may be arrays of integers. Files
    that a text or a dict names are looked for in the working directory. ``cache``: the folder of what is kept between
    runs, as of ``kumiki --cache``.
    """
    name, text = given(source)
    limits = (max_cells, max_heap_bits, max_weights, max_layers)
    return Project(_core.Project(name, text, axi_stream, os.fspath(cache), *limits))


def given(source: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[str, str | None]:
    if isinstance(source, Mapping):
        return "<dict>", json.dumps(as_json(dict(source)), indent=1)
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "<text>", source
    if not isinstance(source, (str, os.PathLike)):
        raise UsageError(
            f"a configuration must be a file, JSON text or a dict; got {type(source).__name__} [wrong-type]",
            "wrong-type",
        )
    return os.fspath(source), None


def operands(all_: list[tuple[str, list[str], list[int], int, int]]) -> tuple[Operand, ...]:
    return tuple(Operand(name, tuple(axes), tuple(shape), low, high) for name, axes, shape, low, high in all_)

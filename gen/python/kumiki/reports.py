# SPDX-License-Identifier: Apache-2.0
"""What comes back: values that do not change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _core

__all__ = ["Check", "CheckFinding", "Counts", "LayerPlan", "Operand", "Picture", "Plan", "Report", "Tensor", "Timing"]


@dataclass(frozen=True)
class Picture:
    """A picture (SVG); notebooks show it by itself."""

    name: str
    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes it to a file of this name, in whole or not at all; one that is there is replaced only with ``force``."""
        file = Path(path)
        _core.write_file(str(file), self.svg, force)
        return file


@dataclass(frozen=True)
class Operand:
    """An array of integers that a layer takes or gives with every set: ``(N, *shape)`` for N sets."""

    name: str
    axes: tuple[str, ...]
    """What the dimensions count: ``("channel", "y", "x")``."""
    shape: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True)
class Tensor:
    """The input or an output of a trained network: a number q stands for ``scale * (q - zero_point)``."""

    name: str
    shape: tuple[int, ...]
    bits: int
    signed: bool
    scale: float
    zero_point: int


@dataclass(frozen=True)
class LayerPlan:
    """The arithmetic of a layer. ``values`` has every key of ``kumiki plan --json``, ``text`` what it prints."""

    name: str
    type: str
    slices: int
    """DSP48E2."""
    latency: int | None
    """Clocks from operands to results, if it is one number."""
    macs_per_clock: float | None
    levels: int | None
    """Levels of logic between registers, at most."""
    frame_clocks: int | None
    """From frame to frame."""
    text: str = field(repr=False)
    values: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name} ({self.type})\n{self.text}"


@dataclass(frozen=True)
class Plan:
    """The plans of all layers of a configuration."""

    name: str
    family: str
    layers: tuple[LayerPlan, ...]
    values: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(map(str, self.layers))


@dataclass(frozen=True)
class CheckFinding:
    severity: str
    code: str
    module: str
    place: str
    message: str


@dataclass(frozen=True)
class Check:
    """What is to be said of a netlist: drivers, widths, loops, cascades, the rules of every primitive."""

    findings: tuple[CheckFinding, ...]

    @property
    def errors(self) -> tuple[CheckFinding, ...]:
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def warnings(self) -> tuple[CheckFinding, ...]:
        return tuple(f for f in self.findings if f.severity == "warning")

    @property
    def passed(self) -> bool:
        return not self.errors


@dataclass(frozen=True)
class Counts:
    """What a netlist is made of, counted over its cells."""

    luts: int
    """Sites, those of memories in them not counted."""
    lut_memory: int
    ffs: int
    carry_bits: int
    muxf: int
    dsps: int
    bram18: int
    uram: int
    dense_slices: int
    cells: Mapping[str, int] = field(repr=False)
    """By primitive."""


@dataclass(frozen=True)
class Timing:
    """How fast the clock of a netlist may be: an estimate, before any tool of the vendor."""

    mhz: float
    period_ns: float
    grade: int
    meets_goal: bool | None
    """Of the clock that was asked for; ``None`` where none was."""
    values: Mapping[str, Any] = field(repr=False)
    """Every key of ``kumiki timing --json``, with the slowest paths."""


@dataclass(frozen=True)
class Report:
    """What was written."""

    folder: Path
    files: tuple[str, ...] = field(repr=False)
    counts: Counts
    mhz: float
    left_out: tuple[str, ...]
    """What only ``whole=True`` writes, in words."""
    values: Mapping[str, Any] = field(repr=False)
    """report.json."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td style='text-align:right'>{getattr(self.counts, key)}</td></tr>"
            for name, key in (
                ("DSP48E2", "dsps"),
                ("LUTs", "luts"),
                ("LUTs of memories", "lut_memory"),
                ("flip-flops", "ffs"),
                ("RAMB18", "bram18"),
                ("UltraRAM", "uram"),
            )
        )
        return (
            f"<table>{rows}<tr><td>MHz, an estimate</td><td style='text-align:right'>{self.mhz}</td></tr></table>"
            f"<p>{len(self.files)} files, report.html among them</p>"
        )


class ReadOnly(dict[str, Any]):
    """An object of JSON that cannot be changed; it copies, pickles, and has a hash as all that stands in it has."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("it cannot be changed; dict() makes one that can")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadOnly, (dict(self),)


def frozen(values: Any) -> Any:
    """Objects and lists of JSON that cannot be changed."""
    if isinstance(values, dict):
        return ReadOnly({key: frozen(value) for key, value in values.items()})
    if isinstance(values, list):
        return tuple(frozen(value) for value in values)
    return values


def counts_of(values: Mapping[str, Any]) -> Counts:
    return Counts(**values["total"], cells=frozen(dict(values["cells"])))

# SPDX-License-Identifier: Apache-2.0
# The compiled part, as binding/*.cpp has it. The package wraps all of it.
from typing import Any

from numpy.typing import NDArray

usual_limits: tuple[int, int, int, int]

def version() -> str: ...
def activity() -> str: ...
def write_file(path: str, text: str, force: bool, /) -> None: ...
def explain(code: str, /) -> tuple[str, str, str] | None: ...

class Network:
    def __init__(self, file: str, cache: str, /) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def ends(self) -> list[tuple[str, list[int], int, bool, float, int]]: ...
    def text(self) -> str: ...
    def picture(self) -> str: ...
    def outputs(
        self, images: NDArray[Any], machine: str, output: str | None, as_reals: bool, threads: int, /
    ) -> tuple[NDArray[Any], int | None, str]: ...
    def write(
        self,
        file: str,
        as_: str,
        clocks: int | None,
        slices: int | None,
        luts: int | None,
        bram18: int | None,
        in_luts: list[str],
        in_trees: list[str],
        weights_outside: list[str],
        bytes_a_clock: float | None,
        force: bool,
        /,
    ) -> str: ...

class Project:
    def __init__(
        self,
        name: str,
        text: str | None,
        axi_stream: bool,
        cache: str,
        cells: int,
        heap_bits: int,
        weights: int,
        layers: int,
        /,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def layer_count(self) -> int: ...
    def configuration(self) -> str: ...
    def plans(self, with_alternatives: bool, /) -> str: ...
    def check(self) -> list[tuple[str, str, str, str, str]]: ...
    def counts(self) -> str: ...
    def timing(self, grade: int | None, mhz: float | None, /) -> str: ...
    def generate(
        self,
        folder: str,
        force: bool,
        vectors: int,
        placement: bool,
        driver: bool,
        cocotb: bool,
        whole: bool,
        seed: int | None,
        /,
    ) -> tuple[str, list[str], list[str]]: ...
    def layer_facts(
        self, layer: int, /
    ) -> tuple[str, str, str, int | None, int, float | None, int | None, int | None]: ...
    def layer_ends(self, layer: int, /) -> tuple[Any, ...]: ...
    def layer_pictures(self, layer: int, /) -> list[tuple[str, str]]: ...
    def through_sets(
        self, layer: int, arrays: dict[str, NDArray[Any]], on_netlist: bool, /
    ) -> dict[str, NDArray[Any]]: ...
    def through_network(
        self,
        layer: int,
        images: NDArray[Any],
        machine: str,
        output: str | None,
        as_reals: bool,
        threads: int,
        /,
    ) -> tuple[NDArray[Any], int | None, str]: ...

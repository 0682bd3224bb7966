# SPDX-License-Identifier: Apache-2.0
"""For tests of what `gen` hands over to programs in Python: configurations of every kind of layer, and a folder."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any, TypeVar

ROOT = pathlib.Path(os.environ["KUMIKI_ROOT"]).resolve()
KUMIKI = pathlib.Path(os.environ["KUMIKI_PROGRAM"]).resolve()

Configuration = dict[str, Any]
T = TypeVar("T")


def this_time(all_of_them: list[T], count: int) -> list[T]:
    """So many of them, from the first to the last; all of them in the long form."""
    if os.environ.get("KUMIKI_LONG") or count >= len(all_of_them):
        return all_of_them
    if count == 1:
        return all_of_them[:1]
    return [all_of_them[i * (len(all_of_them) - 1) // (count - 1)] for i in range(count)]


def layers_of_examples() -> dict[str, tuple[Configuration, list[str]]]:
    """Each layer that is proved on its own, and options of `gen` for it: they are of every type but one."""
    document = json.loads((ROOT / "examples/proofs.json").read_text())
    rest = {k: v for k, v in document.items() if k not in ("layers", "name", "description")}
    return {layer["name"]: ({**rest, "name": "one", "layers": [layer]}, []) for layer in document["layers"]}


def others() -> dict[str, tuple[Configuration, list[str]]]:
    """What no layer of that file has: two clocks, streams, another family, a pipeline, an array."""
    fast = {"type": "dot", "name": "fast", "terms": 8, "scheme": "wp487-int8-lut", "clocking": "double"}
    short = {"type": "dot", "name": "d", "scheme": "wp487-int8", "terms": 2}
    tree = {"type": "popcount", "name": "ones", "bits": 64}
    small = {"type": "conv", "name": "c", "in_channels": 1, "height": 4, "width": 4, "out_channels": 2, "kernel": 3}
    array = {"type": "pe_array", "name": "a", "rows": 2, "columns": 2, "accumulators": 2, "weights_from": "random",
             "network": [small]}
    digits = json.loads((ROOT / "examples/digits-dataflow.json").read_text())
    digits["layers"][0]["graph"] = str(ROOT / "examples" / digits["layers"][0]["graph"])
    return {
        "two_clocks": ({"name": "one", "layers": [fast]}, []),
        "streams": ({"name": "one", "layers": [short]}, ["--axi-stream"]),
        "series7": ({"name": "one", "target": {"family": "7series"}, "layers": [tree]}, []),
        "dataflow": (digits, []),
        "array": ({"name": "one", "layers": [array]}, []),
    }


class Folder:
    """A folder in which somebody works."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *words: object) -> tuple[int, str]:
        """Exit code and what was said on both streams."""
        done = subprocess.run([str(w) for w in words], cwd=self.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def generate(self, configuration: Configuration, *options: str, out: str = "out") -> None:
        self.write(f"{out}.json", json.dumps({"kumiki": 1, **configuration}))
        status, said = self.run(KUMIKI, "gen", f"{out}.json", "-o", out, *options)
        assert status == 0, said

    def corrupt(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert old in text, f"{file} has no {old}"
        path.write_text(text.replace(old, new, 1))

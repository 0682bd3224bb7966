# SPDX-License-Identifier: Apache-2.0
"""The notebook runs, and prints what stands in it. KUMIKI_UPDATE_GOLDEN=1 writes what it prints."""

from __future__ import annotations

import os
from typing import Any

import judge
import nbclient
import nbformat

NOTEBOOK = judge.ROOT / "examples/digits.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def printed(cell: Any) -> list[Any]:
    """Without what is of a run: counters, what a front end adds, and into how many pieces a text was cut."""
    pieces = [
        {key: value for key, value in output.items() if key not in ("execution_count", "metadata")}
        for output in cell.get("outputs", [])
    ]
    all_of: list[Any] = []
    for piece in pieces:
        if all_of and piece.get("name") == all_of[-1].get("name", "") == "stdout":
            all_of[-1]["text"] += piece["text"]
        else:
            all_of.append(piece)
    return all_of


def test_notebook() -> None:
    made = read()
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client = nbclient.NotebookClient(made, timeout=300, kernel_name="python3",
                                     resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()
    if os.environ.get("KUMIKI_UPDATE_GOLDEN"):
        for cell in made.cells:
            cell.metadata.pop("execution", None)
        del made.metadata["language_info"]
        nbformat.write(made, NOTEBOOK)  # type: ignore[no-untyped-call]
        return
    wanted = read()
    code = [cell for cell in wanted.cells if cell.cell_type == "code"]
    assert len(code) > 5 and all(cell.outputs for cell in code)
    assert [printed(cell) for cell in made.cells] == [printed(cell) for cell in wanted.cells]

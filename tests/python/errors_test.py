# SPDX-License-Identifier: Apache-2.0
"""Mistakes arrive as exceptions that carry what the library knows of them."""

from __future__ import annotations

import pathlib
import pickle

import kumiki
import pytest

WRONG = """{"kumiki": 1, "name": "n", "layers": [
  {"type": "dot", "name": "a", "terms": 0},
  {"type": "dott", "name": "b"}]}"""


def test_every_mistake_at_its_place(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "cfg.json"
    file.write_text(WRONG)
    for source, name in ((file, str(file)), (WRONG, "<text>")):
        with pytest.raises(kumiki.ConfigurationError) as error:
            kumiki.load(source)
        e = error.value
        assert (e.file, e.pointer, e.code, e.line, e.value) == (name, "/layers/0/terms", "out-of-range", 2, "0")
        assert e.column == WRONG.splitlines()[1].index("0}") + 1
        assert e.required is not None and "integer" in e.required
        assert [f.pointer for f in e.findings] == ["/layers/0/terms", "/layers/1/type"]
        assert e.meaning and e.remedy and f"{name}:2:" in str(e)
        again = pickle.loads(pickle.dumps(e))
        assert (str(again), again.findings, again.file) == (str(e), e.findings, e.file)


def test_what_cannot_be_planned_is_said_at_its_key() -> None:
    with pytest.raises(kumiki.ConfigurationError) as error:
        kumiki.load({"kumiki": 1, "name": "n", "layers": [{"type": "dot", "scheme": "wp487-int8", "terms": 8}]})
    assert error.value.code == "not-proved" and (error.value.pointer or "").startswith("/layers/0")


def test_kinds(tmp_path: pathlib.Path) -> None:
    with pytest.raises(kumiki.FileError) as file:
        kumiki.load(tmp_path / "none.json")
    assert file.value.code == "file-not-found" and file.value.pointer is None and file.value.findings == ()
    with pytest.raises(kumiki.ConfigurationError, match="must be at most 2 layers"):
        kumiki.load({"kumiki": 1, "name": "n", "layers": [{"type": "popcount", "bits": 4}] * 3}, max_layers=2)
    with pytest.raises(kumiki.LimitError, match="max-cells"):
        kumiki.load({"kumiki": 1, "name": "n", "layers": [{"type": "popcount", "bits": 40}]}, max_cells=2).check()
    (tmp_path / "x.onnx").write_bytes(b"no model")
    with pytest.raises(kumiki.Error) as model:
        kumiki.import_model(tmp_path / "x.onnx")
    assert model.value.code == "onnx-file"
    assert issubclass(kumiki.UsageError, ValueError) and issubclass(kumiki.LimitError, kumiki.DesignError)
    again = pickle.loads(pickle.dumps(file.value))
    assert type(again) is kumiki.FileError and (str(again), again.code) == (str(file.value), "file-not-found")


def test_nothing_is_replaced_or_half_written(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.json").write_text("mine")
    project = kumiki.load({"kumiki": 1, "name": "n", "layers": [{"type": "popcount", "bits": 4}]})
    with pytest.raises(kumiki.FileError):
        project.generate(out)
    assert [f.name for f in out.iterdir()] == ["report.json"] and (out / "report.json").read_text() == "mine"
    assert "report.json" in project.generate(out, force=True).files

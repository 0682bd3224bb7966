# SPDX-License-Identifier: Apache-2.0
"""Plans, counts, timing and files: values that do not change, and those of the program."""

from __future__ import annotations

import copy
import dataclasses
import json
import pathlib
import pickle
import subprocess
import xml.etree.ElementTree
from typing import Any

import judge
import kumiki
import pytest

QUICKSTART = judge.ROOT / "examples/quickstart.json"


def program(*words: Any) -> str:
    return subprocess.run([judge.PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def thawed(values: Any) -> Any:
    if hasattr(values, "items"):
        return {key: thawed(value) for key, value in values.items()}
    return [thawed(value) for value in values] if isinstance(values, tuple) else values


@pytest.fixture(scope="module")
def project() -> kumiki.Project:
    return kumiki.load(QUICKSTART)


def test_plans(project: kumiki.Project) -> None:
    plan = project.plan()
    assert thawed(plan.values) == json.loads(program("plan", "--json", QUICKSTART))
    assert thawed(project.plan(alternatives=True).values) == json.loads(program("plan", "--all", "--json", QUICKSTART))
    first = plan.layers[0]
    assert (first.name, first.type, first.slices, first.latency, first.macs_per_clock) == ("pixels", "dot", 7, 12, 14)
    indented = "\n".join(("  " + line) if line else "" for line in first.text.splitlines())
    assert program("plan", QUICKSTART).startswith(f"pixels (dot)\n{indented}")
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.slices = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.values["name"] = "other"  # type: ignore[index]


def test_checks_and_counts(project: kumiki.Project) -> None:
    check = project.check()
    assert check.passed and check.errors == () and check.findings == check.warnings
    said = json.loads(program("check", "--json", QUICKSTART))
    assert [dataclasses.asdict(f) for f in check.findings] == said["findings"]
    assert project.counts.dsps == 11 and project.counts.cells["DSP48E2"] == 11


def test_timing(project: kumiki.Project) -> None:
    said = json.loads(program("timing", "--json", "--paths", 1, QUICKSTART))
    assert thawed(project.timing().values) == {key: said[key] for key in project.timing().values}
    assert project.timing(mhz=10).meets_goal is True and project.timing(mhz=2000).meets_goal is False
    assert project.timing().meets_goal is None and project.timing(grade=3).mhz > project.timing(grade=1).mhz
    for wrong in ({"grade": 4}, {"mhz": 0}, {"mhz": float("nan")}):
        with pytest.raises(kumiki.UsageError, match="it must be"):
            project.timing(**wrong)


def test_files_are_those_of_the_program(project: kumiki.Project, tmp_path: pathlib.Path) -> None:
    report = project.generate(tmp_path / "mine", vectors=60, placement=True, cocotb=True)
    program("gen", QUICKSTART, "-o", tmp_path / "theirs", "--vectors", 60, "--placement", "--cocotb")
    mine = {f.relative_to(tmp_path / "mine"): f for f in (tmp_path / "mine").rglob("*") if f.is_file()}
    theirs = {f.relative_to(tmp_path / "theirs"): f for f in (tmp_path / "theirs").rglob("*") if f.is_file()}
    assert mine.keys() == theirs.keys() == {pathlib.Path(name) for name in report.files}
    assert [name for name, f in mine.items() if f.read_bytes() != theirs[name].read_bytes()] == []
    assert report.folder == tmp_path / "mine" and report.left_out == ()
    assert report.counts == project.counts and report.mhz == project.timing().mhz
    assert "<td>DSP48E2</td><td style='text-align:right'>11</td>" in report._repr_html_()
    with pytest.raises(kumiki.UsageError, match="--cocotb needs golden vectors"):
        project.generate(tmp_path / "more", cocotb=True)
    with pytest.raises(kumiki.UsageError, match="--driver"):
        project.generate(tmp_path / "more", driver=True)
    with pytest.raises(kumiki.UsageError, match="it must be"):
        project.generate(tmp_path / "more", vectors=-1)
    assert not (tmp_path / "more").exists()


def test_values_copy_pickle_and_hash(project: kumiki.Project) -> None:
    for value in (project.plan(), project.counts, project.timing()):
        assert copy.deepcopy(value) == value and pickle.loads(pickle.dumps(value)) == value
        assert len({value, copy.deepcopy(value)}) == 1
        assert dataclasses.asdict(value)
    values: Any = project.plan().layers[0].values
    assert json.loads(json.dumps(values)) == thawed(values)
    with pytest.raises(TypeError, match="cannot be changed"):
        values["slices"] = 0
    for change in (values.clear, values.popitem, lambda: values.update(a=1), lambda: values.setdefault("a", 1)):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()


def test_what_is_left_out_is_a_warning(tmp_path: pathlib.Path) -> None:
    small = kumiki.load(judge.ROOT / "examples/lenet5.json")
    assert small.generate(tmp_path / "out").left_out == ()
    with pytest.warns(UserWarning, match="only with --whole"):
        left_out = kumiki.load(judge.ROOT / "examples/alexnet.json").generate(tmp_path / "large").left_out
    assert len(left_out) == 1


def test_pictures(project: kumiki.Project, tmp_path: pathlib.Path) -> None:
    pictures = project["pixels"].pictures()
    assert {"packing", "beats"} <= {p.name for p in pictures}
    for p in pictures:
        assert xml.etree.ElementTree.fromstring(p._repr_svg_()).tag.endswith("svg")
    assert pictures[0].save(tmp_path / "p.svg").read_text() == pictures[0].svg
    (tmp_path / "mine.svg").write_text("mine")
    with pytest.raises(kumiki.FileError, match="is there already") as error:
        pictures[0].save(tmp_path / "mine.svg")
    assert error.value.code == "file-is-there" and error.value.remedy
    assert (tmp_path / "mine.svg").read_text() == "mine"
    assert pictures[0].save(tmp_path / "mine.svg", force=True).read_text() == pictures[0].svg
    (tmp_path / "link.svg").symlink_to("mine.svg")
    assert pictures[0].save(tmp_path / "link.svg", force=True).is_symlink()
    with pytest.raises(kumiki.FileError, match="Not a directory"):
        pictures[0].save(tmp_path / "mine.svg/p.svg")
    assert project._repr_html_().count("<svg") == sum(len(layer.pictures()) for layer in project.layers)


def test_a_mapping_of_layers(project: kumiki.Project) -> None:
    assert list(project) == ["pixels", "maps"] and len(project) == 2 and project["maps"].type == "dot"
    with pytest.raises(KeyError):
        project["none"]
    text = kumiki.load(QUICKSTART.read_text())
    assert text.configuration == project.configuration and text.counts == project.counts
    assert kumiki.load(project.configuration).plan().layers == project.plan().layers

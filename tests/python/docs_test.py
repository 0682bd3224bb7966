# SPDX-License-Identifier: Apache-2.0
"""What the page and the docstrings show is what happens."""

from __future__ import annotations

import doctest
import os
import types

import judge
import kumiki
import kumiki.network
import kumiki.project
import numpy as np
import pytest

KNOWN = {"np": np, "load": kumiki.load, "import_model": kumiki.import_model}


@pytest.fixture(autouse=True)
def in_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(judge.ROOT)


def test_page() -> None:
    page = (judge.ROOT / "docs/python.md").read_text()
    # A fence ends what an example prints.
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(text, {}, "python.md", "docs/python.md", 0))
    assert runner.failures == 0 and runner.tries > 25


@pytest.mark.parametrize("module, least", [(kumiki, 2), (kumiki.project, 7), (kumiki.network, 4)])
def test_docstrings(module: types.ModuleType, least: int) -> None:
    failed, run = doctest.testmod(module, extraglobs=KNOWN)
    assert failed == 0 and run >= least


def test_everything_public_says_what_it_is() -> None:
    for name in kumiki.__all__:
        assert getattr(kumiki, name).__doc__, name
    assert set(kumiki.__all__) <= set(dir(kumiki)) and kumiki.__version__ == kumiki._core.version()
    assert os.path.exists(judge.ROOT / "gen/python/kumiki/py.typed")

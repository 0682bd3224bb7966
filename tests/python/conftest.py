# SPDX-License-Identifier: Apache-2.0
"""Where things are; what the examples in docstrings know."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(os.environ["KUMIKI_ROOT"])


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solved trees of these tests, and not of their user."""
    monkeypatch.setenv("KUMIKI_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))

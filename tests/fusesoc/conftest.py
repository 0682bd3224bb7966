# SPDX-License-Identifier: Apache-2.0
"""Every test has a folder and a home of its own: nothing of the user's libraries, nothing left behind in them."""

import pathlib

import pytest

from soc import Soc


@pytest.fixture
def soc(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Soc:
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    # Compiled quickly: a run takes no time.
    monkeypatch.setenv("MAKEFLAGS", "OPT_FAST=-O0 OPT_GLOBAL=-O0 OPT_SLOW=-O0")
    return Soc(work)

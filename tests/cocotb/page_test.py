# SPDX-License-Identifier: Apache-2.0
"""The commands and the test of docs/handing-over.md, as they stand there."""

from __future__ import annotations

import os

import pytest

from bench import Written
from handed_over import KUMIKI, ROOT


def test_page(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/handing-over.md").read_text()
    blocks = page[page.index("\n## cocotb\n") : page.index("\n## What is tested")].split("```")[1::2]
    assert len(blocks) == 2
    commands, test = blocks[0].strip(), blocks[1].removeprefix("python\n")
    (written.folder / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("PATH", f"{KUMIKI.parent}:{os.environ['PATH']}")
    status, said = written.run("bash", "-euo", "pipefail", "-c", commands)
    assert status == 0, said
    assert "FAIL=0" in said and "Successfully installed" not in said, "tests/cocotb/requirements.txt differs from it"
    written.write("out/bench/cocotb/test_mine.py", test)
    status, said, tests = written.make("COCOTB_TEST_MODULES=test_mine", out="out/bench")
    assert status == 0 and tests == {"seven_products": True}, said

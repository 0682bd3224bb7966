# SPDX-License-Identifier: Apache-2.0
import pathlib

import pytest

from bench import Written


@pytest.fixture
def written(tmp_path: pathlib.Path) -> Written:
    return Written(tmp_path)

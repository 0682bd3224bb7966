# SPDX-License-Identifier: Apache-2.0
"""What layers are for, in numpy, and what networks are for, in onnxruntime: nothing of it knows this library."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

Array = npt.NDArray[Any]

ROOT = pathlib.Path(os.environ["KUMIKI_ROOT"])
PROGRAM = os.environ["KUMIKI_PROGRAM"]
MODELS = ROOT / "examples/models"

needs_judge = pytest.mark.skipif(not os.environ.get("KUMIKI_JUDGE"), reason="onnxruntime needs VNNI")


def convolved(x: Array, weights: Array, padding: int) -> Array:
    """(N, C, H, W) and (O, C, K, K), a stride of 1, in int64."""
    kernel = weights.shape[2]
    padded = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))
    sums: Array = np.einsum("nchwij,ocij->nohw", windows, weights.astype(np.int64))
    return sums


def session(model: pathlib.Path) -> Any:
    """As QLinear operators, whose integers the library promises: optimised, one thread."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

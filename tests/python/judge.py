# SPDX-License-Identifier: Apache-2.0
"""What layers are for, in numpy, and what networks are for, in onnxruntime: nothing of it knows this library."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

ROOT = pathlib.Path(os.environ["KUMIKI_ROOT"])
PROGRAM = os.environ["KUMIKI_PROGRAM"]
MODELS = ROOT / "examples/models"



def convolved(x: Array, weights: Array, padding: int) -> Array:
    """(N, C, H, W) and (O, C, K, K), a stride of 1, in int64."""
    kernel = weights.shape[2]
    padded = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))
    sums: Array = np.einsum("nchwij,ocij->nohw", windows, weights.astype(np.int64))
    return sums


def session(model: pathlib.Path) -> Any:
    """As QLinear operators, whose integers the library promises: optimised, one thread."""
    sys.path.insert(0, str(MODELS))
    import exact  # type: ignore[import-not-found]

    return exact.session(str(model))

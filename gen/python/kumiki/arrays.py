# SPDX-License-Identifier: Apache-2.0
"""Arrays on their way in: only what changes no number is done here, everything else is the library's to judge."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Array = npt.NDArray[Any]


def laid_out(name: str, array: object) -> Array:
    """The same numbers in C order and in this machine's order of bytes."""
    if not isinstance(array, np.ndarray):
        raise UsageError(
            f"{name} is {type(array).__name__}; it must be a numpy array [unknown-number-type]", "unknown-number-type"
        )
    if isinstance(array, np.ma.MaskedArray):
        raise UsageError(
            f"{name} is a masked array, whose mask has no effect; use array.filled(...) "
            "[unknown-number-type]",
            "unknown-number-type",
        )
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise UsageError(
            f"{name} has the numbers {array.dtype}; they must be booleans, integers, float32 or float64 "
            "[unknown-number-type]",
            "unknown-number-type",
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.c_contiguous else array.copy(order="C")


def as_json(value: object, pointer: str = "") -> object:
    """A configuration of Python values as JSON has it: arrays of integers become lists."""
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise UsageError(f"{pointer}: the key is {key!r}; it must be text [wrong-type]", "wrong-type")
        return {key: as_json(one, f"{pointer}/{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(one, f"{pointer}/{i}") for i, one in enumerate(value)]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biu":
            raise UsageError(
                f"{pointer}: an array of {value.dtype}; it must have integers or booleans [unknown-number-type]",
                "unknown-number-type",
            )
        return value.astype(np.uint8).tolist() if value.dtype.kind == "b" else value.tolist()
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise UsageError(f"{pointer}: {value} is not finite; give a number [not-a-number]", "not-a-number")
        return float(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise UsageError(
        f"{pointer}: a {type(value).__name__} is not allowed; give dict, list, text, numbers, booleans or arrays of integers "
        "[wrong-type]",
        "wrong-type",
    )

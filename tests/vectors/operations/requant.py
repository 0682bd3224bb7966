#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes requant.json: accumulators to operands by exact fractions, one row a request:
q = clamp(round((acc + bias) * scale / 2^shift) + zero_point). Rounding is that of Python's decimal
module, not of the program. Also whole layers of an array by numpy: array.json.

    python3 -m venv v && v/bin/pip install numpy && v/bin/python requant.py
"""
import decimal
import json
import pathlib

import numpy as np

decimal.getcontext().prec = 60
HERE = pathlib.Path(__file__)
MODES = {"half-even": decimal.ROUND_HALF_EVEN, "half-away": decimal.ROUND_HALF_UP, "down": decimal.ROUND_FLOOR,
         "up": decimal.ROUND_CEILING, "to-zero": decimal.ROUND_DOWN}


def nearest(value, shift, mode):
    exact = decimal.Decimal(value) / 2**shift
    if mode == "half-up":
        return int((exact + decimal.Decimal("0.5")).to_integral_value(decimal.ROUND_FLOOR))
    return int(exact.to_integral_value(MODES[mode]))


def write(name, rows):
    text = ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows)
    HERE.with_name(name).write_text(f"[\n{text}\n]\n")
    print(name, len(rows), "rows")


rows = []
for mode in ("half-even", "half-away", "half-up", "down", "up", "to-zero"):
    for scale, shift in ((1, 1), (1, 2), (3, 3), (-5, 2), (77, 8), (40503, 20), (1, 0)):
        for zero_point, low, high in ((0, -128, 127), (5, -128, 127), (-7, -128, 127),
                                      (128, 0, 255), (3, 3, 127), (0, 0, 6)):
            inputs = [-2**20, -1000, -257, -12, -11, -10, -9, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3,
                      4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20, 28, 36, 128, 384, 1000, 2**20 - 1]
            bias = 2 if scale == 3 else 0
            q = [min(max(nearest((a + bias) * scale, shift, mode) + zero_point, low), high)
                 for a in inputs]
            rows.append(dict(rounding=mode, scale=scale, shift=shift, zero_point=zero_point,
                             bias=bias, clamp=[low, high], acc=inputs, q=q))
write("requant.json", rows)

# ---- layers of an array: sums by numpy, half up, results of `bits` bits
random = np.random.RandomState(5)
rows = []


def conv(x, w, stride, dilation, padding, groups):
    before, after = padding
    x = np.pad(x, ((0, 0), (before, after), (before, after)))
    span = (w.shape[2] - 1) * dilation + 1
    view = np.lib.stride_tricks.sliding_window_view(x, (span, span), axis=(1, 2))
    view = view[:, ::stride, ::stride, ::dilation, ::dilation]
    parts = zip(np.split(view, groups), np.split(w, groups))
    return np.concatenate([np.einsum("iyxkl,oikl->oyx", v, u) for v, u in parts])


def pooled(sums, kind, size):
    view = np.lib.stride_tricks.sliding_window_view(sums, (size, size), axis=(1, 2))[:, ::2, ::2]
    return view.max(axis=(3, 4)) if kind == "max" else view.sum(axis=(3, 4))


def results(sums, bias, multiplier, shift, relu, bits):
    high = 2**(bits - 1) - 1
    low = 0 if relu else -high - 1
    return [min(max(nearest((int(v) + b) * m, s, "half-up"), low), high)
            for plane, b, m, s in zip(sums, bias, multiplier, shift) for v in plane.reshape(-1)]


for bits in (8, 12):
    low, high = -2**(bits - 1), 2**(bits - 1) - 1
    for name, c, h, w, o, k, stride, dilation, padding, groups, pool, relu in (
            ("plain", 2, 5, 6, 3, 3, 1, 1, (0, 0), 1, None, False),
            ("padded", 1, 4, 4, 2, 3, 1, 1, (1, 1), 1, None, True),
            ("stride", 2, 7, 6, 2, 3, 2, 1, (1, 0), 1, None, False),
            ("dilated", 1, 7, 7, 1, 3, 1, 2, (1, 2), 1, None, False),
            ("groups", 4, 4, 5, 4, 2, 1, 1, (0, 0), 2, None, False),
            ("depthwise", 3, 5, 5, 3, 3, 1, 1, (1, 1), 3, None, True),
            ("max_2", 1, 6, 7, 2, 3, 1, 1, (0, 0), 1, ("max", 2), False),
            ("max_3", 1, 8, 7, 2, 2, 1, 1, (0, 0), 1, ("max", 3), True),
            ("average_2", 2, 6, 5, 1, 2, 1, 1, (0, 0), 1, ("average", 2), False),
            ("average_3", 1, 7, 7, 2, 1, 1, 1, (0, 0), 1, ("average", 3), False)):
        x = random.randint(low, high + 1, (c, h, w))
        weights = random.randint(-128, 128, (o, c // groups, k, k))
        bias = random.randint(-3000, 3000, o)
        shift = random.randint(6, 11, o)
        multiplier = random.randint(1, 60, o) if bits == 8 else np.ones(o, int)
        sums = conv(x, weights, stride, dilation, padding, groups)
        if pool:
            sums = pooled(sums, *pool)
        rows.append(dict(name=f"{name}_{bits}", bits=bits, type="conv",
                         channels=c, height=h, width=w, outputs=o, kernel=k, stride=stride,
                         dilation=dilation, padding=list(padding), groups=groups,
                         pool=list(pool) if pool else None, relu=relu, x=x.reshape(-1).tolist(),
                         weights=weights.reshape(-1).tolist(), bias=bias.tolist(),
                         multiplier=multiplier.tolist(), shift=shift.tolist(),
                         y=results(sums, bias.tolist(), multiplier.tolist(), shift.tolist(), relu,
                                   bits)))
    x = random.randint(low, high + 1, 20)
    weights = random.randint(-128, 128, (6, 20))
    bias = random.randint(-3000, 3000, 6)
    shift, multiplier = np.full(6, 9), np.full(6, 21 if bits == 8 else 1)
    rows.append(dict(name=f"dense_{bits}", bits=bits, type="fc", inputs=20, outputs=6, relu=False,
                     pool=None, x=x.tolist(), weights=weights.reshape(-1).tolist(),
                     bias=bias.tolist(), multiplier=multiplier.tolist(), shift=shift.tolist(),
                     y=results((weights @ x).reshape(6, 1), bias.tolist(), multiplier.tolist(),
                               shift.tolist(), False, bits)))
write("array.json", rows)

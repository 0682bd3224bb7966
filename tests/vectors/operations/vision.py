#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes vision.json: what every stage of a `vision` layer makes of small pictures, by OpenCV where
OpenCV has the operation and by numpy or exact fractions where it has not.

    python3 -m venv v && v/bin/pip install numpy opencv-python-headless && v/bin/python vision.py

Nothing here is taken from the program. Made with numpy 2.4.6 and OpenCV 5.0.0.
"""
import json
import math
import pathlib
from fractions import Fraction

import cv2
import numpy as np

cases = []
BORDERS = {
    "replicate": cv2.BORDER_REPLICATE,
    "reflect": cv2.BORDER_REFLECT_101,
    "constant": cv2.BORDER_CONSTANT,
}


def picture(width, height, low=0, high=255, seed=0):
    """Noise with the ends of the range in it."""
    random = np.random.RandomState(width * 1000 + height * 10 + seed)
    p = random.randint(low, high + 1, (height, width))
    flat = p.reshape(-1)
    flat[random.randint(0, flat.size, max(2, flat.size // 5))] = low
    flat[random.randint(0, flat.size, max(2, flat.size // 5))] = high
    return p


def case(name, by, stages, picture, result, **keys):
    picture, result = np.asarray(picture), np.asarray(result)
    if not isinstance(stages, list):
        stages = [stages]
    def values(p):
        return [int(v) for v in p.reshape(-1)]
    def channels(p):
        return 1 if p.ndim == 2 else p.shape[2]
    assert np.all(result == np.rint(result)), name
    cases.append(
        dict(name=name, by=by,
             layer=dict(width=picture.shape[1], height=picture.shape[0],
                        channels=channels(picture), **keys, stages=stages),
             picture=values(picture), result_width=result.shape[1], result_height=result.shape[0],
             result_channels=channels(result), result=values(result)))


def nearest(value, rounding):
    """An exact fraction to an integer."""
    down = math.floor(value)
    rest = value - down
    if rounding == "down" or rest < Fraction(1, 2):
        return down
    if rest > Fraction(1, 2) or rounding == "half-up":
        return down + 1
    return down + down % 2


def each(f, *pictures):
    return np.array([[f(*(int(p[y][x]) for p in pictures)) for x in range(pictures[0].shape[1])]
                     for y in range(pictures[0].shape[0])])


def clamp(v, low, high):
    return min(max(v, low), high)


def windows(p, size, border, outside=0):
    """Every pixel's window, by numpy's padding."""
    r = size // 2
    mode = {"replicate": "edge", "reflect": "reflect", "constant": "constant"}[border]
    more = dict(constant_values=outside) if border == "constant" else {}
    padded = np.pad(p, r, mode=mode, **more)
    return np.lib.stride_tricks.sliding_window_view(padded, (size, size))


# ---- windows
for border, cv_border in BORDERS.items():
    keys = dict(border=border)
    p = picture(8, 7)
    b = p.astype(np.uint8)
    for size in (3, 5, 7):
        for kind, dx, dy in (("sobel-x", 1, 0), ("sobel-y", 0, 1)):
            case(f"{kind}_{size}_{border}", "opencv Sobel", dict(kernel=kind, size=size), p,
                 cv2.Sobel(b, cv2.CV_64F, dx, dy, ksize=size, borderType=cv_border), **keys)
    for kind, dx, dy in (("scharr-x", 1, 0), ("scharr-y", 0, 1)):
        case(f"{kind}_{border}", "opencv Scharr", dict(kernel=kind), p,
             cv2.Scharr(b, cv2.CV_64F, dx, dy, borderType=cv_border), **keys)
    for size, ksize in ((3, 1), (5, 5)):
        case(f"laplacian_{size}_{border}", f"opencv Laplacian, ksize {ksize}",
             dict(kernel="laplacian", size=size), p,
             cv2.Laplacian(b, cv2.CV_64F, ksize=ksize, borderType=cv_border), **keys)
    for size in (3, 5):
        case(f"gaussian_{size}_{border}", "opencv GaussianBlur", dict(kernel="gaussian", size=size),
             p, cv2.GaussianBlur(b, (size, size), 0, borderType=cv_border), **keys)
    for size in (3, 5, 7, 9, 11):
        q = picture(12, 13)
        case(f"box_{size}_{border}", "opencv blur", dict(kernel="box", size=size), q,
             cv2.blur(q.astype(np.uint8), (size, size), borderType=cv_border), **keys)
    ones = np.ones((3, 3), np.uint8)
    outside = dict(borderValue=0)
    case(f"erode_{border}", "opencv erode", dict(kernel="erode"), p,
         cv2.erode(b, ones, borderType=cv_border, **outside), **keys)
    case(f"dilate_5_{border}", "opencv dilate", dict(kernel="dilate", size=5), p,
         cv2.dilate(b, np.ones((5, 5), np.uint8), borderType=cv_border, **outside), **keys)
    own = [3, -1, 4, 1, -5, 9, 2, -6, 5]
    case(f"convolve_{border}", "opencv filter2D", dict(kernel="convolve", coefficients=[own]), p,
         cv2.filter2D(b, cv2.CV_64F, np.array(own, float).reshape(3, 3), borderType=cv_border),
         **keys)
for size in (3, 5):
    case(f"median_{size}", "opencv medianBlur", dict(kernel="median", size=size), p,
         cv2.medianBlur(b, size))
for kind, kernel in (("sharpen", [0, -1, 0, -1, 5, -1, 0, -1, 0]),
                     ("emboss", [-2, -1, 0, -1, 1, 1, 0, 1, 2])):
    case(kind, "opencv filter2D", dict(kernel=kind), p,
         cv2.filter2D(b, -1, np.array(kernel, float).reshape(3, 3), borderType=cv2.BORDER_REPLICATE))
for border in BORDERS:
    w = windows(p, 5, border, 9)
    outside = dict(border_value=9) if border == "constant" else {}
    for rank in (0, 3, 12, 24):
        case(f"rank_{rank}_{border}", "numpy sort", dict(kernel="rank", size=5, rank=rank), p,
             np.sort(w.reshape(*p.shape, 25), axis=2)[:, :, rank], border=border, **outside)
# Gaussian of size 7: neither binomial nor OpenCV's; the row is in the documentation.
row = np.array([1, 2, 3, 4, 3, 2, 1])
case("gaussian_7", "numpy, fractions", dict(kernel="gaussian", size=7), p,
     each(lambda s: nearest(Fraction(s, 256), "half-up"),
          (windows(p, 7, "replicate") * np.outer(row, row)).sum(axis=(2, 3))))
signed = picture(8, 7, -128, 127)
case("median_signed", "numpy median", dict(kernel="median"), signed,
     np.median(windows(signed, 3, "replicate").reshape(7, 8, 9), axis=2), signed=True)
# Divided, rounded, without sign, saturated.
kernel = [[1, 2, 1, 0, 3, 0, -1, -2, -1]]
sums = (windows(signed, 3, "replicate") * np.array(kernel).reshape(3, 3)).sum(axis=(2, 3))
for rounding in ("down", "half-up", "half-even"):
    for divide in (2, 8, 6, 7):
        case(f"divide_{divide}_{rounding}", "numpy, fractions",
             dict(kernel="convolve", coefficients=kernel, divide=divide, round=rounding), signed,
             each(lambda s: nearest(Fraction(s, divide), rounding), sums), signed=True)
        case(f"divide_{divide}_{rounding}_absolute_6_bits", "numpy, fractions",
             dict(kernel="convolve", coefficients=kernel, divide=divide, round=rounding,
                  absolute=True, bits=6), signed,
             each(lambda s: clamp(nearest(Fraction(abs(s), divide), rounding), 0, 63), sums),
             signed=True)

# ---- half as large
for width, height in ((8, 6), (7, 5)):
    p = picture(width, height)
    b = p.astype(np.uint8)
    # OpenCV's pyramid reflects; so does the layer when it is told to.
    case(f"half_gaussian_{width}x{height}", "opencv pyrDown", dict(kernel="half", by="gaussian"), p,
         cv2.pyrDown(b, borderType=cv2.BORDER_REFLECT_101), border="reflect")
    case(f"half_nearest_{width}x{height}", "numpy", dict(kernel="half", by="nearest"), p,
         p[::2, ::2])
p = picture(8, 6)
case("half_mean_8x6", "opencv resize, INTER_AREA", dict(kernel="half", by="mean"), p,
     cv2.resize(p.astype(np.uint8), (4, 3), interpolation=cv2.INTER_AREA))
p = picture(7, 5)
edge = np.pad(p, ((0, 1), (0, 1)), mode="edge")
case("half_mean_7x5", "numpy, fractions", dict(kernel="half", by="mean"), p,
     each(lambda s: nearest(Fraction(s, 4), "half-up"),
          edge[0::2, 0::2] + edge[1::2, 0::2] + edge[0::2, 1::2] + edge[1::2, 1::2]))

# ---- pixel by pixel
a, b = picture(9, 8, seed=1), picture(9, 8, seed=2)
both = np.dstack([a, b])
ua, ub = a.astype(np.uint8), b.astype(np.uint8)
case("add", "numpy", dict(kernel="add"), both, a + b)
case("add_saturate", "opencv add", dict(kernel="add", overflow="saturate"), both, cv2.add(ua, ub))
case("add_wrap", "numpy uint8", dict(kernel="add", overflow="wrap"), both, ua + ub)
case("add_constant", "opencv add", dict(kernel="add", constant=100, overflow="saturate"), a,
     cv2.add(ua, np.full_like(ua, 100)))
case("subtract", "numpy", dict(kernel="subtract"), both, a - b)
case("subtract_saturate", "opencv subtract", dict(kernel="subtract", overflow="saturate"), both,
     cv2.subtract(ua, ub))
case("subtract_wrap", "numpy uint8", dict(kernel="subtract", overflow="wrap"), both, ua - ub)
case("abs-diff", "opencv absdiff", dict(kernel="abs-diff"), both, cv2.absdiff(ua, ub))
case("minimum", "opencv min", dict(kernel="minimum"), both, cv2.min(ua, ub))
case("maximum", "opencv max", dict(kernel="maximum"), both, cv2.max(ua, ub))
case("and", "opencv bitwise_and", dict(kernel="and"), both, cv2.bitwise_and(ua, ub))
case("or", "opencv bitwise_or", dict(kernel="or"), both, cv2.bitwise_or(ua, ub))
case("xor", "opencv bitwise_xor", dict(kernel="xor"), both, cv2.bitwise_xor(ua, ub))
case("not", "opencv bitwise_not", dict(kernel="not"), a, cv2.bitwise_not(ua))
case("threshold", "opencv threshold", dict(kernel="threshold", value=128), a,
     cv2.threshold(ua, 128, 255, cv2.THRESH_BINARY)[1])
case("threshold_inverted", "opencv threshold",
     dict(kernel="threshold", value=77, true_value=0, false_value=200), a,
     cv2.threshold(ua, 77, 200, cv2.THRESH_BINARY_INV)[1])
case("threshold_range", "opencv inRange", dict(kernel="threshold", low=50, high=180), a,
     cv2.inRange(ua, 50, 180))
case("accumulate", "opencv add", dict(kernel="accumulate"), both, cv2.add(ua, ub))
for alpha, shift in ((1, 4), (3, 4), (5, 3), (255, 8), (8, 4)):
    case(f"accumulate-weighted_{alpha}_{shift}", "fractions",
         dict(kernel="accumulate-weighted", alpha=alpha, shift=shift), both,
         each(lambda x, old: nearest(Fraction(alpha * x + (2**shift - alpha) * old, 2**shift),
                                     "half-up"), a, b))
bgr = np.dstack([a, b, 255 - a])
case("channels", "opencv cvtColor", dict(kernel="channels", channels=[2, 1, 0]), bgr,
     cv2.cvtColor(bgr.astype(np.uint8), cv2.COLOR_BGR2RGB))
x, y = picture(9, 8, -128, 127, 3), picture(9, 8, -128, 127, 4)
gradients = np.dstack([x, y])
ix, iy = x.astype(np.int8), y.astype(np.int8)
case("add_signed_saturate", "opencv add", dict(kernel="add", overflow="saturate"), gradients,
     cv2.add(ix, iy), signed=True)
case("subtract_signed_saturate", "opencv subtract", dict(kernel="subtract", overflow="saturate"),
     gradients, cv2.subtract(ix, iy), signed=True)
case("subtract_signed_to_7_bits", "numpy clip",
     dict(kernel="subtract", bits=7, overflow="saturate"), gradients, np.clip(x - y, 0, 127),
     signed=True)
case("and_signed", "opencv bitwise_and", dict(kernel="and"), gradients, cv2.bitwise_and(ix, iy),
     signed=True)
case("not_signed", "opencv bitwise_not", dict(kernel="not"), x, cv2.bitwise_not(ix), signed=True)
case("accumulate_signed", "opencv add", dict(kernel="accumulate"), gradients, cv2.add(ix, iy),
     signed=True)
case("abs", "numpy abs", dict(kernel="abs"), x, np.abs(x), signed=True)
case("abs-diff_signed", "numpy abs", dict(kernel="abs-diff"), gradients, np.abs(x - y), signed=True)
case("magnitude_l1", "numpy abs", dict(kernel="magnitude"), gradients, np.abs(x) + np.abs(y),
     signed=True)
case("magnitude_max", "numpy maximum", dict(kernel="magnitude", norm="max"), gradients,
     np.maximum(np.abs(x), np.abs(y)), signed=True)
case("magnitude_l1_8_bits", "numpy clip", dict(kernel="magnitude", bits=8), gradients,
     np.clip(np.abs(x) + np.abs(y), 0, 255), signed=True)

case("magnitude_l2", "opencv magnitude, rounded", dict(kernel="magnitude", norm="l2"), gradients,
     np.rint(cv2.magnitude(x.astype(float), y.astype(float))), signed=True)
case("magnitude_l2_of_bytes_8_bits", "opencv magnitude, rounded, saturated",
     dict(kernel="magnitude", norm="l2", bits=8), both,
     np.clip(np.rint(cv2.magnitude(a.astype(float), b.astype(float))), 0, 255))
p = picture(8, 7)
gx, gy = (cv2.Sobel(p.astype(np.uint8), cv2.CV_64F, dx, 1 - dx, borderType=cv2.BORDER_REPLICATE)
          for dx in (1, 0))
case("sobel_magnitude_l2", "opencv Sobel, magnitude, rounded",
     [dict(kernel="sobel"), dict(kernel="magnitude", norm="l2")], p, np.rint(cv2.magnitude(gx, gy)))
case("sobel", "opencv Sobel", dict(kernel="sobel"), p, np.dstack([gx, gy]))
sx, sy = (cv2.Scharr(p.astype(np.uint8), cv2.CV_64F, dx, 1 - dx, borderType=cv2.BORDER_REPLICATE)
          for dx in (1, 0))
case("scharr", "opencv Scharr", dict(kernel="scharr"), p, np.dstack([sx, sy]))

# ---- multiplied, rounded, moved: the offset is added to what was rounded
ramp = np.arange(-32, 32).reshape(8, 8)
for rounding in ("down", "half-up", "half-even"):
    for m, shift, offset in ((3, 3, 5), (3, 3, 4), (1, 1, 1), (1, 1, -1), (-5, 1, 3), (-5, 2, -7),
                             (77, 8, 16), (77, 7, 17), (365, 4, 255), (1, 0, 5), (4, 2, 9),
                             (0, 3, 7)):
        case(f"scale_{m}_{shift}_{offset}_{rounding}", "fractions",
             dict(kernel="scale", multiply=m, shift=shift, offset=offset, round=rounding), ramp,
             each(lambda v: nearest(Fraction(m * v, 2**shift), rounding) + offset, ramp),
             signed=True)
u = np.arange(64).reshape(8, 8)
# The repro of a wrong tie: 3 * 4 / 8 = 1.5, to 2, and 5 more.
case("scale_saturated", "fractions",
     dict(kernel="scale", multiply=3, shift=3, offset=5, round="half-even", bits=8), u,
     each(lambda v: clamp(nearest(Fraction(3 * v, 8), "half-even") + 5, 0, 255), u))

lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
out = pathlib.Path(__file__).with_name("vision.json")
out.write_text(f"[\n{lines}\n]\n")
print(len(cases), "cases,", out.stat().st_size, "bytes")

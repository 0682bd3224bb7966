#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of DoublingRules.AreGemmlowps: gemmlowp's fixed-point functions with Python's integers.

usage: doubling_rule.py
"""


def towards_zero(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def saturating_rounding_doubling_high_mul(a, b):
    ab = a * b
    nudge = 1 << 30 if ab >= 0 else 1 - (1 << 30)
    return towards_zero(ab + nudge, 1 << 31)


def rounding_divide_by_pot(x, exponent):
    mask = (1 << exponent) - 1
    remainder = x & mask
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if remainder > threshold else 0)


def multiply_by_quantized_multiplier(x, multiplier, right_shift):
    left, right = max(0, -right_shift), max(0, right_shift)
    return rounding_divide_by_pot(saturating_rounding_doubling_high_mul(x << left, multiplier), right)


if __name__ == "__main__":
    for multiplier in (1 << 30, 1518500250, 0x7FFFFFFF):
        for shift in (-2, 0, 1, 7):
            for x in (0, 1, -1, 3, -3, 191, -191, 192, -192, 255, -255, 12345, -12345, 8388607, -8388608):
                print(f"      {{{x}, {multiplier}, {shift}, {multiply_by_quantized_multiplier(x, multiplier, shift)}}},")

# SPDX-License-Identifier: Apache-2.0
"""The layers of quickstart, written by kumiki 0.1.0 from its configuration."""

from kumiki_bench import Clocks, Layer, Numbers

CLOCKS = Clocks(slow=True, fast=False)

PIXELS = Layer(
    name="pixels",
    inputs=("pixels_rst", "pixels_en", "pixels_in_valid", "pixels_x", "pixels_y"),
    outputs=("pixels_out_valid", "pixels_sum"),
    reset="pixels_rst",
    enable="pixels_en",
    settled=0,
    numbers={
        "pixels_sum": {"": Numbers(0, 18, 2, True)},
        "pixels_x": {"": Numbers(0, 8, 14, True)},
        "pixels_y": {"": Numbers(0, 8, 7, True)},
    },
)

MAPS = Layer(
    name="maps",
    inputs=("maps_rst", "maps_en", "maps_in_valid", "maps_x", "maps_y"),
    outputs=("maps_out_valid", "maps_sum"),
    reset="maps_rst",
    enable="maps_en",
    settled=0,
    numbers={
        "maps_sum": {"": Numbers(0, 18, 2, True)},
        "maps_x": {"": Numbers(0, 8, 8, True)},
        "maps_y": {"": Numbers(0, 8, 4, True)},
    },
)

LAYERS = (PIXELS, MAPS)

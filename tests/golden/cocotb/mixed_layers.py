# SPDX-License-Identifier: Apache-2.0
"""The layers of mixed, written by kumiki 0.1.0 from its configuration."""

from kumiki_bench import Clocks, Layer, Numbers

CLOCKS = Clocks(slow=True, fast=False)

D = Layer(
    name="d",
    inputs=("d_aresetn", "d_s_axis_in_tvalid", "d_m_axis_out_tready", "d_s_axis_in_tdata"),
    outputs=("d_s_axis_in_tready", "d_m_axis_out_tvalid", "d_m_axis_out_tdata"),
    reset="d_aresetn",
    reset_level=0,
    settled=0,
    sources=("d_s_axis_in",),
    sinks=("d_m_axis_out",),
    numbers={
        "d_m_axis_out_tdata": {"sum": Numbers(0, 17, 2, True)},
        "d_s_axis_in_tdata": {"x": Numbers(0, 8, 4, True), "y": Numbers(32, 8, 2, True)},
    },
)

ONES = Layer(
    name="ones",
    inputs=("ones_x",),
    outputs=("ones_sum",),
    settled=0,
    numbers={
        "ones_sum": {"": Numbers(0, 4, 1, False)},
    },
)

LAYERS = (D, ONES)

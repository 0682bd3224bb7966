# SPDX-License-Identifier: Apache-2.0
# quickstart out of context. A module's pins have no delays here: paths from and to ports are not timed.
create_clock -name clk -period 2.000 [get_ports clk]
# Optional. Modules keep their borders, and cells their place in them:
# set_property KEEP_HIERARCHY yes [get_cells -filter {!IS_PRIMITIVE}]
# Optional. The optimiser leaves every cell as it was written, LUTs with constant inputs too:
# set_property DONT_TOUCH true [get_cells -hierarchical -filter {IS_PRIMITIVE}]

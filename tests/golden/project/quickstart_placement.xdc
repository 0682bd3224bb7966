# SPDX-License-Identifier: Apache-2.0
# Relative placement of quickstart.
# Cells that dedicated wires hold above one another: a macro for each cascade of DSP slices and each
# carry chain, from below. To be read after synthesis; where the module stands inside another
# design, with read_xdc -cell.
create_macro quickstart_dsp_0
update_macro quickstart_dsp_0 {
  pixels/p0_dsp X0Y0
  pixels/p1_dsp X0Y1
  pixels/p2_dsp X0Y2
  pixels/p3_dsp X0Y3
  pixels/p4_dsp X0Y4
  pixels/p5_dsp X0Y5
  pixels/p6_dsp X0Y6
}
create_macro quickstart_dsp_1
update_macro quickstart_dsp_1 {
  maps/p0_dsp X0Y0
  maps/p1_dsp X0Y1
  maps/p2_dsp X0Y2
  maps/p3_dsp X0Y3
}
create_macro quickstart_carry_0
update_macro quickstart_carry_0 {
  pixels/sum_carry_n1627_carry X0Y0
  pixels/sum_next_n1643_carry X0Y1
}
create_macro quickstart_carry_1
update_macro quickstart_carry_1 {
  maps/sum_carry_n805_carry X0Y0
  maps/sum_next_n821_carry X0Y1
}

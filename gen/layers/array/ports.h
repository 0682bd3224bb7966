// SPDX-License-Identifier: Apache-2.0
// The ports of an array: four streams with valid and ready, and a port for register writes, which
// accepts a write in every clock.
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::array {

// A parameter word: {shift - 1 (6 bits), multiplier (16), bias (32, signed)}, or {shift - 1 (6),
// bias (48, signed)} if an element has its own slice. For float32 requantisation: {steps (4),
// factor (26), bias (32, signed)}, with steps and factor as in gen/arith/float_factor.h.

template <class R>
struct ArrayIn {
  typename R::Bit rst;
  typename R::Bit cfg_valid;
  typename R::UInt cfg_addr, cfg_data;
  typename R::Bit ind_valid;  // individual operands: pixels of windows, weights of neurons
  std::vector<typename R::UInt> ind_data;
  // For pixels. A pixel that is not kept is padding: 0, or the value of the layer's register.
  std::vector<typename R::Bit> ind_keep;
  typename R::Bit com_valid;  // operands shared by all elements, or by those of a part
  std::vector<typename R::UInt> com_data;
  typename R::Bit par_valid;
  std::vector<typename R::UInt> par_data;
  typename R::Bit out_ready;
  static constexpr auto ports() {
    return std::tuple(port("rst", &ArrayIn::rst), port("cfg_valid", &ArrayIn::cfg_valid),
                      port("cfg_addr", &ArrayIn::cfg_addr), port("cfg_data", &ArrayIn::cfg_data),
                      port("s_axis_ind_tvalid", &ArrayIn::ind_valid),
                      port("s_axis_ind_tdata", &ArrayIn::ind_data),
                      port("s_axis_ind_tkeep", &ArrayIn::ind_keep),
                      port("s_axis_com_tvalid", &ArrayIn::com_valid),
                      port("s_axis_com_tdata", &ArrayIn::com_data),
                      port("s_axis_par_tvalid", &ArrayIn::par_valid),
                      port("s_axis_par_tdata", &ArrayIn::par_data),
                      port("m_axis_out_tready", &ArrayIn::out_ready));
  }
};

template <class R>
struct ArrayOut {
  typename R::Bit busy;       // from the start to the last beat of the last layer
  typename R::Bit computing;  // the elements work on a layer; these clocks are counted for the
                              // layer
  typename R::Bit ind_ready, com_ready, par_ready;
  typename R::Bit out_valid, out_last;  // last: of a layer
  std::vector<typename R::UInt> out_data;
  std::vector<typename R::Bit> out_keep;
  static constexpr auto ports() {
    return std::tuple(port("busy", &ArrayOut::busy), port("computing", &ArrayOut::computing),
                      port("s_axis_ind_tready", &ArrayOut::ind_ready),
                      port("s_axis_com_tready", &ArrayOut::com_ready),
                      port("s_axis_par_tready", &ArrayOut::par_ready),
                      port("m_axis_out_tvalid", &ArrayOut::out_valid),
                      port("m_axis_out_tlast", &ArrayOut::out_last, &ArrayOut::out_valid),
                      port("m_axis_out_tdata", &ArrayOut::out_data, &ArrayOut::out_valid),
                      port("m_axis_out_tkeep", &ArrayOut::out_keep, &ArrayOut::out_valid));
  }
};

struct ArrayPlan;
ArrayIn<Hardware> input_shape(const ArrayPlan& plan);
ArrayOut<Hardware> output_shape(const ArrayPlan& plan);

}  // namespace kumiki::gen::array

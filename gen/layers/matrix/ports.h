// SPDX-License-Identifier: Apache-2.0
// The streams of a matrix of chains. A word is one block of a pixel's channels (`rows` of them).
// The blocks of a pixel come before the next pixel, pixels line by line, frames without end.
//
// A beat of in_data is a word, or several neighbours of a line: element k * rows + j is row j of
// word k. Words past the end of the line in its last beat are ignored. A beat of out_data is a tile
// of output channels of a group of pixels: element c * pixels + p is channel c of pixel p. Pixels
// past the end of a line repeat the group's first one; channels past the last are 0. Weights that
// are not embedded come first, in the order of use, row by row, one row a beat.
#pragma once
#include "gen/arith/format.h"
#include "gen/hdl/ports.h"

namespace kumiki::gen::matrix {

template <class R>
struct MatrixIn {
  typename R::Bit rst;  // drops frames and weights
  typename R::Bit in_valid;
  std::vector<typename R::UInt> in_data;
  typename R::Bit out_ready;
  std::vector<typename R::Bit> w_valid;  // one, or none with embedded weights
  std::vector<typename R::UInt> w_data;
  static constexpr auto ports() {
    return std::tuple(port("rst", &MatrixIn::rst), port("in_valid", &MatrixIn::in_valid),
                      port("in_data", &MatrixIn::in_data), port("out_ready", &MatrixIn::out_ready),
                      port("w_valid", &MatrixIn::w_valid), port("w_data", &MatrixIn::w_data));
  }
};

template <class R>
struct MatrixOut {
  typename R::Bit in_ready, out_valid;
  typename R::Bit out_last;  // the last beat of a frame
  std::vector<typename R::UInt> out_data;
  std::vector<typename R::Bit> w_ready;
  static constexpr auto ports() {
    return std::tuple(port("in_ready", &MatrixOut::in_ready),
                      port("out_valid", &MatrixOut::out_valid),
                      port("out_last", &MatrixOut::out_last, &MatrixOut::out_valid),
                      port("out_data", &MatrixOut::out_data, &MatrixOut::out_valid),
                      port("w_ready", &MatrixOut::w_ready));
  }
};

struct MatrixPlan;
MatrixIn<Hardware> input_shape(const MatrixPlan& plan);
MatrixOut<Hardware> output_shape(const MatrixPlan& plan);
// The format of each element of out_data.
std::vector<arith::Format> formats_of_beat(const MatrixPlan& plan);

}  // namespace kumiki::gen::matrix

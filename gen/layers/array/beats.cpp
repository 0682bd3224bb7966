// SPDX-License-Identifier: Apache-2.0
// The words on an array's streams. Their order in time depends on the network: NAME_order.json.
#include "gen/arith/float_factor.h"
#include "gen/layers/array/plan.h"
#include "gen/layers/array/ports.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

std::vector<Beat> beats(const ArrayPlan& p) {
  const int bits = p.operand_bits();
  const auto lanes = [](const char* port, int width, bool is_signed, std::int64_t count,
                        const char* stream, const char* note) {
    return Beat{.port = port,
                .formats = {{width, is_signed}},
                .elements = {{"lane", count}},
                .of = {{"lane", count, {{"lane"}}}},
                .what = "word",
                .when = {std::string(stream) + "_tvalid", std::string(stream) + "_tready"},
                .note = note};
  };
  const auto number = [](const char* port, int width) {
    return Beat{.port = port, .formats = {{width, false}}, .what = port, .when = {"cfg_valid"}};
  };
  const std::int64_t words = p.request.output_words;
  std::vector<Beat> all{number("cfg_addr", address_bits), number("cfg_data", 32)};
  all.push_back(lanes("s_axis_ind_tdata", bits, true, p.stream_words(), "s_axis_ind", ""));
  all.back().note = "windows: word i of bank j at lane j*" + std::to_string(p.chunk()) +
                    " + i; fully connected: the weight of element r*" +
                    std::to_string(p.columns()) + " + c; a batch: images, then weights";
  all.push_back(lanes("s_axis_ind_tkeep", 1, false, p.pixel_lanes(), "s_axis_ind",
                      p.request.float32 ? "0: the pixel of this lane is read as the padding"
                                        : "0: the pixel of this lane is read as 0"));
  all.push_back(lanes("s_axis_com_tdata", bits, true, p.commons(), "s_axis_com",
                      p.commons() > 1 ? "a word for each part of the array"
                                      : "the operand that all elements have in common"));
  // The text of the parameters lists the highest field first; here the lowest comes first.
  auto shift = lanes("s_axis_par_tdata", 0, false, words, "s_axis_par", "");
  const bool float32 = p.request.float32;
  using Formats = std::vector<arith::Format>;
  using arith::FloatFactor;
  shift.formats =
      float32
          ? Formats{{32, true}, {FloatFactor::factor_bits, false}, {FloatFactor::step_bits, false}}
      : p.packed() ? Formats{{32, true}, {16, false}, {6, false}}
                   : Formats{{p.sum_bits(), true}, {6, false}};
  const auto fields = static_cast<std::int64_t>(shift.formats.size());
  shift.elements.push_back({"field", fields});
  shift.of.push_back({"field", fields, {{"field"}}});
  shift.what = "parameter";
  shift.note = float32      ? "field 0 bias, 1 factor, 2 (shift - 15) / 3"
               : p.packed() ? "field 0 bias, 1 multiplier, 2 shift - 1"
                            : "field 0 bias, 1 shift - 1";
  all.push_back(std::move(shift));
  all.push_back(lanes("m_axis_out_tdata", bits, true, words, "m_axis_out", "neighbours of a row"));
  all.push_back(lanes("m_axis_out_tkeep", 1, false, words, "m_axis_out", "0: no result"));
  for (Beat& b : all)
    if (b.port.ends_with("tdata"))
      b.note += "; the order in time is that of the network, in NAME_order.json";
  return all;
}

}  // namespace kumiki::gen::array

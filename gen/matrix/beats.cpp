// SPDX-License-Identifier: Apache-2.0
// The streams of a matrix of chains, element by element.
#include "gen/matrix/plan.h"
#include "gen/matrix/ports.h"

namespace kumiki::gen::matrix {
namespace {

NumberFormat format(const packing::OperandFormat& f) {
  return {static_cast<std::uint32_t>(f.bits), f.is_signed};
}

}  // namespace

std::vector<Beat> beats(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  const std::int64_t tiles = p.tiles / s.groups;  // of a group of the convolution
  const bool is_product = s.kernel_height * s.kernel_width == 1 && s.height == 1 && s.groups == 1;
  std::vector<Beat> all;
  all.push_back(
      {.port = "in_data",
       .formats = {format(p.activations)},
       .elements = {{"i", p.rows}},
       .words = {{"y", s.height}, {"x", s.width}, {"group", s.groups}, {"block", p.blocks}},
       .of = {{"channel", s.in_channels, {{"group", s.group_in()}, {"block", p.rows}, {"i"}}},
              {"y", s.height, {{"y"}}},
              {"x", s.width, {{"x"}}}},
       .what = "pixel",
       .padding =
           p.embedded() ? "not looked at" : "multiplied with the weight that was loaded there: 0",
       .when = {"in_valid", "in_ready"},
       .note = is_product ? "of a matrix product: channel is the row, x the column" : ""});
  if (!p.embedded())
    all.push_back({.port = "w_data",
                   .formats = {format(p.weights)},
                   .elements = {{"c", p.tile_channels()}},
                   .words = {{"group", s.groups},
                             {"tile", tiles},
                             {"ky", s.kernel_height},
                             {"kx", s.kernel_width},
                             {"block", p.blocks},
                             {"row", p.rows}},
                   .of = {{"out",
                           s.out_channels,
                           {{"group", s.group_out()}, {"tile", p.tile_channels()}, {"c"}}},
                          {"in", s.group_in(), {{"block", p.rows}, {"row"}}},
                          {"ky", s.kernel_height, {{"ky"}}},
                          {"kx", s.kernel_width, {{"kx"}}}},
                   .what = "weight",
                   .padding = "0",
                   .when = {"w_valid", "w_ready"},
                   .note = "once after power-up or rst, before the first result"});
  std::vector<NumberFormat> sums;
  for (const packing::Result* r : results_of_beat(p))
    sums.push_back({static_cast<std::uint32_t>(r->bits), r->is_signed});
  all.push_back(
      {.port = "out_data",
       .formats = period(std::move(sums)),
       .elements = {{"c", p.tile_channels()}, {"p", p.pixels}},
       .words =
           {{"y", s.out_height()}, {"xs", p.pixel_groups}, {"group", s.groups}, {"tile", tiles}},
       .of = {{"channel",
               s.out_channels,
               {{"group", s.group_out()}, {"tile", p.tile_channels()}, {"c"}}},
              {"y", s.out_height(), {{"y"}}},
              {"x", s.out_width(), {{"xs", p.pixels}, {"p"}}}},
       .what = "sum",
       .padding = p.embedded() ? "channels past the last: 0; pixels past the line: that of p = 0"
                               : "channels past the last: 0 when their weights were; pixels past "
                                 "the line: that of p = 0",
       .when = {"out_valid", "out_ready"},
       .note = is_product ? "of a matrix product: channel is the row, x the column" : ""});
  return all;
}

}  // namespace kumiki::gen::matrix

// SPDX-License-Identifier: Apache-2.0
// Describes the beats on the streams of a matrix of chains, element by element.
#include <fmt/format.h>

#include "gen/layers/matrix/plan.h"
#include "gen/layers/matrix/ports.h"

namespace kumiki::gen::matrix {
namespace {

// The words of a frame, `beat` of them in a clock. If `beat` is a multiple of the words of a pixel
// or divides its blocks, an element is a channel of a pixel; otherwise a channel of a word of the
// line.
void lay_out_frame(const MatrixPlan& p, Beat& to) {
  const ConvShape& s = p.shape;
  const Coordinate y{"y", s.height, {{"y"}}}, x{"x", s.width, {{"x"}}};
  const auto channel = [&](std::vector<Step> steps) {
    steps.push_back({"i"});
    return Coordinate{"channel", s.in_channels, std::move(steps)};
  };
  const std::int64_t group = s.group_in(), of_a_pixel = s.groups * p.blocks;
  if (p.beat == 1) {
    to.elements = {{"i", p.word_rows()}};
    to.words = {{"y", s.height}, {"x", s.width}, {"group", s.groups}, {"block", p.blocks}};
    to.of = {channel({{"group", group}, {"block", p.word_rows()}}), y, x};
  } else if (p.beat % of_a_pixel == 0) {
    const std::int64_t pixels = p.beat / of_a_pixel;
    to.elements = {{"p", pixels}, {"group", s.groups}, {"block", p.blocks}, {"i", p.word_rows()}};
    to.words = {{"y", s.height}, {"xs", ceil_div(s.width, pixels)}};
    to.of = {channel({{"group", group}, {"block", p.word_rows()}}),
             y,
             {"x", s.width, {{"xs", pixels}, {"p"}}}};
  } else if (p.blocks % p.beat == 0) {
    to.elements = {{"k", p.beat}, {"i", p.word_rows()}};
    to.words = {{"y", s.height}, {"x", s.width}, {"group", s.groups}, {"bs", p.blocks / p.beat}};
    to.of = {channel({{"group", group}, {"bs", p.word_rows() * p.beat}, {"k", p.word_rows()}}), y,
             x};
  } else {
    to.elements = {{"k", p.beat}, {"i", p.word_rows()}};
    to.words = {{"y", s.height}, {"b", ceil_div(s.width * of_a_pixel, p.beat)}};
    to.of = {{"i", p.rows, {{"i"}}}, y, {"word", s.width * of_a_pixel, {{"b", p.beat}, {"k"}}}};
    to.note = fmt::format(
        "word of the line: its channels from {}*block on, the blocks of {} channels, then the "
        "groups, then the pixels",
        p.word_rows(), group);
  }
}

}  // namespace

std::vector<Beat> beats(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  const std::int64_t tiles = p.tiles / s.groups;  // of a group of the convolution
  const bool is_product = s.kernel_height * s.kernel_width == 1 && s.height == 1 && s.groups == 1;
  std::vector<Beat> all;
  const std::string product =
      is_product ? "of a matrix product: channel is the row, x the column" : "";
  Beat in{
      .port = "in_data",
      .formats = {p.activations.format()},
      .what = "pixel",
      .padding = p.embedded()
                     ? "not looked at"
                     : "past the last channel multiplied with the weight that was loaded there: 0",
      .when = {"in_valid", "in_ready"},
      .note = product};
  lay_out_frame(p, in);
  all.push_back(std::move(in));
  if (!p.embedded())
    all.push_back({.port = "w_data",
                   .formats = {p.weights.format()},
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
  all.push_back(
      {.port = "out_data",
       .formats = period(formats_of_beat(p)),
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
       .note = product});
  return all;
}

}  // namespace kumiki::gen::matrix

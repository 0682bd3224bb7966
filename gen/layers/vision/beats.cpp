// SPDX-License-Identifier: Apache-2.0
// Describes the beats on the video streams, element by element.
#include <algorithm>

#include "gen/layers/vision/ports.h"
#include "gen/layers/vision/report.h"

namespace kumiki::gen::vision {
namespace {

// A video stream whose frames are those of the input, halved `halved` times in width and height.
Beat video(const Pipeline& p, const std::vector<Format>& channels, int halved, const char* prefix) {
  const std::int64_t part = std::int64_t{1} << halved, pixels = p.geometry.pixels;
  const auto of = [&](std::int64_t size) { return (size + part - 1) / part; };
  const std::int64_t width = of(p.geometry.max_width), height = of(p.geometry.max_height);
  std::vector<arith::Format> formats;
  for (const Format& f : channels) formats.push_back(f.format());
  const auto count = static_cast<std::int64_t>(channels.size());
  const std::string stream = prefix;
  return {.port = stream + "tdata",
          .formats = period(std::move(formats)),
          .elements = {{"p", pixels}, {"channel", count}},
          .words = {{.name = "y", .count = height, .given = {"height", part}},
                    {.name = "beat",
                     .count = (width + pixels - 1) / pixels,
                     .given = {"width", part * pixels}}},
          .of = {{"y", height, {{"y"}}, {"height", part}},
                 {"x", width, {{"beat", pixels}, {"p"}}, {"width", part}},
                 {"channel", count, {{"channel"}}}},
          .what = "pixel",
          .padding = "past the end of a line: means nothing",
          .when = {stream + "tvalid", stream + "tready"},
          .note = "tuser in the first word of a frame, tlast in the last one of a line"};
}

Beat number(const char* port, std::uint32_t width) {
  return {.port = port, .formats = {{static_cast<int>(width), false}}, .what = port};
}

}  // namespace

std::vector<Beat> beats(const Pipeline& p) {
  const auto in = input_shape(p);
  const auto halved =
      std::count_if(p.groups.begin(), p.groups.end(), [](auto& g) { return g.halves; });
  std::vector<Beat> all{number("width", in.width.width()), number("height", in.height.width())};
  for (Beat& b : all) b.note = "of the frame that begins, in pixels";
  all.push_back(video(p, p.inputs, 0, "s_axis_"));
  if (p.coefficients() > 0)
    all.push_back({.port = "coefficient_data",
                   .formats = {{p.coefficient_bits(), true}},
                   .words = {{"k", p.coefficients()}},
                   .of = {{"k", p.coefficients(), {{"k"}}}},
                   .what = "coefficient",
                   .when = {"coefficient_valid"},
                   .note =
                       "stage by stage, kernel by kernel, row by row from the top; a frame that "
                       "begins takes a whole set over"});
  all.push_back(video(p, p.outputs, static_cast<int>(halved), "m_axis_"));
  all.push_back({.port = "status",
                 .formats = {{1, false}},
                 .elements = {{"i", status_bits}},
                 .of = {{"i", status_bits, {{"i"}}}},
                 .what = "flag",
                 .note =
                     "0 short line, 1 long line, 2 short frame, 3 words thrown away, 4 bad size; "
                     "until clear_status"});
  return all;
}

}  // namespace kumiki::gen::vision

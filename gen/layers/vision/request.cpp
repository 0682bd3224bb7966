// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gen/config/messages.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/vision/stages.h"
#include "ir/arch.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

using config::field;

const config::TableOf<StageRequest>& stage_table();

// Reports keys of the stage's kind that would have no effect.
void check_use(const StageRequest& r, config::Violations& all) {
  const auto useless = [&](bool given, const char* key, const char* message, const char* required) {
    if (given) all.push_back({code::key_without_use, key, message, required});
  };
  useless(r.coefficient_bits && !r.loadable.value_or(false), "coefficient_bits",
          "is given, but the coefficients are not loadable",
          "set \"loadable\" to true, or remove it");
  useless(r.is_signed && !r.bits, "signed", "is given, but the width of the result is not",
          "give \"bits\" as well, or remove it");
  useless(r.value && r.low && r.high, "value", "is given beside \"low\" and \"high\"",
          "give one or the other");
  useless(r.low && !r.high, "low", "is given without \"high\"", "give both, or \"value\" instead");
  useless(r.high && !r.low, "high", "is given without \"low\"", "give both, or \"value\" instead");
  const bool has_window = r.by != Halving::nearest;
  useless(r.border && !has_window, "border", "is given, but the nearest pixel has no window",
          "use it with \"mean\" or \"gaussian\", or remove it");
  useless(r.outside && !has_window, "border_value", "is given, but the nearest pixel has no window",
          "use it with \"mean\" or \"gaussian\", or remove it");
}

config::Violations check_stage(const StageRequest& r) {
  const auto& legal = stage_keys(r.kernel);
  config::Violations all;
  for (const std::string& key : given_keys(r))
    if (std::find(legal.begin(), legal.end(), key) == legal.end())
      all.push_back(
          {code::key_of_other_kind, key,
           fmt::format("is not allowed on a {} stage", stage_name(r.kernel)),
           legal.empty() ? "remove it" : fmt::format("its keys are {}", fmt::join(legal, ", "))});
  if (all.empty()) check_use(r, all);
  return all;
}

// Only a constant border has an outside value.
void check_borders(const Request& r, config::Violations& all) {
  bool is_used = false;
  for (std::size_t i = 0; i < r.stages.size(); ++i) {
    const StageRequest& s = r.stages[i];
    const bool is_constant = s.border.value_or(r.border) == Border::constant;
    is_used = is_used || (is_constant && !s.outside);
    if (s.outside && !is_constant)
      all.push_back({code::key_without_use, fmt::format("stages/{}/border_value", i),
                     "is given, but the border is not constant",
                     "set \"border\" to \"constant\", or remove it"});
  }
  if (r.outside != Request{}.outside && !is_used)
    all.push_back({code::key_without_use, "border_value",
                   "is given, but no stage with a constant border takes it",
                   "set \"border\" to \"constant\", or remove it"});
}

config::Violations check_pipeline(const Request& r) {
  config::Violations all;
  if (r.pixels == 3)
    all.push_back({code::not_a_power_of_two, "pixels", "is not a number of pixels a beat",
                   "must be 1, 2 or 4"});
  check_borders(r, all);
  return all;
}

const config::TableOf<StageRequest>& stage_table() {
  using R = StageRequest;
  const auto kind = "that of the kind of stage";
  static const config::TableOf<R> table{
      "stage",
      "One filter of a pipeline.",
      {field("kernel", &R::kernel).required().choices(stage_choices()).help("what it does"),
       field("size", &R::size).range(3, 11).absent("3").help("rows and columns of the window, odd"),
       field("border", &R::border)
           .choices(border_choices())
           .absent("that of the pipeline")
           .help("what a window sees past the edge"),
       field("border_value", &R::outside)
           .range(-32768, 65535)
           .absent("that of the pipeline")
           .help("with a constant border"),
       field("keep", &R::keep)
           .absent("false")
           .help("the pixel in the middle goes on behind the results"),
       field("coefficients", &R::coefficients)
           .rows(1, 16)
           .columns(9, 121)
           .range(-131072, 131071)
           .or_file()
           .absent("there are none")
           .help("a list a result: rows from the top, each from the left"),
       field("loadable", &R::loadable)
           .absent("false")
           .help("coefficients come through a port; those given are what they are at first"),
       field("coefficient_bits", &R::coefficient_bits)
           .range(2, ir::arch::dsp48e2.multiplier_b)
           .absent("8")
           .help("of loadable ones, signed"),
       field("passes", &R::passes)
           .choices({{"fewest-slices", Passes::fewest_slices, "one, or two where that is smaller"},
                     {"one", Passes::one, "the whole window at once"},
                     {"two", Passes::two, "columns, then rows"}})
           .absent("fewest-slices")
           .help("how a kernel that is a column times a row is computed"),
       field("rank", &R::rank)
           .range(0, 120)
           .absent("the middle one")
           .help("of the window's pixels, 0 is the smallest"),
       field("by", &R::by)
           .choices({{"mean", Halving::mean, "of a pixel, the next one and those below"},
                     {"gaussian", Halving::gaussian, "a step of a pyramid: gaussian 5 x 5 first"},
                     {"nearest", Halving::nearest, "of four pixels the upper left one"}})
           .absent("mean")
           .help("what a pixel of the smaller picture is"),
       field("divide", &R::divide)
           .range(1, 65536)
           .absent("the sum of a smoothing kernel, else 1")
           .help("the result by this"),
       field("round", &R::rounding)
           .choices({{"down", Rounding::down, "towards minus infinity"},
                     {"half-up", Rounding::half_up, "to the nearest, halves up"},
                     {"half-even", Rounding::half_even, "to the nearest, halves to the even one"}})
           .absent("half-up")
           .help("what is divided or shifted"),
       field("absolute", &R::absolute)
           .absent("false")
           .help("the sum's size without its sign, before it is divided and rounded"),
       field("bits", &R::bits).range(1, 32).absent(kind).help("of the result"),
       field("signed", &R::is_signed).absent("false").help("sign of a result with `bits`"),
       field("overflow", &R::overflow)
           .choices({{"exact", Overflow::exact, "as wide as it has to be"},
                     {"saturate", Overflow::saturate, "the nearest value that fits"},
                     {"wrap", Overflow::wrap, "the low bits"}})
           .absent("exact, or saturate with `bits`")
           .help("what does not fit"),
       field("constant", &R::constant)
           .range(-65536, 65535)
           .absent("the second half of the channels")
           .help("second operand of every pixel"),
       field("value", &R::value).range(-65536, 65535).absent("127").help("more than this is true"),
       field("low", &R::low).range(-65536, 65535).absent("`value` decides").help("with `high`"),
       field("high", &R::high)
           .range(-65536, 65535)
           .absent("`value` decides")
           .help("low to high is true"),
       field("true_value", &R::true_value).range(0, 65535).absent("255").help("of the result"),
       field("false_value", &R::false_value).range(0, 65535).absent("0").help("of the result"),
       field("multiply", &R::multiply).range(-65536, 65535).absent("1").help("every pixel by this"),
       field("shift", &R::shift)
           .range(0, 30)
           .absent("0, of accumulate-weighted 4")
           .help("divided by 2^shift"),
       field("offset", &R::offset).range(-65536, 65535).absent("0").help("added after the shift"),
       field("alpha", &R::alpha).range(0, 65536).absent("1").help("weight of the new image"),
       field("norm", &R::norm)
           .choices({{"l1", Norm::l1, "|x| + |y|, at most 41 % above OpenVX's"},
                     {"max", Norm::max, "the larger of them, at most 30 % below OpenVX's"},
                     {"l2", Norm::l2, "sqrt(x^2 + y^2) to the nearest integer, as OpenVX has it"}})
           .absent("l1")
           .help("of the magnitude"),
       field("channels", &R::channels)
           .range(0, 15)
           .length(1, 16)
           .absent("0")
           .help("which go on, in this order"),
       field("style", &R::style)
           .choices({{"automatic", Style::automatic, "slices for sorting, LUTs for single pixels"},
                     {"slices", Style::slices, "SIMD slices compare and add"},
                     {"luts", Style::luts, "no slice"}})
           .absent("automatic")
           .help("where sorting and pixel arithmetic happen")},
      {check_stage}};
  return table;
}

}  // namespace

const config::Table& request_table() {
  using R = Request;
  static const config::TableOf<R> table{
      "vision",
      "A pipeline of image filters, AXI4-Stream video in and out.",
      {field("width", &R::width).required().range(1, 8192).help("the longest line, in pixels"),
       field("height", &R::height).required().range(1, 8192).help("the most lines of a frame"),
       field("pixels", &R::pixels).range(1, 4).help("of a beat: 1, 2 or 4"),
       field("channels", &R::channels).range(1, 8).help("of a pixel"),
       field("bits", &R::bits).range(1, 16).unit("bits").help("of a channel"),
       field("signed", &R::is_signed).help("two's complement channels"),
       field("border", &R::border).choices(border_choices()).help("what windows see past the edge"),
       field("border_value", &R::outside).range(-32768, 65535).help("with a constant border"),
       field("stages", &R::stages)
           .required()
           .length(1, 64)
           .object(stage_table())
           .help("the filters, one behind the other")},
      {check_pipeline}};
  return table;
}

std::vector<std::string> given_keys(const StageRequest& request) {
  auto keys = stage_table().present(&request);
  std::erase(keys, "kernel");
  return keys;
}

}  // namespace kumiki::gen::vision

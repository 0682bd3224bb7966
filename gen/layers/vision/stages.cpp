// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gen/hdl/messages.h"
#include "gen/layers/vision/divide.h"
#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/partial.h"
#include "gen/layers/vision/pixel/make.h"
#include "gen/layers/vision/rank.h"

namespace kumiki::gen::vision {
namespace {

using Kind = StageKind;
using Keys = std::vector<std::string>;

struct Entry {
  Kind kind;
  std::string name, help;
  Keys keys;
  std::optional<Preset> preset = {};  // for stages that convolve
};

Keys joined(Keys first, const Keys& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

const std::vector<Entry>& entries() {
  static const Keys window{"size", "border", "border_value", "keep"},
      sorted = joined(window, {"style"}),
      filter = joined(window, {"passes", "divide", "round", "absolute", "bits", "signed"}),
      binary{"constant", "bits", "signed", "overflow", "style"}, bare{"constant", "style"};
  static const std::vector<Entry> all{
      {Kind::convolve, "convolve", "with coefficients of one's own",
       joined(filter, {"coefficients", "loadable", "coefficient_bits"}), Preset::convolve},
      {Kind::box, "box", "the mean of the window", filter, Preset::box},
      {Kind::gaussian, "gaussian",
       "binomial weights for 3 and 5; for 7 rows and columns 1 2 3 4 3 2 1", filter,
       Preset::gaussian},
      {Kind::sharpen, "sharpen", "5 in the middle, -1 around", filter, Preset::sharpen},
      {Kind::emboss, "emboss", "light from the upper left", filter, Preset::emboss},
      {Kind::laplacian, "laplacian", "the second derivative", filter, Preset::laplacian},
      {Kind::sobel_x, "sobel-x", "derivative along the line", filter, Preset::sobel_x},
      {Kind::sobel_y, "sobel-y", "derivative down the lines", filter, Preset::sobel_y},
      {Kind::sobel, "sobel", "both derivatives: two images", filter, Preset::sobel},
      {Kind::scharr_x, "scharr-x", "derivative along the line, 3 10 3", filter, Preset::scharr_x},
      {Kind::scharr_y, "scharr-y", "derivative down the lines", filter, Preset::scharr_y},
      {Kind::scharr, "scharr", "both derivatives: two images", filter, Preset::scharr},
      {Kind::median, "median", "the middle one of the window", sorted},
      {Kind::erode, "erode", "the smallest", sorted},
      {Kind::dilate, "dilate", "the largest", sorted},
      {Kind::rank, "rank", "any other place in the order", joined(sorted, {"rank"})},
      {Kind::half,
       "half",
       "half as wide and half as high, rounded up",
       {"by", "border", "border_value"}},
      {Kind::add, "add", "the sum of two images, or of one and a constant", binary},
      {Kind::subtract, "subtract", "the first image less the second, or a constant", binary},
      {Kind::abs_diff, "abs-diff", "the distance of two images", bare},
      {Kind::minimum, "minimum", "the smaller of two images", bare},
      {Kind::maximum, "maximum", "the larger of two images", bare},
      {Kind::and_, "and", "bit by bit", bare},
      {Kind::or_, "or", "bit by bit", bare},
      {Kind::xor_, "xor", "bit by bit", bare},
      {Kind::not_, "not", "bit by bit", {"style"}},
      {Kind::accumulate,
       "accumulate",
       "added to the second image, which keeps its format",
       {"style"}},
      {Kind::accumulate_weighted,
       "accumulate-weighted",
       "alpha of the first image and 2^shift - alpha of the second",
       {"alpha", "shift", "style"}},
      {Kind::threshold,
       "threshold",
       "one of two values",
       {"value", "low", "high", "true_value", "false_value", "style"}},
      {Kind::abs, "abs", "the size without the sign", {"style"}},
      {Kind::magnitude,
       "magnitude",
       "of two derivatives",
       {"norm", "bits", "signed", "overflow", "style"}},
      {Kind::scale,
       "scale",
       "multiplied, shifted, moved",
       {"multiply", "shift", "offset", "round", "bits", "signed", "style"}},
      {Kind::channels, "channels", "some of the channels, in any order", {"channels"}},
  };
  return all;
}

const Entry& entry_of(Kind kind) {
  return *std::find_if(entries().begin(), entries().end(),
                       [&](const Entry& e) { return e.kind == kind; });
}

DesignError refused(Code code, const char* key, std::string wrong, std::string required) {
  return DesignError(Diagnostic{code, key, std::move(wrong), std::move(required)});
}

int window_size(const StageRequest& r) {
  const auto n = r.size.value_or(3);
  if (n % 2 == 0)
    throw refused(code::no_middle, "size", fmt::format("a window of size {} has no middle", n),
                  "the size must be odd");
  return static_cast<int>(n);
}

// Plans one stage of a pipeline.
struct Maker {
  const StageRequest& r;
  const Request& all;
  const std::vector<Format>& channels;
  const packing::Limits& limits;

  int size() const { return window_size(r); }
  Style style() const { return r.style.value_or(Style::automatic); }
  Fit fit() const {
    const int bits = static_cast<int>(r.bits.value_or(0));
    return {r.overflow.value_or(bits > 0 ? Overflow::saturate : Overflow::exact), bits,
            r.is_signed.value_or(false)};
  }
  int lanes() const { return static_cast<int>(all.pixels) * static_cast<int>(channels.size()); }

  // The common format of all channels; a window requires one.
  const Format& pixel() const {
    for (const Format& f : channels)
      if (f.format() != channels.front().format())
        throw refused(code::formats_differ, "kernel",
                      fmt::format("the channels have the formats {} and {}",
                                  packing::to_string(channels.front()), packing::to_string(f)),
                      "a window needs channels of one format");
    return channels.front();
  }

  Window window(std::unique_ptr<WindowOperation> operation) const {
    Window w{.operation = std::move(operation),
             .border = r.border.value_or(all.border),
             .outside = r.outside.value_or(all.outside),
             .keep = r.keep.value_or(false)};
    const auto legal = w.operation->input().interval();
    if (w.border == Border::constant && !legal.contains(w.outside))
      throw refused(code::out_of_range, r.outside ? "border_value" : "kernel",
                    fmt::format("a border of {} is outside the pixels' {}", w.outside,
                                packing::to_string(legal)),
                    fmt::format("give a \"border_value\" in {}", packing::to_string(legal)));
    return w;
  }

  StagePlan sorting(int rank) const {
    const int n = size();
    if (rank >= n * n)
      throw refused(code::out_of_range, "rank",
                    fmt::format("rank {} is beyond the {} pixels of the window", rank, n * n),
                    fmt::format("it must be 0 to {}", n * n - 1));
    return {
        window(make_rank({.name = entry_of(r.kernel).name,
                          .size = n,
                          .rank = rank,
                          .input = plain(pixel()),
                          .pixels = static_cast<int>(all.pixels),
                          .channels = static_cast<int>(channels.size()),
                          .form = style() == Style::luts ? sort::Form::luts : sort::Form::slices})),
        {}};
  }

  // Bits and sign only: a sorter or a picture's memory needs no more.
  static Format plain(const Format& f) { return {.bits = f.bits, .is_signed = f.is_signed}; }

  StagePlan convolution() const {
    const auto k = stage_kernels(r);
    Format in = pixel();
    ConvolutionRequest c{.name = entry_of(r.kernel).name,
                         .kernels = k.kernels,
                         .input = in,
                         .lanes = lanes(),
                         .passes = r.passes.value_or(Passes::fewest_slices),
                         .loadable = r.loadable.value_or(false),
                         .coefficient_bits = static_cast<int>(r.coefficient_bits.value_or(8)),
                         .limits = limits};
    std::replace(c.name.begin(), c.name.end(), '-', '_');
    check_coefficients(c);
    StagePlan plan{window(make_convolution(c)), {}};
    // Converts results to pixels again; pixels that the window kept stay unchanged.
    auto formats = results_of(*plan.window);
    const auto count = formats.size() - (plan.window->keep ? channels.size() : 0);
    const auto add = [&](const PixelRequest& request) {
      plan.after.push_back(on_first(request, formats, count));
      formats = plan.after.back()->outputs();
    };
    if (r.absolute.value_or(false)) add(Abs{});
    const auto divisor = r.divide.value_or(k.divisor);
    const int bits = static_cast<int>(r.bits.value_or(gives_pixels(r.kernel) ? in.bits : 0));
    const bool is_signed = r.bits ? r.is_signed.value_or(false) : in.is_signed;
    if (divisor > 1 || bits > 0) {
      Scale scale = divided_by(divisor, formats.front());
      scale.bits = bits;
      scale.is_signed = is_signed;
      add(scale);
    }
    return plan;
  }

  // With an even divisor, no multiplication can detect the halves that must go to the even number.
  Scale divided_by(std::int64_t divisor, const Format& sum) const {
    const Rounding rounding = r.rounding.value_or(Rounding::half_up);
    try {
      return division(divisor, rounding, sum);
    } catch (const DesignError& e) {
      if (rounding == Rounding::half_even && divisor % 2 == 0)
        throw refused(e.code(), "round", e.diagnostic().wrong,
                      "use half-up or down, or half-even with an odd divisor or a power of two");
      throw refused(e.code(), r.divide ? "divide" : "kernel", e.diagnostic().wrong,
                    "set \"divide\" to a power of two");
    }
  }

  void check_coefficients(const ConvolutionRequest& c) const {
    const std::int64_t high = (std::int64_t{1} << (c.coefficient_bits - 1)) - 1;
    for (const Kernel& kernel : c.kernels)
      for (const auto v : kernel.coefficients)
        if (c.loadable && (v > high || v < -high - 1))
          throw refused(
              code::value_does_not_fit, r.coefficients ? "coefficients" : "kernel",
              fmt::format("a coefficient of {} does not fit {} bits", v, c.coefficient_bits),
              fmt::format("it must be {} to {}; or raise \"coefficient_bits\"", -high - 1, high));
  }

  std::vector<Format> results_of(const Window& w) const {
    return Group{.inputs = channels, .window = w}.window_outputs();
  }

  PixelRequest pixel_request() const {
    const auto gate = [&](Gate g) { return Bitwise{g, r.constant, style()}; };
    switch (r.kernel) {
      case Kind::add:
        return Add{fit(), r.constant, style()};
      case Kind::subtract:
        return Subtract{fit(), r.constant, style()};
      case Kind::abs_diff:
        return AbsDiff{r.constant, style()};
      case Kind::minimum:
        return Extreme{End::minimum, r.constant, style()};
      case Kind::maximum:
        return Extreme{End::maximum, r.constant, style()};
      case Kind::and_:
        return gate(Gate::and_);
      case Kind::or_:
        return gate(Gate::or_);
      case Kind::xor_:
        return gate(Gate::xor_);
      case Kind::not_:
        return gate(Gate::not_);
      case Kind::accumulate:
        return Accumulate{style()};
      case Kind::accumulate_weighted:
        return AccumulateWeighted{static_cast<int>(r.alpha.value_or(1)),
                                  static_cast<int>(r.shift.value_or(4)), style()};
      case Kind::threshold:
        return Threshold{r.value.value_or(127),     r.low,  r.high, r.true_value.value_or(255),
                         r.false_value.value_or(0), style()};
      case Kind::abs:
        return Abs{style()};
      case Kind::magnitude:
        return Magnitude{r.norm.value_or(Norm::l1), fit(), style()};
      case Kind::scale:
        return Scale{.multiplier = r.multiply.value_or(1),
                     .shift = static_cast<int>(r.shift.value_or(0)),
                     .offset = r.offset.value_or(0),
                     .rounding = r.rounding.value_or(Rounding::half_up),
                     .bits = static_cast<int>(r.bits.value_or(0)),
                     .is_signed = r.is_signed.value_or(false),
                     .style = style()};
      default: {
        ChannelSelect select;
        if (r.channels) select.channels.assign(r.channels->begin(), r.channels->end());
        return select;
      }
    }
  }

  // Smooths, then passes every second pixel of every second line.
  StagePlan halving() const {
    const auto by = r.by.value_or(Halving::mean);
    if (by == Halving::nearest) return {.halves = true};
    StageRequest smooth = r;
    smooth.by.reset();
    smooth.kernel = by == Halving::gaussian ? Kind::gaussian : Kind::convolve;
    if (by == Halving::gaussian) {
      smooth.size = 5;
    } else {
      smooth.coefficients = {{0, 0, 0, 0, 1, 1, 0, 1, 1}};
      smooth.divide = 4;
      smooth.bits = channels.front().bits;
      smooth.is_signed = channels.front().is_signed;
    }
    StagePlan plan = Maker{smooth, all, channels, limits}.convolution();
    plan.halves = true;
    return plan;
  }

  StagePlan make() const {
    const int last = size() * size() - 1;
    switch (r.kernel) {
      case Kind::median:
        return sorting(last / 2);
      case Kind::erode:
        return sorting(0);
      case Kind::dilate:
        return sorting(last);
      case Kind::rank:
        return sorting(static_cast<int>(r.rank.value_or(last / 2)));
      case Kind::half:
        return halving();
      default:
        break;
    }
    if (entry_of(r.kernel).preset) return convolution();
    StagePlan plan;
    plan.after.push_back(make_operation(pixel_request(), channels));
    return plan;
  }
};

}  // namespace

std::optional<Preset> stage_preset(StageKind kind) { return entry_of(kind).preset; }

PresetKernels stage_kernels(const StageRequest& r) {
  const Preset preset = stage_preset(r.kernel).value();
  const int size = window_size(r);
  if (preset != Preset::convolve) return preset_kernels(preset, size);
  if (!r.coefficients)
    throw refused(code::no_coefficients, "coefficients", "\"convolve\" needs coefficients",
                  "give \"coefficients\" with a list of numbers for every result");
  PresetKernels k;
  const auto n = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  for (const auto& row : *r.coefficients) {
    if (row.size() != n)
      throw refused(code::wrong_count, "coefficients",
                    fmt::format("the kernel has {} coefficients for a window of {} x {}",
                                row.size(), size, size),
                    fmt::format("it must have {}", n));
    k.kernels.push_back({size, row});
  }
  return k;
}

bool gives_pixels(StageKind kind) {
  return kind == Kind::box || kind == Kind::gaussian || kind == Kind::sharpen ||
         kind == Kind::emboss;
}

std::vector<config::Choice<StageKind>> stage_choices() {
  std::vector<config::Choice<StageKind>> all;
  for (const Entry& e : entries()) all.push_back({e.name, e.kind, e.help});
  return all;
}

std::vector<config::Choice<Border>> border_choices() {
  return {{"replicate", Border::replicate, "the pixel at the edge"},
          {"reflect", Border::reflect, "the picture mirrored at the pixel at the edge"},
          {"constant", Border::constant, "`border_value`"}};
}

std::string stage_name(StageKind kind) { return entry_of(kind).name; }

const std::vector<std::string>& stage_keys(StageKind kind) { return entry_of(kind).keys; }

StagePlan plan_stage(const StageRequest& stage, const Request& all,
                     const std::vector<Format>& channels, const packing::Limits& limits) {
  return Maker{stage, all, channels, limits}.make();
}

}  // namespace kumiki::gen::vision

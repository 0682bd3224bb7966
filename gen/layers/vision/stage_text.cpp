// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/stage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gen/layer/reference.h"
#include "gen/layers/vision/presets.h"
#include "gen/layers/vision/stages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

using proof::constant;
using Kind = StageKind;

int bits_of(std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value < 0 ? -value : value)));
}

bool loads(const StageRequest& r) { return r.loadable.value_or(false); }
std::int64_t coefficient_bits(const StageRequest& r) { return r.coefficient_bits.value_or(8); }

int window_sum_bits(const StageRequest& r, const Format& pixel) {
  int most = 0;
  for (const Kernel& k : stage_kernels(r).kernels) {
    std::int64_t sum = 0;
    for (const auto c : k.coefficients)
      sum += loads(r) ? std::int64_t{1} << (coefficient_bits(r) - 1) : std::abs(c);
    most = std::max(most, bits_of(sum));
  }
  return pixel.bits + most + 1;
}

class StageText {
 public:
  StageText(const StageRequest& stage, const std::vector<std::vector<Channel>>& window,
            const std::vector<Format>& formats, std::string& body)
      : r_(stage), window_(window), formats_(formats), body_(body) {}

  std::vector<Channel> make() {
    if (const auto rank = place_in_order()) {
      sorted(*rank);
    } else if (stage_preset(r_.kernel)) {
      convolved();
    } else {
      pixel_by_pixel();
      return named();
    }
    if (r_.keep.value_or(false))
      for (const auto& w : window_) values_.push_back(w[w.size() / 2].name);
    return named();
  }

 private:
  // A wire that holds the text.
  std::string wire(const std::string& text) {
    // Named by the position in the text, so that no two stages share one.
    const auto name = fmt::format("v{}", body_.size());
    body_ += fmt::format("  wire signed [WIDE-1:0] {} = {};\n", name, text);
    return name;
  }
  std::vector<Channel> named() const {
    std::vector<Channel> all;
    for (std::size_t c = 0; c < values_.size(); ++c) all.push_back({values_[c], formats_[c]});
    return all;
  }
  // Width of a sum of the window's pixels times coefficients.
  int sum_bits() const { return window_sum_bits(r_, window_.front().front().format); }
  std::int64_t side() const { return r_.size.value_or(3); }

  std::optional<std::int64_t> place_in_order() const {
    const auto last = side() * side() - 1;
    switch (r_.kernel) {
      case Kind::erode:
        return 0;
      case Kind::dilate:
        return last;
      case Kind::median:
        return last / 2;
      case Kind::rank:
        return r_.rank.value_or(last / 2);
      default:
        return std::nullopt;
    }
  }

  // The value with exactly `rank` others before it: lower values, and equal ones that come earlier.
  void sorted(std::int64_t rank) {
    for (const auto& w : window_) {
      std::string chosen;
      const bool least = rank == 0, most = rank == side() * side() - 1;
      if (least || most) {
        chosen = w.front().name;
        for (const Channel& c : w)
          chosen = wire(fmt::format("{0} {2} {1} ? {0} : {1}", c.name, chosen, least ? "<" : ">"));
        values_.push_back(chosen);
        continue;
      }
      for (std::size_t i = 0; i < w.size(); ++i) {
        std::string before = "7'd0";
        for (std::size_t k = 0; k < w.size(); ++k)
          if (k != i)
            before += fmt::format(" + ({} {} {})", w[k].name, k < i ? "<=" : "<", w[i].name);
        chosen += fmt::format("{}({} == {} ? {} : 1'sd0)", i ? " | " : "", before, rank, w[i].name);
      }
      values_.push_back(wire(chosen));
    }
  }

  void convolved() {
    const PresetKernels k = stage_kernels(r_);
    const Format& in = window_.front().front().format;
    const int bits = static_cast<int>(r_.bits.value_or(gives_pixels(r_.kernel) ? in.bits : 0));
    const bool is_signed = r_.bits ? r_.is_signed.value_or(false) : in.is_signed;
    for (std::size_t n = 0; n < k.kernels.size(); ++n)
      for (const auto& w : window_) {
        std::string sum = "1'sd0";
        for (std::size_t i = 0; i < w.size(); ++i)
          if (loads(r_))
            sum += fmt::format(" + {} * {}", loaded(n * w.size() + i), w[i].name);
          else if (k.kernels[n].coefficients[i] != 0)
            sum += fmt::format(" + {} * {}", constant(k.kernels[n].coefficients[i]), w[i].name);
        std::string value = wire(sum);
        if (r_.absolute.value_or(false)) value = absolute(value);
        value =
            divided(value, r_.divide.value_or(k.divisor), r_.rounding.value_or(Rounding::half_up));
        values_.push_back(bits > 0 ? saturated(value, bits, is_signed) : value);
      }
  }

  std::string loaded(std::size_t which) const {
    const auto bits = static_cast<std::size_t>(coefficient_bits(r_));
    return proof::number(fmt::format("coefficients[{} +: {}]", which * bits, bits), true);
  }

  std::string absolute(const std::string& x) {
    return wire(fmt::format("{0} < 0 ? -{0} : {0}", x));
  }

  // The quotient rounded down, the remainder, and the rounding to one of the two neighbours.
  std::string divided(const std::string& x, std::int64_t divisor, Rounding rounding) {
    if (divisor <= 1) return x;
    if ((divisor & (divisor - 1)) == 0)
      return shifted(x, std::countr_zero(static_cast<std::uint64_t>(divisor)), rounding);
    // Verilog's division rounds towards 0, so a multiple of the divisor first makes x positive.
    const std::int64_t lift = std::int64_t{1} << sum_bits();
    const auto raised = wire(fmt::format("{} + {}", x, constant(divisor * lift)));
    const auto name = wire(fmt::format("{} % {}", raised, constant(divisor)));
    const auto whole =
        wire(fmt::format("({} - {}) / {} - {}", raised, name, constant(divisor), constant(lift)));
    return rounded(whole, name, divisor, rounding);
  }
  std::string shifted(const std::string& x, std::int64_t shift, Rounding rounding) {
    if (shift == 0) return x;
    const auto whole = wire(fmt::format("{} >>> {}", x, shift));
    const auto rest = wire(fmt::format("{} - ({} <<< {})", x, whole, shift));
    return rounded(whole, rest, std::int64_t{1} << shift, rounding);
  }
  std::string rounded(const std::string& whole, const std::string& rest, std::int64_t divisor,
                      Rounding rounding) {
    if (rounding == Rounding::down) return whole;
    const auto twice = fmt::format("({} <<< 1)", rest);
    const auto tie = rounding == Rounding::half_up ? "1'b1" : fmt::format("{}[0]", whole);
    return wire(fmt::format("({1} > {2} || ({1} == {2} && {3})) ? {0} + 2'sd1 : {0}", whole, twice,
                            constant(divisor), tie));
  }

  // The integer nearest to the root: the largest t with t (t - 1) < v, bit by bit.
  std::string root(const std::string& v, int highest_bit) {
    std::string t = wire("1'sd0");
    for (int bit = highest_bit; bit >= 0; --bit) {
      const auto more = wire(fmt::format("{} + {}", t, constant(std::int64_t{1} << bit)));
      t = wire(fmt::format("{0} * ({0} - 2'sd1) < {1} ? {0} : {2}", more, v, t));
    }
    return t;
  }

  std::string saturated(const std::string& x, std::int64_t bits, bool is_signed) {
    const auto high = (std::int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
    const auto low = is_signed ? -high - 1 : 0;
    return wire(
        fmt::format("{0} < {1} ? {1} : {0} > {2} ? {2} : {0}", x, constant(low), constant(high)));
  }
  // The lowest bits, interpreted in the format.
  std::string cut(const std::string& x, const Format& format) {
    return wire(proof::number(fmt::format("{}[{}:0]", x, format.bits - 1), format.is_signed));
  }
  std::string fitted(const std::string& exact, const Format& first, const Format& result) {
    const auto bits = r_.bits.value_or(0);
    const auto overflow = r_.overflow.value_or(bits > 0 ? Overflow::saturate : Overflow::exact);
    if (overflow == Overflow::exact) return exact;
    if (overflow == Overflow::wrap) return cut(exact, result);
    return saturated(exact, bits ? bits : first.bits,
                     bits ? r_.is_signed.value_or(false) : first.is_signed);
  }

  bool is_unary() const {
    return r_.kernel == Kind::not_ || r_.kernel == Kind::threshold || r_.kernel == Kind::abs ||
           r_.kernel == Kind::scale;
  }

  void pixel_by_pixel() {
    std::vector<Channel> in;
    for (const auto& w : window_) in.push_back(w.front());
    if (r_.kernel == Kind::channels) {
      for (const auto c : r_.channels.value_or(std::vector<std::int64_t>{0}))
        values_.push_back(in[static_cast<std::size_t>(c)].name);
      return;
    }
    const std::size_t images = is_unary() || r_.constant ? 1 : 2, channels = in.size() / images;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::string second = is_unary()    ? std::string()
                                 : r_.constant ? constant(*r_.constant)
                                               : in[c + channels].name;
      values_.push_back(operated(
          in[c], second, images == 2 ? in[c + channels].format : in[c].format, formats_[c]));
    }
  }

  std::string operated(const Channel& first, const std::string& b, const Format& second,
                       const Format& result) {
    const std::string& a = first.name;
    const auto gate = [&](const char* sign) {
      return cut(wire(fmt::format("{} {} {}", a, sign, b)), result);
    };
    const auto choice = [&](const char* sign) {
      return wire(fmt::format("{0} {2} {1} ? {0} : {1}", a, b, sign));
    };
    switch (r_.kernel) {
      case Kind::add:
        return fitted(wire(fmt::format("{} + {}", a, b)), first.format, result);
      case Kind::subtract:
        return fitted(wire(fmt::format("{} - {}", a, b)), first.format, result);
      case Kind::abs_diff:
        return absolute(wire(fmt::format("{} - {}", a, b)));
      case Kind::minimum:
        return choice("<");
      case Kind::maximum:
        return choice(">");
      case Kind::and_:
        return gate("&");
      case Kind::or_:
        return gate("|");
      case Kind::xor_:
        return gate("^");
      case Kind::not_:
        return cut(wire("~" + a), result);
      case Kind::accumulate:
        return saturated(wire(fmt::format("{} + {}", a, b)), second.bits, second.is_signed);
      case Kind::accumulate_weighted: {
        const auto alpha = r_.alpha.value_or(1), shift = r_.shift.value_or(4);
        const auto sum = fmt::format("{} * {} + {} * {}", constant(alpha), a,
                                     constant((std::int64_t{1} << shift) - alpha), b);
        return shifted(wire(sum), shift, Rounding::half_up);
      }
      case Kind::threshold: {
        const std::string there =
            r_.low
                ? fmt::format("{0} >= {1} && {0} <= {2}", a, constant(*r_.low), constant(*r_.high))
                : fmt::format("{} > {}", a, constant(r_.value.value_or(127)));
        return wire(fmt::format("{} ? {} : {}", there, constant(r_.true_value.value_or(255)),
                                constant(r_.false_value.value_or(0))));
      }
      case Kind::abs:
        return absolute(a);
      case Kind::magnitude: {
        if (r_.norm == Norm::l2)
          return fitted(root(wire(fmt::format("{0} * {0} + {1} * {1}", a, b)),
                             std::max(first.format.bits, second.bits)),
                        first.format, result);
        const auto x = absolute(a), y = absolute(b);
        const bool sum = r_.norm.value_or(Norm::l1) == Norm::l1;
        return fitted(
            wire(sum ? fmt::format("{} + {}", x, y) : fmt::format("{0} > {1} ? {0} : {1}", x, y)),
            first.format, result);
      }
      default: {  // scale
        const auto shift = r_.shift.value_or(0);
        const auto quotient =
            shifted(wire(fmt::format("{} * {}", constant(r_.multiply.value_or(1)), a)), shift,
                    r_.rounding.value_or(Rounding::half_up));
        const auto value = wire(fmt::format("{} + {}", quotient, constant(r_.offset.value_or(0))));
        return r_.bits ? saturated(value, *r_.bits, r_.is_signed.value_or(false)) : value;
      }
    }
  }

  const StageRequest& r_;
  const std::vector<std::vector<Channel>>& window_;
  const std::vector<Format>& formats_;
  std::string& body_;
  std::vector<std::string> values_;
};

}  // namespace

// The mean of a pixel, its right neighbour and the two below, or the filter of a pyramid.
StageRequest smoothing(const StageRequest& half, const Format& pixel) {
  StageRequest r;
  if (half.by == Halving::gaussian) {
    r.kernel = Kind::gaussian;
    r.size = 5;
    return r;
  }
  r.kernel = Kind::convolve;
  r.coefficients = {{0, 0, 0, 0, 1, 1, 0, 1, 1}};
  r.divide = 4;
  r.bits = pixel.bits;
  r.is_signed = pixel.is_signed;
  return r;
}

int bits_wanted(const StageRequest& r, const std::vector<Format>& in) {
  int bits = 0;
  for (const Format& f : in) bits = std::max(bits, f.bits);
  if (stage_preset(r.kernel))
    bits =
        2 * window_sum_bits(r, in.front()) + bits_of(r.divide.value_or(stage_kernels(r).divisor));
  if (r.kernel == Kind::magnitude && r.norm == Norm::l2) bits = 2 * bits + 3;
  if (r.kernel == Kind::threshold) bits = std::max(bits, 8);  // default values fit 8 bits
  for (const auto& n : {r.constant, r.value, r.low, r.high, r.true_value, r.false_value})
    bits = std::max(bits, bits_of(n.value_or(0)));
  for (const auto& n : {r.multiply, r.offset, r.alpha}) bits += bits_of(n.value_or(0));
  const bool shifts = r.kernel == Kind::accumulate_weighted || r.kernel == Kind::scale;
  return bits + static_cast<int>(r.bits.value_or(0) + (shifts ? 2 * r.shift.value_or(4) : 0)) + 2;
}

std::vector<Channel> stage_text(const StageRequest& stage,
                                const std::vector<std::vector<Channel>>& window,
                                const std::vector<Format>& formats, std::string& body) {
  return StageText(stage, window, formats, body).make();
}

}  // namespace kumiki::gen::vision

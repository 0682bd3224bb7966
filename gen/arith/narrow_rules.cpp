// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/narrow_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/arith/bounds.h"
#include "gen/arith/peak.h"

namespace kumiki::gen::arith {
namespace {

// A float32 has 24 bits. Next to a half of 8 bits it is up to 2^-17 away; rules of most networks
// have 16 bits, others a neighbour of that.
constexpr int near_choices[] = {16, 17, 15, 18, 14};
constexpr int needed_low_bits = 4;  // at most
constexpr std::size_t most_shifts = 4, most_exceptions = 8;

// On a scale with 2^near_bits places between two results: from which place on a sum has a result.
std::int64_t place(std::int64_t result, int near_bits, std::int64_t zero_point) {
  const bool odd = ((result - zero_point) & 1) != 0, up = (zero_point & 1) != 0;
  return result * (std::int64_t{1} << near_bits) + (odd ? 1 : 0) - (up ? 1 : 0);
}

// The accumulators that have neither end of the range as the result, and one beyond on either side.
Interval middle_of(const Steps& steps, const Interval& range) {
  const auto last = steps.first + std::ssize(steps.begins);
  const auto one = [](std::int64_t at) { return Interval::point(at); };
  Interval all = one(0);
  if (steps.first > range.lo) all = hull(all, one(as_word(steps.reachable.lo)));
  if (last < range.hi) all = hull(all, one(as_word(steps.reachable.hi)));
  if (!steps.begins.empty())
    all = hull(hull(all, one(steps.begins.front() - 1)), one(steps.begins.back()));
  return all;
}

// What a channel asks: for each value of the low bits its steps, without exceptions, and the bounds
// of its offset.
struct Asked {
  struct Class {
    std::optional<Steps> steps;  // of the accumulators without their low bits
    Bounds bounds;
  };
  std::vector<Class> classes;
  int near_bits = 0;  // 0 without `even`
  std::vector<NarrowRules::Exception> exceptions = {};

  Interval offsets(const Class& of, Exact factor, int shift) const {
    return of.bounds.offsets(factor, shift - near_bits);
  }
  Exact room(Exact factor, int shift) const {
    Exact least = power_of_two(110);
    for (const Class& of : classes) least = std::min(least, offsets(of, factor, shift).span());
    return least;
  }
};

class Search {
 public:
  Search(const NarrowRequest& request, int low_bits) : r_(request), low_bits_(low_bits) {
    held_ = shifted(signed_range(r_.port_bits), low_bits);
    held_.hi += power_of_two(low_bits) - 1;
  }

  std::optional<NarrowRules> rules() {
    if (!decide() || !assign()) return std::nullopt;
    return chosen();
  }

 private:
  struct Chosen {
    Asked asked;
    int shift = 0;
  };

  Asked asked(std::size_t c, int near_bits) const {
    Asked all{.classes = {}, .near_bits = near_bits};
    for (std::int64_t low = 0; low < std::int64_t{1} << low_bits_; ++low) {
      all.classes.push_back({every(r_.channels[c].steps, low_bits_, low), {}});
      bound(all.classes.back(), near_bits);
    }
    return all;
  }
  void bound(Asked::Class& of, int near_bits) const {
    if (of.steps)
      of.bounds = bounds_of(*of.steps, r_.range, [&](std::int64_t q) {
        return near_bits == 0 ? q : place(q, near_bits, r_.zero_point);
      });
  }

  // Without the bound of the class with the least room that this factor meets last, from below
  // or from above. Its accumulator becomes an exception.
  Asked without_bound(std::size_t c, Asked all, Exact factor, int shift, bool from_below) const {
    const auto span = [&](const Asked::Class& of) { return all.offsets(of, factor, shift).span(); };
    Asked::Class& of = *std::ranges::min_element(all.classes, {}, span);
    const int unit = shift - all.near_bits;
    const auto wanted = [&](const Bounds::At& b) {
      return b.result * power_of_two(unit) - b.accumulator * factor;
    };
    const std::int64_t h = from_below
                               ? std::ranges::max_element(of.bounds.least, {}, wanted)->accumulator
                               : std::ranges::min_element(of.bounds.below, {}, wanted)->accumulator;
    const std::int64_t low = &of - all.classes.data();
    all.exceptions.push_back({c, (h << low_bits_) + low, of.steps->at(h)});
    for (std::int64_t& begin : of.steps->begins)
      if (begin == (from_below ? h : h + 1)) begin = from_below ? h + 1 : h;
    bound(of, all.near_bits);
    return all;
  }
  // Takes exceptions until the rest has a rule.
  Asked with_exceptions(std::size_t c, Asked all, int shift) const {
    while (all.exceptions.size() < most_exceptions) {
      const Exact factor = best_factor(c, all, shift);
      if (all.room(factor, shift) >= 0) break;
      Asked late = without_bound(c, all, factor, shift, true);
      Asked early = without_bound(c, std::move(all), factor, shift, false);
      const auto room = [&](const Asked& of) { return of.room(best_factor(c, of, shift), shift); };
      all = room(late) >= room(early) ? std::move(late) : std::move(early);
    }
    return all;
  }

  // Factors are multiples of `step` near the scale.
  Exact best_factor(std::size_t c, const Asked& asked, int shift, Exact step = 1) const {
    const double exact =
        std::ldexp(r_.channels[c].scale, shift + low_bits_) / static_cast<double>(step);
    const Exact most = floor_div(power_of_two(r_.factor_bits) - 1, step);
    const double end = static_cast<double>(most);
    const Exact low = std::max<Exact>(1, static_cast<Exact>(std::floor(std::min(exact / 2, end))));
    const Exact high = std::max(low, static_cast<Exact>(std::ceil(std::min(exact * 2, end))));
    return step * peak(low, high, [&](Exact f) { return asked.room(f * step, shift); });
  }
  bool fits(std::size_t c, const Asked& asked, int shift, Exact step = 1) const {
    return asked.near_bits <= shift && asked.room(best_factor(c, asked, shift, step), shift) >= 0;
  }

  // The largest shift whose factors and sums fit.
  int widest_shift(double scale) const {
    const double limit = static_cast<double>(power_of_two(r_.factor_bits) - 1);
    const int room = r_.sum_bits - 2 - signed_bits(r_.range);
    int shift = 0;
    while (shift < room && std::ldexp(scale, shift + 1 + low_bits_) < limit) ++shift;
    return shift;
  }

  // Decides how near a tie is, by the channels that have no rule without that. Those that have none
  // with it take exceptions.
  bool decide() {
    std::vector<std::size_t> hard;
    for (std::size_t c = 0; c < r_.channels.size(); ++c) {
      plain_.push_back(asked(c, 0));
      if (!fits(c, plain_[c], widest_shift(r_.channels[c].scale))) hard.push_back(c);
    }
    if (hard.empty()) return true;
    std::size_t fewest = hard.size() + 1;
    for (const int near_bits : near_choices) {
      const auto without = static_cast<std::size_t>(std::ranges::count_if(hard, [&](std::size_t c) {
        return !fits(c, asked(c, near_bits), widest_shift(r_.channels[c].scale));
      }));
      if (without < fewest) fewest = without, near_bits_ = near_bits;
      if (fewest == 0) return true;
    }
    return fewest <= most_exceptions;
  }

  // Channels take the largest common shift. Those that have no rule with it have smaller scales,
  // and take a larger one.
  bool assign() {
    chosen_.assign(r_.channels.size(), {});
    std::vector<std::size_t> left(r_.channels.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::size_t exceptions = 0;
    for (std::size_t shifts = 0; !left.empty(); ++shifts) {
      double most = 0;
      for (const std::size_t c : left) most = std::max(most, r_.channels[c].scale);
      const int shift = widest_shift(most);
      std::vector<std::size_t> without;
      for (const std::size_t c : left)
        if (!take(c, shift)) without.push_back(c);
      if (without.size() == left.size() || shifts == most_shifts) return false;
      left = std::move(without);
    }
    for (const Chosen& c : chosen_) exceptions += c.asked.exceptions.size();
    return exceptions <= most_exceptions;
  }

  bool take(std::size_t c, int shift) {
    const auto with = [&](Asked asked) {
      if (!fits(c, asked, shift)) return false;
      chosen_[c] = {std::move(asked), shift};
      return true;
    };
    if ((near_bits_ > 0 && with(asked(c, near_bits_))) || with(plain_[c])) return true;
    // A larger shift needs no exception if the channel has a rule with it.
    if (shift < widest_shift(r_.channels[c].scale)) return false;
    return with(with_exceptions(c, near_bits_ > 0 ? asked(c, near_bits_) : plain_[c], shift));
  }

  // The most trailing zeros that all factors can have.
  int most_zeros() const {
    int zeros = r_.factor_bits - 1;
    for (std::size_t c = 0; c < chosen_.size(); ++c)
      while (zeros > 0 && !fits(c, chosen_[c].asked, chosen_[c].shift, power_of_two(zeros)))
        --zeros;
    return zeros;
  }

  // The multiple of `unit` that may lie in the interval: the one nearest to 0.
  static Exact multiple(const Interval& of, Exact unit) {
    return of.lo > 0 ? ceil_div(of.lo, unit) * unit
                     : std::min<Exact>(0, floor_div(of.hi, unit) * unit);
  }

  // Factors and offsets with the fewest bits that are not trailing zeros everywhere.
  std::optional<NarrowRules> chosen() const {
    constexpr int tried = 4;
    NarrowRules rules{.low_bits = low_bits_,
                      .near_bits = 0,
                      .held = held_,
                      .zero_point = r_.zero_point,
                      .range = r_.range,
                      .channels = {},
                      .exceptions = {}};
    for (const auto& [asked, shift] : chosen_) {
      rules.near_bits = std::max(rules.near_bits, asked.near_bits);
      rules.exceptions.insert(rules.exceptions.end(), asked.exceptions.begin(),
                              asked.exceptions.end());
    }
    int most = -1;
    const int from = most_zeros();
    for (int zeros = from; zeros >= std::max(0, from - tried); --zeros) {
      std::vector<NarrowRule> all;
      std::vector<std::vector<Interval>> offsets;
      int zeros_of_offsets = r_.sum_bits;
      for (std::size_t c = 0; c < chosen_.size(); ++c) {
        const auto& [asked, shift] = chosen_[c];
        const Exact factor = best_factor(c, asked, shift, power_of_two(zeros));
        all.push_back({.factor = as_word(factor),
                       .shift = shift,
                       .offsets = {},
                       .even = asked.near_bits > 0});
        offsets.emplace_back();
        for (const Asked::Class& of : asked.classes)
          offsets.back().push_back(asked.offsets(of, factor, shift));
        for (const Interval& i : offsets.back())
          while (!i.contains(multiple(i, power_of_two(zeros_of_offsets)))) --zeros_of_offsets;
      }
      if (zeros + zeros_of_offsets <= most) continue;
      most = zeros + zeros_of_offsets;
      for (std::size_t c = 0; c < all.size(); ++c)
        for (const Interval& i : offsets[c])
          all[c].offsets.push_back(as_word(multiple(i, power_of_two(zeros_of_offsets))));
      rules.channels = std::move(all);
    }
    if (!is_proved(rules)) return std::nullopt;
    return rules;
  }

  // Compares the rule without exceptions with the steps without them: neither falls anywhere.
  bool is_proved(const NarrowRules& rules) const {
    NarrowRules line = rules;
    line.exceptions.clear();
    for (std::size_t c = 0; c < rules.channels.size(); ++c)
      for (std::int64_t low = 0; low < std::int64_t{1} << low_bits_; ++low)
        if (const auto& steps = chosen_[c].asked.classes[static_cast<std::size_t>(low)].steps)
          if (difference(*steps, [&](std::int64_t h) {
                return requantised(line, c, (h << low_bits_) + low);
              }))
            return false;
    return true;
  }

  const NarrowRequest& r_;
  int low_bits_;
  Interval held_;
  std::vector<Asked> plain_;
  int near_bits_ = 0;
  std::vector<Chosen> chosen_;
};

}  // namespace

std::vector<int> NarrowRules::shifts() const {
  std::vector<int> all;
  for (const NarrowRule& c : channels) all.push_back(c.shift);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::int64_t requantised(const NarrowRules& rules, std::size_t channel, std::int64_t accumulator) {
  if (!rules.held.contains(accumulator))
    return as_word(accumulator < 0 ? rules.range.lo : rules.range.hi);
  for (const NarrowRules::Exception& e : rules.exceptions)
    if (e.channel == channel && e.accumulator == accumulator) return e.result;
  const NarrowRule& r = rules.channels[channel];
  const std::int64_t h = accumulator >> rules.low_bits;
  const std::int64_t low = accumulator - (h << rules.low_bits);
  const Exact sum = Exact{h} * r.factor + r.offsets[static_cast<std::size_t>(low)];
  Exact q = sum >> r.shift;
  if (r.even) {
    const bool odd = (rules.zero_point & 1) != 0;
    const Exact ones = power_of_two(rules.near_bits) - 1;
    const Exact first = (sum >> (r.shift - rules.near_bits)) & ones;
    if (first == (odd ? ones : 0)) q = odd ? q | 1 : q & ~Exact{1};
  }
  return as_word(std::clamp(q, rules.range.lo, rules.range.hi));
}

std::string to_string(const NarrowRules& rules, std::size_t channel) {
  const NarrowRule& r = rules.channels[channel];
  std::string text = rules.low_bits == 0
                         ? fmt::format("(acc * {} {} {})", r.factor, r.offsets[0] < 0 ? '-' : '+',
                                       std::abs(r.offsets[0]))
                         : fmt::format("((acc >> {}) * {} + [{}])", rules.low_bits, r.factor,
                                       fmt::join(r.offsets, ", "));
  text += fmt::format(" >> {}", r.shift);
  if (r.even) text += ", near ties even";
  for (const NarrowRules::Exception& e : rules.exceptions)
    if (e.channel == channel) text += fmt::format(", {} for {}", e.result, e.accumulator);
  return fmt::format("{}, in {}", text, to_string(rules.range));
}

std::optional<NarrowRules> narrow_rules(const NarrowRequest& r) {
  Interval middle{};
  for (const auto& c : r.channels) middle = hull(middle, middle_of(c.steps, r.range));
  const int least = std::max(0, signed_bits(middle) - r.port_bits);
  if (least > needed_low_bits) return std::nullopt;
  for (int low = least; low <= std::max(least, r.most_low_bits); ++low)
    if (auto rules = Search(r, low).rules()) return rules;
  return std::nullopt;
}

}  // namespace kumiki::gen::arith

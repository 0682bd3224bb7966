// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/add/add_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {

std::int64_t AddRule::sum(std::int64_t a, std::int64_t b) const {
  std::int64_t u = factor_a * a + factor_b * b + offset;
  for (const Moved& m : moved)
    if (m.a == a && m.b == b) u += m.up ? half() : -half();
  return u;
}

std::int64_t AddRule::unclamped(std::int64_t a, std::int64_t b) const {
  const std::int64_t u = sum(a, b), q = u >> shift;
  const bool tie = tie_bits && (u - (q << shift)) >> *tie_bits == 0;
  return tie ? q & ~std::int64_t{1} : q;
}

std::int64_t AddRule::at(std::int64_t a, std::int64_t b) const {
  return std::clamp(unclamped(a, b), lowest, highest);
}

std::optional<AddRule::Single> AddRule::single() const {
  for (int k = 0; k <= 8; ++k) {
    if (factor_a == factor_b << k) return Single{factor_b, k, 0};
    if (factor_b == factor_a << k) return Single{factor_a, 0, k};
  }
  return {};
}

std::string to_string(const AddRule& r) {
  const auto sign = [](std::int64_t value) { return value < 0 ? '-' : '+'; };
  std::string text = fmt::format("(a * {} {} b * {} {} {}) >> {}", r.factor_a, sign(r.factor_b),
                                 std::abs(r.factor_b), sign(r.offset), std::abs(r.offset), r.shift);
  if (r.tie_bits)
    text += fmt::format(", ties{} to even",
                        *r.tie_bits == 0 ? "" : fmt::format(" of {} bits", *r.tie_bits));
  for (const AddRule::Moved& m : r.moved)
    text += fmt::format(", ({}, {}) half a number {}", m.a, m.b, m.up ? "up" : "down");
  return text + fmt::format(", in [{}, {}]", r.lowest, r.highest);
}

namespace {

constexpr int most_shift = 32;
constexpr double no_room = -1e-9;   // rounding: what an empty region may seem to have
constexpr double of_no_use = 1e-8;  // a region with less room holds no 26-bit factors
constexpr double in_doubt = 1e-6;   // tolerance for integers at the ends of an interval
// At most so many pairs may be moved. If more than `hopeless` pairs miss the best plane, moving
// pairs cannot help.
constexpr int most_moved = 4, hopeless = 16;
constexpr std::size_t most_decisive = 8;
// A region without room may be long and hold many factors that all fail.
constexpr int most_attempts = 500;

// A pair as a bound of the plane, in units of the result: low <= u / 2^shift, u / 2^shift < high.
// Results at an end of the clamp are bounded on one side.
struct PairBounds {
  std::int32_t a, b;
  std::int32_t low, high;  // q and q + 1
  bool has_low, has_high;
  bool odd;
};

// The planes that satisfy the pairs in some_. For factors x and y, in units of the result, `room`
// is the room left for the offset; it is concave in both. `tie`: the width of ties.
class PlaneRegion {
 public:
  PlaneRegion(const Pairs& pairs, const arith::Interval& range, double tie)
      : tie_(tie),
        lowest_(static_cast<std::int64_t>(range.lo)),
        highest_(static_cast<std::int64_t>(range.hi)) {
    const auto columns = static_cast<std::size_t>(static_cast<std::int64_t>(pairs.b.span())) + 1;
    for (std::size_t i = 0; i < pairs.results.size(); ++i) {
      const std::int32_t q = pairs.results[i];
      all_.push_back({.a = static_cast<std::int32_t>(static_cast<std::int64_t>(pairs.a.lo)) +
                           static_cast<std::int32_t>(i / columns),
                      .b = static_cast<std::int32_t>(static_cast<std::int64_t>(pairs.b.lo)) +
                           static_cast<std::int32_t>(i % columns),
                      .low = q,
                      .high = q + 1,
                      .has_low = q != lowest_,
                      .has_high = q != highest_,
                      .odd = q % 2 != 0});
    }
    for (std::size_t i = 0; i < all_.size(); i += 1 + all_.size() / 61) some_.push_back(all_[i]);
  }
  std::int64_t lowest() const { return lowest_; }
  std::int64_t highest() const { return highest_; }

  double room(double x, double y) const { return room(some_, x, y).size; }
  // Adds the pairs of all_ that bound the offset most to some_. Returns whether they leave less
  // room than the pairs known before.
  bool sharpen(double x, double y) {
    const Room known = room(some_, x, y), all = room(all_, x, y);
    if (all.size >= known.size + no_room) return false;
    if (all.low) some_.push_back(*all.low);
    if (all.high) some_.push_back(*all.high);
    return true;
  }

  // The pairs of all_ that determine the room at (x, y).
  std::vector<std::pair<std::int32_t, std::int32_t>> decisive(double x, double y) const {
    const Room all = room(all_, x, y);
    std::vector<std::pair<std::int32_t, std::int32_t>> found;
    for (const PairBounds& p : all_) {
      const double plane = x * p.a + y * p.b;
      if ((p.has_low && low_of(p) - plane > all.from + no_room) ||
          (p.has_high && high_of(p) - plane < all.to - no_room))
        found.emplace_back(p.a, p.b);
    }
    return found;
  }
  // How many pairs the plane misses with its offset in the middle of the room.
  int missed(double x, double y) const {
    const Room all = room(all_, x, y);
    const double offset = (all.from + all.to) / 2;
    return static_cast<int>(std::ranges::count_if(all_, [&](const PairBounds& p) {
      const double u = x * p.a + y * p.b + offset;
      return (p.has_low && u < low_of(p)) || (p.has_high && u > high_of(p));
    }));
  }
  void forget(const std::pair<std::int32_t, std::int32_t>& pair) {
    for (auto* bounds : {&all_, &some_})
      std::erase_if(*bounds, [&](const PairBounds& p) { return std::pair{p.a, p.b} == pair; });
  }

  // The integer offset that all pairs allow with these factors; empty if there is none. If only the
  // pairs of some_ allow the plane, the region is sharpened.
  std::optional<std::int64_t> offset(std::int64_t x, std::int64_t y, int shift,
                                     std::optional<int> tie_bits) {
    if (!offset_of(some_, x, y, shift, tie_bits)) return {};
    const auto found = offset_of(all_, x, y, shift, tie_bits);
    if (!found) {
      const double unit = std::ldexp(1.0, -shift);
      const Room all = room(all_, static_cast<double>(x) * unit, static_cast<double>(y) * unit);
      if (all.low) some_.push_back(*all.low);
      if (all.high) some_.push_back(*all.high);
    }
    return found;
  }

 private:
  struct Room {
    double size = 0, from = 0, to = 0;
    const PairBounds *low = nullptr, *high = nullptr;
  };
  double low_of(const PairBounds& p) const { return p.low + (p.odd ? tie_ : 0); }
  double high_of(const PairBounds& p) const { return p.high + (p.odd ? 0 : tie_); }
  Room room(const std::vector<PairBounds>& bounds, double x, double y) const {
    double low = -1e9, high = 1e9;
    Room found;
    for (const PairBounds& p : bounds) {
      const double plane = x * p.a + y * p.b;
      const double from = low_of(p) - plane, to = high_of(p) - plane;
      if (p.has_low && from > low) low = from, found.low = &p;
      if (p.has_high && to < high) high = to, found.high = &p;
    }
    found.size = high - low;
    found.from = low, found.to = high;
    return found;
  }
  static std::optional<std::int64_t> offset_of(const std::vector<PairBounds>& bounds,
                                               std::int64_t x, std::int64_t y, int shift,
                                               std::optional<int> tie_bits) {
    const std::int64_t tie = tie_bits ? std::int64_t{1} << *tie_bits : 0;
    std::int64_t low = -(std::int64_t{1} << 46), high = std::int64_t{1} << 46;
    for (const PairBounds& p : bounds) {
      const std::int64_t plane = x * p.a + y * p.b;
      if (p.has_low)
        low = std::max(
            low, (std::int64_t{p.low} * (std::int64_t{1} << shift)) + (p.odd ? tie : 0) - plane);
      if (p.has_high)
        high = std::min(high, (std::int64_t{p.high} * (std::int64_t{1} << shift)) - 1 +
                                  (p.odd ? 0 : tie) - plane);
      if (low > high) return {};
    }
    // The offset with the fewest digits; 0 if nothing bounds it.
    for (int k = 46; k > 0; --k)
      if (const std::int64_t c = (high >> k) * (std::int64_t{1} << k); c >= low) return c;
    return high;
  }

  double tie_;
  std::int64_t lowest_, highest_;
  std::vector<PairBounds> all_, some_;
};

// The maximum of a concave function, and the interval around it where the function is at least 0.
struct ConcavePeak {
  double at, value;
};
template <class F>
ConcavePeak peak_of(const F& f, double low, double high) {
  constexpr double golden = 0.6180339887498949;
  double p = high - golden * (high - low), q = low + golden * (high - low);
  double fp = f(p), fq = f(q);
  for (int i = 0; i < 70; ++i) {
    if (fp > fq) {
      high = q, q = p, fq = fp;
      p = high - golden * (high - low), fp = f(p);
    } else {
      low = p, p = q, fp = fq;
      q = low + golden * (high - low), fq = f(q);
    }
  }
  return fp > fq ? ConcavePeak{p, fp} : ConcavePeak{q, fq};
}
template <class F>
double end_of(const F& f, double inside, double outside) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (inside + outside) / 2;
    (f(middle) >= 0 ? inside : outside) = middle;
  }
  return outside;
}

struct FactorSpan {
  double low, high;
};
// Tries the integers m for which m / 2^shift may lie in the span.
template <class Try>
std::optional<AddRule> try_integers(const FactorSpan& span, int shift, int most_bits, int& attempts,
                                    const Try& attempt) {
  const double most = std::ldexp(1.0, most_bits) - 1;
  const double low = std::ceil(std::ldexp(span.low, shift) - in_doubt);
  const double high = std::floor(std::ldexp(span.high, shift) + in_doubt);
  for (double m = std::max(low, -most); m <= std::min(high, most) && attempts < most_attempts;
       ++m, ++attempts)
    if (const auto rule = attempt(static_cast<std::int64_t>(m))) return rule;
  return {};
}

// No ties, or ties that go to the even neighbour. A tie lies exactly between two numbers or, with
// `width`, within 2^width of that, in units of the result.
struct TieForm {
  bool to_even = false;
  std::optional<int> width = {};
  double units() const { return width ? std::ldexp(1.0, *width) : 0; }
  // The room that integers need. Exact ties need none.
  double needed(int shift) const {
    return (to_even && !width ? 0 : std::ldexp(1.0, -shift)) + no_room;
  }
  std::optional<int> bits(int shift) const {
    if (!to_even) return {};
    return width ? shift + *width : 0;
  }
  bool is_possible(int shift) const {
    return !to_even || (shift > 0 && *bits(shift) >= 0 && *bits(shift) < shift);
  }
};

class PlaneSearch {
 public:
  PlaneSearch(const Pairs& pairs, const arith::Interval& range, const TieForm& ties, int most_bits)
      : region_(pairs, range, ties.units()),
        ties_(ties),
        most_bits_(most_bits),
        steepest_(static_cast<double>(region_.highest() - region_.lowest() + 1)) {}

  // The factors at which all pairs together leave the most room.
  struct Centre {
    double x, y, room;
  };
  Centre centre() {
    for (;;) {
      const ConcavePeak x =
          peak_of([&](double at) { return over_y(at).value; }, -steepest_, steepest_);
      const double y = over_y(x.at).at;
      if (!region_.sharpen(x.at, y)) return {x.at, y, x.value};
    }
  }

  std::optional<AddRule> on_any_line() {
    const Centre best = centre();
    const double ratio = std::log2(best.x / best.y);
    if (best.room < no_room || !std::isfinite(ratio) || std::abs(ratio) > 8) return {};
    const auto power = static_cast<int>(std::lround(ratio));
    return on_line(std::max(power, 0), std::max(-power, 0));
  }
  std::optional<AddRule> on_any_plane() {
    const Centre best = centre();
    return best.room < no_room ? std::nullopt : on_plane(best.x);
  }
  // Searches a plane without the pairs that constrain it most.
  std::optional<AddRule> on_plane_of_most_pairs() {
    Centre best = centre();
    for (int moved = 0; moved < most_moved && best.room < of_no_use; ++moved) {
      const Centre known = best;
      if (region_.missed(known.x, known.y) > hopeless) return {};
      const PlaneRegion all = region_;
      auto pairs = all.decisive(known.x, known.y);
      pairs.resize(std::min(pairs.size(), most_decisive));
      for (const auto& pair : pairs) {
        PlaneSearch one = *this;
        one.region_ = all;
        one.region_.forget(pair);
        if (const Centre there = one.centre(); there.room > best.room) {
          best = there;
          region_ = one.region_;
        }
      }
      if (best.room <= known.room) return {};
    }
    return on_plane(best.x);
  }

 private:
  // Tries factors m * 2^shift_a and m * 2^shift_b.
  std::optional<AddRule> on_line(int shift_a, int shift_b) {
    const std::int64_t i = std::int64_t{1} << shift_a, j = std::int64_t{1} << shift_b;
    const int most_bits = most_bits_ - std::max(shift_a, shift_b);
    const auto room = [&](double m) {
      return region_.room(m * static_cast<double>(i), m * static_cast<double>(j));
    };
    ConcavePeak best{};
    do {
      best = peak_of(room, -steepest_, steepest_);
      if (best.value < no_room) return {};
    } while (region_.sharpen(best.at * static_cast<double>(i), best.at * static_cast<double>(j)));
    for (int shift = 0; shift <= most_shift; ++shift) {
      const auto inside = [&](double m) { return room(m) - ties_.needed(shift); };
      if (attempts_ >= most_attempts) return {};
      if (!ties_.is_possible(shift) || inside(best.at) < 0) continue;
      const FactorSpan span{end_of(inside, best.at, -steepest_),
                            end_of(inside, best.at, steepest_)};
      if (const auto rule = try_integers(span, shift, most_bits, attempts_, [&](std::int64_t m) {
            return rule_of(m * i, m * j, shift);
          }))
        return rule;
    }
    return {};
  }

  std::optional<AddRule> on_plane(double centre) {
    for (int shift = 0; shift <= most_shift; ++shift) {
      const auto inside = [&](double at) { return over_y(at).value - ties_.needed(shift); };
      if (attempts_ >= most_attempts) return {};
      if (!ties_.is_possible(shift) || inside(centre) < 0) continue;
      const FactorSpan span{end_of(inside, centre, -steepest_), end_of(inside, centre, steepest_)};
      if (const auto rule = try_integers(span, shift, most_bits_, attempts_,
                                         [&](std::int64_t x) { return on_column(x, shift); }))
        return rule;
    }
    return {};
  }

  ConcavePeak over_y(double x) const {
    return peak_of([&](double y) { return region_.room(x, y); }, -steepest_, steepest_);
  }
  std::optional<AddRule> on_column(std::int64_t x, int shift) {
    const double real = std::ldexp(static_cast<double>(x), -shift);
    const ConcavePeak y = over_y(real);
    const auto inside = [&](double at) { return region_.room(real, at) - ties_.needed(shift); };
    if (inside(y.at) < 0) return {};
    const FactorSpan span{end_of(inside, y.at, -steepest_), end_of(inside, y.at, steepest_)};
    return try_integers(span, shift, most_bits_, attempts_,
                        [&](std::int64_t m) { return rule_of(x, m, shift); });
  }
  std::optional<AddRule> rule_of(std::int64_t x, std::int64_t y, int shift) {
    const std::optional<int> bits = ties_.bits(shift);
    const auto offset = region_.offset(x, y, shift, bits);
    if (!offset) return {};
    return AddRule{.factor_a = x,
                   .factor_b = y,
                   .offset = *offset,
                   .shift = shift,
                   .tie_bits = bits,
                   .lowest = region_.lowest(),
                   .highest = region_.highest()};
  }

  PlaneRegion region_;
  TieForm ties_;
  int most_bits_;
  double steepest_;
  int attempts_ = 0;
};

}  // namespace

std::vector<OtherPair> differences(const Pairs& pairs, const AddRule& rule, std::size_t most) {
  std::vector<OtherPair> all;
  auto wanted = pairs.results.begin();
  for (auto a = static_cast<std::int64_t>(pairs.a.lo); a <= static_cast<std::int64_t>(pairs.a.hi);
       ++a)
    for (auto b = static_cast<std::int64_t>(pairs.b.lo); b <= static_cast<std::int64_t>(pairs.b.hi);
         ++b, ++wanted)
      if (const std::int64_t given = rule.at(a, b); given != *wanted && all.size() < most)
        all.push_back({a, b, *wanted, given});
  return all;
}

std::optional<AddRule> equal_rule(const Pairs& pairs, const arith::Interval& range, int most_bits) {
  const PlaneSearch floors(pairs, range, {}, most_bits);
  const PlaneSearch ties(pairs, range, {.to_even = true}, most_bits);
  for (const PlaneSearch& form : {floors, ties})
    if (const auto rule = PlaneSearch(form).on_any_line()) return rule;
  for (const PlaneSearch& form : {floors, ties})
    if (const auto rule = PlaneSearch(form).on_any_plane()) return rule;
  // The tie widths that float32 causes for results of up to 16 bits.
  for (const int width : {-18, -16, -14, -20, -12, -10}) {
    const TieForm form{.to_even = true, .width = width};
    const PlaneSearch wide(pairs, range, form, most_bits);
    if (const auto rule = PlaneSearch(wide).on_any_plane()) return rule;
  }
  auto rule = PlaneSearch(floors).on_plane_of_most_pairs();
  if (!rule) return {};
  for (const OtherPair& p : differences(pairs, *rule))
    rule->moved.push_back({p.a, p.b, p.wanted > p.given});
  return differences(pairs, *rule).empty() ? rule : std::nullopt;
}

}  // namespace kumiki::gen::pipeline

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/corners.h"

#include <algorithm>
#include <bit>

namespace kumiki::gen::requant {
namespace {

// Pseudo-random numbers; the frame is the only seed.
class Dice {
 public:
  explicit Dice(const RequantIn<Values>& in) {
    add(static_cast<std::uint64_t>(in.acc));
    for (const auto* port : {&in.scale, &in.bias, &in.zero_point})
      for (const auto value : *port) add(static_cast<std::uint64_t>(value));
    if (!in.channel.empty()) add(in.channel[0]);
  }
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    add(1);
    return lo +
           static_cast<std::int64_t>((state_ >> 20) % (static_cast<std::uint64_t>(hi - lo) + 1));
  }

 private:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

struct Target {
  std::int64_t q;  // result to aim at
  bool half;       // aim at q + 1/2: a tie
};

std::int64_t floor_of(arith::Exact a, arith::Exact b) {
  return static_cast<std::int64_t>(b < 0 ? arith::floor_div(-a, -b) : arith::floor_div(a, b));
}

}  // namespace

void steer(const Plan& p, RequantIn<Values>& in) {
  const RequantRequest& r = p.slice.request;
  const auto lo = static_cast<std::int64_t>(r.accumulator.lo);
  const auto hi = static_cast<std::int64_t>(r.accumulator.hi);
  Dice dice(in);
  const auto kind = dice.between(0, 7);
  if (kind < 5) {
    const auto clamp_lo = static_cast<std::int64_t>(r.clamp.lo);
    const auto clamp_hi = static_cast<std::int64_t>(r.clamp.hi);
    const std::int64_t ends[] = {clamp_lo, clamp_hi, p.request.zero_point};
    Target target{kind < 3 ? dice.between(clamp_lo, clamp_hi)
                           : ends[dice.between(0, 2)] + dice.between(-2, 2),
                  kind != 0};
    // Ties require a power of two, so most of these frames turn a scale on its port into one.
    if (!in.scale.empty() && kind != 4) {
      const auto power = dice.between(std::clamp(r.shift - 16, 0, 16), std::min(16, r.shift));
      in.scale[0] = (std::int64_t{1} << power) * (dice.between(0, 1) == 0 ? 1 : -1);
    }
    const std::int64_t scale = in.scale.empty() ? p.scale->scale : in.scale[0];
    const std::int64_t zero = in.zero_point.empty() ? p.request.zero_point : in.zero_point[0];
    const std::int64_t bias = in.bias.empty() ? 0 : in.bias[0];
    const arith::Exact doubled = arith::Exact{target.q - zero} * 2 + (target.half ? 1 : 0);
    if (scale != 0)
      in.acc = floor_of(doubled * arith::power_of_two(r.shift), arith::Exact{scale} * 2) - bias +
               (kind == 0 ? dice.between(-1, 1) : 0);
    // A tie with one bit changed.
    if (kind == 1) in.acc ^= std::int64_t{1} << dice.between(0, 15);
  }
  if (!p.scale && kind == 5) in.scale[0] >>= dice.between(4, 17);
  if (kind == 6) in.acc >>= dice.between(1, 20);
  if (kind == 7 && p.scale) {
    // An odd multiple of this is halfway for the embedded scale.
    const int step = r.shift - 1 - std::countr_zero(static_cast<std::uint64_t>(p.scale->scale));
    const std::int64_t bias = in.bias.empty() ? 0 : in.bias[0];
    if (step >= 0 && step < 26)
      in.acc =
          (dice.between(lo >> (step + 1), hi >> (step + 1)) * 2 + 1) * (std::int64_t{1} << step) -
          bias;
  }
  in.acc = std::clamp(in.acc, lo, hi);
}

void steer(const ChannelPlan& p, RequantIn<Values>& in) {
  Dice dice(in);
  const std::uint64_t given = in.channel.empty() ? 0 : in.channel[0];
  const auto& begins = p.steps[given < p.steps.size() ? given : 0].begins;
  const auto kind = dice.between(0, 7);
  // Near the beginning of a result: everywhere else even an inexact rule gives the right result.
  if (kind < 6 && !begins.empty())
    in.acc = begins[static_cast<std::size_t>(dice.between(0, std::ssize(begins) - 1))] -
             dice.between(0, 1);
  if (kind == 6) in.acc >>= dice.between(1, 20);
  in.acc = std::clamp(in.acc, static_cast<std::int64_t>(p.request.accumulators.lo),
                      static_cast<std::int64_t>(p.request.accumulators.hi));
}

}  // namespace kumiki::gen::requant

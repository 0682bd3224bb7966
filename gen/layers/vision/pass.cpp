// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/build.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/planner.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/vision/messages.h"

namespace kumiki::gen::vision {
namespace {

template <class R>
struct ChainIn {
  typename R::Bit en;
  std::vector<typename R::UInt> x, y;  // [operand][slot], as the plan packs and shares them
  static constexpr auto ports() {
    return std::tuple(port("en", &ChainIn::en), port("x", &ChainIn::x), port("y", &ChainIn::y));
  }
};

template <class R>
struct ChainOut {
  std::vector<typename R::UInt> sum;
  static constexpr auto ports() { return std::tuple(port("sum", &ChainOut::sum)); }
};

// If a sum is never negative, bits that are always 0 have no port.
std::uint32_t needed_bits(const packing::Result& r) {
  const int bits =
      r.range.lo < 0 ? r.bits : std::clamp(arith::bits_for_count(r.range.hi + 1), 1, r.bits);
  return static_cast<std::uint32_t>(bits);
}

ChainOut<Hardware> build_chain(Scope& s, const ChainPlan& plan, const ChainIn<Hardware>& in) {
  const auto& k = plan.packing;
  s.module().set_about(fmt::format("{} products of {} x {}, {} slices", k.macs(),
                                   packing::to_string(k.packed), packing::to_string(k.shared),
                                   k.slices.size()));
  const auto terms = static_cast<std::size_t>(k.terms);
  // Known values have no port.
  const auto operand = [&](const std::vector<UInt>& flat, const Format& format, int count) {
    std::vector<std::vector<Word>> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < terms; ++j)
        all[i].push_back(format.known()
                             ? UInt(s.signed_constant(format.values[i][j],
                                                      static_cast<std::uint32_t>(format.bits)))
                             : flat[i * terms + j]);
    return all;
  };
  const packing::OperandNets operands{operand(in.x, k.packed, k.packed_count),
                                      operand(in.y, k.shared, k.shared_count)};
  const auto built =
      packing::build_dot(s, k, operands, {ir::net_one, ir::net_one, ir::net_one, ir::net_one, {}},
                         packing::Skew::External, in.en);
  ChainOut<Hardware> out;
  for (int i = 0; i < plan.results; ++i) {
    const auto which = static_cast<std::size_t>(i);
    out.sum.push_back(UInt(built.results[which]).slice(0, needed_bits(k.results[which])));
  }
  return out;
}

// [slot]: the skew of its operand.
std::vector<int> arrivals(const packing::PackingPlan& plan) {
  std::vector<int> all(static_cast<std::size_t>(plan.terms), 0);
  for (const auto& slice : plan.slices)
    if (slice.term >= 0) all[static_cast<std::size_t>(slice.term)] = packing::arrival(plan, slice);
  return all;
}

// The latency of a sum; if its top bit is inverted after the slice, a register there adds one.
int latency_of(const packing::PackingPlan& plan) {
  const bool inverts = std::ranges::any_of(
      plan.results, [](const auto& r) { return r.wires() && r.signals[0].flip; });
  return plan.latency + (inverts ? 1 : 0);
}

// The best proved plan, with two packed operands if they fit side by side. Known kernels are one
// row of values for each operand.
packing::PackingPlan best_plan(packing::Request r, bool known) {
  r.cycles = 1;
  for (const int count : {2, 1}) {
    r.tuning.packed_count = count;
    if (known) {
      packing::Planned plan = packing::best_plan(r, packing::Scheme::WeightAware);
      if (plan) return *std::move(plan);
      if (count == 1) throw DesignError(plan.reason().code, packing::to_string(plan.reason()));
    } else {
      for (const auto& plan : packing::enumerate(r))
        if (plan.packed_count == count && plan.shared_count == 1 && plan.cycles() == 1) return plan;
    }
  }
  throw DesignError(
      code::not_proved,
      fmt::format("no packing of {} x {} over {} terms in one clock is proved",
                  packing::to_string(r.packed), packing::to_string(r.shared), r.terms));
}

Format known_format(std::vector<std::vector<std::int64_t>> rows) {
  std::int64_t low = 0, high = 0;
  for (const auto& row : rows)
    for (const auto v : row) low = std::min(low, v), high = std::max(high, v);
  int bits = 1;
  while (low < -(std::int64_t{1} << (bits - 1)) || high >= std::int64_t{1} << (bits - 1)) ++bits;
  return {.bits = bits, .is_signed = true, .values = std::move(rows)};
}

Format output_format(const packing::Result& r) {
  return {
      .bits = r.bits,
      .is_signed = r.is_signed,
      .range = {{static_cast<std::int64_t>(r.range.lo), static_cast<std::int64_t>(r.range.hi)}}};
}

// The inputs with a nonzero coefficient in some kernel of `of`; at least one input.
std::vector<int> support(const std::vector<std::vector<std::int64_t>>& kernels,
                         std::initializer_list<int> of) {
  std::vector<int> all;
  const auto inputs = static_cast<int>(kernels.front().size());
  for (int i = 0; i < inputs; ++i)
    if (std::any_of(of.begin(), of.end(), [&](int k) {
          return kernels[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)] != 0;
        }))
      all.push_back(i);
  if (all.empty()) all.push_back(0);
  return all;
}

std::vector<std::int64_t> pick(const std::vector<std::int64_t>& from, const std::vector<int>& at) {
  std::vector<std::int64_t> all;
  for (const int i : at) all.push_back(from[static_cast<std::size_t>(i)]);
  return all;
}

// The format of the operands at the indices `at`, if it is the same.
std::optional<Format> common_format(const std::vector<Format>& formats,
                                    const std::vector<int>& at) {
  Format all = formats[static_cast<std::size_t>(at.front())];
  for (const int i : at)
    if (const Format& f = formats[static_cast<std::size_t>(i)];
        f.format() != all.format() || f.range != all.range)
      return {};
  return all;
}

}  // namespace

Pass::Pass(const PassRequest& request, int lanes)
    : lanes_(lanes), inputs_(static_cast<int>(request.inputs.size())), loadable_(request.loadable) {
  share_coefficients(request, lanes);
  if (!request.loadable && request.kernels.size() > 1) {
    Pass other;
    other.lanes_ = lanes;
    other.inputs_ = inputs_;
    if (other.share_pixels(request, lanes) && other.slices() < slices()) *this = std::move(other);
  }
  for (const Place& place : places_) {
    latency_ = std::max(latency_, latency_of(plans_[place.plan].packing));
  }
  // The format of every kernel's result, from the chain that computes it.
  outputs_.resize(request.kernels.size());
  for (const Place& place : places_)
    for (std::size_t i = 0; i < place.kernels.size(); ++i)
      outputs_[static_cast<std::size_t>(place.kernels[i])] =
          output_format(plans_[place.plan].packing.results[place.lanes.size() > 1 ? 0 : i]);
}

void Pass::share_coefficients(const PassRequest& request, int lanes) {
  for (int k = 0; k < static_cast<int>(request.kernels.size()); ++k) {
    const auto& kernel = request.kernels[static_cast<std::size_t>(k)];
    std::vector<int> terms = support(request.kernels, {k});
    if (request.loadable) {
      terms.clear();
      for (int i = 0; i < inputs_; ++i) terms.push_back(i);
    }
    const auto packed = common_format(request.inputs, terms);
    if (!packed) throw DesignError(code::formats_differ, "operands of a chain differ in format");
    const packing::Request r{
        .packed = *packed,
        .shared = request.loadable ? request.coefficient : known_format({pick(kernel, terms)}),
        .terms = static_cast<std::int64_t>(terms.size()),
        .limits = request.limits};
    plans_.push_back({best_plan(r, !request.loadable), fmt::format("{}_k{}", request.name, k)});
    terms_.push_back(terms);
    const int together = plans_.back().packing.packed_count;
    plans_.back().results = std::min(together, lanes);
    const auto first = operands_.size();
    const auto late = arrivals(plans_.back().packing);
    for (std::size_t j = 0; j < terms.size(); ++j) operands_.push_back({terms[j], late[j]});
    for (int lane = 0; lane < lanes; lane += together) {
      Place place{plans_.size() - 1, {}, {k}, first};
      for (int l = lane; l < std::min(lane + together, lanes); ++l) place.lanes.push_back(l);
      places_.push_back(std::move(place));
    }
  }
}

bool Pass::share_pixels(const PassRequest& request, int lanes) {
  const auto count = static_cast<int>(request.kernels.size());
  for (int k = 0; k < count; k += 2) {
    std::vector<int> kernels{k};
    if (k + 1 < count) kernels.push_back(k + 1);
    const auto terms =
        kernels.size() == 2 ? support(request.kernels, {k, k + 1}) : support(request.kernels, {k});
    std::vector<std::vector<std::int64_t>> rows;
    for (const int i : kernels)
      rows.push_back(pick(request.kernels[static_cast<std::size_t>(i)], terms));
    const auto shared = common_format(request.inputs, terms);
    if (!shared) return false;
    packing::Request r{.packed = known_format(rows),
                       .shared = *shared,
                       .terms = static_cast<std::int64_t>(terms.size()),
                       .cycles = 1,
                       .limits = request.limits};
    r.tuning.packed_count = static_cast<int>(kernels.size());
    packing::Planned plan = packing::best_plan(r, packing::Scheme::WeightAware);
    if (!plan) return false;  // the kernels do not fit side by side
    plans_.push_back({*std::move(plan), fmt::format("{}_k{}", request.name, k),
                      static_cast<int>(kernels.size())});
    terms_.push_back(terms);
    const auto first = operands_.size();
    const auto late = arrivals(plans_.back().packing);
    for (std::size_t j = 0; j < terms.size(); ++j) operands_.push_back({terms[j], late[j]});
    for (int lane = 0; lane < lanes; ++lane)
      places_.push_back({plans_.size() - 1, {lane}, kernels, first});
  }
  return true;
}

std::vector<std::pair<std::string, const packing::PackingPlan*>> Pass::chains() const {
  std::vector<std::pair<std::string, const packing::PackingPlan*>> all;
  for (const ChainPlan& p : plans_) all.emplace_back(p.name, &p.packing);
  return all;
}

int Pass::slices() const {
  std::size_t sum = 0;
  for (const Place& p : places_) sum += plans_[p.plan].packing.slices.size();
  return static_cast<int>(sum);
}

std::int64_t Pass::macs() const {
  std::int64_t sum = 0;
  for (const Place& p : places_)
    sum += static_cast<std::int64_t>(p.lanes.size() * p.kernels.size() * terms_[p.plan].size());
  return sum;
}

std::string Pass::text() const {
  const auto& p = plans_.front().packing;
  return fmt::format("{} slices for {} MAC ({}, {} terms a chain), latency {}", slices(), macs(),
                     packing::to_string(p.scheme), p.terms, latency_);
}

Lanes Pass::build(Scope& s, const Lanes& operands, std::span<const UInt> coefficients,
                  Net enable) const {
  Lanes out(static_cast<std::size_t>(lanes_), std::vector<UInt>(outputs_.size()));
  for (const Place& place : places_) {
    const auto& chain = plans_[place.plan];
    const auto& plan = chain.packing;
    const auto& terms = terms_[place.plan];
    ChainIn<Hardware> in{enable, {}, {}};
    const auto pixels = [&](std::vector<UInt>& to, int lane) {
      const auto& from = operands[static_cast<std::size_t>(lane)];
      for (std::size_t j = 0; j < terms.size(); ++j) to.push_back(from[place.first_operand + j]);
    };
    const bool by_lane = !plan.packed.known();
    if (by_lane) {
      for (int i = 0; i < plan.packed_count; ++i) {
        if (i < static_cast<int>(place.lanes.size())) {
          pixels(in.x, place.lanes[static_cast<std::size_t>(i)]);
        } else {  // an odd lane gets a slice of its own
          for (std::size_t j = 0; j < terms.size(); ++j)
            in.x.push_back(s.constant(0, static_cast<std::uint32_t>(plan.packed.bits)));
        }
      }
      if (loadable_)
        for (const int term : terms)
          in.y.push_back(
              coefficients[static_cast<std::size_t>(place.kernels.front() * inputs_ + term)]);
    } else {
      pixels(in.y, place.lanes.front());
    }
    const auto sums =
        instantiate(s, build_chain, chain, in, fmt::format("chain{}", &place - places_.data())).sum;
    const auto wait = static_cast<std::uint32_t>(latency_ - plan.latency);
    for (std::size_t l = 0; l < place.lanes.size(); ++l)
      for (std::size_t k = 0; k < place.kernels.size(); ++k) {
        const std::size_t which = by_lane ? l : k;
        const UInt sum = delay(s, sums[which], wait, enable);
        out[static_cast<std::size_t>(place.lanes[l])][static_cast<std::size_t>(place.kernels[k])] =
            zext(s, sum, static_cast<std::uint32_t>(plan.results[which].bits));
      }
  }
  return out;
}

}  // namespace kumiki::gen::vision

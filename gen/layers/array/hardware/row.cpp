// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/row.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::array {
namespace {

// The controls of a step, registered for the row and delayed to the stages of the slice.
template <class In>
SliceIn<Hardware> step_of(Scope& s, const SlicePlan& p, const In& in, const UInt& common) {
  SliceIn<Hardware> to;
  to.go = s.named("go_r", reg(s, in.go, {.reset = in.rst}));
  to.load = s.net(to.go & reg(s, in.load));
  to.common = reg(s, common);
  auto later = [&](const auto& what, int steps) {
    return delay(s, what, static_cast<std::uint32_t>(steps), to.go);
  };
  const Net again = reg(s, in.again);
  to.again = later(again, step_multiplied);
  if (p.packed) to.counted_again = {later(to.again, step_captured - step_multiplied)};
  to.capture = later(reg(s, in.capture), step_captured);
  to.capture_at = later(reg(s, in.capture_at), step_captured);
  to.drain_at = reg(s, in.drain_at);
  if (p.depth > 3)
    to.place = {
        counter(s, {.modulo = static_cast<std::uint64_t>(p.depth - 2), .enable = to.go}).value};
  return to;
}

// Chunks enter at the end and move to the front.
std::vector<UInt> shadow(Scope& s, const RowPlan& p, const std::vector<UInt>& pixels, Net shift) {
  std::vector<UInt> all;
  for (int k = 0; k < p.chunks; ++k)
    for (int i = 0; i < p.chunk; ++i) {
      const std::size_t from = k == 0 ? 0 : static_cast<std::size_t>((k - 1) * p.chunk + i);
      all.push_back(
          reg(s, k == 0 ? pixels[static_cast<std::size_t>(i)] : all[from], {.enable = shift}));
    }
  // all[0] is the youngest chunk; the front of the shadow is the oldest.
  std::vector<UInt> front;
  for (int k = p.chunks; k-- > 0;)
    for (int i = 0; i < p.chunk; ++i)
      front.push_back(all[static_cast<std::size_t>(k * p.chunk + i)]);
  return front;
}

}  // namespace

RowPlan row_plan(const ArrayPlan& p, int row) {
  return {.slice = slice_plan(p),
          .columns = p.columns(),
          .chain = p.chain(),
          .chunk = p.chunk(),
          .chunks = p.chunks(),
          .direct = p.request.batched_fc
                        ? p.columns()
                        : std::clamp(p.fc_elements() - row * p.columns(), 0, p.columns()),
          .batch = p.request.batched_fc,
          .cut = p.cuts_across() ? static_cast<int>(p.cut_across().offset) : 0};
}

std::string RowPlan::module_name() const { return fmt::format("pe_row_{}_d{}", columns, direct); }
std::string EdgePlan::module_name() const { return "pe_edge"; }

RowOut<Hardware> build_row(Scope& s, const RowPlan& p, const RowIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("{} elements, a chain of {} pixels, {} of a chunk", p.columns, p.chain, p.chunk));
  SliceIn<Hardware> step = step_of(s, p.slice, in, in.common[0]);
  for (Net n : in.swap) step.swap = {reg(s, n)};
  std::vector<UInt> commons{step.common};
  if (p.commons() == 2) commons.push_back(reg(s, in.common[1]));
  RowOut<Hardware> out;
  if (p.batch) {
    const Net batch = reg(s, in.batch[0]);
    const UInt weight = reg(s, reg(s, in.weight[0]), {.enable = reg(s, in.take_direct)});
    for (UInt& common : commons) common = mux(s, batch, weight, common);
    if (p.odd()) out.weight = {weight};
  }

  const Net take_shadow = reg(s, in.take_shadow), take_direct = reg(s, in.take_direct);
  const Net move = reg(s, in.move), shift_in = reg(s, in.shift_in);
  const Net moves = s.net(take_shadow | take_direct | move);
  std::vector<UInt> pixels;
  for (const UInt& x : in.pixels) pixels.push_back(reg(s, x));
  const auto waiting = shadow(s, p, pixels, shift_in);
  const Net across = p.cut == 0 ? ir::net_zero : reg(s, in.across[0]);
  const UInt nothing = s.constant(0, static_cast<std::uint32_t>(p.slice.operand_bits));
  std::vector<UInt> chain(static_cast<std::size_t>(p.chain));
  auto at_or_nothing = [&](int i) {
    return i < p.chain ? chain[static_cast<std::size_t>(i)] : nothing;
  };
  for (int i = p.chain; i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    // If the array is cut, both parts get the same pixels, so the first part is followed by the
    // same pixels as the second.
    UInt right = at_or_nothing(i + 1);
    if (p.cut > 0 && i == p.cut - 1) right = mux(s, across, at_or_nothing(2 * p.cut), right);
    UInt next;
    if (i < p.direct) {
      const UInt pixel =
          p.second(i) ? mux(s, across, waiting[at - static_cast<std::size_t>(p.cut)], waiting[at])
                      : waiting[at];
      next = s.word(mux(take_shadow, pixel, mux(take_direct, reg(s, in.direct[at]), right)));
    } else if (p.second(i)) {
      const UInt first = waiting[at - static_cast<std::size_t>(p.cut)];
      next = s.word(mux(take_shadow, mux(across, first, waiting[at]), right & ~take_direct));
    } else {
      next = s.word(mux(take_shadow, waiting[at], right & ~take_direct));
    }
    chain[at] = s.named(fmt::format("x{}", i), reg(s, next, {.enable = moves}));
  }

  for (int i = 0; i < p.slices(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    step.individual =
        p.slice.packed ? std::vector{chain[2 * at], chain[2 * at + 1]} : std::vector{chain[at]};
    step.common = commons[p.second(p.column(i)) ? 1 : 0];
    out.sums.push_back(instantiate(s, build_slice, p.slice, step, fmt::format("slice{}", i)).sums);
  }
  if (p.odd()) out.last = {chain[static_cast<std::size_t>(p.columns) - 1]};
  return out;
}

SliceOut<Hardware> build_edge(Scope& s, const EdgePlan& p, const EdgeIn<Hardware>& in) {
  s.module().set_about("last elements of two rows");
  SliceIn<Hardware> step = step_of(s, p.slice, in, in.common);
  step.individual = in.individual;
  if (!in.batch.empty()) {
    // The pixel is then the operand that both elements share.
    const Net batch = reg(s, in.batch[0]);
    step.common = mux(s, batch, in.individual[0], step.common);
    for (std::size_t i = 0; i < 2; ++i)
      step.individual[i] = mux(s, batch, in.weights[i], in.individual[i]);
  }
  return instantiate(s, build_slice, p.slice, step, "slice");
}

}  // namespace kumiki::gen::array

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/bursts.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kumiki::gen::engine {
namespace {

constexpr std::uint32_t word_bits = PortsPlan::word_bits, base_bits = PortsPlan::base_bits;

}  // namespace

std::string BurstsPlan::module_name() const {
  return fmt::format("engine_bursts{}x{}", longest, 8 * word_bytes);
}

BurstsIn<Hardware> input_shape(const BurstsPlan&) {
  BurstsIn<Hardware> in{};
  in.base = UInt::shape(base_bits);
  in.first = in.less_1 = UInt::shape(word_bits);
  return in;
}

BurstsOut<Hardware> build_bursts(Scope& s, const BurstsPlan& p, const BurstsIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("a run of words as bursts of at most {}, which stay within a page", p.longest));
  const auto low = static_cast<std::uint32_t>(std::countr_zero(p.longest)), high = word_bits - low;
  Reg<Net> busy(s, {.reset = in.rst}), sizes(s, {.reset = in.rst}), adds(s, {.reset = in.rst}),
      valid(s, {.reset = in.rst}), last(s, {.enable = sizes});
  const Net again = s.net(in.taken & ~last);
  busy.next(in.start | (busy & ~(in.taken & last)));
  sizes.next(in.start | again);
  adds.next(sizes.q());
  valid.next(adds | (valid & ~in.taken));

  // The next burst begins at a multiple of the longest one. Until then there is room for as many
  // words as the lower bits lack to ones, so adding ones above them subtracts that and one.
  const RegOptions moves{.enable = s.net(in.start | again)};
  Reg<UInt> block(s, high, moves), within(s, low, moves), left(s, word_bits, moves);
  block.next(mux(s, in.start, in.first.slice(low, high), increment(s, block.q())));
  within.next(in.start & in.first.slice(0, low));
  left.next(mux(s, in.start, in.less_1,
                add(s, left.q(), cat(s, {repeat(s, ir::net_one, high), Word(within)}))));

  const UInt room(s.word(~within)), few = left.q().slice(0, low);
  const Net fits = s.net(~Bit(any_of(s, left.q().slice(low, high))) & at_least(s, room, few));
  last.next(fits);
  const UInt length = reg(s, mux(s, fits, few, room), {.enable = sizes});

  // The address in two clocks, so that no carry is long.
  constexpr std::uint32_t half = base_bits / 2, page = PortsPlan::page_bits;
  const auto size = static_cast<std::uint32_t>(std::countr_zero(p.word_bytes));
  const UInt bytes =
      zext(s, cat(s, {Word(block), Word(within), s.constant(0, size)}), PortsPlan::address_bits);
  const UInt lower = reg(s, add_wide(s, in.base.slice(0, half), bytes.slice(page, half)));
  const UInt upper =
      reg(s, add(s, in.base.slice(half, half), bytes.slice(page + half, half), lower.msb()));
  return {.busy = busy,
          .valid = valid,
          .last = last,
          .address =
              cat(s, {Word(upper), Word(reg(s, lower.slice(0, half))), Word(bytes.slice(0, page))}),
          .length = zext(s, length, 8)};
}

BurstsOut<Values> BurstsModel::shown() const {
  const std::uint64_t room = plan_.longest - 1 - first_ % plan_.longest;
  return {.busy = busy_,
          .valid = busy_ && clocks_ == clocks_to_valid,
          .last = left_ <= room,
          .address = ((base_ << PortsPlan::page_bits) + first_ * plan_.word_bytes) %
                     (std::uint64_t{1} << PortsPlan::address_bits),
          .length = std::min(left_, room)};
}

void BurstsModel::clock(const BurstsIn<Values>& in) {
  if (in.rst) return reset();
  const BurstsOut<Values> now = shown();
  clocks_ = std::min(clocks_ + 1, clocks_to_valid);
  base_ = in.base;
  if (in.start) {
    busy_ = true;
    clocks_ = 1;
    first_ = in.first;
    left_ = in.less_1;
  } else if (in.taken && now.last) {
    busy_ = false;
  } else if (in.taken) {
    clocks_ = 1;
    first_ += now.length + 1;
    left_ -= now.length + 1;
  }
}

}  // namespace kumiki::gen::engine

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/stored_dot/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/packing/operand_store.h"

namespace kumiki::gen::stored_dot {
namespace {

// A slice with its data; the store wires the weights' side.
Dsp48e2 multiplier(Scope& s, const StoredPlan& p, const StoredIn<Hardware>& in, std::size_t i) {
  Dsp48e2 dsp{.attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
              .enable = in.en};
  if (p.on_b())
    dsp.a = sext(s, in.x[i], 30);
  else
    dsp.b = sext(s, in.x[i], 18);
  if (p.preadder()) {
    dsp.attributes.amultsel = ir::dsp48e2::AMultSel::ad;
    const auto guard = static_cast<std::uint32_t>(p.guard);
    dsp.d = guard == 0 ? Word(sext(s, in.d[i], 27))
                       : Word(cat(s, {UInt(sext(s, in.d[i], 27 - guard)), s.constant(0, guard)}));
    dsp.inmode = 0b00100;
  }
  return dsp;
}

// OPMODE by place in the chain: W is RND or 0, Z is the word from the slice below (PCIN or C) or 0.
constexpr std::uint16_t first_of_chain = 0b00'000'01'01, first_with_rnd = 0b10'000'01'01,
                        first_of_column = 0b00'011'01'01, next = 0b00'001'01'01;

SInt chain(Scope& s, const StoredPlan& p, const StoredIn<Hardware>& in,
           const packing::StoreEnables& enables, int number) {
  const int columns = p.columns();
  const std::span words(in.weights.begin() + number * columns, static_cast<std::size_t>(columns));
  packing::StoredColumn store(s, p.store, enables);
  Dsp48e2::Out below;
  for (int i = 0; i < p.request.terms; ++i) {
    Dsp48e2 dsp = multiplier(s, p, in, static_cast<std::size_t>(number * p.request.terms + i));
    store.wire(dsp, i, words);
    if (i == 0) {
      dsp.opmode = p.low_offset != 0 ? first_with_rnd : first_of_chain;
      dsp.attributes.rnd = static_cast<std::uint64_t>(p.low_offset);
    } else if (p.store.place_in_column(i) == 0) {
      dsp.opmode = first_of_column;
      dsp.c = below.p;
    } else {
      dsp.opmode = next;
      dsp.pcin = below.pcout;
    }
    below = dsp.add_to(s);
    store.placed(i, below);
  }
  return below.p;
}

// The lane of x minus R: one inverter where R is half the lane. Otherwise the sum may need a bit
// more than the lane has: eight full INT8 products reach 131072 in 18 bits.
UInt low_result(Scope& s, const StoredPlan& p, const UInt& lane, std::uint32_t width) {
  const std::uint32_t top = lane.width() - 1;
  if (p.low_offset == std::int64_t{1} << top)
    return cat(s, {s.word(~lane.slice(top, 1)), lane.slice(0, top)}).slice(0, width);
  const std::uint32_t wide = std::max(width, lane.width());
  const auto offset = static_cast<std::uint64_t>(p.low_offset);
  return sub(s, zext(s, lane, wide), s.constant(offset, wide)).slice(0, width);
}

}  // namespace

StoredOut<Hardware> build(Scope& s, const StoredPlan& p, const StoredIn<Hardware>& in) {
  s.module().set_about(fmt::format(
      "{} chains of {} slices with weights in the slices, load {} cycles, period {}, latency {}",
      p.request.chains, p.request.terms, p.store.load_cycles, p.store.period, p.latency()));
  const auto load = packing::store_loader(
      s, p.store, {.rst = in.rst, .en = in.en, .offered = in.weight_valid, .swap = in.swap});
  const auto enables = packing::store_enables(s, p.store, load.control(in.en));
  StoredOut<Hardware> out{
      .weight_ready = load.ready,
      .full = load.full,
      .out_valid = packing::delayed_valid(s, in.in_valid, p.latency(), in.en, in.rst),
      .p = {}};
  const auto width = static_cast<std::uint32_t>(arith::signed_bits(p.sum));
  const auto guard = static_cast<std::uint32_t>(p.guard);
  for (int number = 0; number < p.request.chains; ++number) {
    const SInt word = chain(s, p, in, enables, number);
    if (guard != 0) out.p.push_back(SInt(low_result(s, p, word.slice(0, guard), width)));
    out.p.push_back(SInt(word.slice(guard, width)));
  }
  return out;
}

}  // namespace kumiki::gen::stored_dot

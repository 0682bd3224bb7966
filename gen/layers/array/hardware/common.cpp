// SPDX-License-Identifier: Apache-2.0
// The common memory: a ring of words with three pointers: the next word to write, the next word to
// read, and the first word that may be read again. Flip-flops tell whether a word is available and
// whether there is room; what the other side did in the previous clock does not count yet.
#include "gen/hdl/cells.h"
#include "gen/layers/array/hardware/compute.h"
#include "gen/layers/array/hardware/count.h"
#include "gen/layers/array/hardware/queue.h"

namespace kumiki::gen::array {

Common build_common(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in,
                    Net taken) {
  const std::uint32_t place = address_width(static_cast<std::uint64_t>(p.common_depth()));
  Walk walk(s, p, c, Engine::common);
  const Net init = s.named("common_init", reg(s, walk.fetch(), {.reset = c.rst}));
  const Net none = p.request.batched_fc ? walk.field(fields::common_none)[0] : ir::net_zero;
  const Net skips = s.net(init & none);

  Sequence sequence(s, s.net(init & ~none), c.rst);
  const Net step = sequence.step();
  Down word(s, walk.field(fields::common_length), init);
  Down repeat(s, walk.field(fields::common_repeats), init);
  Down outer(s, walk.field(fields::common_outers), init);
  word.finish(step);
  repeat.finish(s.net(step & word.last()));
  outer.finish(s.net(step & word.last() & repeat.last()));
  const Net lot_over = s.net(word.last() & repeat.last());
  const Net all_over = s.net(lot_over & outer.last());
  const Net keep = walk.field(fields::common_keep)[0];
  const Net again = sequence.pass(s.net(keep & word.last() & ~repeat.last()));
  const Net release = sequence.pass(s.net(~keep | lot_over));
  const Net over = sequence.pass(all_over);

  // Pointers have one bit more than an address, which distinguishes full from empty.
  Wire<Net> take_wire(s), fetch_wire(s);
  const Net take = take_wire, fetch = fetch_wire;
  Pointer write(s, place + 1, take, c.rst), read(s, place + 1, fetch, c.rst);
  Reg<UInt> base(s, place + 1, {.enable = s.net(fetch & release), .reset = c.rst});
  write.advance(s);
  base.next(read.behind.q());
  // The LUTs of the carry chain make the selection.
  const UInt next = lut_o6(
      s, [](bool back, bool first, bool behind) { return back ? first : behind; },
      SourceLocation::current(), again, base.q(), read.behind.q());
  read.at.next(next);
  read.behind.next(carry_chain(s, next, s.constant(0, place + 1), ir::net_one).sum);

  // Words that are read again are always present.
  Reg<Net> there(s, {.reset = c.rst}), room(s, {.init = 1, .reset = c.rst});
  const Net none_left = equals(s, read.at.q(), write.at.q());
  const Net one_left = equals(s, read.behind.q(), write.at.q());
  there.next(mux(fetch, again | ~one_left, ~none_left));
  const auto full = [&](const UInt& at) {
    const Net same_place = equals(s, at.slice(0, place), base.q().slice(0, place));
    return s.net(same_place & (at[place] ^ base.q()[place]));
  };
  room.next(mux(take, ~full(write.behind.q()), ~full(write.at.q())));

  Common out;
  out.ready = room.q();
  take_wire.drive(room & in.com_valid);
  out.full = s.named("common_full", latch(s, fetch, taken, c.rst));
  fetch_wire.drive(sequence.valid() & there & (~out.full | taken));
  sequence.finish(all_over, fetch);
  walk.over(s.net((fetch & over) | skips));

  const auto bits = static_cast<std::uint32_t>(p.operand_bits());
  const auto lanes = static_cast<std::uint32_t>(p.commons());
  const std::vector<Word> high_to_low(in.com_data.rbegin(), in.com_data.rend());
  const UInt words =
      s.named("common",
              Memory{.depth = static_cast<std::uint32_t>(p.common_depth()),
                     .width = lanes * bits,
                     .style = p.common_depth() <= 64 ? ir::memory::distributed : ir::memory::block,
                     .read = ir::memory::twice_registered,
                     .write_enable = take,
                     .write_address = write.at.q().slice(0, place),
                     .write_data = cat(s, high_to_low),
                     .read_enable = fetch,
                     .read_address = read.at.q().slice(0, place)}
                  .add_to(s));
  for (std::uint32_t i = 0; i < lanes; ++i) out.words.push_back(words.slice(i * bits, bits));
  return out;
}

}  // namespace kumiki::gen::array

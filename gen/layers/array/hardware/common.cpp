// SPDX-License-Identifier: Apache-2.0
// The common memory: a ring of words with three pointers, to the next word the stream writes, the
// next word the elements read, and the first word that may be read again.
#include "gen/hdl/cells.h"
#include "gen/layers/array/hardware/compute.h"

namespace kumiki::gen::array {

Common build_common(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in,
                    Net taken) {
  const std::uint32_t place = address_width(static_cast<std::uint64_t>(p.common_depth()));
  Walk walk(s, p, c, Engine::common);
  Wire<Net> over(s), fetch_wire(s);
  const Net fetch = fetch_wire;
  const Net run = s.named("common_runs", latch(s, walk.fetch(), over, c.rst));

  // Pointers have one bit more than an address, so that full and empty differ.
  Wire<Net> take_wire(s);
  const Net take = take_wire;
  Reg<UInt> write(s, place + 1, {.enable = take, .reset = c.rst});
  Reg<UInt> base(s, place + 1, {.reset = c.rst});
  Reg<UInt> read(s, place + 1, {.enable = fetch, .reset = c.rst});
  write.next(increment(s, write.q()));
  const Net same_place = equals(s, write.q().slice(0, place), base.q().slice(0, place));
  const Bit other_round = write.q()[place] ^ base.q()[place];
  Common out;
  out.ready = s.net(~(same_place & other_round));
  take_wire.drive(out.ready & in.com_valid);

  out.full = s.named("common_full", latch(s, fetch, taken, c.rst));
  const Net empty = equals(s, read.q(), write.q());
  const Net none = p.request.batched_fc ? walk.field(fields::common_none)[0] : ir::net_zero;
  fetch_wire.drive(run & ~none & ~empty & (~out.full | taken));
  const UpTo word = up_to(s, walk.field(fields::common_length), fetch, c.rst);
  const Net length_over = s.net(fetch & word.last);
  const UpTo repeat = up_to(s, walk.field(fields::common_repeats), length_over, c.rst);
  const Net lot_over = s.net(length_over & repeat.last);
  const UpTo outer = up_to(s, walk.field(fields::common_outers), lot_over, c.rst);
  over.drive((lot_over & outer.last) | (run & none));
  walk.over(over);

  const Net keep = walk.field(fields::common_keep)[0];
  const UInt next = increment(s, read.q());
  const Net again = s.net(keep & length_over & ~lot_over);
  read.next(mux(s, again, base.q(), next));
  const Net release = s.net(fetch & (~keep | lot_over));
  base.next(mux(s, release, next, base.q()));

  const auto bits = static_cast<std::uint32_t>(p.operand_bits());
  const auto lanes = static_cast<std::uint32_t>(p.commons());
  const std::vector<Word> high_to_low(in.com_data.rbegin(), in.com_data.rend());
  const UInt words =
      s.named("common",
              Memory{.depth = static_cast<std::uint32_t>(p.common_depth()),
                     .width = lanes * bits,
                     .style = p.common_depth() <= 64 ? ir::memory::distributed : ir::memory::block,
                     .read = ir::memory::registered,
                     .write_enable = take,
                     .write_address = write.q().slice(0, place),
                     .write_data = cat(s, high_to_low),
                     .read_enable = fetch,
                     .read_address = read.q().slice(0, place)}
                  .add_to(s));
  for (std::uint32_t i = 0; i < lanes; ++i) out.words.push_back(words.slice(i * bits, bits));
  return out;
}

}  // namespace kumiki::gen::array

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/walk.h"

namespace kumiki::gen::array {
namespace {

std::uint32_t layer_bits(const ArrayPlan& p) {
  return address_width(static_cast<std::uint64_t>(p.layer_depth()));
}

}  // namespace

Net latch(Scope& s, Net set, Net clear, Net rst) {
  Reg<Net> q(s, {.reset = rst});
  q.next(set | (q & ~clear));
  return q.q();
}

Net half_at_work(Scope& s, Net done, Net rst) {
  Reg<Net> half(s, {.enable = done, .reset = rst});
  half.next(~half);
  return half.q();
}

UInt up_down(Scope& s, Net up, Net down, Net rst) {
  Reg<UInt> n(s, 2, {.reset = rst});
  const std::vector<Net> index{n.q()[0], n.q()[1], up, down};
  n.next(look_up(
      s, 2, [](unsigned v) { return ((v & 3) + (v >> 2 & 1) - (v >> 3)) & 3; }, index));
  return n.q();
}

Config config(Scope& s, const ArrayPlan& p, Net rst, Net valid, const UInt& address,
              const UInt& data) {
  Config c{.valid = valid, .rst = rst, .address = address, .data = data};
  c.start = s.net(valid & equals(s, address, start_address));
  const auto inside = layer_bits(p);
  const UInt rest = cat(s, {address.slice(9, 3), address.slice(3 + inside, 6 - inside)});
  for (std::size_t e = 0; e < c.to.size(); ++e)
    c.to[e] = s.net(valid & equals(s, rest, std::uint64_t{e} << (6 - inside)));
  c.last_layer = s.named("last_layer", reg(s, data.slice(0, inside), {.enable = c.start}));
  return c;
}

Walk::Walk(Scope& s, const ArrayPlan& p, const Config& c, Engine engine)
    : s_(s), plan_(p), config_(c), engine_(engine), over_(s) {
  const Net over = over_;
  // A start in the clock of a reset is ignored.
  Reg<UInt> layer(s, layer_bits(p), {.enable = over, .reset = s.net(c.start | c.rst)});
  layer_ = layer.q();
  layer.next(increment(s, layer_));
  is_last_ = reg(s, equals(s, layer_, c.last_layer));
  fetch_ = reg(s, c.start | (over & ~is_last_), {.reset = c.rst});
}

UInt descriptor_word(Scope& s, const ArrayPlan& p, const Config& c, Engine engine, int word,
                     const UInt& layer) {
  const std::uint32_t bits = word_bits(engine, word);
  const auto inside = layer_bits(p);
  const UInt here =
      cat(s, {gen::bits(s, {c.to[static_cast<std::size_t>(engine)]}), c.address.slice(0, 3)});
  return Memory{.depth = static_cast<std::uint32_t>(p.layer_depth()),
                .width = bits,
                .style = ir::memory::distributed,
                .read = ir::memory::registered,
                .write_enable = equals(s, here, 8 + static_cast<std::uint64_t>(word)),
                .write_address = c.address.slice(3, inside),
                .write_data = c.data.slice(0, bits),
                .read_address = layer}
      .add_to(s);
}

UInt Walk::field(const Field& f) {
  auto found = words_.find(f.word);
  if (found == words_.end())
    found =
        words_.emplace(f.word, descriptor_word(s_, plan_, config_, engine_, f.word, layer_)).first;
  return found->second.slice(static_cast<std::uint32_t>(f.low),
                             static_cast<std::uint32_t>(f.width));
}

void Walk::over(Net done) { over_.drive(done); }

}  // namespace kumiki::gen::array

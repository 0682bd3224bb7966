// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/settle.h"

#include <algorithm>

namespace kumiki::gen::compressor {

// Cells are in the order of creation, so the driver of an input comes first.
bool Settled::operator()(Net n) {
  value_.resize(module_.net_count(), 0);
  value_[ir::net_one.index] = ~ir::Lanes{0};
  std::vector<ir::Lanes> in, out;
  for (; done_ < module_.cells().size(); ++done_) {
    const ir::Cell& c = module_.cells()[done_];
    if (c.kind == ir::Kind::instance) continue;
    const ir::Prototype& p = ir::prototype(c.kind);
    in.clear();
    for (Net pin : module_.inputs(c)) in.push_back(value_[pin.index]);
    out.assign(module_.output_count(c), 0);
    if (ir::is_flop(c.kind))
      std::copy_n(in.begin() + 2, c.width, out.begin());
    else if (!p.kernel.state_words)
      p.kernel.evaluate(module_.view(c), in.data(), nullptr, out.data());
    std::copy(out.begin(), out.end(), value_.begin() + c.out.index);
  }
  return value_[n.index] & 1;
}

UInt settled_register(Scope& s, Settled& settled, std::span<const Net> d, Net enable,
                      SourceLocation here) {
  std::vector<Net> q(d.size());
  // Bits with the same initial value are one cell; bits at 1 come in words of 64.
  for (bool one : {false, true}) {
    std::vector<std::size_t> group;
    for (std::size_t i = 0; i < d.size(); ++i)
      if (settled(d[i]) == one) group.push_back(i);
    const std::size_t most = one ? 64 : d.size();
    for (std::size_t low = 0; low < group.size(); low += most) {
      const auto n = static_cast<std::uint32_t>(std::min(most, group.size() - low));
      std::vector<Net> part;
      for (std::uint32_t i = 0; i < n; ++i) part.push_back(d[group[low + i]]);
      const std::uint64_t init = !one ? 0 : n == 64 ? ~std::uint64_t{0} : (1ull << n) - 1;
      UInt r = reg(s, UInt(s.word(part, s.at(here))), {.init = init, .enable = enable}, here);
      for (std::uint32_t i = 0; i < n; ++i) q[group[low + i]] = r[i];
    }
  }
  return UInt(s.word(q, s.at(here)));
}

}  // namespace kumiki::gen::compressor

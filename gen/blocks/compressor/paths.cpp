// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/paths.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "ir/primitives/lut.h"

namespace kumiki::gen::compressor {
namespace {

constexpr Picoseconds never = -1;

bool is_passed(ir::Kind k) { return ir::is_lut(k) || ir::is_carry(k); }

}  // namespace

Paths::Paths(const ir::Module& module, const ir::timing::Delays& delays)
    : Paths(module, delays, Since{}) {
  for (const ir::Cell& cell : module.cells())
    if (!is_passed(cell.kind))
      throw std::logic_error("paths of a module with other cells than LUTs and carry chains");
  reading_.resize(module.net_count());
  for (std::uint32_t c = 0; c < module.cells().size(); ++c)
    for (const Net in : module.inputs(module.cells()[c]))
      if (auto& all = reading_[in.index]; all.empty() || all.back() != c) all.push_back(c);
  join_parts();
}

Paths::Paths(const ir::Module& module, const ir::timing::Delays& delays, Since since)
    : module_(module),
      delays_(delays),
      since_(since),
      driver_(module.net_count() - since.nets, none),
      readers_(module.net_count() - since.nets, 0),
      at_(module.net_count() - since.nets, never) {
  const auto read = [&](Net net) {
    ++(net.index < since_.nets ? before_[net.index] : readers_[net.index - since_.nets]);
  };
  for (std::uint32_t c = since.cells; c < module.cells().size(); ++c) {
    const ir::Cell& cell = module.cells()[c];
    for (const Net in : module.inputs(cell)) read(in);
    if (!is_passed(cell.kind)) continue;
    for (std::uint32_t o = 0; o < module.output_count(cell); ++o)
      driver_[cell.out.index + o - since_.nets] = c;
  }
  for (const ir::Port& p : module.ports())
    if (p.direction == ir::Direction::output)
      for (const Net n : module.port_nets(p)) read(n);
}

// Whether a LUT leads to a chain through cells outside the chain.
bool Paths::leads_to(std::uint32_t lut, const std::set<std::uint32_t>& chain) const {
  std::set<std::uint32_t> next;
  const auto add_readers = [&](std::uint32_t c) {
    const ir::Cell& cell = module_.cells()[c];
    for (std::uint32_t o = 0; o < module_.output_count(cell); ++o)
      for (const std::uint32_t r : reading_[cell.out.index + o])
        if (r <= *chain.rbegin() && (c != lut || !chain.contains(r))) next.insert(r);
  };
  for (add_readers(lut); !next.empty();) {
    const std::uint32_t c = *next.begin();
    next.erase(next.begin());
    if (chain.contains(c)) return true;
    add_readers(c);
  }
  return false;
}

// S of a position comes from the LUT beside it. S may also be a bit of an earlier stage to which
// nothing is added. Then a register may stand between them, followed by a LUT that passes the bit
// on.
void Paths::join_parts() {
  std::vector<std::uint32_t> root(module_.cells().size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t c) {
    while (root[c] != c) c = root[c] = root[root[c]];
    return c;
  };
  std::map<std::uint32_t, std::set<std::uint32_t>> chains;
  for (std::uint32_t c = 0; c < root.size(); ++c) {
    const ir::Cell& cell = module_.cells()[c];
    if (!ir::is_carry(cell.kind)) continue;
    const Net below = module_.inputs(cell)[0];
    if (is_cascade(below)) root[c] = find(driver(below));
    chains[find(c)].insert(c);
  }
  for (const auto& [first, chain] : chains)
    for (const std::uint32_t c : chain) {
      const ir::Cell& cell = module_.cells()[c];
      const ir::CarryShape block = shape(cell);
      for (std::uint32_t i = 0; i < block.positions; ++i)
        if (const std::uint32_t by = driver(module_.inputs(cell)[block.s() + i]);
            by != none && !leads_to(by, chain))
          root[find(by)] = find(c);
    }
  std::vector<std::uint32_t> number(root.size(), none);
  for (std::uint32_t c = 0; c < root.size(); ++c) {
    std::uint32_t& n = number[find(c)];
    if (n == none) n = part_count_++;
    part_.push_back(n);
  }
}

// The carry out of a block, which goes directly to the block above it.
bool Paths::is_cascade(Net net) const {
  const std::uint32_t by = driver(net);
  if (by == none) return false;
  const ir::Cell& cell = module_.cells()[by];
  return ir::is_carry(cell.kind) && shape(cell).is_cascade(net.index - cell.out.index);
}

bool Paths::is_carry_out(Net net) const {
  const std::uint32_t by = driver(net);
  if (by == none) return false;
  const ir::Cell& cell = module_.cells()[by];
  return ir::is_carry(cell.kind) && shape(cell).is_carry_out(net.index - cell.out.index);
}

// The extra delay of a net that leaves for the fabric.
Picoseconds Paths::exit(Net net) const { return is_carry_out(net) ? delays_.carry_exit : 0; }

// The wire delay as in backends/timing. Registers add no readers to a net: all later readers count
// as one.
Picoseconds Paths::wire(Net net, std::uint32_t c, std::uint32_t pin, bool from_register) const {
  const std::uint32_t by = from_register ? none : driver(net);
  const ir::Cell& cell = module_.cells()[c];
  // S comes through a LUT.
  const Picoseconds passing =
      by == none && ir::is_carry(cell.kind) && pin >= shape(cell).s() ? delays_.lut : 0;
  if (delays_.counts_levels) return passing;
  if (by != none && ir::is_carry(cell.kind)) {
    const ir::Kind from = module_.cells()[by].kind;
    if (pin == 0 && is_cascade(net)) return delays_.wire.carry_to_carry;
    const bool own_lut =
        pin >= shape(cell).s() || (pin >= ir::CarryShape::di && from == ir::Kind::lut6_2);
    if (own_lut && ir::is_lut(from)) return delays_.wire.beside;
  }
  return delays_.wire.through_fabric(readers(net)) + passing +
         (passing > 0 ? delays_.wire.beside : 0) + exit(net);
}

Picoseconds Paths::arrival(std::uint32_t c, std::uint32_t pin) const {
  const Net net = module_.inputs(module_.cells()[c])[pin];
  if (net.is_constant() || net == ir::net_open) return never;
  const std::uint32_t by = driver(net);
  if (c == first_ && (by == none || part_[by] != part_[c]))
    return delays_.from_flop() + wire(net, c, pin, true);
  const Picoseconds at = by == none && first_ == none ? 0 : at_[net.index - since_.nets];
  return at == never ? never : at + wire(net, c, pin, false);
}

void Paths::set(std::uint32_t net, Picoseconds at) {
  if (at == never) return;
  Picoseconds& now = at_[net - since_.nets];
  if (now == never) reached_.push_back(net - since_.nets);
  now = std::max(now, at);
}

void Paths::pass(std::uint32_t c) {
  if (ir::is_carry(module_.cells()[c].kind))
    pass_carry(c);
  else
    pass_lut(c);
}

void Paths::pass_lut(std::uint32_t c) {
  const ir::Cell& cell = module_.cells()[c];
  const auto in = module_.inputs(cell);
  const std::uint64_t table = module_.params(cell)[0];
  const auto pins = static_cast<std::uint32_t>(ir::prototype(cell.kind).inputs.size());
  for (std::uint32_t o = 0; o < module_.output_count(cell); ++o) {
    const std::uint32_t output = o / cell.width, element = o % cell.width;
    const bool upper = cell.kind == ir::Kind::lut6_2 && in[5 * cell.width + element] == ir::net_one;
    Picoseconds latest = never;
    for (std::uint32_t i = 0; i < pins; ++i)
      if (ir::lut_depends(cell.kind, table, upper, output, i))
        latest = std::max(latest, arrival(c, i * cell.width + element));
    if (latest != never) set(cell.out.index + o, latest + delays_.lut);
  }
}

bool Paths::is_zero(Net net) const {
  if (net == ir::net_zero) return true;
  const std::uint32_t by = driver(net);
  if (by == none || module_.cells()[by].kind != ir::Kind::lut6_2) return false;
  const ir::Cell& cell = module_.cells()[by];
  const std::uint32_t offset = net.index - cell.out.index;
  return offset < cell.width && module_.inputs(cell)[5 * cell.width + offset] == ir::net_one &&
         module_.params(cell)[0] >> 32 == 0;
}

void Paths::pass_carry(std::uint32_t c) {
  const ir::Cell& cell = module_.cells()[c];
  const auto in = module_.inputs(cell);
  const ir::CarryShape block = shape(cell);
  const auto later = [](Picoseconds at, Picoseconds more) {
    return at == never ? never : at + more;
  };
  const auto into = [&](std::uint32_t pin) {
    const bool cascade = pin == 0 && is_cascade(in[pin]);
    return later(arrival(c, pin), cascade ? delays_.carry_cascade : delays_.carry_entry);
  };
  Picoseconds carry = never;
  for (std::uint32_t i = 0; i < block.positions; ++i) {
    if (i == 0) carry = block.has_fabric_input ? std::max(into(0), into(1)) : into(0);
    if (i > 0 && i == block.chain) carry = into(1);
    const Picoseconds s = arrival(c, block.s() + i), di = arrival(c, ir::CarryShape::di + i);
    set(cell.out.index + block.positions + i,
        std::max(later(s, delays_.carry_sum), later(carry, delays_.carry_exit)));
    // Nothing passes a position whose S is 0, and its DI is not used elsewhere.
    const Net propagate = in[block.s() + i];
    carry = is_zero(propagate)
                ? never
                : std::max(later(carry, delays_.carry_position), later(s, delays_.carry_entry));
    if (propagate != ir::net_one) carry = std::max(carry, later(di, delays_.carry_entry));
    set(cell.out.index + i, carry);
  }
}

Picoseconds Paths::period(std::uint32_t c) const {
  const ir::Cell& cell = module_.cells()[c];
  Picoseconds longest = 0;
  for (std::uint32_t o = 0; o < module_.output_count(cell); ++o) {
    const Net net{cell.out.index + o};
    if (at_[net.index] == never) continue;
    // A net that only its own part reads never has a register.
    const auto& reading = reading_[net.index];
    const bool leaves =
        readers(net) > 0 && (reading.empty() || std::ranges::any_of(reading, [&](std::uint32_t r) {
                               return part_[r] != part_[c];
                             }));
    if (!leaves) continue;
    const Picoseconds into_register =
        delays_.counts_levels ? 0 : delays_.wire.beside + exit(net) + delays_.setup;
    longest = std::max(longest, at_[net.index] + into_register + delays_.uncertainty);
  }
  return longest;
}

void Paths::walk(std::uint32_t cell, const Action& action) {
  first_ = cell;
  // Visits cells in order: a cell comes after all cells that may reach it.
  std::set<std::uint32_t> next{cell};
  while (!next.empty()) {
    const std::uint32_t c = *next.begin();
    next.erase(next.begin());
    pass(c);
    if (!action(c, period(c))) continue;
    const ir::Cell& one = module_.cells()[c];
    for (std::uint32_t o = 0; o < module_.output_count(one); ++o)
      if (at_[one.out.index + o] != never)
        for (const std::uint32_t r : reading_[one.out.index + o]) next.insert(r);
  }
  for (const std::uint32_t net : reached_) at_[net] = never;
  reached_.clear();
}

void Paths::follow() {
  first_ = none;
  for (std::uint32_t c = since_.cells; c < module_.cells().size(); ++c)
    if (is_passed(module_.cells()[c].kind)) pass(c);
}

Picoseconds Paths::at(Net net) const {
  if (net.index < since_.nets) return 0;
  return std::max(at_[net.index - since_.nets], 0) + exit(net);
}

Picoseconds Paths::longest() {
  follow();
  Picoseconds longest = 0;
  for (const ir::Port& p : module_.ports()) {
    if (p.direction != ir::Direction::output) continue;
    for (const Net n : module_.port_nets(p))
      if (!n.is_constant())
        longest = std::max(longest, at(n) + delays_.wire.through_fabric(readers(n)));
  }
  return longest;
}

}  // namespace kumiki::gen::compressor

// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/registers.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <stdexcept>

#include <fmt/format.h>

#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/solver/mip.h"
#include "ir/interrupt.h"

namespace kumiki::gen::compressor {
namespace {

// A carry chain counts as one level, however many blocks it has.
ir::timing::Delays of_chains() {
  ir::timing::Delays d = ir::timing::levels();
  d.carry_cascade = 0;
  return d;
}

// The part `to` works at least `clocks` later than `from`.
struct Later {
  std::uint32_t from, to;
  unsigned clocks;
  auto operator<=>(const Later&) const = default;
};

class Placer {
 public:
  Placer(const ir::Module& module, const Between& between)
      : module_(module),
        between_(between),
        paths_(module, between.levels > 0
                           ? of_chains()
                           : ir::timing::delays(module.design().family(), between.grade)),
        most_(between.levels > 0 ? between.levels : between.period),
        nets_(module.net_count()) {
    find_readers();
    find_order();
  }

  Placement place(const std::function<bool()>& pulse) const {
    const std::vector<unsigned> earliest = earliest_clocks();
    Placement p;
    p.latency = 1 + (earliest.empty() ? 0 : *std::ranges::max_element(earliest));
    const std::vector<unsigned> clock = fewest(p.latency, pulse);
    for (std::uint32_t c = 0; c < cells(); ++c) p.clock.push_back(clock[paths_.part(c)]);
    const auto d = ir::timing::delays(module_.design().family(), between_.grade);
    p.levels = longest(p.clock, ir::timing::levels());
    p.period = longest(p.clock, d);
    for (std::uint32_t n = 0; n < nets_.size(); ++n) {
      unsigned last = nets_[n].is_output ? p.latency : 0;
      for (const std::uint32_t part : nets_[n].readers) last = std::max(last, clock[part]);
      const std::uint32_t by = paths_.driver(Net{n});
      const bool is_input = by == Paths::none;
      const unsigned waits = last - std::min(last, is_input ? 0 : clock[paths_.part(by)]);
      p.flip_flops += waits;
      // Path from register to register without logic.
      if (waits > (is_input ? 0u : 1u))
        p.period =
            std::max(p.period, d.from_flop() + d.wire.through_fabric(paths_.readers(Net{n})) +
                                   d.setup + d.uncertainty);
    }
    // The enable of all registers: about three cells a clock, and one for every 64 bits.
    const double enabled = 3.0 * p.latency + static_cast<double>(p.flip_flops) / 64;
    p.period = std::max(p.period,
                        d.from_flop() + d.wire.through_fabric(enabled) + d.control + d.uncertainty);
    if (between_.levels == 0 && p.period > most_) throw ChainTooLong(p.period);
    return p;
  }

 private:
  struct Reading {
    std::vector<std::uint32_t> readers;  // parts, each once
    bool is_output = false;
  };

  std::uint32_t cells() const { return static_cast<std::uint32_t>(module_.cells().size()); }

  void find_readers() {
    for (std::uint32_t c = 0; c < cells(); ++c)
      for (const Net in : module_.inputs(module_.cells()[c]))
        if (in.index >= ir::first_free_net) nets_[in.index].readers.push_back(paths_.part(c));
    for (Reading& r : nets_) {
      std::ranges::sort(r.readers);
      r.readers.erase(std::unique(r.readers.begin(), r.readers.end()), r.readers.end());
    }
    for (const ir::Port& p : module_.ports())
      if (p.direction == ir::Direction::output)
        for (const Net n : module_.port_nets(p))
          nets_[n.index].is_output = n.index >= ir::first_free_net;
  }

  // A part works no earlier than its drivers; ends of a path too long for one clock are in two.
  void find_order() {
    for (std::uint32_t n = 0; n < nets_.size(); ++n)
      if (const auto by = paths_.driver(Net{n}); by != Paths::none)
        for (const std::uint32_t part : nets_[n].readers)
          if (part != paths_.part(by)) later_.push_back({paths_.part(by), part, 0});
    Picoseconds least = 0;  // of the longest part alone
    for (std::uint32_t c = 0; c < cells(); ++c)
      paths_.walk(c, [&](std::uint32_t reached, Picoseconds period) {
        const bool is_same = paths_.part(reached) == paths_.part(c);
        if (is_same) least = std::max(least, period);
        if (period > most_) later_.push_back({paths_.part(c), paths_.part(reached), 1});
        return is_same || period <= most_;
      });
    if (least > most_) throw ChainTooLong(least);
    std::ranges::sort(later_);
    later_.erase(std::unique(later_.begin(), later_.end()), later_.end());
  }

  std::vector<unsigned> earliest_clocks() const {
    std::vector<unsigned> clock(paths_.part_count(), 0);
    bool is_settled = false;
    for (std::uint32_t round = 0; !is_settled; ++round) {
      // Chains of one run may read the outputs of others in the run, through other LUTs: a longer
      // path.
      if (round > paths_.part_count()) throw ChainTooLong(most_ + 1);
      is_settled = true;
      for (const Later& l : later_)
        if (clock[l.to] < clock[l.from] + l.clocks) {
          clock[l.to] = clock[l.from] + l.clocks;
          is_settled = false;
        }
    }
    return clock;
  }

  // The linear program. The clock of a net's last reader is a cost, the clock of its driver a
  // refund.
  std::vector<unsigned> fewest(unsigned latency, const std::function<bool()>& pulse) const {
    const double end = latency - 1;
    const auto of = [](std::uint32_t part) { return static_cast<int>(part); };
    Mip mip;
    for (std::uint32_t part = 0; part < paths_.part_count(); ++part) mip.add(0, end, 0, false);
    for (const Later& l : later_) mip.row({{of(l.to), 1}, {of(l.from), -1}}, 'G', l.clocks);
    for (std::uint32_t n = 0; n < nets_.size(); ++n) {
      const Reading& r = nets_[n];
      if (r.readers.empty() && !r.is_output) continue;
      if (const auto by = paths_.driver(Net{n}); by != Paths::none) {
        const int part = of(paths_.part(by));
        mip.set_cost(part, mip.cost(part) - 1);
      }
      if (r.is_output) continue;  // waits until the end, whoever else reads it
      const int last = mip.add(0, end, 1, false);
      for (const std::uint32_t part : r.readers) mip.row({{last, 1}, {of(part), -1}}, 'G', 0);
    }
    const MipResult r = mip.solve({}, pulse);
    if (r.is_stopped) throw Interrupted(SIGINT);
    if (!r.has_solution) throw DesignError(code::no_tree, "no registers were placed");
    std::vector<unsigned> clock;
    for (std::uint32_t part = 0; part < paths_.part_count(); ++part)
      clock.push_back(static_cast<unsigned>(std::lround(r.x[part])));
    for (const Later& l : later_)
      if (clock[l.to] < clock[l.from] + l.clocks)
        throw std::logic_error("registers placed against the order of their netlist");
    return clock;
  }

  Picoseconds longest(const std::vector<unsigned>& clock, const ir::timing::Delays& delays) const {
    Paths paths(module_, delays);
    Picoseconds longest = 0;
    for (std::uint32_t c = 0; c < cells(); ++c)
      paths.walk(c, [&](std::uint32_t reached, Picoseconds period) {
        if (clock[reached] != clock[c]) return false;
        longest = std::max(longest, period);
        return true;
      });
    return longest;
  }

  const ir::Module& module_;
  const Between between_;
  Paths paths_;
  const Picoseconds most_;
  std::vector<Reading> nets_;
  std::vector<Later> later_;
};

}  // namespace

ChainTooLong::ChainTooLong(Picoseconds wanted)
    : DesignError(code::chain_too_long,
                  fmt::format("a carry chain and the LUTs in front of it have no register between "
                              "them; allow at least {} (levels, or ps)",
                              wanted)),
      least(wanted) {}

Placement place_registers(const ir::Module& module, const Between& between,
                          const std::function<bool()>& pulse) {
  return Placer(module, between).place(pulse);
}

}  // namespace kumiki::gen::compressor

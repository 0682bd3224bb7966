// SPDX-License-Identifier: Apache-2.0
// Rules of an engine's AXI4 master, proved from power-up for runs of any length. All inputs are
// free: the list of moves, the memory's answers, what the engine does. No burst crosses the end of
// a page of 4096 bytes. A request stays as it is until it is taken. wlast comes with the last word
// alone.
#include "gen/layers/engine/ports/mover.h"

#include <bit>

#include <gtest/gtest.h>

#include "backends/formal/prove.h"
#include "gen/layers/engine/hardware/core_plan.h"
#include "tests/support/long_form.h"

namespace kumiki::gen::engine {
namespace mover_test {

using backends::proof::Question;
using backends::proof::Status;

constexpr std::uint32_t page = PortsPlan::page_bits;

// Whether so many words from an address on end behind the page where they begin.
Net crosses(Scope& s, const UInt& address, const UInt& length, std::uint32_t word_bytes) {
  const auto size = static_cast<std::uint32_t>(std::countr_zero(word_bytes)), words = page - size;
  const UInt end = add_wide(s, zext(s, address.slice(size, words), page), zext(s, length, page));
  return any_of(s, end.slice(words, end.width() - words));
}

// Flags that no clock may set. All inputs are free.
struct Flags {
  UInt read_crosses, write_crosses, read_changes, write_changes, ends_elsewhere;
  static constexpr auto ports() {
    return std::tuple(
        port("read_crosses", &Flags::read_crosses), port("write_crosses", &Flags::write_crosses),
        port("read_changes", &Flags::read_changes), port("write_changes", &Flags::write_changes),
        port("ends_elsewhere", &Flags::ends_elsewhere));
  }
};
Flags output_shape(const MoverPlan&) {
  const UInt flag = UInt::shape(1);
  return {flag, flag, flag, flag, flag};
}
Flags build_watched(Scope& s, const MoverPlan& plan, const MoverIn<Hardware>& in) {
  const MoverOut<Hardware> out = instantiate(s, build_mover, plan, in, "mover");
  const auto flag = [&](const Bit& b) { return bits(s, {s.net(b)}); };
  const auto over_a_page = [&](Net valid, const UInt& address, const UInt& length) {
    return flag(valid & crosses(s, address, length, plan.ports.word_bytes()));
  };
  // A request stays as it is until it is taken.
  const auto changes = [&](Net valid, Net ready, const UInt& address, const UInt& length) {
    const UInt now = cat(s, {bits(s, {valid}), address, length});
    const Net stays = reg(s, s.net(valid & ~ready), {.reset = in.rst});
    return flag(stays & ~Bit(equals(s, now, reg(s, now))));
  };
  // Words of the burst that is written.
  Reg<UInt> written(s, out.awlen.width(), {.reset = in.rst});
  const Net word = s.net(out.wvalid & in.wready);
  written.next(mux(s, s.net(word & out.wlast), s.constant(0, written.q().width()),
                   mux(s, word, increment(s, written.q()), written.q())));
  return {over_a_page(out.arvalid, out.araddr, out.arlen),
          over_a_page(out.awvalid, out.awaddr, out.awlen),
          changes(out.arvalid, in.arready, out.araddr, out.arlen),
          changes(out.awvalid, in.awready, out.awaddr, out.awlen),
          flag(out.wvalid & (Bit(out.wlast) ^ equals(s, written.q(), out.awlen)))};
}

TEST(MoverProof, KeepsTheRulesOfItsPort) {
  const Question question{
      .reference =
          "module gold(input clk, output read_crosses, output write_crosses, output "
          "read_changes, output write_changes, output ends_elsewhere);\n"
          "  assign read_crosses = 0, write_crosses = 0, read_changes = 0,\n"
          "         write_changes = 0, ends_elsewhere = 0;\nendmodule\n",
      .depth = 8,
      .flushes = false};
  std::vector<std::int64_t> buses{4};
  if (test::long_form()) buses.insert(buses.end(), {16, 32});
  for (const std::int64_t bus : buses) {
    const MoverPlan plan{
        {.engine = {
             plan_core({.rows = 32, .columns = 4, .beat_parts = bus / 4, .places = 64}, false)}}};
    Builder builder;
    build_top(builder, build_watched, plan, input_shape(plan));
    const auto verdict = backends::proof::prove(builder.design(), question, {.seconds = 300});
    EXPECT_EQ(verdict.status, Status::proved)
        << bus << " bytes: " << verdict.clocks << " clocks; " << verdict.counterexample.output;
  }
}

// The bursts as a mover uses them: a run begins when there is none, and what is taken was shown.
struct Crosses {
  UInt crosses;
  static constexpr auto ports() { return std::tuple(port("crosses", &Crosses::crosses)); }
};
Crosses output_shape(const BurstsPlan&) { return {UInt::shape(1)}; }
Crosses build_watched_bursts(Scope& s, const BurstsPlan& plan, const BurstsIn<Hardware>& in) {
  Wire<Net> busy(s), valid(s);
  BurstsIn<Hardware> used = in;
  used.start = s.net(in.start & ~Bit(busy));
  used.taken = s.net(in.taken & valid);
  const BurstsOut<Hardware> out = instantiate(s, build_bursts, plan, used, "bursts");
  busy.drive(out.busy);
  valid.drive(out.valid);
  return {bits(
      s, {s.net(out.valid & mover_test::crosses(s, out.address, out.length, plan.word_bytes))})};
}

TEST(MoverProof, ALongerBurstCrossesAPage) {
  const Question question{
      .reference = "module gold(input clk, output crosses);\n  assign crosses = 0;\nendmodule\n",
      .depth = 4,
      .flushes = false};
  for (const std::uint32_t longest : {64U, 128U}) {
    const BurstsPlan plan{.word_bytes = 64, .longest = longest};
    Builder builder;
    build_top(builder, build_watched_bursts, plan, input_shape(plan));
    const auto verdict = backends::proof::prove(builder.design(), question, {.seconds = 100});
    EXPECT_EQ(verdict.status,
              longest * plan.word_bytes > 1U << page ? Status::refuted : Status::proved);
  }
}

}  // namespace mover_test
}  // namespace kumiki::gen::engine

// SPDX-License-Identifier: Apache-2.0
// Netlists of two clocks in every simulator: waveforms worked by hand, the vendor's answers of the
// slice on the fast clock, changed cells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "backends/emit/verilog_netlist.h"
#include "backends/sim/icarus/icarus.h"
#include "backends/sim/mutation/mutation.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/native/vcd.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"
#include "ir/text.h"
#include "tests/support/cache.h"
#include "tests/support/dsp48e2_traces.h"
#include "tests/support/two_clocks.h"

namespace kumiki::backends {
namespace two_clocks_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// d goes into a on clk, over b and c on clk2x, and back into q on clk; n counts edges of clk2x.
constexpr const char* small_text =
    "design ultrascale+ top t\n"
    "module t\n"
    "  input clk = %3\n"
    "  input clk2x = %4\n"
    "  input d = %5\n"
    "  output q = %9\n"
    "  output n = %12..13\n"
    "  name b = %7\n"
    "  %6 = FDRE \"a\" C=%3 D=%5\n"
    "  %7 = FDRE \"b\" C=%4 D=%6 CROSSING=each\n"
    "  %8 = FDRE \"c\" C=%4 D=%7\n"
    "  %9 = FDRE \"q\" C=%3 D=%8 CROSSING=each\n"
    "  %10..11 = FDRE*2 \"count\" C=%4 D=%14..15\n"
    "  %14 = LUT1 I0=%10 INIT=1\n"
    "  %15 = LUT2 I0=%10 I1=%11 INIT=6\n"
    "  %12..13 = FDRE*2 \"seen\" C=%3 D=%10..11 CROSSING=each\n";

// By hand: a(t) = d(t-1); b is a(t-1) in the first half of t and a(t) in the second; c is b one
// half later, so a(t-1) in both; q(t+1) = c(t) = d(t-2). The counter is 1, 3, 5, … in second
// halves, which clk takes modulo 4.
const std::vector<std::uint64_t> d{1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0};
const std::vector<std::uint64_t> q{0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1};
const std::vector<std::uint64_t> n{0, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1};

void expect_waves(const std::vector<ir::Frame>& outputs) {
  std::vector<std::uint64_t> got_q, got_n;
  for (const auto& frame : outputs) got_q.push_back(frame[0]), got_n.push_back(frame[1]);
  EXPECT_THAT(got_q, ElementsAreArray(q));
  EXPECT_THAT(got_n, ElementsAreArray(n));
}

std::vector<ir::Frame> run(ir::Machine& machine) {
  std::vector<ir::Frame> all(d.size());
  machine.power_up();
  for (std::size_t t = 0; t < d.size(); ++t) machine.step({d[t]}, all[t]);
  return all;
}

TEST(TwoClocks, ThreeSimulatorsShowTheWavesWorkedByHand) {
  const auto design = ir::parse(small_text);
  ir::require_legal(*design);
  NativeMachine native(*design);
  expect_waves(run(native));
  VerilatedMachine verilated(*design, {.cache = Cache(test::shared_cache)});
  expect_waves(run(verilated));
  expect_waves(run(verilated));  // from power-up once more
  std::vector<ir::Frame> stimulus;
  for (auto bit : d) stimulus.push_back({bit});
  const auto icarus = run_icarus(verilog_netlist(*design), stimulus, {.window = {{0, 3}}});
  expect_waves(icarus.outputs);
  EXPECT_NE(icarus.vcd.find("clk2x"), std::string::npos);
}

TEST(TwoClocks, ADumpShowsBothHalves) {
  const auto design = ir::parse(small_text);
  NativeSimulator simulator(*design);
  std::ostringstream out;
  {
    VcdWriter vcd(out, simulator, {.last = 2});
    vcd.add_named({});
    for (unsigned t = 0; t < 3; ++t) {
      simulator.set_all(0, d[t]);
      vcd.sample();
      simulator.clock();
    }
  }
  // a takes the 1 of d at 10; b in the middle of that clock, at 15; a is 0 from 20 on and b
  // from 25.
  EXPECT_EQ(
      out.str(),
      "$timescale 1ns $end\n$scope module t $end\n$var wire 1 ! clk $end\n"
      "$var wire 1 & clk2x $end\n$var wire 1 \" d $end\n$var wire 1 # q $end\n"
      "$var wire 2 $ n [1:0] $end\n$var wire 1 % b $end\n$upscope $end\n$enddefinitions $end\n"
      "#0\n$dumpvars\n1!\n1&\n1\"\n0#\nb00 $\n0%\n$end\n#2\n0&\n#5\n0!\n1&\n#7\n0&\n"
      "#10\n1!\n1&\n0\"\nb01 $\n#12\n0&\n#15\n0!\n1&\n1%\n#17\n0&\n"
      "#20\n1!\n1&\n1\"\nb11 $\n#22\n0&\n#25\n0!\n1&\n0%\n#27\n0&\n#30\n");
}

// Two registers on clk2x are one on clk, wherever they stand: c on clk changes nothing, and no
// check could say more. The counter on clk counts half as fast.
TEST(TwoClocks, ARegisterOnTheOtherClockShowsInLockstep) {
  const auto waves = [](std::string from, const std::string& to) {
    std::string text = small_text;
    text.replace(text.find(from), from.size(), to);
    const auto design = ir::parse(text);
    NativeMachine native(*design);
    std::vector<std::uint64_t> got;
    for (const auto& frame : run(native)) got.push_back(frame[0] | frame[1] << 1);
    return got;
  };
  const auto right = waves("\"c\" C=%4", "\"c\" C=%4");
  EXPECT_EQ(waves("\"c\" C=%4", "\"c\" C=%3"), right);
  EXPECT_NE(waves("\"count\" C=%4", "\"count\" C=%3"), right);
}

TEST(TwoClocks, MutationPutsRegistersOnTheOtherClock) {
  const auto design = ir::parse(small_text);
  struct Model : ir::Machine {
    void power_up() override { t = 0, past = {}; }
    void step(const ir::Frame& in, ir::Frame& out) override {
      out = {past[2], t == 0 ? 0 : t % 2 != 0 ? 1u : 3u};
      past = {in[0], past[0], past[1]};
      ++t;
    }
    std::uint64_t t = 0;
    std::array<std::uint64_t, 3> past{};
  };
  const auto result = try_mutations(
      *design, [] { return std::make_unique<Model>(); },
      [](unsigned run, std::size_t cycle, ir::Frame& f) {
        f = {(run * 77 + cycle * cycle) >> 2 & 1};
      },
      {.seed = 3, .count = 120, .cycles = 60, .survivor_cycles = 60});
  EXPECT_EQ(result.tried, 120u);
  EXPECT_GT(result.by_lockstep, 20u);
  EXPECT_GT(result.by_check, 20u);
  EXPECT_TRUE(result.missed.empty());
  std::size_t clocks = 0;
  for (const Mutation& m : random_mutations(*design, 120, 3))
    clocks += m.kind == Mutation::Kind::rewired_input && m.before >= 3 && m.before <= 4 &&
              m.after == 7 - m.before;
  EXPECT_GT(clocks, 3u);
}

TEST(TwoClocks, EveryRegisterOnEitherClockIsTheSameInThreeSimulators) {
  gen::Builder builder;
  test::build_two_clocks(builder);
  ir::require_legal(builder.design());
  std::vector<ir::Frame> stimulus;
  std::uint64_t seed = 7;
  for (int t = 0; t < 300; ++t) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    stimulus.push_back({seed >> 40 & 15, seed >> 50 & 15});
  }
  NativeMachine native(builder.design());
  VerilatedMachine verilated(builder.design(), {.cache = Cache(test::shared_cache)});
  const auto icarus = run_icarus(verilog_netlist(builder.design()), stimulus);
  native.power_up();
  verilated.power_up();
  ir::Frame want, got;
  std::set<ir::Frame> seen;
  for (std::size_t t = 0; t < stimulus.size(); ++t) {
    native.step(stimulus[t], want);
    verilated.step(stimulus[t], got);
    ASSERT_EQ(got, want) << t;
    ASSERT_EQ(icarus.outputs[t], want) << t;
    seen.insert(want);
  }
  EXPECT_GT(seen.size(), 200u);
}

// A slice on clk2x with all its pins over to_fast: of two cycles of a trace the first one's inputs
// come in a first word, the second one's in a second. What stands behind the register of P is
// gathered into a pair.
class SliceOnFastClock {
 public:
  explicit SliceOnFastClock(const ir::Dsp48e2Attributes& attributes) {
    using namespace gen;
    Scope s(builder_, builder_.design().add_module("slice"));
    std::uint32_t width = 0;
    for (const auto& pin : ir::dsp48e2_input_pins) width += pin.member ? pin.width : 0;
    const auto first = s.input<UInt>("first", width), second = s.input<UInt>("second", width);
    const UInt all = to_fast(s, first, second);
    std::vector<ir::Net> in;
    std::uint32_t low = 0;
    UInt p;
    {
      const auto fast = s.fast();
      for (const auto& pin : ir::dsp48e2_input_pins) {
        if (!pin.member) {
          in.push_back(s.clk());
          continue;
        }
        for (std::uint32_t i = 0; i < pin.width; ++i) in.push_back(all[low + i]);
        low += pin.width;
      }
      Net out = s.cell(ir::Kind::dsp48e2, 1, in, ir::dsp_param_words(attributes),
                       s.at(SourceLocation::current()));
      for (const auto& pin : ir::dsp48e2_output_pins) {
        if (pin.name == "P") p = UInt(s.run(out, pin.width, {}));
        out.index += pin.width;
      }
    }
    const auto pair = to_slow(s, p);
    s.output("p0", pair.first);
    s.output("p1", pair.second);
    s.finish();
    builder_.design().set_top(s.module().id());
  }
  const ir::Design& design() const { return builder_.design(); }

  // P behind every edge of clk2x that a cycle of the trace is.
  static std::vector<std::uint64_t> run(ir::Machine& machine, const tests::Dsp48e2Trace& trace) {
    std::vector<std::uint64_t> all;
    ir::Frame out;
    machine.power_up();
    for (const auto& frame : stimulus(trace)) {
      machine.step(frame, out);
      all.insert(all.end(), out.begin(), out.end());
    }
    all.erase(all.begin(), all.begin() + 4);  // two clocks from operands to the pair
    return all;
  }
  static std::vector<ir::Frame> stimulus(const tests::Dsp48e2Trace& trace) {
    std::vector<ir::Frame> all;
    for (std::size_t t = 0; t + 1 < trace.cycles.size(); t += 2)
      all.push_back(joined({word(trace.cycles[t].in), word(trace.cycles[t + 1].in)}));
    all.resize(all.size() + 2, all.back());
    return all;
  }

 private:
  static std::vector<bool> word(const ir::Dsp48e2Inputs& in) {
    std::vector<bool> bits;
    for (const auto& pin : ir::dsp48e2_input_pins)
      for (unsigned i = 0; pin.member && i < pin.width; ++i)
        bits.push_back((in.*pin.member >> i & 1) != 0);
    return bits;
  }
  static ir::Frame joined(const std::vector<std::vector<bool>>& words) {
    ir::Frame frame;
    for (const auto& bits : words) {
      const auto base = frame.size();
      frame.resize(base + (bits.size() + 63) / 64);
      for (std::size_t i = 0; i < bits.size(); ++i)
        frame[base + i / 64] |= std::uint64_t{bits[i]} << i % 64;
    }
    return frame;
  }
  gen::Builder builder_;
};

// Compares P with the vendor's, digit by digit, and skips the unknown ones.
std::size_t compared(const tests::Dsp48e2Trace& trace, const std::vector<std::uint64_t>& got) {
  std::size_t known = 0, pin = 0;
  while (ir::dsp48e2_output_pins[pin].name != "P") ++pin;
  for (std::size_t t = 0; t < got.size(); ++t) {
    const auto digits = fmt::format("{:012x}", got[t]);
    const std::string& want = trace.cycles[t].expected[pin];
    if (want.find('%') != std::string::npos) continue;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (want[want.size() - 1 - i] == 'x') continue;
      ++known;
      EXPECT_EQ(digits[digits.size() - 1 - i], want[want.size() - 1 - i])
          << trace.name << " cycle " << t << ": " << digits << " for " << want;
    }
  }
  return known;
}

TEST(TwoClocks, ASliceOnTheFastClockGivesTheVendorsAnswers) {
  std::size_t traces = 0, known = 0, verilated = 0;
  for (const auto& trace : tests::read_dsp_traces(ir::Kind::dsp48e2)) {
    // Behind an edge the inputs change here: what stands on P without a register is another
    // cycle's.
    if (trace.attributes.preg == 0 || trace.attributes.is_clk_inverted != 0) continue;
    const SliceOnFastClock slice(trace.attributes);
    NativeMachine native(slice.design());
    known += compared(trace, SliceOnFastClock::run(native, trace));
    if (++traces % 60 != 0) continue;
    VerilatedMachine machine(slice.design(), {.cache = Cache(test::shared_cache)});
    verilated += compared(trace, SliceOnFastClock::run(machine, trace));
  }
  EXPECT_GE(traces, 80u);
  EXPECT_GE(known, 20'000u);
  EXPECT_GE(verilated, 500u);
}

}  // namespace two_clocks_test
}  // namespace kumiki::backends

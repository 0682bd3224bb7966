// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/vcd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hdl.h"

namespace kumiki::backends {
namespace native_vcd_test {

using gen::Builder;
using gen::Scope;
using gen::UInt;
using ir::Net;

// A counter of three bits in a module of its own, and whether it is odd.
class Counting {
 public:
  Counting() {
    Scope inner(builder_, builder_.design().add_module("count"));
    gen::Reg<UInt> value(inner, 3, {.enable = inner.input<UInt>("en", 1)[0]});
    value.next(inner.named("next", increment(inner, value.q())));
    inner.output("value", value.q());
    inner.finish();

    Scope top(builder_, builder_.design().add_module("top"));
    Net en = top.input<UInt>("en", 1)[0];
    std::vector<Net> pins;
    for (const ir::Port& p : inner.module().ports())
      pins.resize(pins.size() + (p.direction == ir::Direction::input),
                  builder_.design().text(p.name) == ir::clock_port ? top.clk() : en);
    auto id = top.module().add_instance(inner.module().id(), pins, {}, "counter");
    UInt count(top.run(top.module().cell(id).out, 3, {}));
    top.named("odd", count[0]);
    top.output("count", count);
    top.finish();
    builder_.design().set_top(top.module().id());
    simulator_.emplace(builder_.design());
  }
  NativeSimulator& simulator() { return *simulator_; }

  std::string run(VcdOptions options, bool is_all, unsigned cycles) {
    std::ostringstream out;
    VcdWriter vcd(out, *simulator_, options);
    if (is_all) vcd.add_all();
    simulator_->power_up();
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      simulator_->set_all(0, 0);
      simulator_->set(0, 5, cycle != 2);  // lane 5 counts, but not in cycle 2
      vcd.sample();
      simulator_->clock();
    }
    vcd.finish();
    return out.str();
  }

 private:
  Builder builder_;
  std::optional<NativeSimulator> simulator_;
};

TEST(Vcd, PortsOfTheTopCycleByCycle) {
  EXPECT_EQ(Counting().run({.lane = 5}, false, 4),
            "$timescale 1ns $end\n"
            "$scope module top $end\n"
            "$var wire 1 ! clk $end\n"
            "$var wire 1 \" en $end\n"
            "$var wire 3 # count [2:0] $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#0\n"
            "$dumpvars\n"
            "1!\n"
            "1\"\n"
            "b000 #\n"
            "$end\n"
            "#5\n"
            "0!\n"
            "#10\n"
            "1!\n"
            "b001 #\n"
            "#15\n"
            "0!\n"
            "#20\n"
            "1!\n"
            "0\"\n"
            "b010 #\n"
            "#25\n"
            "0!\n"
            "#30\n"
            "1!\n"
            "1\"\n"
            "#35\n"
            "0!\n"
            "#40\n");
}

TEST(Vcd, AWindowOfAnotherLaneWithEverythingThatHasAName) {
  EXPECT_EQ(Counting().run({.lane = 4, .first = 1, .last = 2}, true, 6),
            "$timescale 1ns $end\n"
            "$scope module top $end\n"
            "$var wire 1 ! clk $end\n"
            "$var wire 1 \" en $end\n"
            "$var wire 3 # count [2:0] $end\n"
            "$var wire 1 $ odd $end\n"
            "$scope module counter $end\n"
            "$var wire 1 \" en $end\n"
            "$var wire 3 # value [2:0] $end\n"
            "$var wire 3 % next [2:0] $end\n"
            "$upscope $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#10\n"
            "$dumpvars\n"
            "1!\n"
            "0\"\n"
            "b000 #\n"
            "0$\n"
            "b001 %\n"
            "$end\n"
            "#15\n"
            "0!\n"
            "#20\n"
            "1!\n"
            "#25\n"
            "0!\n"
            "#30\n");
}

// What a viewer sees: value of every signal at every time.
struct Dump {
  std::map<std::string, std::string> codes;                        // "top.counter.next" to code
  std::map<std::string, unsigned> widths;                          // of a code
  std::map<std::uint64_t, std::map<std::string, std::string>> at;  // code to value
};

Dump parse(const std::string& text) {
  Dump d;
  std::istringstream in(text);
  std::vector<std::string> scope;
  std::map<std::string, std::string> now;
  std::uint64_t time = 0;
  for (std::string word; in >> word;) {
    std::string a, b, c, e;
    if (word == "$timescale") {
      in >> a >> b;
      EXPECT_EQ(a + b, "1ns$end");
    } else if (word == "$scope") {
      in >> a >> b >> c;
      scope.push_back(b);
      EXPECT_EQ(a + c, "module$end");
    } else if (word == "$upscope") {
      in >> a;
      scope.pop_back();
    } else if (word == "$var") {
      in >> a >> b >> c >> e;
      std::string path;
      for (auto& s : scope) path += s + ".";
      d.codes[path + e] = c;
      d.widths[c] = static_cast<unsigned>(std::stoul(b));
      for (a.clear(); a != "$end"; in >> a) {
      }
    } else if (word[0] == '#') {
      d.at[time] = now;
      time = std::stoull(word.substr(1));
    } else if (word[0] == 'b') {
      in >> a;
      EXPECT_EQ(word.size() - 1, d.widths.at(a));
      now[a] = word.substr(1);
    } else if (word[0] == '0' || word[0] == '1' || word[0] == 'x') {
      EXPECT_EQ(d.widths.at(word.substr(1)), 1u);
      now[word.substr(1)] = word.substr(0, 1);
    }
  }
  EXPECT_TRUE(scope.empty());
  return d;
}

TEST(Vcd, ReadsBackAsWhatWasSimulated) {
  // More signals than one character can name, some of them wide.
  Builder builder;
  Scope s(builder, builder.design().add_module("many"));
  UInt in = s.input<UInt>("in", 70);
  for (std::uint32_t i = 0; i < 70; ++i)
    for (std::uint32_t j = 1; j <= 3 && i + j <= 70; ++j)
      s.named(fmt::format("part_{}_{}", i, j), in.slice(i, j));
  s.output("out", gen::reg(s, in));
  s.finish();
  builder.design().set_top(s.module().id());
  NativeMachine machine(builder.design());
  std::ostringstream text;
  VcdWriter vcd(text, machine.simulator(), {.lane = 9});
  vcd.add_all();
  std::vector<std::string> given;
  std::mt19937_64 random(5);
  for (int cycle = 0; cycle < 30; ++cycle) {
    ir::Frame frame{random(), random() & 63}, out;
    given.emplace_back();
    for (unsigned b = 70; b-- > 0;) given.back() += frame[b / 64] >> (b % 64) & 1 ? '1' : '0';
    machine.simulator().set_frame(frame);
    vcd.sample();
    machine.step(frame, out);
  }
  vcd.finish();
  auto dump = parse(text.str());
  EXPECT_GT(dump.codes.size(), 200u);
  for (std::size_t cycle = 0; cycle < given.size(); ++cycle) {
    auto& now = dump.at.at(10 * cycle);
    EXPECT_EQ(now.at(dump.codes.at("many.in")), given[cycle]);
    EXPECT_EQ(now.at(dump.codes.at("many.clk")), "1");
    EXPECT_EQ(dump.at.at(10 * cycle + 5).at(dump.codes.at("many.clk")), "0");
    if (cycle > 0) {
      EXPECT_EQ(now.at(dump.codes.at("many.out")), given[cycle - 1]);
    }
    for (std::uint32_t i = 0; i < 70; ++i)
      for (std::uint32_t j = 1; j <= 3 && i + j <= 70; ++j)
        ASSERT_EQ(now.at(dump.codes.at(fmt::format("many.part_{}_{}", i, j))),
                  given[cycle].substr(70 - i - j, j));
  }
}

TEST(Vcd, NamesAndNetsAreKeptApart) {
  Builder builder;
  auto& m = builder.design().add_module("m");
  Net a = m.add_input("a", 2), nothing = m.fresh_nets(1);
  m.add_output("o", std::array{a});
  builder.design().set_top(m.id());
  NativeSimulator simulator(builder.design());
  std::ostringstream text;
  {
    VcdWriter vcd(text, simulator);
    vcd.add({}, "a", std::array{Net{a.index + 1}});             // the name of a port
    vcd.add({}, "a", std::array{a, Net{a.index + 1}});          // the port itself
    vcd.add({}, "floating", std::array{nothing, ir::net_one});  // nothing drives its bit 0
    vcd.sample();
    EXPECT_THROW(vcd.add({}, "late", std::array{a}), DesignError);
  }
  EXPECT_EQ(text.str(),
            "$timescale 1ns $end\n"
            "$scope module m $end\n"
            "$var wire 2 \" a [1:0] $end\n"
            "$var wire 1 # o $end\n"
            "$var wire 1 $ a_2 $end\n"
            "$var wire 2 % floating [1:0] $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#0\n"
            "$dumpvars\n"
            "b00 \"\n"
            "0#\n"
            "0$\n"
            "b1x %\n"
            "$end\n"
            "#10\n");
  EXPECT_THROW(VcdWriter(text, simulator, {.lane = 64}), DesignError);
}

}  // namespace native_vcd_test
}  // namespace kumiki::backends

// SPDX-License-Identifier: Apache-2.0
// How fast netlists run natively: cells x lanes x cycles a second, and how long they take to
// compile. `--benchmark_format=json` for machines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "backends/sim/native/simulator.h"
#include "ir/design.h"
#include "ir/primitives/dsp48e2_lane_parts.h"
#include "ir/primitives/dsp48e2_lanes.h"

namespace kumiki {
namespace {

using ir::Kind;
using ir::Net;

// Tiles of 250 LUT6, each with a flip-flop behind it, that read registers of their own and of the
// tile before: `cells` primitives in all. With `random_tables` every LUT is different and depends
// on all six inputs; without, they are the functions that arithmetic is made of.
class Fabric {
 public:
  static constexpr std::uint32_t tile_luts = 250;

  Fabric(std::uint32_t cells, bool random_tables) {
    ir::Module& tile = make_tile(random_tables);
    ir::Module& top = design_.add_module("fabric");
    Net clk = top.add_input("clk", 1), in = top.add_input("in", 64);
    std::vector<Net> bus{clk};
    for (std::uint32_t i = 0; i < 64; ++i) bus.push_back({in.index + i});
    for (std::uint32_t n = 0; n < cells / (2 * tile_luts); ++n) {
      Net out = top.cell(top.add_instance(tile.id(), bus, {})).out;
      for (std::uint32_t i = 0; i < 64; ++i) bus[1 + i] = {out.index + i};
    }
    top.add_output("out", std::span(bus).subspan(1));
    design_.set_top(top.id());
  }
  const ir::Design& design() const { return design_; }

 private:
  std::uint64_t table(bool is_random) {
    static constexpr std::uint64_t usual[] = {
        0x6996966996696996,  // parity
        0xe8e8e8e8e8e8e8e8,  // majority
        0xcacacacacacacaca,  // multiplexer
        0x8888888888888888,  // and
        0x9666966696669666,  // sum of three, with a side condition
        0xfee8e880fee8e880   // at least three of five
    };
    return is_random ? random_() : usual[random_() % std::size(usual)];
  }

  ir::Module& make_tile(bool random_tables) {
    ir::Module& tile = design_.add_module("tile");
    Net clk = tile.add_input("clk", 1), in = tile.add_input("in", 64);
    Net q = tile.fresh_nets(tile_luts);
    for (std::uint32_t n = 0; n < tile_luts; ++n) {
      std::vector<Net> pins;
      for (int i = 0; i < 6; ++i) {
        auto pick = static_cast<std::uint32_t>(random_() % (tile_luts + 64));
        pins.push_back(pick < tile_luts ? Net{q.index + pick} : Net{in.index + pick - tile_luts});
      }
      std::array<std::uint64_t, 1> init{table(random_tables)};
      Net d = tile.cell(tile.add_cell(Kind::lut6, 1, pins, init, {})).out;
      tile.add_cell_driving({q.index + n}, Kind::fdre, 1,
                            std::array{clk, ir::net_one, d, ir::net_zero}, {}, {});
    }
    std::vector<Net> out;
    for (std::uint32_t i = 0; i < 64; ++i) out.push_back({q.index + i});
    tile.add_output("out", out);
    return tile;
  }

  std::mt19937_64 random_{1};
  ir::Design design_;
};

void report(benchmark::State& state, const backends::NativeSize& size, std::uint64_t cycles) {
  using benchmark::Counter;
  auto each = static_cast<double>(cycles);
  state.counters["cells"] = static_cast<double>(size.cells);
  state.counters["operations"] = static_cast<double>(size.operations);
  state.counters["levels"] = static_cast<double>(size.levels);
  state.counters["bytes_per_cell"] =
      static_cast<double>(size.bytes) / static_cast<double>(size.cells);
  state.counters["cycles"] = Counter(each, Counter::kIsRate);
  state.counters["cell_lane_cycles"] =
      Counter(each * static_cast<double>(size.cells) * 64, Counter::kIsRate);
}

// range(0) cells; range(1): 0 the functions of arithmetic, 1 random ones; range(2): 1 portable.
void run_fabric(benchmark::State& state) {
  Fabric fabric(static_cast<std::uint32_t>(state.range(0)), state.range(1) != 0);
  backends::NativeSimulator sim(fabric.design(), {.portable = state.range(2) != 0});
  std::array<ir::Lanes, 64> in;
  std::mt19937_64 random(2);
  std::uint64_t cycles = 0;
  for (auto _ : state) {
    for (auto& word : in) word = random();
    sim.set_bits(0, in);
    sim.step();
    ++cycles;
  }
  benchmark::DoNotOptimize(sim.get(0, 0));
  report(state, sim.size(), cycles);
}
BENCHMARK(run_fabric)
    ->ArgNames({"cells", "random_tables", "portable"})
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

void compile_fabric(benchmark::State& state) {
  Fabric fabric(static_cast<std::uint32_t>(state.range(0)), true);
  for (auto _ : state) {
    backends::NativeSimulator sim(fabric.design());
    benchmark::DoNotOptimize(sim.size());
  }
  state.counters["cells"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(compile_fabric)
    ->ArgName("cells")
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

// One slice, 64 lanes: 27 bits times `bits` bits to the accumulator.
void run_slice(benchmark::State& state) {
  using In = ir::Dsp48e2Inputs;
  std::size_t in_words = 0, out_words = 0;
  for (const auto& pin : ir::dsp48e2_input_pins) in_words += pin.width;
  for (const auto& pin : ir::dsp48e2_output_pins) out_words += pin.width;
  std::vector<ir::Lanes> in(in_words), out(out_words), slice(ir::dsp48e2_lane_state_words());
  ir::dsp48e2_lane_power_up({}, slice.data());
  const auto pins = [&]<auto member>() {
    return in.data() + ir::dsp48e2::offset_of_pin<member, ir::dsp48e2_input_pins>();
  };
  std::mt19937_64 random(3);
  std::generate_n(pins.operator()<&In::a>(), 30, [&] { return random(); });
  const auto bits = static_cast<std::size_t>(state.range(0));
  ir::Lanes* b = pins.operator()<&In::b>();
  for (std::size_t i = 0; i < 18; ++i) b[i] = i < bits ? random() : b[bits - 1];
  ir::Lanes* opmode = pins.operator()<&In::opmode>();
  opmode[0] = opmode[2] = opmode[5] = ~ir::Lanes{0};  // M and P
  for (ir::Lanes* enable : {pins.operator()<&In::cea2>(), pins.operator()<&In::ceb2>(),
                            pins.operator()<&In::cem>(), pins.operator()<&In::cep>()})
    *enable = ~ir::Lanes{0};
  for (auto _ : state) {
    ir::dsp48e2_lane_clock(in.data(), slice.data());
    ir::dsp48e2_lane_evaluate(in.data(), slice.data(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["seconds_a_lane_and_clock"] = benchmark::Counter(
      64, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(run_slice)->ArgName("bits")->Arg(8)->Arg(18);

}  // namespace
}  // namespace kumiki

BENCHMARK_MAIN();

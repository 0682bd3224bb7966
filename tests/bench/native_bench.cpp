// SPDX-License-Identifier: Apache-2.0
// How fast netlists run natively: cells x lanes x cycles a second, and how long they take to
// compile. `--benchmark_format=json` for machines.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "backends/sim/native/simulator.h"
#include "ir/design.h"

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

}  // namespace
}  // namespace kumiki

BENCHMARK_MAIN();

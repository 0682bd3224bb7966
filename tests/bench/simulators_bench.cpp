// SPDX-License-Identifier: Apache-2.0
// The native simulator beside Verilator on the same netlists: cell-lane-cycles a second (Verilator
// has one lane), and how long each takes before the first cycle. JSON on stdout.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "backends/support/process.h"
#include "gen/flow/network.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/dot/layer.h"
#include "ir/resources.h"

namespace {

using namespace kumiki;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// Cycles a second of `step`, which runs `batch` cycles.
template <class Step>
double rate(std::uint64_t batch, Step step) {
  std::uint64_t cycles = 0;
  const auto start = Clock::now();
  do {
    step();
    cycles += batch;
  } while (seconds(start) < 2);
  return static_cast<double>(cycles) / seconds(start);
}

Json measure(const char* name, const ir::Design& design) {
  const auto ports = ir::layout(design.top());
  std::uint64_t cells = 0;
  for (const auto& [kind, n] : ir::count_resources(design).cells) cells += n;
  constexpr std::uint64_t batch = 256;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> in(batch * ports.input_limbs), out(batch * ports.output_limbs);
  for (std::uint64_t c = 0; c < batch; ++c)
    for (const auto& p : ports.inputs)
      for (std::uint32_t l = 0; l < p.limbs(); ++l) {
        auto bits = std::min(64u, p.width - 64 * l);
        in[c * ports.input_limbs + p.limb + l] = random() >> (64 - bits);
      }

  auto start = Clock::now();
  backends::NativeSimulator native(design);
  const double native_start = seconds(start);
  const double native_rate = rate(batch, [&] {
    for (std::uint64_t c = 0; c < batch; ++c) {
      native.set_frame({in.begin() + static_cast<std::ptrdiff_t>(c * ports.input_limbs),
                        in.begin() + static_cast<std::ptrdiff_t>((c + 1) * ports.input_limbs)});
      native.step();
    }
  });

  backends::TemporaryFolder cache;
  // The first build compiles the runtime, which every later one shares.
  backends::VerilatedMachine warm_up(design,
                                     {.reuse = false, .cache = backends::Cache(cache.path())});
  backends::VerilatedMachine verilated(design,
                                       {.reuse = false, .cache = backends::Cache(cache.path())});
  const double verilator_rate = rate(batch, [&] { verilated.run(batch, in.data(), out.data()); });
  const auto& build = verilated.build();
  const double n = static_cast<double>(cells);
  return {{"design", name},
          {"cells", cells},
          {"native_start_s", native_start},
          {"native_cell_lane_cycles_per_s", native_rate * 64 * n},
          {"native_cell_cycles_per_s_one_lane", native_rate * n},
          {"verilator_verilate_s", build.verilate_seconds},
          {"verilator_compile_s", build.compile_seconds},
          {"verilator_cell_cycles_per_s", verilator_rate * n},
          {"native_over_verilator", native_rate * 64 / verilator_rate}};
}

// Rows of LUT6 and registers, one module placed `rows` times.
struct RowPlan {
  std::uint32_t width;
  std::string module_name() const { return fmt::format("row{}", width); }
  bool operator==(const RowPlan&) const = default;
};
template <class R>
struct Word {
  typename R::UInt x;
  static constexpr auto ports() { return std::tuple(gen::port("x", &Word::x)); }
};
template <class R>
struct Next {
  typename R::UInt y;
  static constexpr auto ports() { return std::tuple(gen::port("y", &Next::y)); }
};
Next<gen::Hardware> make_row(gen::Scope& s, const RowPlan& p, const Word<gen::Hardware>& in) {
  auto turned = [&](std::uint32_t by) {
    return cat(s, {in.x.slice(0, by), in.x.slice(by, p.width - by)});
  };
  return {reg(s, lut(
                     s,
                     [](bool a, bool b, bool c, bool d, bool e, bool f) {
                       return (a && b) ^ (c || d) ^ (e && !f);
                     },
                     turned(1), turned(5), turned(9), turned(14), turned(22), turned(31)))};
}
struct RowsPlan {
  std::uint32_t rows;
  std::string module_name() const { return fmt::format("rows{}", rows); }
  bool operator==(const RowsPlan&) const = default;
};
Next<gen::Hardware> make_rows(gen::Scope& s, const RowsPlan& p, const Word<gen::Hardware>& in) {
  auto x = in.x;
  for (std::uint32_t r = 0; r < p.rows; ++r)
    x = instantiate(s, make_row, RowPlan{x.width()}, Word<gen::Hardware>{x}, fmt::format("r{}", r))
            .y;
  return {x};
}

}  // namespace

int main() {
  Json runs = Json::array();
  {
    gen::Builder builder;
    std::vector<gen::NamedLayer> layers;
    for (int i = 0; i < 16; ++i)
      layers.push_back({fmt::format("d{}", i),
                        "dot",
                        {},
                        gen::dot::make_layer({.scheme = gen::packing::Scheme::Wp487Int8,
                                              .terms = 7,
                                              .skew = gen::packing::Skew::External})});
    gen::build_network(builder, "dots", layers);
    runs.push_back(measure("16 packed dot products, 112 DSP48E2", builder.design()));
  }
  {
    gen::Builder builder;
    build_top(builder, make_rows, RowsPlan{100}, Word<gen::Hardware>{gen::UInt::shape(64)});
    runs.push_back(measure("100 rows of 64 LUT6 and 64 FDRE", builder.design()));
  }
  fmt::print("{}\n", Json{{"benchmark", "simulators"}, {"runs", runs}}.dump(2));
}

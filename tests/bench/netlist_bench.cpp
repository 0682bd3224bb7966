// SPDX-License-Identifier: Apache-2.0
// How much a large netlist costs: half LUT6, half FDRE, one flat module of 10 k, 100 k and 1 M
// cells. Elaborate, check, name and write, against the floor: a plain loop that only formats the
// same text.
//
//   build/bench/tests/bench/netlist_bench [--yosys] [--largest CELLS]
//
// The result is JSON on stdout. --yosys also times Yosys' read_verilog of the same file (minutes
// for 1 M).
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "backends/emit/verilog/verilog.h"
#include "backends/support/file.h"
#include "backends/support/files.h"
#include "backends/support/process.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"

namespace {

using namespace kumiki;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 32) * limit >> 32);
  }

 private:
  std::uint64_t state_ = 1;
};

// Every LUT6 looks at six of the last registers, every register stands behind a LUT6.
void elaborate(gen::Builder& builder, std::uint32_t cells) {
  auto& module = builder.design().add_module("big");
  gen::Scope s(builder, module);
  constexpr std::uint32_t window = 4096;
  std::vector<ir::Net> recent(window);
  gen::UInt in = s.input<gen::UInt>("in", 64);
  for (std::uint32_t i = 0; i < window; ++i) recent[i] = in[i % 64];
  Random random;
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < cells / 2; ++i) {
    // Six different places, so that no input folds away.
    std::uint32_t base = random.below(window), step = 1 + 2 * random.below(300);
    auto pick = [&](std::uint32_t k) { return recent[(base + k * step) % window]; };
    ir::Net y = lut(
        s,
        [](bool a, bool b, bool c, bool d, bool e, bool f) {
          return (a && b) ^ (c || d) ^ (e && !f);
        },
        pick(0), pick(1), pick(2), pick(3), pick(4), pick(5));
    recent[at] = reg(s, y);
    at = (at + 1) % window;
  }
  // All that is still visible goes out, so that nothing is unused.
  s.output("out", bits(s, recent));
  s.finish();
  builder.design().set_top(module.id());
}

// The floor: the same kind of lines, numbers where the netlist has names.
std::size_t format_only(std::uint32_t cells) {
  fmt::memory_buffer text;
  Random random;
  for (std::uint32_t i = 0; i < cells / 2; ++i) {
    auto n = [&] { return 100 + random.below(2 * i + 1); };
    fmt::format_to(std::back_inserter(text),
                   FMT_COMPILE("  LUT6 #(.INIT(64'h{:016x})) n{}_lut (.I0(n{}), .I1(n{}), "
                               ".I2(n{}), .I3(n{}), .I4(n{}), .I5(n{}), .O(n{}));\n"),
                   0x8778877887788778u + i, i, n(), n(), n(), n(), n(), n(), i);
    fmt::format_to(
        std::back_inserter(text),
        FMT_COMPILE("  FDRE n{}_reg (.C(clk), .CE(1'b1), .D(n{}), .R(1'b0), .Q(n{}));\n"), i, i,
        i + 1);
  }
  return text.size();
}

template <class F>
double best_of(int times, F f) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    auto start = Clock::now();
    f();
    best = std::min(best, seconds(start));
  }
  return best;
}

Json measure(std::uint32_t cells, bool yosys) {
  double elaborated = 1e9, checked = 1e9, named = 1e9, written = 1e9;
  std::size_t bytes = 0, text = 0, count = 0, findings = 0;
  Json with_yosys;
  const int times = cells >= 1'000'000 ? 3 : 5;
  for (int i = 0; i < times; ++i) {
    gen::Builder builder;
    auto start = Clock::now();
    elaborate(builder, cells);
    elaborated = std::min(elaborated, seconds(start));
    start = Clock::now();
    findings = ir::check(builder.design(), {.warnings = false}).size();
    checked = std::min(checked, seconds(start));
    start = Clock::now();
    const ir::Names names(builder.design());
    named = std::min(named, seconds(start));
    start = Clock::now();
    backends::OutputSet files;
    backends::write_verilog(names, files);
    written = std::min(written, seconds(start));
    bytes = builder.design().top().bytes();
    count = builder.design().top().cells().size();
    text = files.find("big.v")->text.size();
    if (i == 0 && yosys) {
      backends::TemporaryFolder folder;
      backends::write_file(folder.path() / "big.v", files.find("big.v")->text.view());
      start = Clock::now();
      backends::run_process({"yosys", "-q", "-p", "read_verilog big.v"}, folder.path());
      with_yosys = seconds(start);
    }
  }
  std::size_t floor_text = 0;
  const double floor = best_of(times, [&] { floor_text = format_only(cells); });
  // The floor may format more or less text: it is scaled to the same number of bytes.
  const double scaled = floor * static_cast<double>(text) / static_cast<double>(floor_text);
  const double total = elaborated + checked + named + written;
  Json result{{"cells", count},
              {"bytes_per_cell", static_cast<double>(bytes) / static_cast<double>(count)},
              {"text_bytes", text},
              {"findings", findings},
              {"elaborate_s", elaborated},
              {"check_s", checked},
              {"name_s", named},
              {"write_s", written},
              {"total_s", total},
              {"floor_s", scaled},
              {"total_over_floor", total / scaled},
              {"ns_per_cell", 1e9 * total / static_cast<double>(count)}};
  if (!with_yosys.is_null()) {
    result["yosys_read_verilog_s"] = with_yosys;
    result["yosys_over_total"] = with_yosys.get<double>() / total;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  bool yosys = false;
  std::uint32_t largest = 1'000'000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--yosys") == 0) yosys = true;
    if (std::strcmp(argv[i], "--largest") == 0 && i + 1 < argc)
      largest = static_cast<std::uint32_t>(std::stoul(argv[++i]));
  }
  Json runs = Json::array();
  for (std::uint32_t cells : {10'000u, 100'000u, 1'000'000u})
    if (cells <= largest) runs.push_back(measure(cells, yosys));
  fmt::print("{}\n", Json{{"benchmark", "netlist"}, {"runs", runs}}.dump(2));
}

// SPDX-License-Identifier: Apache-2.0
// The C++ model of the DSP48E2 against the Verilog model under Verilator: random legal
// configurations, random and corner operands, every output before and after every edge.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>

#include "tests/support/dsp48e2_random.h"
#include "tests/support/verilated_dsp48e2.h"

namespace {

using namespace kumiki;

std::uint64_t rotating() {
  const char* given = std::getenv("KUMIKI_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

struct Options {
  std::uint64_t seed = rotating(), first = 0, configs = 48, cycles = 400, batch = 96;
  std::string folder = KUMIKI_TEST_TMP "/dsp48e2_fuzz";
};

// Configuration `index` depends on the seed and on nothing before it.
std::uint64_t seed_of(const Options& options, std::uint64_t index) {
  return options.seed * 0x9e3779b97f4a7c15 + index * 0xd1b54a32d192ed03;
}

std::string difference(const ir::Dsp48e2Outputs& model, const ir::Dsp48e2Outputs& verilog) {
  std::string text;
  for (const auto& pin : ir::dsp48e2_output_pins)
    if (model.*pin.member != verilog.*pin.member)
      text += fmt::format("    {}: model {:x}, Verilog {:x}\n", pin.name, model.*pin.member,
                          verilog.*pin.member);
  return text;
}

// "" or the first cycle in which the two differ.
std::string compare(const ir::Dsp48e2Attributes& a, const std::vector<ir::Dsp48e2Inputs>& inputs,
                    const std::vector<tests::Dsp48e2Sample>& verilog) {
  ir::Dsp48e2State state;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    auto before = difference(outputs(a, state, inputs[t]), verilog[t].before);
    clock(a, state, inputs[t]);
    auto after = difference(outputs(a, state, inputs[t]), verilog[t].after);
    if (before.empty() && after.empty()) continue;
    std::string text = fmt::format("  cycle {}\n", t);
    if (!before.empty()) text += "   before the edge\n" + before;
    if (!after.empty()) text += "   after the edge\n" + after;
    text += "   inputs";
    for (const auto& pin : ir::dsp48e2_input_pins)
      if (pin.member != nullptr) text += fmt::format(" {}={:x}", pin.name, inputs[t].*pin.member);
    return text + "\n";
  }
  return "";
}

std::uint64_t run_batch(const Options& options, std::uint64_t first, std::uint64_t count) {
  std::vector<ir::Dsp48e2Attributes> instances;
  std::vector<tests::Dsp48e2Run> runs;
  for (std::uint64_t i = 0; i < count; ++i) {
    tests::Random random(seed_of(options, first + i));
    const bool is_e1 = (first + i) % 4 == 3;
    instances.push_back(random_dsp48e2(random, is_e1 ? ir::Kind::dsp48e1 : ir::Kind::dsp48e2));
    tests::Dsp48e2Stimulus stimulus(instances.back(), random.word());
    auto& run = runs.emplace_back(tests::Dsp48e2Run{.instance = i});
    for (std::uint64_t t = 0; t < options.cycles; ++t) run.inputs.push_back(stimulus.next());
  }
  tests::VerilatedDsp48e2 bench(instances, options.folder);
  auto answers = bench.run(runs);
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto text = compare(instances[i], runs[i].inputs, answers[i]);
    if (text.empty()) continue;
    ++different;
    fmt::print("DIFFERENT: --seed {} --first {} --configs 1\n  {} #({})\n{}", options.seed,
               first + i, ir::prototype(instances[i].kind).name, verilog_parameters(instances[i]),
               text);
  }
  return different;
}

int fuzz(const Options& options) {
  std::uint64_t different = 0, end = options.first + options.configs;
  for (std::uint64_t at = options.first; at < end; at += options.batch) {
    std::uint64_t count = std::min(options.batch, end - at);
    different += run_batch(options, at, count);
    fmt::print("{} of {} configurations, {} different\n", at + count - options.first,
               options.configs, different);
    std::fflush(stdout);
  }
  return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "DSP48E2, and every fourth a DSP48E1: C++ model against Verilog model. Long form: --configs "
      "4096"};
  app.add_option("--seed", options.seed, "of everything random")->capture_default_str();
  app.add_option("--first", options.first, "number of the first configuration");
  app.add_option("--configs", options.configs, "how many configurations")->capture_default_str();
  app.add_option("--cycles", options.cycles, "of each configuration")->capture_default_str();
  app.add_option("--batch", options.batch, "configurations a Verilator build")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--folder", options.folder, "where to build");
  CLI11_PARSE(app, argc, argv);
  try {
    return fuzz(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 70;
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/verilator/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backends/emit/verilog/verilog.h"
#include "backends/sim/verilator/toolchain.h"
#include "backends/support/file.h"
#include "backends/support/sha256.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;
using verilator::Compilation;
using verilator::Toolchain;

constexpr std::size_t models_kept = 200;
constexpr std::size_t bytes_of_a_unit = 600'000;  // of C++, one or two seconds of compiling

class Build {
 public:
  Build(const VerilogNetlist& netlist, const VerilatorOptions& options)
      : options_(options), toolchain_(verilator::find_toolchain()) {
    sources_ = primitive_models(netlist.primitives);
    sources_.insert(sources_.begin(), netlist.sources.begin(), netlist.sources.end());
    sources_.push_back({fmt::format("{}.v", bench_top), bench_module(netlist)});
    const bool two = netlist.has_fast_clock;
    // The fast clock rises every five units: alternately alone and together with the other clock.
    constexpr const char* middle =
        "\n      bench->clk2x = 1;\n      eval(3);\n      bench->clk2x = 0;\n      eval(5);";
    about_ = fmt::format("{}, {} files of Verilog{}\n", netlist.top, netlist.sources.size(),
                         options.trace ? ", with waveforms" : "");
    bridge_ = fill(templates::text("harness/verilator_bridge.cpp.in"),
                   {{"IN_LIMBS", std::to_string(netlist.ports.input_limbs)},
                    {"OUT_LIMBS", std::to_string(netlist.ports.output_limbs)},
                    {"TIME", two ? "half" : "5 * half"},
                    {"RISE", two ? "8" : "1"},
                    {"FAST_RISES", two ? " bench->clk2x = 1;" : ""},
                    {"FAST_FALLS", two ? " bench->clk2x = 0;" : ""},
                    {"MIDDLE", two ? middle : ""}});
  }

  VerilatorBuild run() {
    auto make = [&](const fs::path& folder) {
      result_.was_cached = false;
      runtime_ = verilator::runtime(toolchain_, options_.cache);
      verilate(folder);
      compile_and_link(folder);
      write_file(folder / "made-of.txt", ingredients());
      write_file(folder / Cache::about_file, about_);
    };
    if (!options_.reuse) options_.cache.remove("model", key());
    result_.object = options_.cache.get("model", key(), models_kept, make) / "model.so";
    return result_;
  }

 private:
  // Everything that affects the result.
  std::string ingredients() const {
    auto text = "model 1\n" + toolchain_.identity;
    for (const auto& flag : flags()) text += flag + "\n";
    text += fmt::format("bridge {}\n", sha256(bridge_));
    for (const auto& s : sources_) text += fmt::format("{} {}\n", sha256(s.text), s.name);
    return text;
  }
  std::string key() const { return sha256(ingredients()).substr(0, 32); }

  // Without substitution across module boundaries (-fno-gate), the instances of a module share
  // their code: a tenth of the C++ for a third of the speed. UNOPTFLAT warns of vectors whose bits
  // depend on each other, which is slow but legal. The design's checks find wrong loops.
  std::vector<std::string> flags() const {
    std::vector<std::string> f{"--cc",
                               "--prefix",
                               "Vbench",
                               "--top-module",
                               std::string(bench_top),
                               "--Mdir",
                               "obj",
                               "--x-assign",
                               "unique",
                               "--x-initial",
                               "unique",
                               "-fno-gate",
                               "--output-split-cfuncs",
                               "500",
                               "--converge-limit",
                               "100000",
                               "-Wno-UNOPTFLAT"};
    if (options_.trace) f.push_back("--trace");
    f.push_back(options_.lint ? "-Wall" : "-Wno-lint");
    for (auto waiver : verilator_waivers()) f.emplace_back(waiver);
    if (!options_.lint) f.push_back("-Wno-style");
    return f;
  }

  void verilate(const fs::path& folder) {
    Clock clock(result_.verilate_seconds);
    auto arguments = flags();
    for (auto& name : write_sources(sources_, folder)) arguments.push_back(std::move(name));
    run_tool(toolchain_.verilator, {arguments, folder}, "compile the netlist");
  }

  // Compiles files whose code runs once without optimisation, which takes half the time.
  std::vector<std::string> write_units(const fs::path& obj) {
    struct File {
      std::string name;
      std::size_t bytes;
      bool runs_once;
    };
    std::vector<File> files;
    for (const auto& entry : fs::directory_iterator(obj)) {
      auto name = entry.path().filename().string();
      if (entry.path().extension() != ".cpp") continue;
      bool once =
          name.find("Slow") != std::string::npos || name.find("__Syms") != std::string::npos;
      files.push_back({name, entry.file_size(), once});
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
      return std::pair(a.runs_once, a.name) < std::pair(b.runs_once, b.name);
    });
    write_file(obj / "bridge.cpp", bridge_);
    std::vector<std::string> units;
    std::string text = "#include \"bridge.cpp\"\n";
    std::size_t bytes = 0;
    bool once = false;
    auto close_unit = [&] {
      units.push_back(fmt::format("unit{}", units.size()));
      write_file(obj / (units.back() + ".cc"), text);
      bytes = 0;
    };
    for (const File& f : files) {
      if (f.runs_once != once || bytes > bytes_of_a_unit) {
        close_unit();
        once = f.runs_once;
        text = once ? "#pragma GCC optimize(\"O0\")\n" : "";
      }
      text += fmt::format("#include \"{}\"\n", f.name);
      bytes += f.bytes;
      result_.bytes += f.bytes;
    }
    close_unit();
    return units;
  }

  void compile_and_link(const fs::path& folder) {
    Clock clock(result_.compile_seconds);
    fs::path obj = folder / "obj";
    std::vector<Compilation> all;
    std::vector<std::string> link{"-shared", "-o", "../model.so", "-Wl,-Bsymbolic"};
    for (const auto& unit : write_units(obj)) {
      auto arguments = toolchain_.flags;
      for (auto more :
           {fmt::format("-DVM_TRACE={:d}", options_.trace), fmt::format("-I{}", runtime_.string()),
            std::string("-include"), std::string(verilator::precompiled_header), std::string("-I."),
            std::string("-c"), unit + ".cc", std::string("-o"), unit + ".o"})
        arguments.push_back(std::move(more));
      all.push_back({obj, std::move(arguments)});
      link.push_back(unit + ".o");
    }
    verilator::compile(toolchain_, all, options_.jobs, "compile the verilated netlist");
    for (const auto& object : verilator::runtime_objects(runtime_)) link.push_back(object.string());
    link.push_back("-pthread");
    verilator::compile(toolchain_, {{obj, link}}, 1, "link the verilated netlist");
    fs::remove_all(obj);
  }

  // Adds the time until it goes out of scope.
  class Clock {
   public:
    explicit Clock(double& sum) : sum_(sum) {}
    ~Clock() {
      sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

   private:
    double& sum_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  const VerilatorOptions& options_;
  Toolchain toolchain_;
  fs::path runtime_;
  std::vector<VerilogSource> sources_;
  std::string bridge_, about_;
  VerilatorBuild result_;
};

}  // namespace

VerilatorBuild build_verilated(const VerilogNetlist& netlist, const VerilatorOptions& options) {
  return Build(netlist, options).run();
}

}  // namespace kumiki::backends

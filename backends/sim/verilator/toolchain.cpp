// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/verilator/toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/parallel.h"
#include "backends/support/sha256.h"
#include "ir/error.h"
#include "ir/processors.h"

namespace kumiki::backends::verilator {
namespace {

namespace fs = std::filesystem;

constexpr const char* units[] = {"verilated", "verilated_threads", "verilated_vcd_c"};

Tool compiler_tool() {
  const char* chosen = std::getenv("CXX");
  if (chosen && *chosen && find_program(chosen)) return {chosen, "g++"};
  return {"g++", "g++"};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Toolchain ask(const Tool& verilator, const Tool& compiler) {
  Toolchain t{.verilator = verilator, .compiler = compiler};
  auto root = first_line(
      run_tool(verilator, {.arguments = {"--getenv", "VERILATOR_ROOT"}}, "say where it is"));
  t.include = fs::path(root) / "include";
  if (!fs::exists(t.include / "verilated.cpp"))
    throw ToolError(
        code::tool_missing,
        fmt::format("{} has no verilated.cpp: the installation of Verilator is not complete "
                    "(Debian package verilator)",
                    t.include.string()));
  auto said = first_line(run_tool(compiler, {.arguments = {"--version"}}, "say its version"));
  t.identity = fmt::format(
      "{}\n{}\n", first_line(run_tool(verilator, {.arguments = {"--version"}}, "say its version")),
      said);
  // Unique symbols would link the models of one process together and prevent unloading them.
  t.flags = {"-std=gnu++17",
             "-O1",
             "-fPIC",
             "-fvisibility=hidden",
             "-w",
             "-DVL_USER_FATAL",
             "-DVM_COVERAGE=0",
             "-DVM_SC=0",
             fmt::format("-I{}", t.include.string()),
             fmt::format("-I{}", (t.include / "vltstd").string())};
  if (said.find("clang") == std::string::npos) t.flags.push_back("-fno-gnu-unique");
  t.identity += fmt::format("{}\n", fmt::join(t.flags, " "));
  return t;
}

std::vector<std::string> with(const std::vector<std::string>& flags,
                              std::vector<std::string> more) {
  more.insert(more.begin(), flags.begin(), flags.end());
  return more;
}

}  // namespace

Toolchain find_toolchain() {
  static std::mutex lock;
  static std::map<std::pair<fs::path, fs::path>, Toolchain> known;
  Tool verilator{"verilator", "verilator"}, compiler = compiler_tool();
  auto key = std::pair(require(verilator), require(compiler));
  std::lock_guard guard(lock);
  auto it = known.find(key);
  if (it == known.end()) it = known.emplace(key, ask(verilator, compiler)).first;
  return it->second;
}

fs::path runtime(const Toolchain& toolchain, const Cache& cache) {
  auto key = sha256("runtime 1\n" + toolchain.identity).substr(0, 32);
  return cache.get("runtime", key, 4, [&](const fs::path& folder) {
    write_file(folder / precompiled_header, "#include \"verilated.h\"\n");
    std::vector<Compilation> all;
    for (const char* unit : units)
      all.push_back({folder, with(toolchain.flags,
                                  {"-DVM_TRACE=1", "-c",
                                   (toolchain.include / fmt::format("{}.cpp", unit)).string(), "-o",
                                   fmt::format("{}.o", unit)})});
    all.push_back({folder, with(toolchain.flags, {"-x", "c++-header", precompiled_header, "-o",
                                                  fmt::format("{}.gch", precompiled_header)})});
    write_file(folder / Cache::about_file, fmt::format("compiled by {}", toolchain.identity));
    compile(toolchain, all, 0, "compile the runtime of Verilator");
  });
}

std::vector<fs::path> runtime_objects(const fs::path& runtime) {
  std::vector<fs::path> objects;
  for (const char* unit : units) objects.push_back(runtime / fmt::format("{}.o", unit));
  return objects;
}

void compile(const Toolchain& toolchain, const std::vector<Compilation>& all, unsigned jobs,
             std::string_view doing) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex lock;
  auto work = [&] {
    for (std::size_t i; (i = next++) < all.size();) try {
        run_tool(toolchain.compiler, {all[i].arguments, all[i].folder}, doing);
      } catch (...) {
        std::lock_guard guard(lock);
        if (!failure) failure = std::current_exception();
      }
  };
  if (jobs == 0) jobs = ir::processors();
  in_threads(std::min<std::size_t>(jobs, all.size()), work);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kumiki::backends::verilator

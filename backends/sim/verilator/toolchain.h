// SPDX-License-Identifier: Apache-2.0
// Verilator and the C++ compiler, which turn Verilog into a shared object, and the parts that all
// models share: the compiled runtime and the precompiled header.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "backends/support/cache.h"
#include "backends/support/tool.h"

namespace kumiki::backends::verilator {

struct Toolchain {
  Tool verilator, compiler;
  std::filesystem::path include;   // the runtime's sources
  std::string identity;            // versions of both: part of every key
  std::vector<std::string> flags;  // for everything that is compiled
};

// Finds both in PATH; the variable CXX may name the compiler. ToolError if one is missing.
Toolchain find_toolchain();

// The folder with the runtime's objects and header; the first call builds them.
std::filesystem::path runtime(const Toolchain& toolchain, const Cache& cache);
std::vector<std::filesystem::path> runtime_objects(const std::filesystem::path& runtime);
inline constexpr const char* precompiled_header = "start.h";

struct Compilation {
  std::filesystem::path folder;
  std::vector<std::string> arguments;
};
// Runs compilers, `jobs` at a time; 0: as many as there are processors.
void compile(const Toolchain& toolchain, const std::vector<Compilation>& all, unsigned jobs,
             std::string_view doing);

}  // namespace kumiki::backends::verilator

// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/verilator/verilated_machine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "backends/emit/messages.h"
#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

// Another process may clear the cache between building and loading; then the model is built again.
Library load(const VerilogNetlist& netlist, const VerilatorOptions& options,
             VerilatorBuild& build) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    build = build_verilated(netlist, options);
    if (void* library = ::dlopen(build.object.c_str(), RTLD_NOW | RTLD_LOCAL))
      return Library(library);
  }
  throw ToolError(code::tool_answer,
                  fmt::format("cannot load the verilated netlist: {}", ::dlerror()));
}

}  // namespace

struct VerilatedMachine::Inside {
  Inside(const VerilogNetlist& netlist, const VerilatorOptions& options)
      : ports(netlist.ports), library(load(netlist, options, build)) {
    find("kumiki_create", create);
    find("kumiki_destroy", destroy);
    find("kumiki_run", run);
    if (options.trace) {
      find("kumiki_trace", trace);
      find("kumiki_close_trace", close_trace);
    }
    machine = create();
  }
  ~Inside() { destroy(machine); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library.get(), name));
    if (!function)
      throw ToolError(code::tool_answer,
                      fmt::format("{} is not the verilated netlist it should be: it has no {}",
                                  build.object.string(), name));
  }

  ir::PortLayout ports;
  VerilatorBuild build;
  Library library;
  void* (*create)() = nullptr;
  void (*destroy)(void*) = nullptr;
  const char* (*run)(void*, std::uint64_t, const std::uint64_t*, std::uint64_t*) = nullptr;
  bool (*trace)(void*, const char*, std::uint64_t) = nullptr;
  void (*close_trace)(void*) = nullptr;
  void* machine = nullptr;
  std::uint64_t cycle = 0;
};

VerilatedMachine::VerilatedMachine(const VerilogNetlist& netlist, const VerilatorOptions& options)
    : inside_(std::make_unique<Inside>(netlist, options)) {}
VerilatedMachine::~VerilatedMachine() = default;
VerilatedMachine::VerilatedMachine(VerilatedMachine&&) noexcept = default;
VerilatedMachine& VerilatedMachine::operator=(VerilatedMachine&&) noexcept = default;

void VerilatedMachine::power_up() {
  inside_->destroy(inside_->machine);
  inside_->machine = inside_->create();
  inside_->cycle = 0;
}

void VerilatedMachine::step(const ir::Frame& in, ir::Frame& out) {
  if (in.size() != inside_->ports.input_limbs)
    throw std::invalid_argument(fmt::format("a frame of {} limbs where the inputs have {}",
                                            in.size(), inside_->ports.input_limbs));
  out.resize(inside_->ports.output_limbs);
  run(1, in.data(), out.data());
}

void VerilatedMachine::run(std::uint64_t cycles, const std::uint64_t* in, std::uint64_t* out) {
  if (const char* what = inside_->run(inside_->machine, cycles, in, out))
    throw ToolError(code::tool_answer, fmt::format("the verilated netlist stopped: {}", what));
  inside_->cycle += cycles;
}

void VerilatedMachine::trace_to(const std::filesystem::path& file) {
  if (!inside_->trace) throw std::logic_error("this machine was built without trace");
  if (!inside_->trace(inside_->machine, file.c_str(), inside_->cycle))
    throw FileError(code::file_not_written, fmt::format("cannot write {}", file.string()));
}

void VerilatedMachine::close_trace() {
  if (inside_->close_trace) inside_->close_trace(inside_->machine);
}

const ir::PortLayout& VerilatedMachine::ports() const { return inside_->ports; }
const VerilatorBuild& VerilatedMachine::build() const { return inside_->build; }

}  // namespace kumiki::backends

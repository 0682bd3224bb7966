// SPDX-License-Identifier: Apache-2.0
// Every library of the installed package does something here: an adder is written in the language,
// checked, and simulated over all of its inputs.
#include <cstdio>

#include "backends/sim/native/simulator.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"
#include "templates/templates.h"

using namespace kumiki;

int main() {
  gen::Builder builder(ir::Family::ultrascale_plus);
  auto& module = builder.design().add_module("adder");
  gen::Scope scope(builder, module);
  auto a = scope.input<gen::UInt>("a", 5), b = scope.input<gen::UInt>("b", 5);
  scope.output("sum", gen::add_wide(scope, a, b));
  scope.finish();
  builder.design().set_top(module.id());

  int wrong = 0;
  for (const auto& finding : ir::check(builder.design())) {
    std::puts(ir::to_string(finding).c_str());
    ++wrong;
  }
  backends::NativeSimulator simulator(builder.design());
  for (unsigned x = 0; x < 32; ++x) {
    for (unsigned y = 0; y < 32; ++y) {
      simulator.set_all(simulator.input("a"), x);
      simulator.set_all(simulator.input("b"), y);
      if (simulator.get(simulator.output("sum"), 0) != x + y) ++wrong;
    }
  }
  if (templates::text("primitives/LUT6.v").find("module LUT6") == std::string_view::npos) ++wrong;
  std::printf("1024 sums, %d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

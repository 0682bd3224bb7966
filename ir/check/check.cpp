// SPDX-License-Identifier: Apache-2.0
#include "ir/check.h"

#include <fmt/format.h>

#include "ir/check/checker.h"
#include "ir/error.h"
#include "ir/label.h"

namespace kumiki::ir {
namespace checking {

bool Checker::visit(ModuleId id, std::vector<std::uint8_t>& mark) {
  enum : std::uint8_t { unseen, open, done };
  if (mark[id.value] == done) return true;
  const Module& m = design_.module(id);
  if (mark[id.value] == open) {
    report_.add(code::recursion, m, {},
                "contains itself; the instances of a design must form a tree");
    return false;
  }
  mark[id.value] = open;
  for (CellId i : m.instances()) {
    ModuleId child{m.cell(i).params};
    facts(child).is_placed = true;
    if (!visit(child, mark)) return false;
  }
  mark[id.value] = done;
  order_.push_back(id);
  return true;
}

// Orders children before parents, with the top last; returns false if that is impossible.
bool Checker::find_order() {
  std::vector<std::uint8_t> mark(design_.module_count());
  if (design_.has_top() && !visit(design_.top_id(), mark)) return false;
  for (std::uint32_t i = 0; i < design_.module_count(); ++i)
    if (design_.has_top() && mark[i] == 0 && report_.wants(code::unused_module))
      report_.add(code::unused_module, design_.module({i}), {},
                  fmt::format("the top module {} does not contain it",
                              bare_or_quoted(design_.top().name())));
  for (std::uint32_t i = 0; i < design_.module_count(); ++i)
    if (!visit({i}, mark)) return false;
  return true;
}

Source Checker::source(const Module& m, Net net, unsigned depth) {
  constexpr unsigned limit = 1000;  // wires that feed themselves through ports have no source
  const Facts& f = facts(m);
  if (net.index >= f.driver.size() || depth > limit) return {&m, nullptr, 0, {}, net};
  Driver d = f.driver[net.index];
  if (!d.is_cell()) return {&m, nullptr, 0, d, net};
  const Cell& c = m.cells()[d.cell()];
  auto offset = net.index - c.out.index;
  if (c.kind != Kind::instance) return {&m, &c, offset, d, net};
  const Module& child = design_.module({c.params});
  auto inner = source(child, facts(child).outputs[offset], depth + 1);
  if (inner.module != &child || inner.cell || !inner.driver.is_input()) return inner;
  return source(m, m.inputs(c)[inner.driver.input_bit()], depth + 1);
}

std::vector<Finding> Checker::run() {
  if (!design_.has_top())
    report_.add(code::no_top,
                "the design has no top module; call set_top, or write \"top\" in its text");
  if (!find_order()) return report_.take();
  for (ModuleId id : order_) {
    const Module& m = design_.module(id);
    check_cells(*this, m);
    check_clock_ports(*this, m);
    check_loops(*this, m);
    check_wiring(*this, m);
    if (options_.warnings) check_unused(*this, m);
  }
  check_clocks(*this);
  check_cascades(*this);
  if (options_.warnings)
    for (ModuleId id : order_) check_unused_outputs(*this, design_.module(id));
  return report_.take();
}

}  // namespace checking

std::vector<Finding> check(const Design& design, const CheckOptions& options) {
  return checking::Checker(design, options).run();
}

void require_legal(const Design& design, const CheckOptions& options) {
  auto errors_only = options;
  errors_only.warnings = false;
  const auto findings = check(design, errors_only);
  if (findings.empty()) return;
  std::string all;
  for (const Finding& f : findings) all += (all.empty() ? "" : "\n") + with_code(f.message, f.code);
  throw DesignError(
      Diagnostic{.code = findings.front().code, .wrong = std::move(all), .has_codes = true});
}

}  // namespace kumiki::ir

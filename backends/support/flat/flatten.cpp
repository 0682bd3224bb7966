// SPDX-License-Identifier: Apache-2.0
#include "backends/support/flat/flatten.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "ir/machine.h"

namespace kumiki::backends::native {
namespace {

using ir::Cell;
using ir::Direction;
using ir::Module;
using ir::Net;
using ir::Port;

std::string_view type_name(const Module& m, const Cell& c) {
  return c.kind == ir::Kind::instance ? m.design().module({c.params}).name()
                                      : ir::prototype(c.kind).name;
}

std::string describe(const Module& m, const Cell& c) {
  auto at = ir::to_string(c.place);
  return at.empty() ? std::string(type_name(m, c)) : fmt::format("{} at {}", type_name(m, c), at);
}

// Checks that every net read in one module has one driver. Wires through other modules come later.
class DriverCheck {
 public:
  explicit DriverCheck(const Module& m) : m_(m), by_(m.net_count(), nobody) {}

  void run() {
    for (const Port& p : m_.ports())
      if (p.direction == Direction::input)
        for (Net n : m_.port_nets(p)) drive(n, port);
    for (std::uint32_t i = 0; i < m_.cells().size(); ++i)
      for (std::uint32_t o = 0; o < m_.output_count(m_.cells()[i]); ++o)
        drive({m_.cells()[i].out.index + o}, i);
    for (const Cell& c : m_.cells())
      for (Net n : m_.inputs(c))
        if (is_undriven(n))
          refuse(n, code::undriven, "read by " + describe(m_, c) + " and driven by nothing");
    for (const Port& p : m_.ports())
      for (Net n : m_.port_nets(p))
        if (is_undriven(n))
          refuse(n, code::undriven,
                 fmt::format("the output port {} and driven by nothing", m_.design().text(p.name)));
  }

 private:
  static constexpr std::uint32_t nobody = ~0u, port = ~0u - 1;

  bool is_undriven(Net n) const { return n.index >= ir::first_free_net && by_[n.index] == nobody; }

  void drive(Net n, std::uint32_t by) {
    auto& slot = by_[n.index];
    if (slot != nobody || n.index < ir::first_free_net)
      refuse(n, code::multiply_driven, fmt::format("driven by {} and by {}", who(slot), who(by)));
    slot = by;
  }

  std::string who(std::uint32_t by) const {
    if (by == nobody) return "a constant";
    return by == port ? "an input port" : describe(m_, m_.cells()[by]);
  }

  [[noreturn]] void refuse(Net n, Code code, const std::string& what) const {
    throw DesignError(code, fmt::format("module {}: net {} is {}", m_.name(), n.index, what));
  }

  const Module& m_;
  std::vector<std::uint32_t> by_;
};

void place_scopes(Flat& flat) {
  std::uint64_t next = 0;
  flat.scopes.push_back({.module = flat.design->top_id()});
  for (std::uint32_t s = 0; s < flat.scopes.size(); ++s) {
    const Module& m = flat.module(flat.scopes[s]);
    flat.scopes[s].base = static_cast<std::uint32_t>(next);
    flat.scopes[s].first_child = static_cast<std::uint32_t>(flat.scopes.size());
    next += m.net_count() - ir::first_free_net;
    for (std::uint32_t c = 0; c < m.cells().size(); ++c) {
      const Cell& cell = m.cells()[c];
      if (cell.kind != ir::Kind::instance) {
        flat.cells.push_back({s, {c}});
        continue;
      }
      flat.scopes.push_back({.module = {cell.params}, .parent = s, .cell = {c}});
      ++flat.scopes[s].child_count;
    }
    if (next + ir::first_free_net > std::numeric_limits<std::uint32_t>::max() / 2)
      throw DesignError(code::over_limit,
                        fmt::format("{}: more than 2^31 nets below the top", m.name()));
  }
  flat.driver.resize(next + ir::first_free_net);
  for (std::uint32_t n = 0; n < flat.driver.size(); ++n) flat.driver[n] = n;
  flat.driver[ir::net_open.index] = 0;
}

// Ports are wires: an input of a child is a net of its parent, and vice versa for outputs.
void connect(Flat& flat) {
  for (std::size_t s = 1; s < flat.scopes.size(); ++s) {
    const Scope& scope = flat.scopes[s];
    const Scope& parent = flat.scopes[scope.parent];
    const Cell& instance = flat.module(parent).cell(scope.cell);
    auto given = flat.module(parent).inputs(instance);
    std::uint32_t in = 0, out = instance.out.index;
    const Module& m = flat.module(scope);
    for (const Port& p : m.ports())
      for (Net n : m.port_nets(p))
        if (p.direction == Direction::input)
          flat.driver[flat.net(scope, n)] = flat.net(parent, given[in++]);
        else
          flat.driver[flat.net(parent, {out++})] = flat.net(scope, n);
  }
}

[[noreturn]] void refuse_wire_loop(const Flat& flat, const std::vector<std::uint32_t>& nets) {
  std::string hops;
  for (std::uint32_t n : nets) {
    auto after = std::upper_bound(
        flat.scopes.begin(), flat.scopes.end(), n,
        [](std::uint32_t a, const Scope& s) { return a < s.base + ir::first_free_net; });
    const Scope& s = *(after - 1);
    auto path = flat.path(static_cast<std::uint32_t>(&s - flat.scopes.data()));
    hops += fmt::format("\n  net {} of {} {}", n - s.base, flat.module(s).name(),
                        path.empty() ? "(top)" : path);
  }
  throw DesignError(code::loop,
                    "a wire through module ports drives itself, with no cell on it:" + hops);
}

// Follows every chain of ports to its driver, each net once.
void resolve(Flat& flat) {
  std::vector<bool> done(flat.driver.size()), open(flat.driver.size());
  std::vector<std::uint32_t> chain;
  for (std::uint32_t first = 0; first < flat.driver.size(); ++first) {
    std::uint32_t n = first;
    for (chain.clear(); !done[n] && flat.driver[n] != n; n = flat.driver[n]) {
      if (open[n]) {
        chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), n));
        refuse_wire_loop(flat, chain);
      }
      open[n] = true;
      chain.push_back(n);
    }
    for (std::uint32_t on : chain) flat.driver[on] = flat.driver[n], done[on] = true;
    done[n] = true;
  }
}

}  // namespace

const Scope* Flat::child(const Scope& scope, ir::CellId instance) const {
  auto all = std::span(scopes).subspan(scope.first_child, scope.child_count);
  auto it = std::lower_bound(all.begin(), all.end(), instance,
                             [](const Scope& s, ir::CellId id) { return s.cell < id; });
  return it == all.end() || it->cell != instance ? nullptr : &*it;
}

std::string Flat::path(std::uint32_t scope) const {
  if (scope == 0) return {};
  const Scope& s = scopes[scope];
  auto above = path(s.parent);
  return above.empty() ? own_name(*this, s) : above + "/" + own_name(*this, s);
}

std::string own_name(const Flat& flat, const Scope& scope) {
  auto name = flat.design->text(flat.module(flat.scopes[scope.parent]).cell_name(scope.cell));
  return name.empty() ? fmt::format("#{}", scope.cell.value) : std::string(name);
}

Flat flatten(const ir::Design& design) {
  for (ir::ModuleId id : design.bottom_up()) DriverCheck(design.module(id)).run();
  Flat flat{.design = &design};
  place_scopes(flat);
  connect(flat);
  resolve(flat);
  const auto clock = [&](std::string_view name) {
    const Port* port = design.top().find_port(name);
    return port && port->direction == Direction::input
               ? flat.net(flat.scopes[0], design.top().port_nets(*port)[0])
               : 0;
  };
  flat.clock = clock(ir::clock_port);
  flat.fast_clock = clock(ir::fast_clock_port);
  return flat;
}

}  // namespace kumiki::backends::native

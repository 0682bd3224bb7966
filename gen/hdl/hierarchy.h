// SPDX-License-Identifier: Apache-2.0
// A generator is `Out make(Scope&, const Plan&, const In&)`. A direct call builds in place;
// `instantiate` elaborates each (generator, plan, widths) once as a module and places it many
// times. A plan has operator== and module_name(), which says what it is: "dot8x8_n7_g18".
#pragma once
#include <concepts>
#include <string>

#include "gen/hdl/ports.h"

namespace kumiki::gen {

template <class P>
concept ModulePlan = std::equality_comparable<P> && std::copy_constructible<P> &&
    requires(const P& p) {
  { p.module_name() } -> std::convertible_to<std::string>;
};

namespace detail {

// Finds or elaborates the module; `shape` gives the widths of its inputs.
template <ModulePlan Plan, class In, class Out>
const Elaborated& elaborate(Builder& b, Out (*make)(Scope&, const Plan&, const In&),
                            const Plan& plan, const In& shape, ir::OriginId origin,
                            SourceLocation here) {
  std::string name = plan.module_name();
  auto widths = widths_of(shape);
  auto& known = b.memo()[name];
  for (const Elaborated& e : known) {
    const auto* other =
        std::any_cast<std::pair<Out (*)(Scope&, const Plan&, const In&), Plan>>(&e.plan);
    if (other && other->first == make && other->second == plan && e.input_widths == widths)
      return e;
  }
  ir::Module& module = b.design().add_module(b.free_module_name(name));
  Scope inner(b, module, origin);
  In in = make_inputs(inner, shape, here);
  Out out = make(inner, plan, in);
  make_outputs(inner, out, here);
  inner.finish();
  // `make` may have added modules to the list of this name, so look it up again.
  auto& list = b.memo()[name];
  list.push_back({module.id(), std::pair(make, plan), std::move(out), std::move(widths)});
  return list.back();
}

}  // namespace detail

template <ModulePlan Plan, class In, class Out>
Out instantiate(Scope& s, Out (*make)(Scope&, const Plan&, const In&), const Plan& plan,
                const In& in, std::string_view instance_name = {},
                SourceLocation here = SourceLocation::current()) {
  const Elaborated& e = detail::elaborate(s.builder(), make, plan, in, s.origin(), here);
  Out out = std::any_cast<const Out&>(e.outputs);
  const ir::Module& child = s.builder().design().module(e.module);
  std::vector<Net> nets;
  if (child.find_port(ir::clock_port)) nets.push_back(s.clk());
  if (ir::has_fast_clock(child)) nets.push_back(s.fast_clk());
  for (Net n : collect_all(in)) nets.push_back(n);
  auto id = s.module().add_instance(e.module, nets, s.at(here), instance_name);
  Net first = s.module().cell(id).out;
  for_each_port<Out>([&](const auto& p) { rebind(s, out.*p.member, first, s.at(here)); });
  return out;
}

// Elaborates a generator as a module that is not placed yet.
template <ModulePlan Plan, class In, class Out>
ir::Module& build_module(Builder& b, Out (*make)(Scope&, const Plan&, const In&), const Plan& plan,
                         const In& shape, ir::OriginId origin = {},
                         SourceLocation here = SourceLocation::current()) {
  return b.design().module(detail::elaborate(b, make, plan, shape, origin, here).module);
}

// The same as the top of the design.
template <ModulePlan Plan, class In, class Out>
ir::Module& build_top(Builder& b, Out (*make)(Scope&, const Plan&, const In&), const Plan& plan,
                      const In& shape, ir::OriginId origin = {},
                      SourceLocation here = SourceLocation::current()) {
  ir::Module& top = build_module(b, make, plan, shape, origin, here);
  b.design().set_top(top.id());
  return top;
}

}  // namespace kumiki::gen

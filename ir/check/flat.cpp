// SPDX-License-Identifier: Apache-2.0
#include "ir/check/flat.h"

#include <fmt/format.h>

#include "ir/label.h"

namespace kumiki::ir::checking {

Flat::ContextId Flat::add_root(ModuleId module) {
  contexts_.push_back({module, none, 0});
  return static_cast<ContextId>(contexts_.size() - 1);
}

Flat::ContextId Flat::child(ContextId context, std::uint32_t cell) {
  auto key = std::uint64_t{context} << 32 | cell;
  auto [it, fresh] = children_.emplace(key, static_cast<ContextId>(contexts_.size()));
  if (fresh) contexts_.push_back({{module(context).cells()[cell].params}, context, cell});
  return it->second;
}

std::string Flat::path(ContextId context) const {
  const Context& c = contexts_[context];
  if (c.parent == none) return bare_or_quoted(module(context).name());
  const Module& up = module(c.parent);
  auto name = up.cell_name({c.cell});
  return fmt::format("{}/{}", path(c.parent),
                     name.value != 0 ? std::string(up.design().text(name))
                                     : net_label(up, up.cells()[c.cell].out));
}

std::string Flat::where(ContextId context) const {
  return contexts_[context].parent == none ? "" : path(context) + ": ";
}

std::string Flat::describe(const Pin& pin, bool output) {
  const Module& m = module(pin.context);
  if (pin.is_port)
    return fmt::format("{} {} of the top module", output ? "input" : "output",
                       port_label(m, output ? Direction::input : Direction::output, pin.offset));
  const Cell& c = m.cells()[pin.cell];
  return fmt::format("{}{}.{}{}", where(pin.context), cell_label(m, c),
                     output ? output_label(m, c, pin.offset) : input_label(m, c, pin.offset),
                     at(c.place));
}

std::optional<Flat::Pin> Flat::source(ContextId context, Net net) {
  for (unsigned hops = 0; hops < hop_limit; ++hops) {
    const Module& m = module(context);
    const Facts& f = k_.facts(m);
    Driver d = net.index < f.driver.size() ? f.driver[net.index] : Driver();
    if (d.is_input()) {
      auto up = contexts_[context].parent;
      if (up == none) return Pin{context, 0, d.input_bit(), true};
      net = module(up).inputs(module(up).cells()[contexts_[context].cell])[d.input_bit()];
      context = up;
    } else if (d.is_cell()) {
      const Cell& c = m.cells()[d.cell()];
      auto offset = net.index - c.out.index;
      if (c.kind != Kind::instance) return Pin{context, d.cell(), offset};
      context = child(context, d.cell());
      net = k_.facts(module(context)).outputs[offset];
    } else {
      return {};
    }
  }
  return {};
}

template <class F>
void Flat::for_each_use(const Module& m, const std::vector<std::uint8_t>& wanted, F f) {
  std::uint32_t cell = 0;
  for (const Cell& c : m.cells()) {
    std::uint32_t offset = 0;
    for (Net n : m.inputs(c)) {
      if (n.index < wanted.size() && wanted[n.index]) f(n, Reader{cell, offset});
      ++offset;
    }
    ++cell;
  }
  std::uint32_t bit = 0;
  for (Net n : k_.facts(m).outputs) {
    if (n.index < wanted.size() && wanted[n.index]) f(n, Reader{cell, bit});
    ++bit;
  }
}

const Flat::Readers& Flat::readers(const Module& m) {
  auto [it, fresh] = readers_.try_emplace(m.id().value);
  Readers& r = it->second;
  if (!fresh) return r;
  const Facts& f = k_.facts(m);
  std::vector<std::uint8_t> wanted(m.net_count());
  for (const Cell& c : m.cells())
    if (c.kind == Kind::instance || is_dsp(c.kind))
      for (std::uint32_t o = 0, count = m.output_count(c); o < count; ++o)
        wanted[c.out.index + o] = 1;
  for (Net n : f.inputs) wanted[n.index] = n != f.clock && n != f.fast_clock;
  r.start.assign(m.net_count() + 1, 0);
  for_each_use(m, wanted, [&](Net n, Reader) { ++r.start[n.index + 1]; });
  for (std::size_t i = 1; i < r.start.size(); ++i) r.start[i] += r.start[i - 1];
  r.readers.resize(r.start.back());
  auto next = r.start;
  for_each_use(m, wanted, [&](Net n, Reader reader) { r.readers[next[n.index]++] = reader; });
  return r;
}

}  // namespace kumiki::ir::checking

// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/two_clocks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>

#include "backends/support/flat/flatten.h"
#include "ir/machine.h"
#include "ir/primitives/memory.h"

namespace kumiki::backends::proof {
namespace {

using ir::Net;

class OneClock {
 public:
  explicit OneClock(const ir::Design& design)
      : from_(design),
        flat_(native::flatten(design)),
        made_(std::make_unique<ir::Design>(design.family(), design.limits())),
        m_(made_->add_module(design.top().name())) {
    m_.fresh_nets(static_cast<std::uint32_t>(flat_.driver.size()));
  }

  std::unique_ptr<ir::Design> run() {
    for (const ir::Port& p : from_.top().ports()) {
      if (p.direction == ir::Direction::output || name(p) == ir::fast_clock_port) continue;
      std::vector<Net> nets;
      for (Net n : from_.top().port_nets(p)) nets.push_back(Net{flat_.net(flat_.scopes[0], n)});
      m_.add_input_driving(nets, name(p), p.is_signed);
    }
    half_ = m_.add_input(half_port, 1);
    for (native::FlatCell c : flat_.cells) cell(c);
    for (const ir::Port& p : from_.top().ports()) {
      if (p.direction == ir::Direction::input) continue;
      std::vector<Net> nets;
      for (Net n : from_.top().port_nets(p)) nets.push_back(read(flat_.scopes[0], n));
      m_.add_output(name(p), nets, p.is_signed);
    }
    made_->set_top(m_.id());
    return std::move(made_);
  }

 private:
  std::string_view name(const ir::Port& p) const { return from_.text(p.name); }

  Net read(const native::Scope& scope, Net n) const {
    if (n == ir::net_open) return n;
    const auto driver = flat_.driver_of(scope, n);
    return Net{driver == flat_.fast_clock ? flat_.clock : driver};
  }

  void cell(native::FlatCell c) {
    const ir::Module& module = flat_.module(c);
    const native::Scope& scope = flat_.scopes[c.scope];
    const ir::Cell& cell = flat_.cell(c);
    const auto view = module.view(cell);
    std::vector<std::uint64_t> params(view.params.begin(), view.params.end());
    std::vector<Net> inputs;
    for (Net n : module.inputs(cell)) inputs.push_back(read(scope, n));
    const bool slow = is_slow(scope, module, cell, view);
    if (slow) gate(cell, view, inputs);
    ir::BlobId contents;
    if (view.blob) {
      contents = made_->add_blob(*view.blob);
      params[ir::memory::contents] = contents.value;
    }
    Net out{flat_.output(c)};
    // The second register of a memory has no separate enable.
    if (slow && cell.kind == ir::Kind::memory &&
        params[ir::memory::read] == ir::memory::twice_registered) {
      params[ir::memory::read] = ir::memory::registered;
      const auto width = static_cast<std::uint32_t>(params[ir::memory::width]);
      const Net first = m_.fresh_nets(width);
      std::vector<Net> in{Net{flat_.clock}, half_};
      for (std::uint32_t i = 0; i < width; ++i) in.push_back(Net{first.index + i});
      in.push_back(ir::net_zero);
      m_.add_cell_driving(out, ir::Kind::fdre, width, in, {}, cell.place);
      out = first;
    }
    m_.add_cell_driving(out, cell.kind, cell.width, inputs, params, cell.place, contents);
  }

  bool is_slow(const native::Scope& scope, const ir::Module& module, const ir::Cell& cell,
               const ir::CellView& view) const {
    const auto clock = ir::clock_input(cell.kind, view);
    if (!clock) return false;
    const Net net = module.inputs(cell)[*clock];
    return net != ir::net_open && flat_.driver_of(scope, net) == flat_.clock;
  }

  void gate(const ir::Cell& cell, const ir::CellView& view, std::vector<Net>& inputs) {
    std::size_t at = 0;
    for (const ir::Pin& pin : ir::prototype(cell.kind).inputs) {
      const bool reset = pin.name.starts_with("RST") || pin.name == "R" || pin.name == "S";
      if (reset || pin.name.starts_with("CE") || pin.name == "WE" || pin.name == "RE")
        inputs[at] = gated(inputs[at], is_inverted(cell.kind, view, pin.name));
      at += ir::pin_width(pin, view);
    }
  }

  static bool is_inverted(ir::Kind kind, const ir::CellView& view, std::string_view pin) {
    const auto& params = ir::prototype(kind).params;
    for (std::size_t i = 0; i < params.size(); ++i)
      if (params[i].name == "IS_" + std::string(pin) + "_INVERTED") return view.params[i] != 0;
    return false;
  }

  // 1 if `n` is 1 in the second half. For an inverted pin: 0 if `n` is 0 in the second half.
  Net gated(Net n, bool inverted) {
    const auto [it, fresh] = gated_.try_emplace({n.index, inverted}, n);
    if (!fresh || n == ir::constant(inverted)) return it->second;
    const std::uint64_t table = inverted ? 0xb : 0x8;
    return it->second = m_.cell(m_.add_cell(ir::Kind::lut2, 1, std::array{n, half_},
                                            std::span(&table, 1), {}))
                            .out;
  }

  const ir::Design& from_;
  native::Flat flat_;
  std::unique_ptr<ir::Design> made_;
  ir::Module& m_;
  Net half_;
  std::map<std::pair<std::uint32_t, bool>, Net> gated_;
};

// The same circuit with other literals for its registers; keeps the next values of all of them.
Circuit with_state(const Circuit& c, const std::vector<std::optional<std::size_t>>& same_as) {
  Circuit made{
      .aig = {}, .inputs = c.inputs, .outputs = c.outputs, .output_values = {}, .next = {}};
  std::vector<Literal> in;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) in.push_back(made.aig.add_input());
  std::vector<Literal> state(c.latches(), zero);
  for (std::size_t i = 0; i < c.latches(); ++i)
    if (same_as[i] == i) state[i] = made.aig.add_input();
  for (std::size_t i = 0; i < c.latches(); ++i)
    in.push_back(same_as[i] ? state[*same_as[i]] : zero);
  const auto is = copied(made.aig, c.aig, in);
  made.output_values = these(is, c.output_values);
  made.next = these(is, c.next);
  made.nets = c.nets;
  made.net_values = these(is, c.net_values);
  return made;
}

// Guesses the value of each register from power-up on, by 64 random runs. Empty: always 0.
// Otherwise the first register with the same values, possibly itself.
std::vector<std::optional<std::size_t>> guess(const Circuit& c) {
  constexpr unsigned clocks = 24;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> state(c.latches(), 0), nodes;
  std::vector<std::vector<std::uint64_t>> seen(c.latches());
  for (unsigned t = 0; t < clocks; ++t) {
    std::vector<std::uint64_t> in;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) in.push_back(random());
    in.insert(in.end(), state.begin(), state.end());
    c.aig.simulate(in, nodes);
    for (std::size_t i = 0; i < state.size(); ++i)
      seen[i].push_back(state[i] = value(nodes, c.next[i]));
  }
  std::map<std::vector<std::uint64_t>, std::size_t> first;
  std::vector<std::optional<std::size_t>> same_as;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (std::ranges::all_of(seen[i], [](auto w) { return w == 0; }))
      same_as.push_back(std::nullopt);
    else
      same_as.push_back(first.try_emplace(seen[i], i).first->second);
  }
  return same_as;
}

// Keeps the part of the guess that holds at power-up, where all registers are 0, and is inductive.
std::vector<std::optional<std::size_t>> proved(const Circuit& c) {
  auto same_as = guess(c);
  for (bool changed = true; changed;) {
    changed = false;
    const Circuit now = with_state(c, same_as);
    for (std::size_t i = 0; i < same_as.size(); ++i) {
      const Literal want = same_as[i] ? now.next[*same_as[i]] : zero;
      if (same_as[i] == i || now.next[i] == want) continue;
      same_as[i] = i;
      changed = true;
    }
  }
  return same_as;
}

// Keeps only the registers that represent themselves and on which an output depends.
Circuit reduced(const Circuit& c, const std::vector<std::optional<std::size_t>>& same_as) {
  const Circuit whole = with_state(c, same_as);
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < same_as.size(); ++i)
    if (same_as[i] == i) own.push_back(i);
  const auto& leaves = whole.aig.inputs();
  std::vector<bool> wanted(whole.aig.size(), false);
  const auto want = [&](const std::vector<Literal>& all) {
    for (Literal l : all) wanted[l >> 1] = true;
  };
  want(whole.output_values);
  want(whole.net_values);
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t n = whole.aig.size(); n-- > 1;)
      if (wanted[n] && !whole.aig.is_input(n))
        wanted[whole.aig.node(n).a >> 1] = wanted[whole.aig.node(n).b >> 1] = true;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto next = whole.next[own[i]] >> 1;
      if (wanted[leaves[whole.inputs.size() + i]] && !wanted[next]) wanted[next] = more = true;
    }
  }
  Circuit made{.aig = {},
               .inputs = whole.inputs,
               .outputs = whole.outputs,
               .output_values = {},
               .next = {},
               .nets = whole.nets};
  std::vector<Literal> in, next;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const bool state = i >= whole.inputs.size();
    in.push_back(state && !wanted[leaves[i]] ? zero : made.aig.add_input());
    if (state && wanted[leaves[i]]) next.push_back(whole.next[own[i - whole.inputs.size()]]);
  }
  const auto is = copied(made.aig, whole.aig, in);
  made.output_values = these(is, whole.output_values);
  made.next = these(is, next);
  made.net_values = these(is, whole.net_values);
  return made;
}

}  // namespace

std::unique_ptr<ir::Design> on_one_clock(const ir::Design& design) {
  return OneClock(design).run();
}

Circuit two_steps(const Circuit& c) {
  Circuit made{.aig = {}, .inputs = {}, .outputs = c.outputs, .output_values = {}, .next = {}};
  std::vector<Literal> first, second;
  for (const auto& bit : c.inputs) {
    const bool half = bit.port == half_port;
    first.push_back(half ? zero : made.aig.add_input());
    second.push_back(half ? one : first.back());
    if (!half) made.inputs.push_back(bit);
  }
  for (std::size_t i = 0; i < c.latches(); ++i) first.push_back(made.aig.add_input());
  const auto middle = these(copied(made.aig, c.aig, first), c.next);
  second.insert(second.end(), middle.begin(), middle.end());
  const auto is = copied(made.aig, c.aig, second);
  made.output_values = these(is, c.output_values);
  made.next = these(is, c.next);
  made.nets = c.nets;
  made.net_values = these(is, c.net_values);
  return reduced(made, proved(made));
}

}  // namespace kumiki::backends::proof

// SPDX-License-Identifier: Apache-2.0
#include "ir/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kumiki::ir {
namespace {

// The ending of a cell's name.
std::string_view suffix_of(Kind kind) {
  switch (kind) {
    case Kind::instance:
      return "_inst";
    case Kind::carry4:
    case Kind::carry8:
      return "_carry";
    case Kind::muxf7:
    case Kind::muxf8:
      return "_mux";
    case Kind::fdre:
    case Kind::fdse:
      return "_reg";
    case Kind::srl16e:
    case Kind::srlc32e:
      return "_srl";
    case Kind::dsp48e1:
    case Kind::dsp48e2:
      return "_dsp";
    case Kind::uram288:
    case Kind::memory:
      return "_ram";
    default:
      return "_lut";
  }
}

// The role of a net for the cell whose pin it feeds.
std::string_view role_of(Kind kind, std::string_view pin) {
  switch (kind) {
    case Kind::carry4:
    case Kind::carry8:
      return pin == "S" ? "half" : pin == "DI" ? "generate" : "carry";
    case Kind::muxf7:
    case Kind::muxf8:
      return pin == "S" ? "choice" : "case";
    case Kind::fdre:
    case Kind::fdse:
      return pin == "D" ? "next" : pin == "CE" ? "enable" : "reset";
    case Kind::srl16e:
    case Kind::srlc32e:
      return pin == "D" ? "early" : pin == "CE" ? "enable" : "depth";
    case Kind::dsp48e1:
    case Kind::dsp48e2:
    case Kind::uram288:
    case Kind::memory:
    case Kind::instance:
      return pin;
    default:
      return "term";
  }
}

// Calls action(name, width) for every input pin or port of a cell, in the order of its nets.
template <class Action>
void for_each_input(const Module& module, const Cell& cell, Action action) {
  if (cell.kind == Kind::instance) {
    for (const Port& port : module.design().module({cell.params}).ports())
      if (port.direction == Direction::input) action(module.design().text(port.name), port.width);
    return;
  }
  CellView view{module.params(cell), cell.width, nullptr};
  for (const Pin& pin : prototype(cell.kind).inputs) action(pin.name, pin_width(pin, view));
}

// Calls action(first net, width, output pin or port) for every output of a cell.
template <class Action>
void for_each_output(const Module& module, const Cell& cell, Action action) {
  Net first = cell.out;
  if (cell.kind == Kind::instance) {
    for (const Port& port : module.design().module({cell.params}).ports()) {
      if (port.direction == Direction::input) continue;
      action(first, port.width, &port);
      first.index += port.width;
    }
    return;
  }
  CellView view{module.params(cell), cell.width, nullptr};
  for (const Pin& pin : prototype(cell.kind).outputs) {
    auto width = pin_width(pin, view);
    action(first, width, nullptr);
    first.index += width;
  }
}

}  // namespace

std::string to_string(const Name& name) {
  std::string s(name.text);
  if (name.numbered) s += std::to_string(name.number);
  return s.append(name.suffix);
}

// Marks a net that has a hint but no reader: the hint makes no wire, but the cell is named after
// it. SignalBit::bit is then the number of the text.
constexpr std::uint32_t name_only = SignalBit::none - 2;

ModuleNames::ModuleNames(const Module& module) : module_(module) {
  bits_.resize(module.net_count());
  signals_.reserve(module.ports().size() + module.cells().size());
  choose_prefix();
  mark_drivers();
  mark_readers();
  name_ports();
  name_hints();
  name_cells_as_wished();
  serve_names();
  name_outputs();
  name_cells();
  serves_ = {};
  for (SignalBit& b : bits_)
    if (b.signal == driven || b.signal == name_only) b = {};
  read_ = {};
  signals_.shrink_to_fit();
}

void ModuleNames::choose_prefix() {
  auto is_taken = [&](const Port& port) {
    return numbered_at(legal_name(module_.design().text(port.name), "port")) !=
           std::string_view::npos;
  };
  do prefix_ += 'n';
  while (std::any_of(module_.ports().begin(), module_.ports().end(), is_taken));
}

// Where in a name the prefix is followed by a digit.
std::size_t ModuleNames::numbered_at(std::string_view name) const {
  for (std::size_t at = 0; at + prefix_.size() < name.size(); ++at) {
    if (at > 0 && name[at - 1] != '_') continue;
    const char next = name[at + prefix_.size()];
    if (next >= '0' && next <= '9' && lower_case(name.substr(at, prefix_.size())) == prefix_)
      return at;
  }
  return std::string_view::npos;
}

std::uint32_t ModuleNames::take(std::string_view wish, std::string_view otherwise) {
  auto name = legal_name(wish, otherwise);
  for (auto at = numbered_at(name); at != std::string_view::npos; at = numbered_at(name))
    name.insert(at, "x");
  texts_.push_back(pool_.take(std::move(name)));
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void ModuleNames::mark_drivers() {
  for (const Cell& cell : module_.cells()) {
    auto first = bits_.begin() + cell.out.index;
    std::fill_n(first, module_.output_count(cell), SignalBit{driven, 0});
  }
  for (std::uint32_t i = 0; i < first_free_net; ++i) bits_[i] = {};
}

void ModuleNames::mark_readers() {
  read_.resize((bits_.size() + 63) / 64);
  auto mark = [&](Net n) { read_[n.index / 64] |= std::uint64_t{1} << (n.index % 64); };
  for (Net n : module_.all_inputs()) mark(n);
  for (const Port& port : module_.ports())
    if (port.direction == Direction::output)
      for (Net n : module_.port_nets(port)) mark(n);
}

// Cells drive an output port directly; all other bits of the port are assigned.
void ModuleNames::name_ports() {
  for (const Port& port : module_.ports()) {
    bool input = port.direction == Direction::input;
    auto id = static_cast<std::uint32_t>(signals_.size());
    auto text = take(module_.design().text(port.name), "port");
    if (port.width == 0)
      throw DesignError(code::no_bits,
                        fmt::format("{}: port {} of module {} has no bits; give it at least 1",
                                    to_string(port.place), texts_[text], module_.name()));
    signals_.push_back(
        {text, port.width, 0, input ? Signal::Origin::input : Signal::Origin::output, false});
    auto nets = module_.port_nets(port);
    for (std::uint32_t bit = 0; bit < port.width; ++bit)
      if (input || is_free(nets[bit])) bits_[nets[bit].index] = {id, bit};
  }
}

void ModuleNames::name_hints() {
  for (const NameHint& hint : module_.hints()) name_hint(hint);
}

void ModuleNames::name_hint(const NameHint& hint) {
  auto nets = module_.hint_nets(hint);
  auto wish = module_.design().text(hint.name);
  auto is_wanted = [&](Net n) { return is_free(n) && is_read(n); };
  if (std::none_of(nets.begin(), nets.end(), is_wanted)) {
    auto is_free_here = [&](Net n) { return is_free(n); };
    if (std::none_of(nets.begin(), nets.end(), is_free_here)) return;
    auto text = take(wish, "signal");
    for (Net n : nets)
      if (is_free(n)) bits_[n.index] = {name_only, text};
    return;
  }
  for (std::uint32_t low = 0, high; low < hint.width; low = high + 1) {
    auto id = static_cast<std::uint32_t>(signals_.size());
    for (high = low; high < hint.width && is_free(nets[high]); ++high)
      bits_[nets[high].index] = {id, high};
    std::uint32_t width = high - low;
    if (width == 0) continue;
    auto name = low == 0 ? std::string(wish) : fmt::format("{}_{}", wish, low);
    bool scalar = width == 1;
    if (scalar) bits_[nets[low].index].bit = 0;
    signals_.push_back(
        {take(name, "signal"), width, scalar ? 0 : low, Signal::Origin::hint, false});
  }
}

void ModuleNames::set_cell_text(CellId id, std::uint32_t text) {
  if (cells_.empty()) cells_.resize(module_.cells().size());
  cells_[id.value] = text;
}

void ModuleNames::name_cells_as_wished() {
  for (CellId id : module_.named_cells())
    set_cell_text(id, take(module_.design().text(module_.cell_name(id)), "cell"));
}

void ModuleNames::name_outputs() {
  for (std::uint32_t i = 0; i < module_.cells().size(); ++i) {
    const Cell& cell = module_.cell({i});
    std::uint32_t text = cell_text({i});
    for_each_output(module_, cell, [&](Net first, std::uint32_t width, const Port* port) {
      if (port && text != 0) {
        auto name = texts_[text] + '_' + std::string(module_.design().text(port->name));
        name_pin(first, width, &name);
      } else {
        name_pin(first, width, nullptr);
      }
    });
  }
}

// Walks backwards from every name to the cells behind it, the nearest name first.
void ModuleNames::serve_names() {
  serves_.assign(module_.net_count(), 0);
  std::vector<std::uint32_t> driver(module_.net_count(), ~0u);
  for (std::uint32_t i = 0; i < module_.cells().size(); ++i)
    std::fill_n(driver.begin() + module_.cells()[i].out.index,
                module_.output_count(module_.cells()[i]), i);
  std::vector<bool> seen(module_.cells().size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // a cell, the text that it serves
  const auto reach = [&](std::uint32_t cell, std::uint32_t text) {
    if (cell == ~0u || seen[cell]) return;
    seen[cell] = true;
    open.emplace_back(cell, text);
  };
  for (CellId id : module_.named_cells()) reach(id.value, cell_text(id));
  const auto reach_drivers = [&](std::span<const Net> nets) {
    for (Net n : nets)
      if (const SignalBit& b = bits_[n.index]; b.signal == name_only)
        reach(driver[n.index], b.bit);
      else if (b.signal < name_only)
        reach(driver[n.index], signals_[b.signal].name);
  };
  for (const Port& port : module_.ports())
    if (port.direction == Direction::output) reach_drivers(module_.port_nets(port));
  for (const NameHint& hint : module_.hints()) reach_drivers(module_.hint_nets(hint));
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> stems;
  const auto stem = [&](std::uint32_t text, std::string_view role) {
    const auto [at, fresh] = stems.try_emplace({text, role}, 0);
    if (fresh) {
      at->second = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back(
          fmt::format("{}_{}_{}", texts_[text], lower_case(legal_name(role, "port")), prefix_));
    }
    return at->second;
  };
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto [id, text] = open[next];
    const Cell& cell = module_.cells()[id];
    const Net* net = module_.inputs(cell).data();
    // clang 14 cannot capture structured bindings implicitly.
    for_each_input(module_, cell, [&, &of = text](std::string_view pin, std::uint32_t width) {
      for (const Net* end = net + width; net != end; ++net) {
        if (!is_free(*net) || serves_[net->index] != 0) continue;
        serves_[net->index] = stem(of, role_of(cell.kind, pin));
        reach(driver[net->index], of);
      }
    });
  }
}

// Makes a signal of every run of nets of a pin that have no name yet. A pin without readers gets no
// signal.
void ModuleNames::name_pin(Net first, std::uint32_t width, const std::string* name) {
  auto is_without = [&](std::uint32_t index) {
    return is_free({index}) || bits_[index].signal == name_only;
  };
  bool wanted = false;
  for (std::uint32_t i = 0; i < width && !wanted; ++i)
    wanted = !is_without(first.index + i) || is_read({first.index + i});
  if (!wanted) return;
  for (std::uint32_t low = 0, high; low < width; low = high + 1) {
    auto id = static_cast<std::uint32_t>(signals_.size());
    for (high = low; high < width && is_without(first.index + high); ++high)
      bits_[first.index + high] = {id, high - low};
    if (high == low) continue;
    std::uint32_t stem = 0;
    for (std::uint32_t i = low; i < high && stem == 0; ++i) stem = serves_[first.index + i];
    signals_.push_back({name ? take(*name, "signal") : first.index + low, high - low, 0,
                        Signal::Origin::cell, name == nullptr, name ? 0 : stem});
  }
}

void ModuleNames::name_cells() {
  for (std::uint32_t i = 0; i < module_.cells().size(); ++i) {
    if (cell_text({i}) != 0) continue;
    auto outputs = module_.output_count(module_.cell({i}));
    if (outputs == 0)
      set_cell_text({i}, take(module_.design().module({module_.cell({i}).params}).name(), "cell"));
    else
      name_after_output({i}, outputs);
  }
}

void ModuleNames::name_after_output(CellId id, std::uint32_t outputs) {
  const Cell& cell = module_.cell(id);
  for (std::uint32_t i = 0; i < outputs; ++i) {
    SignalBit at = bits_[cell.out.index + i];
    if (at.signal == name_only)
      return set_cell_text(id, take(texts_[at.bit] + std::string(suffix_of(cell.kind)), "cell"));
    if (at.signal >= driven || signals_[at.signal].numbered) continue;
    const Signal& signal = signals_[at.signal];
    std::uint32_t covered = 1;
    while (i + covered < outputs &&
           bits_[cell.out.index + i + covered] == SignalBit{at.signal, at.bit + covered})
      ++covered;
    auto part = covered == signal.width ? std::string() : fmt::format("_{}", at.bit);
    auto name = texts_[signal.name] + part + std::string(suffix_of(cell.kind));
    return set_cell_text(id, take(name, "cell"));
  }
}

Name ModuleNames::cell(CellId id) const {
  if (auto text = cell_text(id); text != 0) return {texts_[text], 0, false, {}};
  const Cell& cell = module_.cell(id);
  std::string_view before = prefix_;
  for (std::uint32_t i = module_.output_count(cell); i-- > 0;)
    if (const SignalBit at = bits_[cell.out.index + i]; at.exists() && signals_[at.signal].numbered)
      before = stem(signals_[at.signal]);
  return {before, cell.out.index, true, suffix_of(cell.kind)};
}

namespace {

// Reserves the names of modules that are not ours: primitives, and a module of the vendor's models.
void take_known_modules(NamePool& pool) {
  for (std::uint32_t k = 1; k < kind_count; ++k)
    pool.take(lower_case(prototype(static_cast<Kind>(k)).name));
  pool.take("glbl");
}

}  // namespace

std::string name_of_top(std::string_view wish) {
  NamePool pool;
  take_known_modules(pool);
  return pool.take(legal_name(wish, "unnamed"));
}

Names::Names(const Design& design) : design_(design), order_(design.bottom_up()) {
  take_known_modules(pool_);
  module_names_.resize(design.module_count());
  modules_.resize(design.module_count());
  auto name = [&](ModuleId id) {
    module_names_[id.value] = pool_.take(legal_name(design.module(id).name(), "unnamed"));
    modules_[id.value] = std::make_unique<ModuleNames>(design.module(id));
  };
  auto in_order = order_;
  std::sort(in_order.begin(), in_order.end());
  name(design.top_id());
  for (ModuleId id : in_order)
    if (id != design.top_id()) name(id);
}

}  // namespace kumiki::ir

// SPDX-License-Identifier: Apache-2.0
#include "ir/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::ir {
namespace {

// Ends the name of a cell.
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
    case Kind::dsp48e2:
      return "_dsp";
    case Kind::memory:
      return "_ram";
    default:
      return "_lut";
  }
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

ModuleNames::ModuleNames(const Module& module) : module_(module) {
  bits_.resize(module.net_count());
  signals_.reserve(module.ports().size() + module.cells().size());
  choose_prefix();
  mark_drivers();
  mark_readers();
  name_ports();
  name_hints();
  name_cells_as_wished();
  name_outputs();
  name_cells();
  for (SignalBit& b : bits_)
    if (b.signal == driven) b.signal = undriven;
  read_ = {};
  signals_.shrink_to_fit();
}

void ModuleNames::choose_prefix() {
  auto is_taken = [&](const Port& port) {
    return looks_numbered(legal_name(module_.design().text(port.name), "port"));
  };
  do prefix_ += 'n';
  while (std::any_of(module_.ports().begin(), module_.ports().end(), is_taken));
}

bool ModuleNames::looks_numbered(std::string_view name) const {
  if (name.size() <= prefix_.size()) return false;
  char next = name[prefix_.size()];
  return next >= '0' && next <= '9' && lower_case(name.substr(0, prefix_.size())) == prefix_;
}

std::uint32_t ModuleNames::take(std::string_view wish, std::string_view otherwise) {
  auto name = legal_name(wish, otherwise);
  if (looks_numbered(name)) name = "x_" + name;
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

// Cells drive an output port directly; what else it shows is assigned to it.
void ModuleNames::name_ports() {
  for (const Port& port : module_.ports()) {
    bool input = port.direction == Direction::input;
    auto id = static_cast<std::uint32_t>(signals_.size());
    auto text = take(module_.design().text(port.name), "port");
    if (port.width == 0)
      throw DesignError(fmt::format("{}: port {} of module {} has no bits: 1 or more are legal",
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

// The nets of a pin that are still free, each run of them a signal; none when nobody reads the pin.
void ModuleNames::name_pin(Net first, std::uint32_t width, const std::string* name) {
  bool wanted = false;
  for (std::uint32_t i = 0; i < width && !wanted; ++i) {
    Net net{first.index + i};
    wanted = !is_free(net) || is_read(net);
  }
  if (!wanted) return;
  for (std::uint32_t low = 0, high; low < width; low = high + 1) {
    auto id = static_cast<std::uint32_t>(signals_.size());
    for (high = low; high < width && is_free({first.index + high}); ++high)
      bits_[first.index + high] = {id, high - low};
    if (high == low) continue;
    signals_.push_back({name ? take(*name, "signal") : first.index + low, high - low, 0,
                        Signal::Origin::cell, name == nullptr});
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
  return {prefix_, cell.out.index, true, suffix_of(cell.kind)};
}

std::size_t ModuleNames::bytes() const {
  std::size_t sum = signals_.capacity() * sizeof(Signal) + bits_.capacity() * sizeof(SignalBit) +
                    cells_.capacity() * sizeof(std::uint32_t);
  for (const std::string& t : texts_) sum += 2 * (sizeof t + t.capacity() + 32);  // pool's as well
  return sum;
}

Names::Names(const Design& design) : design_(design), order_(design.bottom_up()) {
  for (std::uint32_t k = 1; k < kind_count; ++k)
    pool_.take(lower_case(prototype(static_cast<Kind>(k)).name));
  pool_.take("glbl");  // of the vendor's models
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

std::size_t Names::bytes() const {
  std::size_t sum = 0;
  for (ModuleId id : order_) sum += in(id).bytes();
  return sum;
}

}  // namespace kumiki::ir

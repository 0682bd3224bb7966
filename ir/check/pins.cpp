// SPDX-License-Identifier: Apache-2.0
// Checks that every net has one driver, that every pin that needs a value reads one, and that the
// clock goes to clock pins only. This is the only pass over all cells that every design needs.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/check/checker.h"
#include "ir/check/parameters.h"
#include "ir/label.h"
#include "ir/machine.h"

namespace kumiki::ir::checking {
namespace {

enum class Fault : std::uint8_t { none, undriven, open, clock_as_data, not_clock };
enum class Wants : std::uint8_t { value, value_or_open, clock };

// The facts of a primitive that the check needs, adjacent in memory.
struct PinFacts {
  std::uint32_t width;
  bool shared;
  Wants wants;
};
struct KindFacts {
  std::vector<PinFacts> pins;
  bool values_only = true;  // no clock, nothing that may stay open
  bool by_param = false;    // widths are parameters
};
using AllFacts = std::array<KindFacts, kind_count>;

const AllFacts& all_facts() {
  static const AllFacts all = [] {
    AllFacts made;
    for (std::string_view name : primitive_names()) {
      auto& proto = *find_prototype(name);
      KindFacts& kind = made[static_cast<unsigned>(proto.kind)];
      for (const Pin& pin : proto.inputs) {
        auto wants = pin.clock              ? Wants::clock
                     : pin.tie == Tie::open ? Wants::value_or_open
                                            : Wants::value;
        kind.pins.push_back({pin.width, pin.shared, wants});
        kind.values_only &= wants == Wants::value;
        kind.by_param |= pin.width_param >= 0;
      }
    }
    return made;
  }();
  return all;
}

struct Clash {
  Net net;
  Driver first, second;
};

class PinCheck {
 public:
  PinCheck(Checker& k, const Module& m) : k_(k), m_(m), f_(k.facts(m)) {}
  void run();

 private:
  void ports();
  void clashes(std::span<const Clash> all);
  std::string driver_label(Driver d, Net net) const;
  void primitive(std::uint32_t index, const Cell& c);
  bool reads_earlier_cells(std::uint32_t index, std::span<const Net> nets) const;
  void instance(std::uint32_t index, const Cell& c);
  void outputs();

  // The common case: nearly every pin reads the net of a cell.
  Fault read(Net n, Wants wants) {
    if (wants == Wants::clock) return is_clock(n) ? Fault::none : Fault::not_clock;
    if (n.index < f_.driver.size() && f_.driver[n.index].is_cell()) return Fault::none;
    return read_other(n, wants);
  }
  Fault read_other(Net n, Wants wants);
  bool is_clock(Net n) const { return n == f_.clock || n == f_.fast_clock; }
  bool is_late(std::uint32_t reader, Net n) const {
    if (n == net_open) return false;
    Driver d = f_.driver[n.index];
    return d.is_cell() && d.cell() >= reader;
  }
  // Notes whether the cell reads, without a register, an unregistered output of its own or of a
  // later cell.
  void find_back_edges(std::uint32_t index, const Cell& c);
  // Reports adjacent bits of a pin with the same fault as one finding; returns the bit after them.
  template <class Owner>
  std::uint32_t complain(Fault fault, std::span<const Net> nets, std::uint32_t bit, Wants wants,
                         std::string_view name, PlaceId place, Owner owner);
  std::string fault_text(Fault fault, Net first) const;

  Checker& k_;
  const Module& m_;
  Facts& f_;
  const AllFacts& facts_ = all_facts();
};

void PinCheck::run() {
  ports();
  std::vector<Clash> all;
  f_.driver = find_drivers(m_, [&](Net n, Driver first, Driver second) {
    all.push_back({n, first, second});
  });
  clashes(all);
  ParameterCheck parameters(k_, m_);
  std::uint32_t index = 0;
  for (const Cell& c : m_.cells()) {
    if (c.kind == Kind::instance) {
      instance(index, c);
    } else {
      primitive(index, c);
      parameters.look(c);
      if (c.kind == Kind::carry4 || c.kind == Kind::muxf7 || c.kind == Kind::muxf8)
        f_.wired.push_back(index);
      f_.holds_slices |= is_dsp(c.kind);
    }
    ++index;
  }
  outputs();
}

void PinCheck::ports() {
  Net fast = net_open;
  for (const Port& p : m_.ports()) {
    auto nets = m_.port_nets(p);
    bool input = p.direction == Direction::input;
    auto& all = input ? f_.inputs : f_.outputs;
    all.insert(all.end(), nets.begin(), nets.end());
    const auto name = m_.design().text(p.name);
    if (!is_clock_port(name)) continue;
    if (input && p.width == 1)
      (name == clock_port ? f_.clock : fast) = nets[0];
    else if (k_.report().wants(code::clock))
      k_.report().add(code::clock, m_, p.place,
                      fmt::format("port {}{} must be an input of one bit: this name is {} clock's",
                                  name, at(p.place), name == clock_port ? "the" : "the fast"));
  }
  f_.fast_clock = fast == net_open ? f_.clock : fast;
  f_.needs_value.assign(f_.inputs.size(), 0);
  f_.output_used.assign(f_.outputs.size(), 0);
}

std::string PinCheck::driver_label(Driver d, Net net) const {
  if (d.is_input()) {
    std::uint32_t index = 0, wanted = locate_port(m_, Direction::input, d.input_bit()).pin;
    for (const Port& p : m_.ports())
      if (p.direction == Direction::input && index++ == wanted)
        return fmt::format("input {}{}", port_label(m_, Direction::input, d.input_bit()),
                           at(p.place));
  }
  const Cell& c = m_.cells()[d.cell()];
  return fmt::format("{}.{}{}", cell_label(m_, c), output_label(m_, c, net.index - c.out.index),
                     at(c.place));
}

void PinCheck::clashes(std::span<const Clash> all) {
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    const Clash& c = all[i];
    for (end = i + 1; end < all.size() && c.second.is_cell() && all[end].first == c.first &&
                      all[end].second == c.second && all[end].net.index == c.net.index + end - i;)
      ++end;
    if (!k_.report().wants(code::multiply_driven)) continue;
    auto place = c.second.is_cell() ? m_.cells()[c.second.cell()].place : PlaceId{};
    auto second = driver_label(c.second, c.net);
    std::string text;
    if (c.net < Net{first_free_net})
      text = fmt::format("{} drives {}, which no cell may drive", second,
                         c.net == net_open ? "the open net" : "a constant");
    else if (end == i + 1)
      text = fmt::format("net {} is driven by {} and by {}", net_label(m_, c.net),
                         driver_label(c.first, c.net), second);
    else
      text = fmt::format("nets %{}..{} are driven by {} and by {}", c.net.index,
                         all[end - 1].net.index, driver_label(c.first, c.net), second);
    k_.report().add(code::multiply_driven, m_, place, std::move(text));
  }
}

Fault PinCheck::read_other(Net n, Wants wants) {
  if (n == net_open) return wants == Wants::value_or_open ? Fault::none : Fault::open;
  if (n.index >= f_.driver.size()) return Fault::undriven;
  if (is_clock(n)) return Fault::clock_as_data;
  Driver d = f_.driver[n.index];
  if (d.is_input() && wants == Wants::value) f_.needs_value[d.input_bit()] = 1;
  return d.is_none() ? Fault::undriven : Fault::none;
}

std::string PinCheck::fault_text(Fault fault, Net first) const {
  switch (fault) {
    case Fault::undriven:
      return fmt::format("reads {}, which nothing drives", net_label(m_, first));
    case Fault::open:
      return "is open, but needs a value; connect it or tie it to 0 or 1";
    case Fault::clock_as_data:
      return fmt::format("reads {}, but the clock must go to clock pins only",
                         first == f_.clock ? clock_port : fast_clock_port);
    case Fault::not_clock:
      return fmt::format(
          "is a clock and reads {}; {}", net_label(m_, first),
          f_.clock == net_open  ? fmt::format("the module has no input {} of one bit", clock_port)
          : f_.has_fast_clock() ? fmt::format("it must be one of the module's inputs {} and {}",
                                              clock_port, fast_clock_port)
                                : fmt::format("it must be the module's input {}", clock_port));
    case Fault::none:
      break;
  }
  return {};
}

template <class Owner>
std::uint32_t PinCheck::complain(Fault fault, std::span<const Net> nets, std::uint32_t bit,
                                 Wants wants, std::string_view name, PlaceId place, Owner owner) {
  auto width = static_cast<std::uint32_t>(nets.size());
  auto end = bit + 1;
  while (end < width && read(nets[end], wants) == fault &&
         (fault != Fault::undriven || nets[end].index == nets[end - 1].index + 1))
    ++end;
  constexpr Code codes[] = {code::illegal, code::undriven, code::open_pin, code::clock,
                            code::clock};
  auto code = codes[static_cast<unsigned>(fault)];
  if (!k_.report().wants(code)) return end;
  auto text = fault_text(fault, nets[bit]);
  if (fault == Fault::undriven && end > bit + 1)
    text = fmt::format("reads {}, which nothing drives", net_list(nets.subspan(bit, end - bit)));
  auto bits = width == 1       ? ""
              : end == bit + 1 ? fmt::format("[{}]", bit)
                               : fmt::format("[{}..{}]", bit, end - 1);
  k_.report().add(code, m_, place, fmt::format("{}{}{} {}", owner(), name, bits, text));
  return end;
}

void PinCheck::find_back_edges(std::uint32_t index, const Cell& c) {
  for_each_through_input(k_, m_, c, [&](Net n) {
    Driver d = n.index < f_.driver.size() ? f_.driver[n.index] : Driver();
    if (!d.is_cell() || d.cell() < index || f_.back_edges) return;
    const Cell& from = m_.cells()[d.cell()];
    f_.back_edges = from.kind == Kind::instance
                        ? k_.facts(ModuleId{from.params}).is_through
                        : through_pins(prototype(from.kind), plain_view(m_, from)) != 0;
  });
}

// The fast check for most cells: LUTs that read only earlier cells.
bool PinCheck::reads_earlier_cells(std::uint32_t index, std::span<const Net> nets) const {
  for (Net n : nets)
    if (n.index >= f_.driver.size() || !f_.driver[n.index].is_cell() ||
        f_.driver[n.index].cell() >= index)
      return false;
  return true;
}

void PinCheck::primitive(std::uint32_t index, const Cell& c) {
  const KindFacts& kind = facts_[static_cast<unsigned>(c.kind)];
  auto nets = m_.inputs(c);
  if (kind.values_only && reads_earlier_cells(index, nets)) return;
  std::size_t start = 0;
  bool late = false;
  for (std::size_t p = 0; p < kind.pins.size(); ++p) {
    const PinFacts& pin = kind.pins[p];
    auto width = kind.by_param ? pin_width(prototype(c.kind).inputs[p], plain_view(m_, c))
                 : pin.shared  ? pin.width
                               : pin.width * c.width;
    for (std::uint32_t i = 0; i < width;) {
      Net n = nets[start + i];
      if (Fault fault = read(n, pin.wants); fault != Fault::none) {
        i = complain(fault, nets.subspan(start, width), i, pin.wants,
                     prototype(c.kind).inputs[p].name, c.place,
                     [&] { return fmt::format("{}{}: pin ", cell_label(m_, c), at(c.place)); });
        continue;
      }
      late |= is_late(index, n);
      ++i;
    }
    start += width;
  }
  if (late && !f_.back_edges) find_back_edges(index, c);
}

void PinCheck::instance(std::uint32_t index, const Cell& c) {
  const Module& child = m_.design().module({c.params});
  const Facts& inner = k_.facts(child);
  auto nets = m_.inputs(c);
  std::uint32_t bit = 0;
  bool late = false;
  for (const Port& p : child.ports()) {
    if (p.direction == Direction::output || p.width == 0) continue;
    const Net first = child.port_nets(p)[0];
    bool clock = (inner.clock != net_open && first == inner.clock) ||
                 (inner.fast_clock != net_open && first == inner.fast_clock);
    auto start = bit;
    while (bit < start + p.width) {
      auto wants = clock                    ? Wants::clock
                   : inner.needs_value[bit] ? Wants::value
                                            : Wants::value_or_open;
      Fault fault = read(nets[bit], wants);
      if (fault == Fault::none) {
        late |= is_late(index, nets[bit++]);
        continue;
      }
      bit = start + complain(fault, nets.subspan(start, p.width), bit - start, wants,
                             bare_or_quoted(m_.design().text(p.name)), c.place, [&] {
                               return fmt::format("{}{}: input ", cell_label(m_, c), at(c.place));
                             });
    }
  }
  if (late && !f_.back_edges) find_back_edges(index, c);
}

void PinCheck::outputs() {
  for (const Port& p : m_.ports()) {
    if (p.direction == Direction::input) continue;
    auto nets = m_.port_nets(p);
    for (std::uint32_t i = 0; i < p.width;) {
      Fault fault = read(nets[i], Wants::value);
      if (fault == Fault::none) {
        ++i;
        continue;
      }
      i = complain(fault, nets, i, Wants::value, bare_or_quoted(m_.design().text(p.name)), p.place,
                   [] { return "output "; });
    }
  }
}

}  // namespace

void check_cells(Checker& k, const Module& m) { PinCheck(k, m).run(); }

}  // namespace kumiki::ir::checking

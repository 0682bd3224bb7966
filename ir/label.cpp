// SPDX-License-Identifier: Apache-2.0
#include "ir/label.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kumiki::ir {
namespace {

// How many nets at the front are consecutive with this step.
std::size_t run_length(std::span<const Net> nets, int step) {
  std::size_t n = 1;
  while (n < nets.size() && !nets[n].is_constant() && nets[n] != net_open &&
         nets[n].index == nets[n - 1].index + static_cast<std::uint32_t>(step))
    ++n;
  return nets[0].is_constant() || nets[0] == net_open ? 1 : n;
}

std::size_t repeat_length(std::span<const Net> nets) {
  auto other = std::find_if(nets.begin(), nets.end(), [&](Net n) { return n != nets[0]; });
  return static_cast<std::size_t>(other - nets.begin());
}

void append_net(std::string& out, Net n) {
  if (n == net_open)
    out += "open";
  else if (n.is_constant())
    out += n == net_one ? '1' : '0';
  else
    fmt::format_to(std::back_inserter(out), "%{}", n.index);
}

std::string bit_label(std::string_view name, const PinBit& at) {
  return at.width == 1 ? std::string(name) : fmt::format("{}[{}]", name, at.bit);
}

bool is_word(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '$'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), inner);
}

}  // namespace

void append_nets(std::string& out, std::span<const Net> nets) {
  if (nets.empty()) out += '-';
  for (bool first = true; !nets.empty(); first = false) {
    if (!first) out += ',';
    auto up = run_length(nets, 1), down = run_length(nets, -1), same = repeat_length(nets);
    auto taken = std::max({up, down, same});
    append_net(out, nets[0]);
    if (same > 1)
      fmt::format_to(std::back_inserter(out), "*{}", same);
    else if (taken > 1)
      fmt::format_to(std::back_inserter(out), "..{}", nets[taken - 1].index);
    nets = nets.subspan(taken);
  }
}

std::string net_list(std::span<const Net> nets) {
  std::string out;
  append_nets(out, nets);
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out += '"';
}

std::string bare_or_quoted(std::string_view text) {
  return is_word(text) ? std::string(text) : quoted(text);
}

PinBit locate(std::span<const Pin> pins, const CellView& cell, std::uint32_t offset) {
  PinBit at{0, offset, 0};
  for (const Pin& pin : pins) {
    at.width = pin_width(pin, cell);
    if (at.bit < at.width) return at;
    at.bit -= at.width;
    ++at.pin;
  }
  return at;
}

PinBit locate_port(const Module& m, Direction direction, std::uint32_t offset) {
  PinBit at{0, offset, 0};
  for (const Port& p : m.ports()) {
    if (p.direction != direction) continue;
    at.width = p.width;
    if (at.bit < at.width) return at;
    at.bit -= at.width;
    ++at.pin;
  }
  return at;
}

std::string port_label(const Module& m, Direction direction, std::uint32_t offset) {
  auto where = locate_port(m, direction, offset);
  unsigned index = 0;
  for (const Port& p : m.ports())
    if (p.direction == direction && index++ == where.pin)
      return bit_label(bare_or_quoted(m.design().text(p.name)), where);
  return "?";
}

std::string kind_label(const Module& m, const Cell& cell) {
  if (cell.kind == Kind::instance)
    return fmt::format("instance of {}", bare_or_quoted(m.design().module({cell.params}).name()));
  auto name = prototype(cell.kind).name;
  return cell.width == 1 ? std::string(name) : fmt::format("{}*{}", name, cell.width);
}

std::string cell_label(const Module& m, const Cell& cell) {
  auto name = m.cell_name({static_cast<std::uint32_t>(&cell - m.cells().data())});
  if (name.value != 0)
    return fmt::format("{} {}", kind_label(m, cell), bare_or_quoted(m.design().text(name)));
  if (m.output_count(cell) == 0) return kind_label(m, cell);
  return fmt::format("{} %{}", kind_label(m, cell), cell.out.index);
}

std::string input_label(const Module& m, const Cell& cell, std::uint32_t offset) {
  if (cell.kind == Kind::instance)
    return port_label(m.design().module({cell.params}), Direction::input, offset);
  auto pins = prototype(cell.kind).inputs;
  auto where = locate(pins, m.view(cell), offset);
  return bit_label(pins[where.pin].name, where);
}

std::string output_label(const Module& m, const Cell& cell, std::uint32_t offset) {
  if (cell.kind == Kind::instance)
    return port_label(m.design().module({cell.params}), Direction::output, offset);
  auto pins = prototype(cell.kind).outputs;
  auto where = locate(pins, m.view(cell), offset);
  return bit_label(pins[where.pin].name, where);
}

std::string net_label(const Module& m, Net net) {
  std::string out;
  append_net(out, net);
  if (net.is_constant() || net == net_open) return out;
  for (const NameHint& h : m.hints()) {
    auto nets = m.hint_nets(h);
    auto it = std::find(nets.begin(), nets.end(), net);
    if (it == nets.end()) continue;
    PinBit bit{0, static_cast<std::uint32_t>(it - nets.begin()), h.width};
    return fmt::format("{} ({})", out, bit_label(m.design().text(h.name), bit));
  }
  return out;
}

std::string at(PlaceId place) {
  auto text = to_string(place);
  return text.empty() ? text : " at " + text;
}

}  // namespace kumiki::ir

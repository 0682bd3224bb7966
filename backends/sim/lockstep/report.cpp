// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace kumiki::backends {
namespace {

using ir::CellId;
using ir::Direction;
using ir::Module;
using ir::Net;

constexpr std::size_t most_bits_listed = 4;

struct PortBit {
  std::uint32_t port = 0, bit = 0;
};

// The port of one direction that has this bit, counting the bits of all such ports in order.
PortBit port_bit(const Module& m, Direction direction, std::uint32_t index) {
  for (std::uint32_t i = 0; i < m.ports().size(); ++i) {
    const ir::Port& p = m.ports()[i];
    if (p.direction != direction) continue;
    if (index < p.width) return {i, index};
    index -= p.width;
  }
  return {};
}

std::optional<CellId> driving_cell(const Module& m, Net net) {
  for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
    const ir::Cell& c = m.cells()[i];
    if (net >= c.out && net.index < c.out.index + m.output_count(c)) return CellId{i};
  }
  return {};
}

// The index of this net among the module's input bits.
std::optional<std::uint32_t> input_index(const Module& m, Net net) {
  std::uint32_t index = 0;
  for (const ir::Port& p : m.ports()) {
    if (p.direction != Direction::input) continue;
    auto nets = m.port_nets(p);
    if (auto at = std::find(nets.begin(), nets.end(), net); at != nets.end())
      return index + static_cast<std::uint32_t>(at - nets.begin());
    index += p.width;
  }
  return {};
}

// Follows a net of a module to its driver, down into instances and up out of them.
class Walk {
 public:
  explicit Walk(const ir::Names& names) : names_(names) {
    way_.push_back({names.design().top_id(), {}});
  }

  Driver from(Net net) {
    for (;;) {
      const Module& m = module();
      if (net == ir::net_open) return {path(""), "nothing", {}};
      if (net.is_constant()) return {"", fmt::format("constant {}", net.index), {}};
      if (auto cell = driving_cell(m, net)) {
        const ir::Cell& c = m.cell(*cell);
        if (c.kind != ir::Kind::instance)
          return {path(to_string(names_.in(m.id()).cell(*cell))),
                  std::string(ir::prototype(c.kind).name), c.place};
        net = enter(*cell, net.index - c.out.index);
      } else if (auto index = input_index(m, net)) {
        if (way_.size() == 1) return at_input(*index);
        auto instance = way_.back().instance;
        way_.pop_back();
        net = module().inputs(module().cell(instance))[*index];
      } else {
        return {path(""), "nothing", {}};
      }
    }
  }

 private:
  struct Step {
    ir::ModuleId module;
    CellId instance;  // in the module of the previous step
  };
  const Module& module() const { return names_.design().module(way_.back().module); }

  Net enter(CellId instance, std::uint32_t output_bit) {
    way_.push_back({ir::ModuleId{module().cell(instance).params}, instance});
    auto [port, bit] = port_bit(module(), Direction::output, output_bit);
    return module().port_nets(module().ports()[port])[bit];
  }

  Driver at_input(std::uint32_t index) const {
    auto [port, bit] = port_bit(module(), Direction::input, index);
    const ir::Port& p = module().ports()[port];
    return {"", fmt::format("input {}[{}]", names_.design().text(p.name), bit), p.place};
  }

  std::string path(std::string_view last) const {
    std::string text;
    for (std::size_t i = 1; i < way_.size(); ++i)
      text += to_string(names_.in(way_[i - 1].module).cell(way_[i].instance)) + "/";
    return text += last;
  }

  const ir::Names& names_;
  std::vector<Step> way_;
};

std::string hexadecimal(const std::vector<std::uint64_t>& limbs) {
  std::string text;
  for (auto i = limbs.size(); i-- > 0;)
    text += text.empty() ? (limbs[i] == 0 && i > 0 ? "" : fmt::format("{:x}", limbs[i]))
                         : fmt::format("{:016x}", limbs[i]);
  return "0x" + text;
}

bool bit_of(const std::vector<std::uint64_t>& limbs, std::uint32_t bit) {
  return bit / 64 < limbs.size() && (limbs[bit / 64] >> (bit % 64) & 1) != 0;
}

std::vector<std::uint32_t> wrong_bits(const ir::PortSlot& port, const Mismatch& m) {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t b = 0; b < port.width; ++b)
    if (bit_of(m.expected, b) != bit_of(m.got, b) || bit_of(m.unknown, b)) bits.push_back(b);
  return bits;
}

std::string list_bits(const std::vector<std::uint32_t>& bits) {
  auto shown = std::min(bits.size(), most_bits_listed);
  auto text = fmt::format("{} {}", bits.size() == 1 ? "bit" : "bits",
                          fmt::join(bits.begin(), bits.begin() + static_cast<long>(shown), ", "));
  if (bits.size() > shown) text += fmt::format(" and {} more", bits.size() - shown);
  return text;
}

std::string describe(const Driver& driver) {
  auto text = driver.path.empty() ? driver.kind : fmt::format("{} ({})", driver.path, driver.kind);
  auto place = to_string(driver.place);
  return place.empty() ? text : fmt::format("{}, {}", text, place);
}

std::string describe_mismatch(const ir::Names& names, const ir::PortLayout& ports,
                              const Mismatch& m) {
  const auto& port = ports.outputs.at(m.output);
  auto bits = wrong_bits(port, m);
  return fmt::format(
      "  cycle {}, lane {}, output {}\n    expected  {}\n    got       {}\n"
      "    differs   {}\n    driven by {}\n",
      m.cycle, m.lane, port.name, format_value(port, m.expected),
      format_value(port, m.got, m.unknown), list_bits(bits),
      describe(find_driver(names, m.output, bits.empty() ? 0 : bits.front())));
}

// A column for each input port.
std::string describe_history(const ir::PortLayout& ports, const LockstepResult& result) {
  std::vector<std::vector<std::string>> rows{{"cycle"}};
  for (const auto& port : ports.inputs) rows[0].push_back(port.name);
  auto cycle = result.first.front().cycle + 1 - result.history.size();
  for (const auto& frame : result.history) {
    rows.push_back({std::to_string(cycle++)});
    for (const auto& port : ports.inputs)
      rows.back().push_back(format_value(
          port, {frame.begin() + port.limb, frame.begin() + port.limb + port.limbs()}));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t widest = 0;
      for (const auto& other : rows) widest = std::max(widest, other[c].size());
      line += fmt::format("  {:<{}}", row[c], widest);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

Driver find_driver(const ir::Names& names, std::uint32_t output, std::uint32_t bit) {
  const Module& top = names.design().top();
  for (const ir::Port& p : top.ports())
    if (p.direction == Direction::output && output-- == 0)
      return Walk(names).from(top.port_nets(p)[bit]);
  return {};
}

std::string format_value(const ir::PortSlot& port, const std::vector<std::uint64_t>& limbs,
                         const std::vector<std::uint64_t>& unknown) {
  if (std::any_of(unknown.begin(), unknown.end(), [](auto limb) { return limb != 0; })) {
    std::string text = "0b";
    for (auto b = port.width; b-- > 0;)
      text += bit_of(unknown, b) ? 'x' : bit_of(limbs, b) ? '1' : '0';
    return text;
  }
  if (port.width == 1) return bit_of(limbs, 0) ? "1" : "0";
  auto text = hexadecimal(limbs);
  if (port.width > 64) return text;
  if (port.is_signed)
    return text + fmt::format(" ({})", static_cast<std::int64_t>(limbs[0] << (64 - port.width)) >>
                                           (64 - port.width));
  return limbs[0] < 10 ? text : text + fmt::format(" ({})", limbs[0]);
}

std::string summary(const ir::Design& design, const Mismatch& m) {
  ir::Names names(design);
  auto ports = ir::layout(design.top());
  const auto& port = ports.outputs.at(m.output);
  auto bits = wrong_bits(port, m);
  return fmt::format("cycle {}, {}: expected {}, got {}, {}; driven by {}", m.cycle, port.name,
                     format_value(port, m.expected), format_value(port, m.got, m.unknown),
                     list_bits(bits),
                     describe(find_driver(names, m.output, bits.empty() ? 0 : bits.front())));
}

std::string report(const ir::Design& design, const LockstepResult& result,
                   std::string_view machine) {
  ir::Names names(design);
  auto ports = ir::layout(design.top());
  auto text = fmt::format("{}: {} of {} comparisons differ from the model ({} cycles)\n", machine,
                          result.mismatches, result.comparisons, result.cycles);
  for (const auto& m : result.first) text += describe_mismatch(names, ports, m);
  if (result.mismatches > result.first.size())
    text += fmt::format("  … and {} more\n", result.mismatches - result.first.size());
  if (result.history.empty()) return text;
  return text + fmt::format("inputs up to cycle {}:\n", result.first.front().cycle) +
         describe_history(ports, result);
}

}  // namespace kumiki::backends

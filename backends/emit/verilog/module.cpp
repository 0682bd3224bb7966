// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/verilog/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/verilog/expression.h"

namespace kumiki::backends::verilog {
namespace {

using ir::Cell;
using ir::CellId;
using ir::Direction;
using ir::Net;
using ir::Param;
using ir::Signal;

// A statement with more connections than this has one connection a line.
constexpr std::size_t most_on_a_line = 8;
constexpr std::size_t longest_line = 100;

class ModuleWriter {
 public:
  ModuleWriter(Text& out, const ir::Names& names, ir::ModuleId id, const MemoryModules& memories,
               std::span<const PortAttribute> attributes)
      : out_(out),
        all_(names),
        module_(names.design().module(id)),
        names_(names.in(id)),
        memories_(memories),
        attributes_(attributes),
        expressions_(names_) {}

  void write() {
    write_ports();
    write_wires();
    auto remark = module_.remarks().begin();
    for (std::uint32_t i = 0; i < module_.cells().size(); ++i) {
      if (remark != module_.remarks().end() && remark->cell == i)
        out_.put("  // ", module_.design().text((remark++)->line), '\n');
      write_cell({i});
    }
    write_assignments();
    out_.put("endmodule\n");
  }

 private:
  void write_ports() {
    out_.put("module ", all_.module(module_.id()), " (");
    auto ports = module_.ports();
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      bool last = i + 1 == ports.size();
      for (const PortAttribute& a : attributes_)
        if (a.port == module_.design().text(ports[i].name))
          out_.put("\n    (* ", a.name, " = \"", a.value, "\" *)");
      out_.put(ports[i].direction == Direction::input ? "\n    input wire" : "\n    output wire");
      write_range(out_, ports[i].width);
      out_.put(' ', names_.name(i));
      if (!last) out_.put(',');
      // Yosys 0.23 connects signed vectors wrongly to arrays of instances, so the keyword is only a
      // comment. No other tool needs it.
      if (ports[i].is_signed) out_.put("  // signed");
    }
    out_.put(ports.empty() ? ");\n" : "\n);\n");
  }

  // A named wire gets a line of its own; the others share lines.
  void write_wires() {
    const auto& signals = names_.signals();
    std::size_t line = 0;  // where the open declaration began; 0: none
    const Signal* last = nullptr;
    for (std::size_t i = module_.ports().size(); i < signals.size(); ++i) {
      const Signal& s = signals[i];
      bool joins = line != 0 && s.numbered && last->numbered && s.width == last->width &&
                   out_.size() - line < longest_line - 12;
      if (joins) {
        out_.put(", ", names_.name(s));
      } else {
        if (line != 0) out_.put(";\n");
        line = out_.size();
        out_.put("  wire");
        write_range(out_, s.width, s.lsb);
        out_.put(' ', names_.name(s));
      }
      last = &s;
    }
    if (line != 0) out_.put(";\n");
    if (!module_.cells().empty()) out_.put('\n');
  }

  void write_cell(CellId id) {
    const Cell& cell = module_.cell(id);
    cell_ = id;
    if (cell.kind == ir::Kind::instance) return write_instance(cell);
    if (cell.kind == ir::Kind::memory) return write_memory(cell);
    auto& proto = ir::prototype(cell.kind);
    auto params = module_.params(cell);
    out_.put("  ", proto.name);
    write_parameters(proto.params, params);
    out_.put(' ', names_.cell(id));
    if (cell.width > 1) write_range(out_, cell.width);
    ir::CellView view{params, cell.width, nullptr};
    open_list(proto.inputs.size() + proto.outputs.size());
    const Net* net = module_.inputs(cell).data();
    for (const ir::Pin& pin : proto.inputs) {
      std::span nets(net, ir::pin_width(pin, view));
      net += nets.size();
      // An array of instances passes a single bit to all of its elements.
      if (cell.width > 1 && !pin.shared && is_one_net(nets)) nets = nets.first(1);
      write_input(pin.name, nets);
    }
    Net out = cell.out;
    for (const ir::Pin& pin : proto.outputs) {
      auto width = ir::pin_width(pin, view);
      write_output(pin.name, out, width);
      out.index += width;
    }
    close_list();
  }

  void write_instance(const Cell& cell) {
    const ir::Module& child = module_.design().module({cell.params});
    const ir::ModuleNames& child_names = all_.in(child.id());
    out_.put("  ", all_.module(child.id()));
    out_.put(' ', names_.cell(cell_));
    open_list(~std::size_t{0});
    const Net* net = module_.inputs(cell).data();
    Net out = cell.out;
    for (std::uint32_t i = 0; i < child.ports().size(); ++i) {
      auto width = child.ports()[i].width;
      auto name = child_names.name(i).text;
      if (child.ports()[i].direction == Direction::input) {
        write_input(name, {net, width});
        net += width;
      } else {
        write_output(name, out, width);
        out.index += width;
      }
    }
    close_list();
  }

  void write_memory(const Cell& cell) {
    const MemoryModule& memory = memories_.of(cell);
    auto& proto = ir::prototype(cell.kind);
    ir::CellView view{module_.params(cell), cell.width, nullptr};
    out_.put("  ", memory.name);
    out_.put(' ', names_.cell(cell_));
    open_list(memory.inputs.size() + 1);
    const Net* net = module_.inputs(cell).data();
    for (unsigned i = 0; i < proto.inputs.size(); ++i) {
      auto width = ir::pin_width(proto.inputs[i], view);
      if (std::count(memory.inputs.begin(), memory.inputs.end(), i))
        write_input(proto.inputs[i].name, {net, width});
      net += width;
    }
    write_output(proto.outputs[0].name, cell.out, ir::pin_width(proto.outputs[0], view));
    close_list();
  }

  void write_parameters(std::span<const Param> params, std::span<const std::uint64_t> values) {
    bool any = false;
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (values[i] == params[i].fallback) continue;
      out_.put(any ? ", ." : " #(.");
      out_.put(params[i].name, '(');
      write_value(params[i], values[i]);
      out_.put(')');
      any = true;
    }
    if (any) out_.put(')');
  }

  void write_value(const Param& param, std::uint64_t value) {
    if (param.type == Param::Type::integer) return out_.decimal(value);
    if (param.type == Param::Type::text)
      return out_.put('"', value < param.choices.size() ? param.choices[value] : "", '"');
    if (param.width == 1) return out_.put(value & 1 ? "1'b1" : "1'b0");
    out_.put(std::uint32_t{param.width}, "'h");
    out_.hex(value, (param.width + 3u) / 4);
  }

  void open_list(std::size_t connections) {
    on_lines_ = connections > most_on_a_line;
    first_ = true;
    out_.put(" (");
  }
  void next_in_list(std::string_view pin) {
    if (on_lines_)
      out_.put(first_ ? "\n      ." : ",\n      .");
    else
      out_.put(first_ ? "." : ", .");
    out_.put(pin, '(');
    first_ = false;
  }
  void close_list() { out_.put(on_lines_ ? "\n  );\n" : ");\n"); }

  void write_input(std::string_view pin, std::span<const Net> nets) {
    next_in_list(pin);
    auto open = std::count(nets.begin(), nets.end(), ir::net_open);
    if (open == 0)
      write_nets(pin, nets);
    else if (static_cast<std::size_t>(open) != nets.size())
      refuse(pin, code::open_pin, "is open in some bits only: connect all of them or none");
    out_.put(')');
  }

  void write_output(std::string_view pin, Net first, std::uint32_t width) {
    next_in_list(pin);
    if (names_.of(first).exists()) {
      driven_.clear();
      for (std::uint32_t i = 0; i < width; ++i) driven_.push_back({first.index + i});
      write_nets(pin, driven_);
    }
    out_.put(')');
  }

  void write_nets(std::string_view pin, std::span<const Net> nets) {
    if (!expressions_.can_write(nets))
      refuse(pin, code::undriven, "reads a net that nothing drives");
    expressions_.write(out_, nets);
  }

  // Assigns bits of output ports that no cell drives under the port's own name.
  void write_assignments() {
    bool any = false;
    for (std::uint32_t i = 0; i < module_.ports().size(); ++i) {
      const ir::Port& port = module_.ports()[i];
      if (port.direction == Direction::input) continue;
      auto nets = module_.port_nets(port);
      auto is_own = [&](std::uint32_t bit) {
        return names_.of(nets[bit]) == ir::SignalBit{i, bit};
      };
      for (std::uint32_t low = 0, high; low < port.width; low = high + 1) {
        for (high = low; high < port.width && !is_own(high);) ++high;
        if (high == low) continue;
        if (!any) out_.put('\n');
        any = true;
        write_assignment(i, low, nets.subspan(low, high - low));
      }
    }
  }

  void write_assignment(std::uint32_t port, std::uint32_t low, std::span<const Net> nets) {
    auto name = names_.name(port).text;
    if (!expressions_.can_write(nets))
      throw DesignError(code::undriven,
                        fmt::format("{}: output {} of module {} has bits that nothing drives",
                                    to_string(module_.ports()[port].place), name, module_.name()));
    auto high = low + static_cast<std::uint32_t>(nets.size()) - 1;
    out_.put("  assign ", name);
    if (nets.size() < module_.ports()[port].width) {
      out_.put('[', high);
      if (high > low) out_.put(':', low);
      out_.put(']');
    }
    out_.put(" = ");
    expressions_.write(out_, nets);
    out_.put(";\n");
  }

  static bool is_one_net(std::span<const Net> nets) {
    return std::all_of(nets.begin(), nets.end(), [&](Net n) { return n == nets[0]; });
  }

  [[noreturn]] void refuse(std::string_view pin, Code code, std::string_view what) const {
    throw DesignError(
        code, fmt::format("{}: pin {} of {} in module {} {}", to_string(module_.cell(cell_).place),
                          pin, to_string(names_.cell(cell_)), module_.name(), what));
  }

  Text& out_;
  const ir::Names& all_;
  const ir::Module& module_;
  const ir::ModuleNames& names_;
  const MemoryModules& memories_;
  std::span<const PortAttribute> attributes_;
  Expressions expressions_;
  std::vector<Net> driven_;
  CellId cell_;  // the current one
  bool on_lines_ = false, first_ = true;
};

}  // namespace

void write_module(Text& out, const ir::Names& names, ir::ModuleId id, const MemoryModules& memories,
                  std::span<const PortAttribute> attributes) {
  ModuleWriter(out, names, id, memories, attributes).write();
}

}  // namespace kumiki::backends::verilog

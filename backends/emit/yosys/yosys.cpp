// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/yosys/yosys.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/emit/messages.h"
#include "backends/emit/verilog_netlist.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"

namespace kumiki::backends {
namespace {

using Json = nlohmann::ordered_json;
using ir::Net;

// Bits 0 and 1 of Yosys' numbering are unused; constants are texts.
Json bit(Net net) {
  if (net == ir::net_open) return "x";
  if (net.is_constant()) return net == ir::net_one ? "1" : "0";
  return net.index;
}

template <class Nets>
Json bits(const Nets& nets) {
  Json all = Json::array();
  for (Net n : nets) all.push_back(bit(n));
  return all;
}

// Memories of different shapes are different black boxes, because a port has one width.
std::string box_name(const ir::Prototype& proto, const ir::CellView& cell) {
  if (proto.kind != ir::Kind::memory) return std::string(proto.name);
  return fmt::format("MEMORY_{}x{}", cell.params[0], cell.params[1]);
}

class Writer {
 public:
  explicit Writer(const ir::Names& names) : names_(names), design_(names.design()) {}

  const std::set<ir::Kind>& used() const { return used_; }

  std::string text() {
    for (ir::ModuleId id : names_.bottom_up())
      modules_[std::string(names_.module(id))] = module(id);
    // The top is the last of bottom_up(); black boxes follow it.
    for (auto& [name, box] : boxes_) modules_[name] = box;
    return Json{{"creator", "Kumiki"}, {"modules", modules_}}.dump(1) + "\n";
  }

 private:
  Json module(ir::ModuleId id) {
    const ir::Module& m = design_.module(id);
    const ir::ModuleNames& names = names_.in(id);
    Json ports = Json::object(), cells = Json::object(), nets = Json::object();
    for (std::uint32_t i = 0; i < m.ports().size(); ++i) {
      const ir::Port& p = m.ports()[i];
      ports[to_string(names.name(i))] = {
          {"direction", p.direction == ir::Direction::input ? "input" : "output"},
          {"bits", bits(m.port_nets(p))}};
    }
    for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
      const ir::Cell& c = m.cells()[i];
      auto name = to_string(names.cell({i}));
      if (c.kind == ir::Kind::instance) {
        cells[name] = instance(m, c);
        continue;
      }
      for (std::uint32_t e = 0; e < c.width; ++e)
        cells[c.width == 1 ? name : fmt::format("{}[{}]", name, e)] = primitive(m, c, e);
    }
    Json attributes = Json::object();
    if (id == design_.top_id()) attributes["top"] = "1";
    return {{"attributes", attributes}, {"ports", ports}, {"cells", cells}, {"netnames", nets}};
  }

  Json instance(const ir::Module& m, const ir::Cell& c) {
    const ir::Module& child = design_.module({c.params});
    const ir::ModuleNames& child_names = names_.in(child.id());
    Json directions = Json::object(), connections = Json::object();
    auto in = m.inputs(c);
    Net out = c.out;
    for (std::uint32_t i = 0; i < child.ports().size(); ++i) {
      const ir::Port& p = child.ports()[i];
      auto name = to_string(child_names.name(i));
      bool input = p.direction == ir::Direction::input;
      directions[name] = input ? "input" : "output";
      if (input) {
        connections[name] = bits(in.first(p.width));
        in = in.subspan(p.width);
      } else {
        connections[name] = run(out, p.width);
        out.index += p.width;
      }
    }
    return cell(std::string(names_.module(child.id())), Json::object(), directions, connections);
  }

  Json primitive(const ir::Module& m, const ir::Cell& c, std::uint32_t element) {
    const ir::Prototype& proto = ir::prototype(c.kind);
    const ir::CellView view = m.view(c);
    const ir::CellView one{view.params, 1, view.blob};
    Json directions = Json::object(), connections = Json::object(), parameters = Json::object();
    for (std::size_t i = 0; i < proto.params.size(); ++i)
      parameters[std::string(proto.params[i].name)] = parameter(proto.params[i], view.params[i]);
    auto in = m.inputs(c);
    for (const ir::Pin& p : proto.inputs) {
      auto all = ir::pin_width(p, view), width = ir::pin_width(p, one);
      directions[std::string(p.name)] = "input";
      connections[std::string(p.name)] = bits(in.subspan(p.shared ? 0 : element * width, width));
      in = in.subspan(all);
    }
    Net out = c.out;
    for (const ir::Pin& p : proto.outputs) {
      auto width = ir::pin_width(p, one);
      directions[std::string(p.name)] = "output";
      connections[std::string(p.name)] = run(Net{out.index + element * width}, width);
      out.index += ir::pin_width(p, view);
    }
    auto box = box_name(proto, view);
    used_.insert(c.kind);
    if (c.kind != ir::Kind::memory) return cell(box, parameters, directions, connections);
    // Yosys has no such primitive: it becomes a black box without parameters.
    if (!boxes_.contains(box)) boxes_[box] = black_box(directions, connections);
    return cell(box, Json::object(), directions, connections);
  }

  static Json parameter(const ir::Param& p, std::uint64_t value) {
    if (p.type == ir::Param::Type::text) return std::string(p.choices[value]);
    unsigned width = p.type == ir::Param::Type::bits ? p.width : 32;
    std::string digits;
    for (unsigned b = width; b-- > 0;) digits += value >> b & 1 ? '1' : '0';
    return digits;
  }

  static Json run(Net first, std::uint32_t width) {
    Json all = Json::array();
    for (std::uint32_t i = 0; i < width; ++i) all.push_back(first.index + i);
    return all;
  }

  static Json cell(std::string type, Json parameters, Json directions, Json connections) {
    return {{"hide_name", 0},
            {"type", std::move(type)},
            {"parameters", std::move(parameters)},
            {"attributes", Json::object()},
            {"port_directions", std::move(directions)},
            {"connections", std::move(connections)}};
  }

  static Json black_box(const Json& directions, const Json& connections) {
    Json ports = Json::object();
    std::uint32_t next = 2;
    for (auto& [name, direction] : directions.items()) {
      auto width = static_cast<std::uint32_t>(connections[name].size());
      ports[name] = {{"direction", direction}, {"bits", run(Net{next}, width)}};
      next += width;
    }
    return {{"attributes", {{"blackbox", "1"}}},
            {"ports", ports},
            {"cells", Json::object()},
            {"netnames", Json::object()}};
  }

  const ir::Names& names_;
  const ir::Design& design_;
  Json modules_ = Json::object();
  std::map<std::string, Json> boxes_;
  std::set<ir::Kind> used_;
};

// The section `modules` of the output of `stat -json`. If modules are nested three levels deep,
// Yosys 0.23 puts lines that are not JSON into the next section, the sums over the hierarchy.
Json modules_of(const std::string& stat) {
  const auto begin = stat.find('{', stat.find("\"modules\""));
  std::size_t end = begin;
  for (int depth = 0; end < stat.size(); ++end) {
    depth += stat[end] == '{' ? 1 : stat[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  if (end >= stat.size())
    throw ToolError(code::tool_answer, "yosys: stat -json has no section \"modules\"");
  return Json::parse(stat.substr(begin, end + 1 - begin));
}

// Cells of a module and of all modules that it instantiates.
std::map<std::string, std::uint64_t> cells_below(const Json& modules, std::string_view module) {
  std::map<std::string, std::uint64_t> sum;
  for (const auto& [type, n] :
       modules.at("\\" + std::string(module)).at("num_cells_by_type").items()) {
    const auto places = n.get<std::uint64_t>();
    if (!modules.contains("\\" + type)) {
      sum[type] += places;
      continue;
    }
    for (const auto& [inner, m] : cells_below(modules, type)) sum[inner] += places * m;
  }
  return sum;
}

}  // namespace

std::string yosys_json(const ir::Names& names) { return Writer(names).text(); }

YosysCount count_with_yosys(const ir::Names& names) {
  const Tool yosys{"yosys", "yosys"};
  TemporaryFolder folder;
  Writer writer(names);
  write_file(folder.path() / "design.json", writer.text());
  std::vector<std::string> primitives;
  for (ir::Kind kind : writer.used())
    if (kind != ir::Kind::memory) primitives.emplace_back(ir::prototype(kind).name);
  std::string boxes;
  for (const auto& name : write_sources(primitive_models(primitives), folder.path()))
    boxes += fmt::format("read_verilog -lib {}; ", name);
  YosysCount count;
  count.version = run_tool(yosys, {.arguments = {"-V"}}, "tell its version");
  while (!count.version.empty() && count.version.back() == '\n') count.version.pop_back();
  run_tool(yosys,
           {.arguments = {"-q", "-p",
                          fmt::format(
                              "{}read_json design.json; hierarchy -check -top {}; check -assert; "
                              "tee -q -o stat.json stat -json",
                              boxes, names.module(names.design().top_id()))},
            .directory = folder.path()},
           "count the cells");
  const Json modules = modules_of(read_file(folder.path() / "stat.json"));
  for (const auto& [type, n] : cells_below(modules, names.module(names.design().top_id())))
    count.cells[type.starts_with("MEMORY_") ? "MEMORY" : type] += n;
  return count;
}

}  // namespace kumiki::backends

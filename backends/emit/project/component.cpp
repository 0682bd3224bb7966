// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/component.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/emit/project/clocks.h"
#include "backends/emit/project/header.h"
#include "backends/emit/project/project.h"
#include "backends/emit/project/xml.h"
#include "backends/support/tool.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using Names = std::vector<std::string>;

// Vivado's packager gives these names to views and file sets.
constexpr std::string_view vivado_views[][3] = {
    {"xilinx_anylanguagesynthesis", "Synthesis", ":vivado.xilinx.com:synthesis"},
    {"xilinx_anylanguagebehavioralsimulation", "Simulation", ":vivado.xilinx.com:simulation"}};
constexpr std::string_view vendor = "kumiki", library = "netlist";
constexpr std::int64_t least_range = 4096;  // the smallest address range of an AXI slave

std::vector<std::string_view> vivado_families(ir::Family family) {
  switch (family) {
    case ir::Family::series7:
      return {"artix7", "kintex7", "virtex7", "spartan7", "zynq"};
    case ir::Family::ultrascale:
      return {"kintexu", "virtexu"};
    default:
      return {"artixuplus", "kintexuplus", "virtexuplus", "virtexuplusHBM", "zynquplus"};
  }
}

// "0.1" from "0.1.0".
std::string version_of(const std::string& version) {
  const auto minor = version.find('.');
  return minor == std::string::npos ? version + ".0"
                                    : version.substr(0, version.find('.', minor + 1));
}

class Component {
 public:
  Component(const ir::Names& names, const std::vector<BusInterface>& interfaces, Names files,
            std::string crossings, const ComponentOptions& options)
      : names_(names),
        top_(names.module(names.design().top_id())),
        interfaces_(interfaces),
        files_(std::move(files)),
        crossings_(std::move(crossings)),
        options_(options) {}

  std::string text() && {
    xml_.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    xml_.line("<!-- SPDX-License-Identifier: Apache-2.0 -->");
    xml_.element(
        "component",
        [&] {
          xml_.text("vendor", vendor);
          xml_.text("library", library);
          xml_.text("name", top_);
          xml_.text("version", version_of(options_.version));
          list("busInterfaces", interfaces_, [&](const BusInterface& b) { bus(b); });
          address_spaces();
          memory_maps();
          model();
          file_sets();
          xml_.text("description", options_.description);
          xml_.element("parameters", [&] {
            parameter("Component_Name", c_identifier(top_ + "_v" + version_of(options_.version)),
                      "spirit:resolve=\"user\" spirit:id=\"PARAM_VALUE.Component_Name\"");
          });
          xml_.element("vendorExtensions", [&] { core_extensions(); });
        },
        "xmlns:spirit=\"http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009\" "
        "xmlns:xilinx=\"http://www.xilinx.com\"");
    return std::move(xml_).take();
  }

 private:
  template <class Items, class Write>
  void list(std::string_view name, const Items& items, Write write) {
    xml_.element(name, [&] {
      for (const auto& item : items) write(item);
    });
  }
  void parameter(std::string_view name, std::string_view value, std::string_view attributes = {}) {
    xml_.element("parameter", [&] {
      xml_.text("name", name);
      xml_.text("value", value, attributes);
    });
  }

  void bus(const BusInterface& b) {
    const BusType type = bus_type(b.kind);
    const auto known = [&](std::string_view element, std::string_view ending) {
      xml_.empty(element, fmt::format("spirit:vendor=\"xilinx.com\" spirit:library=\"{}\" "
                                      "spirit:name=\"{}{}\" spirit:version=\"1.0\"",
                                      type.library, type.name, ending));
    };
    xml_.element("busInterface", [&] {
      xml_.text("name", b.name);
      if (!b.description.empty()) xml_.text("description", b.description);
      known("busType", "");
      known("abstractionType", "_rtl");
      if (b.kind == BusInterface::Kind::memory)
        xml_.element("master", [&] {
          xml_.empty("addressSpaceRef", fmt::format("spirit:addressSpaceRef=\"{}\"", b.name));
        });
      else if (b.is_master)
        xml_.empty("master");
      else if (b.kind == BusInterface::Kind::registers)
        xml_.element("slave", [&] {
          xml_.empty("memoryMapRef", fmt::format("spirit:memoryMapRef=\"{}\"", b.name));
        });
      else
        xml_.empty("slave");
      list("portMaps", b.signals, [&](const BusInterface::Signal& s) {
        xml_.element("portMap", [&] {
          xml_.element("logicalPort", [&] { xml_.text("name", s.logical); });
          xml_.element("physicalPort", [&] { xml_.text("name", s.port); });
        });
      });
      if (b.parameters.empty()) return;
      list("parameters", b.parameters, [&](const auto& p) {
        parameter(p.first, p.second,
                  fmt::format("spirit:id=\"BUSIFPARAM_VALUE.{}.{}\"", b.name, p.first));
      });
    });
  }

  std::vector<const BusInterface*> all_of(BusInterface::Kind kind) const {
    std::vector<const BusInterface*> all;
    for (const BusInterface& b : interfaces_)
      if (b.kind == kind) all.push_back(&b);
    return all;
  }
  void address_spaces() {
    const auto spaces = all_of(BusInterface::Kind::memory);
    if (spaces.empty()) return;
    list("addressSpaces", spaces, [&](const BusInterface* b) {
      xml_.element("addressSpace", [&] {
        xml_.text("name", b->name);
        xml_.text("range", fmt::format("{}", std::int64_t{1} << b->address_bits));
        xml_.text("width", fmt::format("{}", b->data_bits));
      });
    });
  }
  void memory_maps() {
    const auto maps = all_of(BusInterface::Kind::registers);
    if (maps.empty()) return;
    list("memoryMaps", maps, [&](const BusInterface* b) {
      xml_.element("memoryMap", [&] {
        xml_.text("name", b->name);
        xml_.element("addressBlock", [&] { address_block(*b); });
        xml_.text("addressUnitBits", "8");
      });
    });
  }
  void address_block(const BusInterface& b) {
    xml_.text("name", "registers");
    xml_.text("baseAddress", "0x0");
    xml_.text("range", fmt::format("{}", std::max(least_range, std::int64_t{1} << b.address_bits)));
    xml_.text("width", fmt::format("{}", b.data_bits));
    xml_.text("usage", "register");
    xml_.text("access", "read-only");
    for (const BusInterface::Register& r : b.registers)
      xml_.element("register", [&] {
        xml_.text("name", r.name);
        xml_.text("description", r.text);
        xml_.text("addressOffset", fmt::format("0x{:x}", r.offset));
        xml_.text("size", "32");
        xml_.text("volatile", "true");
        xml_.text("access", "read-only");
      });
  }

  void model() {
    xml_.element("model", [&] {
      list("views", vivado_views, [&](const auto& view) {
        xml_.element("view", [&] {
          xml_.text("name", view[0]);
          xml_.text("displayName", view[1]);
          xml_.text("envIdentifier", view[2]);
          xml_.text("language", "Verilog");
          xml_.text("modelName", top_);
          xml_.element("fileSetRef", [&] { xml_.text("localName", file_set(view[0])); });
        });
      });
      list("ports", names_.design().top().ports(), [&](const ir::Port& p) { port(p); });
    });
  }
  void port(const ir::Port& p) {
    const std::string_view name = names_.design().text(p.name);
    xml_.element("port", [&] {
      xml_.text("name", name);
      xml_.element("wire", [&] {
        xml_.text("direction", p.direction == ir::Direction::input ? "in" : "out");
        if (p.width > 1)
          xml_.element("vector", [&] {
            xml_.text("left", fmt::format("{}", p.width - 1), "spirit:format=\"long\"");
            xml_.text("right", "0", "spirit:format=\"long\"");
          });
        xml_.element("wireTypeDefs", [&] {
          xml_.element("wireTypeDef", [&] {
            xml_.text("typeName", "wire");
            for (const auto& view : vivado_views) xml_.text("viewNameRef", view[0]);
          });
        });
        if (ir::is_clock_port(name)) clock(name);
      });
    });
  }
  // The period that the scripts request. Both clocks rise at time 0, so they are in phase.
  void clock(std::string_view name) {
    const bool is_slow = name == ir::clock_port && ir::has_fast_clock(names_.design().top());
    const double period = default_period(names_.design().family()) * (is_slow ? 2 : 1);
    const auto time = [](double ns) { return fmt::format("{:.3f}", ns); };
    xml_.element("driver", [&] {
      xml_.element(
          "clockDriver",
          [&] {
            xml_.text("clockPeriod", time(period));
            xml_.text("clockPulseOffset", time(0));
            xml_.text("clockPulseValue", "1");
            xml_.text("clockPulseDuration", time(period / 2));
          },
          fmt::format("spirit:clockName=\"{}\"", name));
    });
  }

  static std::string file_set(std::string_view view) {
    return fmt::format("{}_view_fileset", view);
  }
  void file_sets() {
    list("fileSets", vivado_views, [&](const auto& view) {
      xml_.element("fileSet", [&] {
        xml_.text("name", file_set(view[0]));
        for (const std::string& f : files_) file(f, "verilogSource");
        if (&view == &vivado_views[0] && !crossings_.empty()) file(crossings_, {});
      });
    });
  }
  void file(const std::string& name, std::string_view type) {
    xml_.element("file", [&] {
      xml_.text("name", name);
      if (!type.empty()) return xml_.text("fileType", type);
      xml_.text("userFileType", "xdc");
      xml_.text("userFileType", "USED_IN_implementation");
    });
  }

  void core_extensions() {
    xml_.line("<xilinx:coreExtensions>");
    xml_.line("  <xilinx:supportedFamilies>");
    for (const auto family : vivado_families(names_.design().family()))
      xml_.line(fmt::format("    <xilinx:family xilinx:lifeCycle=\"Production\">{}</xilinx:family>",
                            family));
    xml_.line("  </xilinx:supportedFamilies>");
    xml_.line("  <xilinx:taxonomies>");
    xml_.line("    <xilinx:taxonomy>/UserIP</xilinx:taxonomy>");
    xml_.line("  </xilinx:taxonomies>");
    xml_.line(fmt::format("  <xilinx:displayName>{}</xilinx:displayName>", picture::escaped(top_)));
    xml_.line("</xilinx:coreExtensions>");
  }

  const ir::Names& names_;
  std::string top_;
  const std::vector<BusInterface>& interfaces_;
  Names files_;
  std::string crossings_;  // file of constraints
  const ComponentOptions& options_;
  Xml xml_;
};

// Constraints that Vivado reads only for the block, where its clocks have the names of the
// surrounding design.
std::string crossings_text(const std::string& top, const std::string& exceptions) {
  return fill(templates::text("project/crossings.xdc.in"),
              {{"TOP", top}, {"EXCEPTIONS", exceptions.substr(0, exceptions.size() - 1)}});
}

}  // namespace

std::string vlnv_of(const std::string& top, const std::string& version) {
  return fmt::format("{}:{}:{}:{}", vendor, library, top, version_of(version));
}

void write_component(const ir::Names& names, const Names& verilog,
                     const std::vector<BusInterface>& interfaces, OutputSet& out,
                     const ComponentOptions& options) {
  if (interfaces.empty()) return;
  const std::string top(names.module(names.design().top_id()));
  Names files;
  std::ranges::copy_if(verilog, std::back_inserter(files), [](const std::string& file) {
    return !file.starts_with("primitives/");  // Vivado has models of its own
  });
  std::string crossings, late;
  if (const auto exceptions = clock_exceptions(names, ClockNames::of_ports); !exceptions.empty()) {
    crossings = top + "_crossings.xdc";
    late = fmt::format(
        "# Clocks are there before what speaks of them.\n"
        "set_property processing_order LATE [ipx::get_files {} -of_objects "
        "[ipx::get_file_groups {} -of_objects $core]]\n",
        crossings, vivado_views[0][0]);
    out.add(crossings, crossings_text(top, exceptions));
  }
  Names copied = files;
  if (!crossings.empty()) copied.push_back(crossings);
  out.add("component.xml", Component(names, interfaces, files, crossings, options).text());
  out.add(fmt::format("{}_package.tcl", top),
          fill(templates::text("project/package.tcl.in"),
               {{"TOP", top},
                {"PART", options.part.empty() ? std::string(default_part(names.design().family()))
                                              : options.part},
                {"VLNV", vlnv_of(top, options.version)},
                {"FILES", fmt::format("  {}", fmt::join(copied, "\n  "))},
                {"LATE", late}}));
}

}  // namespace kumiki::backends

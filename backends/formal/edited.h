// SPDX-License-Identifier: Apache-2.0
// A netlist that was changed after it was written, by hand or by another tool. Its modules replace
// ours; the others stay as built.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/emit/verilog_netlist.h"
#include "backends/formal/prove.h"

namespace kumiki::backends::proof {

class Edited {
 public:
  // Reads the files with Yosys. DesignError if their modules are not of this design or have other
  // ports; ToolError if Yosys cannot read them.
  Edited(const ir::Names& built, const std::vector<VerilogSource>& files, unsigned seconds);

  // The replacement of a layer of the top, whose ports have the names `layer`_PORT there. Empty if
  // none of its modules was changed.
  struct Part {
    std::string layer;
    ir::ModuleId module;
  };
  std::optional<Gates> gates(const Part& part) const;

 private:
  struct Module {
    struct Port {
      bool is_output = false;
      std::size_t width = 0;
    };
    std::map<std::string, Port> ports;
    std::set<std::string> contents;  // types of its cells
  };
  std::map<std::string, Module> read(const std::vector<VerilogSource>& files,
                                     unsigned seconds) const;
  void require_known() const;
  void require_ports(ir::ModuleId id) const;
  void collect_sources(const std::vector<VerilogSource>& files);
  bool is_changed(ir::ModuleId id) const;

  const ir::Names& built_;
  VerilogNetlist netlist_;
  std::string files_;                     // "edited.v, more.v"
  std::map<std::string, Module> edited_;  // by name
  std::vector<VerilogSource> sources_;
};

// Takes the outputs `layer`_PORT of a circuit as PORT, with everything on which they depend. An
// input of another layer stays only if it reaches one of them; its name becomes "`top`.NAME".
Circuit part_of_top(const Circuit& top, const std::string& name, const std::string& layer,
                    const std::set<std::string>& ports);

}  // namespace kumiki::backends::proof

// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/board.h"

#include <algorithm>

#include "backends/emit/project/component.h"
#include "backends/support/tool.h"
#include "ir/design.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {

void write_board(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                 OutputSet& out, const std::string& version, const std::string& generator) {
  using Kind = BusInterface::Kind;
  const auto only = [&](Kind kind) -> const BusInterface* {
    const auto found = std::ranges::find(interfaces, kind, &BusInterface::kind);
    if (found == interfaces.end() || std::ranges::count(interfaces, kind, &BusInterface::kind) != 1)
      return nullptr;
    return &*found;
  };
  const BusInterface *registers = only(Kind::registers), *memory = only(Kind::memory),
                     *reset = only(Kind::reset), *interrupt = only(Kind::interrupt);
  if (!registers || !memory || !reset || !interrupt) return;
  const std::string top(names.module(names.design().top_id()));
  out.add(top + "_board.tcl", fill(templates::text("project/board.tcl.in"),
                                   {{"TOP", top},
                                    {"GENERATOR", generator},
                                    {"VLNV", vlnv_of(top, version)},
                                    {"FAST", ir::has_fast_clock(names.design().top()) ? "1" : "0"},
                                    {"WORD_BITS", std::to_string(memory->data_bits)},
                                    {"REGISTERS", registers->name},
                                    {"MEMORY", memory->name},
                                    {"RESET", reset->name},
                                    {"INTERRUPT", interrupt->name}}));
  out.add(top + ".dtsi",
          fill(templates::text("project/board.dtsi.in"), {{"TOP", top}, {"GENERATOR", generator}}));
}

}  // namespace kumiki::backends

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plain_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <string>
#include <vector>

#include "backends/support/file.h"
#include "templates/templates.h"

namespace kumiki::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* glbl = R"(`timescale 1 ps / 1 ps
module glbl ();
  parameter ROC_WIDTH = 100000;
  wire GSR;
  reg GSR_int;
  assign (strong1, weak0) GSR = GSR_int;
  initial begin
    GSR_int = 1'b1;
    #(ROC_WIDTH) GSR_int = 1'b0;
  end
endmodule
)";

// The inputs I0 to I(n-1) and, of LUT6_2, the lower half.
std::string lut(const std::string& name, unsigned inputs, bool both) {
  std::vector<std::string> pins, index;
  for (unsigned i = 0; i < inputs; ++i) pins.push_back(fmt::format("I{}", i));
  for (unsigned i = inputs; i-- > 0;) index.push_back(pins[i]);
  const unsigned size = 1u << inputs;
  return fmt::format(
      "module {0} #(parameter [{1}:0] INIT = {2}'h0) ({3}, input {4});\n"
      "  reg high, low;\n  {5}\n"
      "  always @({6}) begin\n    high = INIT[{{{7}}}];\n{8}  end\nendmodule\n",
      name, size - 1, size, both ? "output O5, output O6" : "output O", fmt::join(pins, ", input "),
      both ? "assign O6 = high, O5 = low;" : "assign O = high;", fmt::join(pins, " or "),
      fmt::join(index, ", "), both ? "    low = INIT[{1'b0, I4, I3, I2, I1, I0}];\n" : "");
}

// Set or reset while R (or S) is 1. It forgets all that happens before the global reset ends.
std::string flop(const std::string& name, char pin, char to) {
  return fmt::format(R"(module {0} #(
  parameter [0:0] INIT = 1'b{2}, parameter [0:0] IS_C_INVERTED = 1'b0,
  parameter [0:0] IS_D_INVERTED = 1'b0, parameter [0:0] IS_{1}_INVERTED = 1'b0
) (output Q, input C, input CE, input D, input {1});
  tri0 GSR = glbl.GSR;
  reg held;
  assign #100 Q = held;
  always @(GSR) if (GSR) assign held = INIT; else deassign held;
  always @(posedge (C ^ IS_C_INVERTED))
    if ({1} ^ IS_{1}_INVERTED) held <= 1'b{2};
    else if (CE) held <= D ^ IS_D_INVERTED;
endmodule
)",
                     name, pin, to);
}

std::string mux(const std::string& name) {
  return fmt::format(
      "module {} (output O, input I0, input I1, input S);\n  reg chosen;\n  assign O = chosen;\n"
      "  always @(I0 or I1 or S) chosen = S ? I1 : I0;\nendmodule\n",
      name);
}

// Our model, with a delay on these outputs.
std::string late(const std::string& name, const std::string& outputs) {
  return std::regex_replace(std::string(templates::text(fmt::format("primitives/{}.v", name))),
                            std::regex(fmt::format("assign ({}) =", outputs)), "assign #1 $1 =");
}

}  // namespace

fs::path write_plain_models(const fs::path& folder) {
  const fs::path models = folder / "unisims";
  fs::remove_all(folder);
  fs::create_directories(models);
  backends::write_file(folder / "glbl.v", glbl);
  const auto add = [&](const std::string& name, const std::string& text) {
    backends::write_file(models / (name + ".v"), "`timescale 1 ps / 1 ps\n" + text);
  };
  for (unsigned inputs = 1; inputs <= 6; ++inputs)
    add(fmt::format("LUT{}", inputs), lut(fmt::format("LUT{}", inputs), inputs, false));
  add("LUT6_2", lut("LUT6_2", 6, true));
  add("FDRE", flop("FDRE", 'R', '0'));
  add("FDSE", flop("FDSE", 'S', '1'));
  for (const char* name : {"MUXF7", "MUXF8"}) add(name, mux(name));
  for (const char* name : {"CARRY4", "CARRY8"}) add(name, late(name, "CO|O"));
  for (const char* name : {"SRL16E", "SRLC32E"}) add(name, late(name, "Q|Q31"));
  add("DSP48E2", late("DSP48E2",
                      "ACOUT|BCOUT|CARRYCASCOUT|CARRYOUT|MULTSIGNOUT|OVERFLOW|P|PATTERNBDETECT|"
                      "PATTERNDETECT|PCOUT|UNDERFLOW|XOROUT"));
  return models;
}

}  // namespace kumiki::tests

// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/serial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backends/support/tool.h"
#include "ir/design.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

constexpr std::string_view last_word = R"(
  // The last word of a frame.
  reg [31:0] word_of_frame = 0;
  wire in_last = word_of_frame == {} - 1;
  always @(posedge clk) begin
    if (reset) word_of_frame <= 0;
    else if (in_valid && in_ready) word_of_frame <= in_last ? 0 : word_of_frame + 1;
  end
)";

// The interfaces of a netlist that a serial line can serve.
struct Served {
  const BusInterface *clock = nullptr, *reset = nullptr, *in = nullptr, *out = nullptr;
  bool complete() const { return clock && reset && in && out; }
};

Served served(const std::vector<BusInterface>& interfaces) {
  Served all;
  for (const BusInterface& bus : interfaces) {
    using Kind = BusInterface::Kind;
    const BusInterface** place = nullptr;
    if (bus.kind == Kind::clock) place = &all.clock;
    if (bus.kind == Kind::reset) place = &all.reset;
    if (bus.kind == Kind::stream) place = bus.is_master ? &all.out : &all.in;
    if (!place || *place) return {};
    *place = &bus;
  }
  return all;
}

std::string port_of(const BusInterface& bus, std::string_view signal) {
  const auto found = std::ranges::find(bus.signals, signal, &BusInterface::Signal::logical);
  return found == bus.signals.end() ? std::string() : found->port;
}

}  // namespace

void write_serial(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                  std::uint64_t frame_bytes, OutputSet& out, const std::string& generator) {
  const Served all = served(interfaces);
  if (!all.complete()) return;
  const std::string last = port_of(*all.in, "TLAST"), in = port_of(*all.in, "TDATA"),
                    reset = port_of(*all.reset, "RST"), result = port_of(*all.out, "TDATA");
  std::vector<std::string> connected{port_of(*all.clock, "CLK"), reset};
  for (const char* signal : {"TVALID", "TREADY", "TDATA"}) {
    connected.push_back(port_of(*all.in, signal));
    connected.push_back(port_of(*all.out, signal));
  }
  if (!last.empty()) connected.push_back(last);
  std::uint32_t in_bits = 0, out_bits = 0;
  std::string open;
  for (const ir::Port& port : names.design().top().ports()) {
    const std::string name(names.design().text(port.name));
    if (name == in) in_bits = port.width;
    if (name == result) out_bits = port.width;
    if (std::ranges::find(connected, name) != connected.end()) continue;
    if (port.direction == ir::Direction::input) return;
    open += fmt::format(",\n      .{}()", name);
  }
  if (in_bits == 0 || out_bits == 0 || frame_bytes == 0) return;

  const std::string top(names.module(names.design().top_id()));
  const int place_bits = std::max(1, static_cast<int>(std::bit_width(frame_bytes - 1)));
  const auto stem = [](const std::string& data) { return data.substr(0, data.rfind('_')); };
  out.add(
      top + "_serial.v",
      fill(templates::text("project/serial.v.in"),
           {{"TOP", top},
            {"GENERATOR", generator},
            {"FRAME", std::to_string(frame_bytes)},
            {"LAST_PLACE", std::to_string(frame_bytes - 1)},
            {"PLACE_BITS", std::to_string(place_bits)},
            {"COUNT_BITS", std::to_string(place_bits + 1)},
            {"IN_BITS", std::to_string(in_bits)},
            {"OUT_BITS", std::to_string(out_bits)},
            {"CLOCK", connected[0]},
            {"RESET", reset},
            {"IN", stem(in)},
            {"OUT", stem(result)},
            {"LAST", last.empty()
                         ? std::string()
                         : fmt::format(fmt::runtime(last_word), frame_bytes / (in_bits / 8))},
            {"IN_LAST", last.empty() ? std::string() : fmt::format("\n      .{}(in_last),", last)},
            {"OPEN", open}}));
  out.add(top + "_serial.tcl",
          fill(templates::text("project/serial.tcl.in"), {{"TOP", top}, {"GENERATOR", generator}}));
}

}  // namespace kumiki::backends

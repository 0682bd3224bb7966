// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/stream_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backends/emit/project/component.h"
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

// The interfaces of a netlist that has no others.
struct Streams {
  const BusInterface *clock = nullptr, *reset = nullptr, *in = nullptr, *out = nullptr;
  bool complete() const { return clock && reset && in && out; }
};

Streams streams_of(const std::vector<BusInterface>& interfaces) {
  Streams all;
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

void write_stream_board(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                        std::uint64_t frame_bytes, OutputSet& out, const std::string& version,
                        const std::string& generator) {
  const Streams all = streams_of(interfaces);
  if (!all.complete() || names.design().family() != ir::Family::series7) return;
  const std::string last = port_of(*all.in, "TLAST"), in = port_of(*all.in, "TDATA"),
                    result = port_of(*all.out, "TDATA"), clock = port_of(*all.clock, "CLK"),
                    reset = port_of(*all.reset, "RST");
  std::vector<std::string> connected{clock, reset, last};
  for (const char* signal : {"TVALID", "TREADY", "TDATA"}) {
    connected.push_back(port_of(*all.in, signal));
    connected.push_back(port_of(*all.out, signal));
  }
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
  const std::string no_text,
      counter = fmt::format(fmt::runtime(last_word), frame_bytes / (in_bits / 8));
  const auto file = [&](const std::string& end, const std::string& from,
                        std::vector<Filling> fillings) {
    fillings.push_back({"TOP", top});
    fillings.push_back({"GENERATOR", generator});
    out.add(top + end, fill(templates::text(from), fillings));
  };
  const std::vector<Filling> network{{"IN_BITS", std::to_string(in_bits)},
                                     {"CLOCK", clock},
                                     {"RESET", reset},
                                     {"IN", all.in->name},
                                     {"OUT", all.out->name}};
  const auto and_network = [&](std::vector<Filling> fillings) {
    fillings.insert(fillings.end(), network.begin(), network.end());
    return fillings;
  };
  file(
      "_serial.v", "project/serial.v.in",
      and_network({{"OUT_BITS", std::to_string(out_bits)},
                   {"FRAME", std::to_string(frame_bytes)},
                   {"LAST_PLACE", std::to_string(frame_bytes - 1)},
                   {"PLACE_BITS", std::to_string(place_bits)},
                   {"COUNT_BITS", std::to_string(place_bits + 1)},
                   {"LAST", last.empty() ? no_text : counter},
                   {"IN_LAST", last.empty() ? no_text : fmt::format("\n      .{}(in_last),", last)},
                   {"OPEN", open}}));
  file("_serial.tcl", "project/serial.tcl.in", {});
  // A DMA has streams of 2^n bytes, no wider than its ports to the memory.
  const std::uint32_t least_port = 64, most_port = 1024;
  if (!std::has_single_bit(in_bits) || !std::has_single_bit(out_bits) ||
      std::max(in_bits, out_bits) > most_port)
    return;
  file("_dma.tcl", "project/dma.tcl.in",
       and_network({{"VLNV", vlnv_of(top, version)},
                    {"IN_PORT", std::to_string(std::max(in_bits, least_port))},
                    {"OUT_PORT", std::to_string(std::max(out_bits, least_port))}}));
}

}  // namespace kumiki::backends

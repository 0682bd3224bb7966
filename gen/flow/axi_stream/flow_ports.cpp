// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/flow_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/flow/axi_stream/ports.h"

namespace kumiki::gen::axi_stream {
namespace {

using Slots = std::vector<ir::PortSlot>;

bool has_bit(const Slots& slots, std::string_view name) {
  const auto at = std::ranges::find(slots, name, &ir::PortSlot::name);
  return at != slots.end() && at->width == 1;
}

std::size_t index_of(const Slots& slots, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(slots, name, &ir::PortSlot::name) -
                                  slots.begin());
}

// Lays out all ports except controls one above the other; returns the total width.
std::uint32_t lay(const Slots& slots, const std::vector<std::size_t>& controls,
                  std::vector<Field>& fields) {
  std::uint32_t low = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (std::ranges::find(controls, i) != controls.end()) continue;
    fields.push_back({i, low});
    low += whole_bytes(slots[i].width);
  }
  return low;
}

void append(Slots& slots, std::uint32_t& limbs, std::string name, std::uint32_t width) {
  slots.push_back({std::move(name), width, false, limbs});
  limbs += slots.back().limbs();
}

}  // namespace

bool is_enabled_pipeline(const ir::PortLayout& layer) {
  const auto has_in = [&](const char* name) { return has_bit(layer.inputs, name); };
  return has_in("rst") && has_in("en") && has_in("in_valid") && layer.inputs.size() > 3 &&
         has_bit(layer.outputs, "out_valid") && layer.outputs.size() > 1;
}

FlowPorts flow_ports(const ir::PortLayout& layer) {
  FlowPorts p{.inner = layer,
              .rst = index_of(layer.inputs, "rst"),
              .en = index_of(layer.inputs, "en"),
              .in_valid = index_of(layer.inputs, "in_valid"),
              .out_valid = index_of(layer.outputs, "out_valid")};
  const auto in_bits = lay(layer.inputs, {p.rst, p.en, p.in_valid}, p.in);
  const auto out_bits = lay(layer.outputs, {p.out_valid}, p.out);
  append(p.outer.inputs, p.outer.input_limbs, "rst", 1);
  append(p.outer.inputs, p.outer.input_limbs, "in_valid", 1);
  append(p.outer.inputs, p.outer.input_limbs, "out_ready", 1);
  append(p.outer.inputs, p.outer.input_limbs, "in_data", in_bits);
  append(p.outer.outputs, p.outer.output_limbs, "in_ready", 1);
  append(p.outer.outputs, p.outer.output_limbs, "out_valid", 1);
  append(p.outer.outputs, p.outer.output_limbs, "out_data", out_bits);
  return p;
}

std::string fields_text(const Slots& ports, const std::vector<Field>& fields) {
  std::string text;
  for (const Field& f : fields)
    text += fmt::format("{}{} at bit {}, {} bit{}", text.empty() ? "" : "; ", ports[f.port].name,
                        f.low, ports[f.port].width, ports[f.port].width == 1 ? "" : "s");
  return text;
}

}  // namespace kumiki::gen::axi_stream

// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/ports.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::gen::axi_stream {
namespace {

using Slots = std::vector<ir::PortSlot>;

std::optional<std::size_t> find(const Slots& slots, std::string_view name) {
  const auto at = std::ranges::find(slots, name, &ir::PortSlot::name);
  if (at == slots.end()) return std::nullopt;
  return static_cast<std::size_t>(at - slots.begin());
}

// Numbers the limbs as ir::layout does.
void number_limbs(Slots& slots, std::uint32_t& limbs) {
  for (ir::PortSlot& p : slots) {
    p.limb = limbs;
    limbs += p.limbs();
  }
}

class Mapping {
 public:
  explicit Mapping(const ir::PortLayout& inner) {
    p_.inner = inner;
    find_streams(inner.inputs, inner.outputs, true);
    find_streams(inner.outputs, inner.inputs, false);
  }
  std::optional<Ports> ports() && {
    const auto reset = find(p_.inner.inputs, "rst");
    if (!reset || p_.streams.empty()) return std::nullopt;
    p_.reset = *reset;
    p_.outer.inputs.push_back({reset_port, 1});
    p_.input = place(p_.inner.inputs, p_.outer.inputs, true);
    p_.output = place(p_.inner.outputs, p_.outer.outputs, false);
    number_limbs(p_.outer.inputs, p_.outer.input_limbs);
    number_limbs(p_.outer.outputs, p_.outer.output_limbs);
    return std::move(p_);
  }

 private:
  // `with` has X_valid; `against` has X_ready.
  void find_streams(const Slots& with, const Slots& against, bool goes_in) {
    constexpr std::string_view ending = "_valid";
    for (std::size_t i = 0; i < with.size(); ++i) {
      if (!with[i].name.ends_with(ending)) continue;
      const auto name = with[i].name.substr(0, with[i].name.size() - ending.size());
      const auto ready = find(against, name + "_ready");
      if (!ready) continue;
      p_.streams.push_back(
          {name, goes_in, i, *ready, find(with, name + "_data"), find(with, name + "_last")});
    }
  }

  // Applies the wrapper's names in the layer's order.
  std::vector<std::size_t> place(const Slots& inner, Slots& outer, bool are_inputs) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (are_inputs && i == p_.reset) {
        at.push_back(0);
        continue;
      }
      ir::PortSlot slot{inner[i].name, inner[i].width, inner[i].is_signed};
      for (const Stream& s : p_.streams) {
        const bool forward = s.goes_in == are_inputs;  // valid and its companions
        if (forward && i == s.valid) slot.name = s.prefix() + "tvalid";
        if (!forward && i == s.ready) slot.name = s.prefix() + "tready";
        if (forward && i == s.last) slot.name = s.prefix() + "tlast";
        if (forward && i == s.data)
          slot = {s.prefix() + "tdata", whole_bytes(inner[i].width), false};
      }
      outer.push_back(std::move(slot));
      at.push_back(outer.size() - 1);
    }
    return at;
  }

  Ports p_;
};

}  // namespace

std::optional<Ports> wrapped_ports(const ir::PortLayout& inner) { return Mapping(inner).ports(); }

}  // namespace kumiki::gen::axi_stream

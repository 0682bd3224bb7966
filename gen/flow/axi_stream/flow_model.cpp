// SPDX-License-Identifier: Apache-2.0
// Moves the layer's own model when a word goes in or out; follows the rules of flow.h.
#include "gen/flow/axi_stream/flow.h"

#include <algorithm>

namespace kumiki::gen::axi_stream {
namespace {

bool bit_of(const ir::Frame& frame, std::uint32_t limb, std::uint32_t bit) {
  return frame[limb + bit / 64] >> bit % 64 & 1;
}

// Copies `width` bits between frames; the bits of `to` must be 0 before.
void copy(const ir::Frame& from, std::uint32_t limb, std::uint32_t low, std::uint32_t width,
          ir::Frame& to, std::uint32_t to_limb, std::uint32_t to_low) {
  for (std::uint32_t i = 0; i < width; ++i)
    to[to_limb + (to_low + i) / 64] |= std::uint64_t{bit_of(from, limb, low + i)}
                                       << (to_low + i) % 64;
}

class Flow : public ir::Machine {
 public:
  Flow(const FlowPorts& ports, std::uint32_t clocks_of_set, std::unique_ptr<ir::Machine> layer)
      : p_(ports), clocks_of_set_(clocks_of_set), layer_(std::move(layer)) {}

  void power_up() override {
    layer_->power_up();
    taken_ = 0;
  }

  void step(const ir::Frame& in, ir::Frame& out) override {
    const auto& ports = p_.outer;
    const bool rst = in[ports.inputs[flow_rst].limb], valid = in[ports.inputs[flow_in_valid].limb],
               ready = in[ports.inputs[flow_out_ready].limb];
    unpack_flow(p_, in, inner_in_);
    layer_->step(inner_in_, inner_out_);  // nothing moves: only reads the result
    const bool has_result = inner_out_[p_.inner.outputs[p_.out_valid].limb];
    const bool has_room = !has_result || ready, is_between = taken_ == 0;
    answer(has_room, has_result && (is_between || valid), out);

    inner_in_[p_.inner.inputs[p_.rst].limb] = rst;
    inner_in_[p_.inner.inputs[p_.en].limb] = has_room && (is_between || valid);
    inner_in_[p_.inner.inputs[p_.in_valid].limb] = valid;
    layer_->step(inner_in_, inner_out_);
    if (rst)
      taken_ = 0;
    else if (has_room && valid)
      taken_ = (taken_ + 1) % clocks_of_set_;
  }

  const ir::Frame* valid_mask() const override { return &valid_; }

 private:
  void answer(bool in_ready, bool out_valid, ir::Frame& out) {
    const auto& slots = p_.outer.outputs;
    out.assign(p_.outer.output_limbs, 0);
    valid_.assign(p_.outer.output_limbs, ~std::uint64_t{0});
    out[slots[flow_in_ready].limb] = in_ready;
    out[slots[flow_out_valid].limb] = out_valid;
    for (const Field& f : p_.out) {
      const ir::PortSlot& port = p_.inner.outputs[f.port];
      copy(inner_out_, port.limb, 0, port.width, out, slots[flow_out_data].limb, f.low);
    }
    const ir::Frame* known = layer_->valid_mask();
    if (!out_valid)
      std::fill_n(valid_.begin() + slots[flow_out_data].limb, slots[flow_out_data].limbs(), 0);
    else if (known)
      for (const Field& f : p_.out) {
        const ir::PortSlot& port = p_.inner.outputs[f.port];
        for (std::uint32_t i = 0; i < port.width; ++i)
          if (!bit_of(*known, port.limb, i))
            valid_[slots[flow_out_data].limb + (f.low + i) / 64] &=
                ~(std::uint64_t{1} << (f.low + i) % 64);
      }
  }

  FlowPorts p_;
  std::uint32_t clocks_of_set_, taken_ = 0;  // words of the current set
  std::unique_ptr<ir::Machine> layer_;
  ir::Frame inner_in_, inner_out_, valid_;
};

}  // namespace

void unpack_flow(const FlowPorts& ports, const ir::Frame& outer, ir::Frame& inner) {
  inner.assign(ports.inner.input_limbs, 0);
  for (const Field& f : ports.in) {
    const ir::PortSlot& port = ports.inner.inputs[f.port];
    copy(outer, ports.outer.inputs[flow_in_data].limb, f.low, port.width, inner, port.limb, 0);
  }
}

void pack_flow(const FlowPorts& ports, const ir::Frame& inner, ir::Frame& outer) {
  const ir::PortSlot& word = ports.outer.inputs[flow_in_data];
  std::fill_n(outer.begin() + word.limb, word.limbs(), 0);
  for (const Field& f : ports.in) {
    const ir::PortSlot& port = ports.inner.inputs[f.port];
    copy(inner, port.limb, 0, port.width, outer, word.limb, f.low);
  }
}

std::unique_ptr<ir::Machine> make_flow_model(const FlowPorts& ports, std::uint32_t clocks_of_set,
                                             std::unique_ptr<ir::Machine> layer) {
  return std::make_unique<Flow>(ports, clocks_of_set, std::move(layer));
}

}  // namespace kumiki::gen::axi_stream

// SPDX-License-Identifier: Apache-2.0
// A layer's netlist on the native simulator, its ports by name, numbers of a port by index: what
// software or a test bench of a user's would do, with no model beside it.
#pragma once
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "backends/sim/native/machine.h"
#include "gen/arith/format.h"
#include "gen/layer/layer.h"
#include "ir/machine.h"

namespace kumiki::test {

class Wired {
 public:
  explicit Wired(const gen::Layer& layer, ir::Family family = ir::Family::ultrascale_plus)
      : builder_(family) {
    const ir::Module& module = layer.build(builder_, {});
    builder_.design().set_top(module.id());
    ports_ = ir::layout(module);
    machine_ = std::make_unique<backends::NativeMachine>(builder_.design());
    in_.assign(ports_.input_limbs, 0);
  }

  // Number `index` of those of `width` bits; 0 bits: the port is one number.
  void set(const std::string& port, std::uint64_t value, std::size_t index = 0,
           std::uint32_t width = 0) {
    const ir::PortSlot& slot = slot_of(ports_.inputs, port);
    if (width == 0) width = slot.width;
    for (std::uint32_t bit = 0; bit < width; ++bit) {
      const std::size_t at = index * width + bit;
      if (at >= slot.width) throw std::out_of_range(port);
      auto& limb = in_[slot.limb + at / 64];
      limb = (limb & ~(std::uint64_t{1} << at % 64)) | (value >> bit & 1) << at % 64;
    }
  }
  // Every bit of a port from a generator of random words.
  template <class Random>
  void scramble(const std::string& port, Random& random) {
    const ir::PortSlot& slot = slot_of(ports_.inputs, port);
    for (std::uint32_t bit = 0; bit < slot.width; ++bit) set(port, random.word() & 1, bit, 1);
  }
  // What the outputs are in this clock, then its edge.
  void clock() { machine_->step(in_, out_); }
  std::uint64_t get(const std::string& port, std::size_t index = 0, std::uint32_t width = 0) const {
    const ir::PortSlot& slot = slot_of(ports_.outputs, port);
    if (width == 0) width = slot.width;
    std::uint64_t value = 0;
    for (std::uint32_t bit = 0; bit < width; ++bit) {
      const std::size_t at = index * width + bit;
      if (at >= slot.width) throw std::out_of_range(port);
      value |= (out_[slot.limb + at / 64] >> at % 64 & 1) << bit;
    }
    return value;
  }
  std::int64_t get_signed(const std::string& port, std::size_t index, std::uint32_t width) const {
    return gen::arith::value_of(get(port, index, width), {static_cast<int>(width), true});
  }
  std::uint32_t width_of(const std::string& port) const {
    for (const auto* all : {&ports_.inputs, &ports_.outputs})
      for (const ir::PortSlot& slot : *all)
        if (slot.name == port) return slot.width;
    return 0;
  }

 private:
  static const ir::PortSlot& slot_of(const std::vector<ir::PortSlot>& all,
                                     const std::string& name) {
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const ir::PortSlot& slot) { return slot.name == name; });
    if (at == all.end()) throw std::out_of_range(name);
    return *at;
  }

  gen::Builder builder_;
  ir::PortLayout ports_;
  std::unique_ptr<backends::NativeMachine> machine_;
  ir::Frame in_, out_;
};

}  // namespace kumiki::test

// SPDX-License-Identifier: Apache-2.0
// An image on its way through an engine with ports: the processor, and the memory outside.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gen/layers/engine/ports/host.h"
#include "gen/layers/engine/ports/image.h"
#include "gen/layers/engine/ports/memory.h"

namespace kumiki::gen::engine {

class ImageRun {
 public:
  ImageRun(const PortsPlan& plan, const MemoryImage& image, std::span<const std::int32_t> numbers,
           const MemoryOptions& options, std::uint64_t patience = PortsPlan::first_patience);
  void drive(PortsIn<Values>& in) {
    host_.drive(in);
    memory_.drive(in);
  }
  void watch(const PortsIn<Values>& in, const PortsOut<Values>& out) {
    host_.watch(in, out);
    memory_.watch(in, out);
  }
  bool is_done() const { return host_.is_done(); }
  const PortsHost& host() const { return host_; }
  const OutsideMemory& memory() const { return memory_; }
  const std::vector<std::uint8_t>& data() const { return *data_; }

 private:
  std::shared_ptr<std::vector<std::uint8_t>> data_;
  PortsHost host_;
  OutsideMemory memory_;
};

}  // namespace kumiki::gen::engine

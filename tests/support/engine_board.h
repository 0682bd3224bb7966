// SPDX-License-Identifier: Apache-2.0
// What the driver of an engine meets: the registers of its netlist, and the memory beside it. Every
// access of the driver is one of AXI4-Lite, and the netlist runs as long as that takes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/engine/ports/host.h"
#include "gen/layers/engine/ports/memory.h"
#include "templates/driver/kumiki_engine.h.in"

namespace kumiki::test {

class EngineBoard {
 public:
  using Options = gen::engine::MemoryOptions;
  static constexpr std::size_t canary = 64;  // bytes behind every buffer

  explicit EngineBoard(const gen::engine::PortsPlan& plan, std::uint64_t first = 0x12'3450'0000)
      : plan_(plan), next_(first), in_(input_shape(plan)), out_(output_shape(plan)) {
    builder_.design().set_top(
        gen::build_module(builder_, gen::engine::build_ports, plan_, in_, {}).id());
    ports_ = ir::layout(builder_.design().top());
    machine_ = std::make_unique<backends::NativeMachine>(builder_.design());
    frame_in_.assign(ports_.input_limbs, 0);
    take_memory({});
    reset_pin();
  }

  // Memory of its own, which the engine may write or not.
  kumiki_engine_buffer buffer(std::size_t bytes, bool is_written) {
    auto memory = std::make_shared<std::vector<std::uint8_t>>(bytes + canary, 0xa5);
    const std::uint64_t address = next_;
    next_ += (bytes / 4096 + 2) * 4096;
    ranges_.push_back({.base = address, .bytes = memory, .is_written = is_written});
    take_memory(options_);
    return {memory->data(), address, bytes};
  }
  bool canaries_live() const {
    for (const auto& r : ranges_)
      for (std::size_t i = r.bytes->size() - canary; i < r.bytes->size(); ++i)
        if ((*r.bytes)[i] != 0xa5) return false;
    return true;
  }
  // From now on; nothing may be under way.
  void take_memory(const Options& options) {
    options_ = options;
    memory_ = std::make_unique<gen::engine::OutsideMemory>(plan_, ranges_, options);
  }
  // Also of the memory, whose answers nobody expects any more.
  void reset_pin() {
    port_ = {};
    rst_ = true;
    clocks(2);
    rst_ = false;
    take_memory(options_);
  }
  kumiki_engine_config config(std::uint32_t most_looks = 4000) {
    return {
        .read = [](void* self,
                   std::uint32_t offset) { return static_cast<EngineBoard*>(self)->read(offset); },
        .write = [](void* self, std::uint32_t offset,
                    std::uint32_t value) { static_cast<EngineBoard*>(self)->write(offset, value); },
        .between = [](void* self) { static_cast<EngineBoard*>(self)->between(); },
        .to_device =
            [](void* self, const void*, std::size_t bytes) {
              static_cast<EngineBoard*>(self)->written_back += bytes;
            },
        .from_device =
            [](void* self, void*, std::size_t bytes) {
              static_cast<EngineBoard*>(self)->forgotten += bytes;
            },
        .context = this,
        .looks = most_looks,
        .patience = 0,
        .has_interrupt = 0};
  }

  std::uint32_t read(std::uint32_t offset) {
    ++looks;
    if (halted) return *halted;
    return static_cast<std::uint32_t>(ask({offset}).data);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    if (halted) return;
    ask({offset, value});
  }
  void between() {
    if (halted) return;
    // With the interrupt, as long as it takes; without, or if it is lost, some time.
    for (int i = 0; i < pause && !(hears && seen_.interrupt); ++i) clocks(1);
    interrupts += hears && seen_.interrupt ? 1 : 0;
  }
  bool interrupt() {
    clocks(2);
    return seen_.interrupt;
  }
  const gen::engine::OutsideMemory& memory() const { return *memory_; }

  std::optional<std::uint32_t> halted;  // what every register reads as, and writes do nothing
  bool hears = true;                    // the interrupt
  int pause = 500;                      // clocks between two looks
  std::size_t looks = 0, interrupts = 0, errors = 0, written_back = 0, forgotten = 0;

 private:
  gen::engine::RegisterPort::Answer ask(const gen::engine::RegisterPort::Access& access) {
    port_.ask(access);
    while (!port_.is_idle()) clocks(1);
    const auto answer = port_.take()[0];
    errors += answer.is_error ? 1 : 0;
    return answer;
  }
  void clocks(int count) {
    for (; count > 0; --count) {
      gen::engine::PortsIn<gen::Values> in{};
      in.rst = rst_;
      in.m_rdata.assign(plan_.word_bytes(), 0);
      port_.drive(in);
      memory_->drive(in);
      gen::pack(in_, in, frame_in_);
      machine_->step(frame_in_, frame_out_);
      gen::unpack(out_, frame_out_, seen_);
      port_.watch(in, seen_);
      memory_->watch(in, seen_);
      if (!memory_->broken().empty()) throw std::runtime_error(memory_->broken());
    }
  }

  gen::engine::PortsPlan plan_;
  std::uint64_t next_;  // address of the next buffer
  gen::Builder builder_{ir::Family::ultrascale_plus};
  gen::engine::PortsIn<gen::Hardware> in_;
  gen::engine::PortsOut<gen::Hardware> out_;
  ir::PortLayout ports_;
  std::unique_ptr<backends::NativeMachine> machine_;
  ir::Frame frame_in_, frame_out_;
  gen::engine::PortsOut<gen::Values> seen_{};
  gen::engine::RegisterPort port_;
  std::vector<gen::engine::OutsideMemory::Range> ranges_;
  std::unique_ptr<gen::engine::OutsideMemory> memory_;
  Options options_;
  bool rst_ = false;
};

}  // namespace kumiki::test

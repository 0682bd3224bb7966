// SPDX-License-Identifier: Apache-2.0
// An AXI DMA in direct register mode, as its register map describes it: what a driver writes and
// reads, memory behind it, and beats of its two streams clock by clock.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace kumiki::test {

class AxiDma {
 public:
  // Of the status registers.
  static constexpr std::uint32_t halted = 1, idle = 2, scatter_gather = 8, internal_error = 0x10,
                                 slave_error = 0x20, decode_error = 0x40, done = 0x1000,
                                 failed = 0x4000;

  // Memory from `base` on; a beat into the netlist has so many bytes; LENGTH so many bits.
  AxiDma(std::uint64_t base, std::size_t bytes, std::size_t bytes_of_beat, unsigned length_bits)
      : base_(base), memory_(bytes), beat_(bytes_of_beat), length_mask_((1u << length_bits) - 1) {}

  std::span<std::uint8_t> memory() { return memory_; }
  // Faults to try: the memory answers with an error from this address on; the core never leaves
  // its reset; it was built with scatter gather.
  std::optional<std::uint64_t> bad_from;
  bool stays_in_reset = false, has_scatter_gather = false;

  std::uint32_t read(std::uint32_t offset) {
    const Channel& c = offset < second ? out_ : in_;
    switch (offset % second) {
      case 0x00: {
        const bool resets = resetting_ > 0;
        if (resets && !stays_in_reset) --resetting_;
        return (c.runs ? 1u : 0u) | (resets ? 4u : 0u);
      }
      case 0x04:
        return c.status | (has_scatter_gather ? scatter_gather : 0);
      case 0x18:
        return static_cast<std::uint32_t>(c.address);
      case 0x1C:
        return static_cast<std::uint32_t>(c.address >> 32);
      case 0x28:
        return c.length;
      default:
        return 0xdeadbeef;
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    Channel& c = offset < second ? out_ : in_;
    switch (offset % second) {
      case 0x00:
        if (value & 4u) {
          out_ = in_ = {};
          resetting_ = 3;
          return;
        }
        c.runs = (value & 1u) != 0;
        // A channel that has failed stays where it is until a reset.
        if (!c.runs)
          c.status |= halted;
        else if ((c.status & (internal_error | slave_error | decode_error)) == 0)
          c.status &= ~halted;
        return;
      case 0x04:
        c.status &= ~(value & 0x7000u);
        return;
      case 0x18:
        c.address = (c.address & ~std::uint64_t{0xffffffff}) | value;
        return;
      case 0x1C:
        c.address = (c.address & 0xffffffff) | std::uint64_t{value} << 32;
        return;
      case 0x28:
        if (c.status & halted) return;
        c.length = value & length_mask_;
        c.moved = 0;
        c.status &= ~idle;
        c.is_active = c.length != 0;
        if (c.length == 0) fail(c, internal_error);
        return;
      default:
        return;
    }
  }

  // Into the netlist: the beat that is offered, nothing if none.
  struct Beat {
    std::vector<std::uint8_t> data;
    bool last;
  };
  std::optional<Beat> offered() {
    if (!out_.is_active) return {};
    const std::uint64_t at = out_.address + out_.moved;
    if (!reaches(out_, at, beat_)) return {};
    Beat beat{std::vector<std::uint8_t>(beat_), out_.moved + beat_ >= out_.length};
    for (std::size_t i = 0; i < beat_ && out_.moved + i < out_.length; ++i)
      beat.data[i] = memory_[at - base_ + i];
    return beat;
  }
  void was_taken() {
    out_.moved += static_cast<std::uint32_t>(beat_);
    if (out_.moved >= out_.length) finish(out_);
  }

  // Out of the netlist.
  bool takes() const { return in_.is_active; }
  void take(std::span<const std::uint8_t> data, bool last) {
    const std::uint64_t at = in_.address + in_.moved;
    if (!reaches(in_, at, data.size())) return;
    if (in_.moved + data.size() > in_.length) return fail(in_, internal_error);
    std::memcpy(&memory_[at - base_], data.data(), data.size());
    in_.moved += static_cast<std::uint32_t>(data.size());
    if (last) {
      in_.length = in_.moved;
      finish(in_);
    } else if (in_.moved == in_.length) {
      fail(in_, internal_error);
    }
  }

 private:
  static constexpr std::uint32_t second = 0x30;
  struct Channel {
    bool runs = false, is_active = false;
    std::uint32_t status = halted, length = 0, moved = 0;
    std::uint64_t address = 0;
  };
  static void fail(Channel& c, std::uint32_t error) {
    c.is_active = false;
    c.status |= error | failed | halted;
  }
  static void finish(Channel& c) {
    c.is_active = false;
    c.status |= idle | done;
  }
  bool reaches(Channel& c, std::uint64_t at, std::size_t bytes) {
    if (at < base_ || at + bytes > base_ + memory_.size()) {
      fail(c, decode_error);
      return false;
    }
    if (bad_from && at >= *bad_from) {
      fail(c, slave_error);
      return false;
    }
    return true;
  }

  std::uint64_t base_;
  std::vector<std::uint8_t> memory_;
  std::size_t beat_;
  std::uint32_t length_mask_;
  int resetting_ = 0;
  Channel out_, in_;
};

}  // namespace kumiki::test

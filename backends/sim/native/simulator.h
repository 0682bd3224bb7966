// SPDX-License-Identifier: Apache-2.0
// The native simulator: compiles a design to operations on 64-bit words, one bit for each of 64
// independent simulations. It needs no external tool and starts at once.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/native/lanes.h"
#include "ir/design.h"
#include "ir/machine.h"

namespace kumiki::backends {

struct NativeOptions {
  bool portable = false;  // use only instructions for which the program was compiled
};

// An instance of a module somewhere below the top, or the top itself.
struct NativeScope {
  std::uint32_t index = 0;  // 0 is the top
  friend constexpr bool operator==(NativeScope, NativeScope) = default;
};

// The location of a net's value; invalid if nothing drives the net.
struct NativeProbe {
  std::uint32_t slot = ~std::uint32_t{0};
  friend constexpr auto operator<=>(NativeProbe, NativeProbe) = default;
  constexpr bool is_driven() const { return slot != ~std::uint32_t{0}; }
};

// The cost of a simulation, for benchmarks and reports.
struct NativeSize {
  std::size_t cells = 0;       // primitives; each element of a vector counts
  std::size_t operations = 0;  // evaluated in every cycle, besides registers
  std::size_t levels = 0;
  std::size_t bytes = 0;
};

// The design must not change while it is simulated. Reads settle automatically after inputs or the
// clock have changed something. All values start as after configuration, with inputs at 0.
class NativeSimulator {
 public:
  // DesignError: undriven or multiply driven nets, combinational loops (with all hops), clock pins
  // that are not on the top's clock.
  explicit NativeSimulator(const ir::Design& design, NativeOptions options = {});
  ~NativeSimulator();
  NativeSimulator(NativeSimulator&&) noexcept;
  NativeSimulator& operator=(NativeSimulator&&) noexcept;

  // Ports are numbered as in this layout. DesignError if there is no such port.
  const ir::PortLayout& ports() const;
  unsigned input(std::string_view name) const;
  unsigned output(std::string_view name) const;

  // Bit slices: word b has bit b of every lane. As many words as the port has bits.
  void set_bits(unsigned input, std::span<const ir::Lanes> bits);
  void get_bits(unsigned output, std::span<ir::Lanes> bits);
  // Values of ports of at most 64 bits: for one lane, the same for all lanes, or one for each lane.
  void set(unsigned input, unsigned lane, std::uint64_t value);
  void set_all(unsigned input, std::uint64_t value);
  void set_each(unsigned input, std::span<const std::uint64_t, lane_count> values);
  std::uint64_t get(unsigned output, unsigned lane);
  void get_each(unsigned output, std::span<std::uint64_t, lane_count> values);
  // All ports at once, any width: the same for all lanes, or lane by lane. Missing frames are 0.
  void set_frame(const ir::Frame& in);
  void set_frames(std::span<const ir::Frame> in);
  void get_frame(ir::Frame& out, unsigned lane);
  void get_frames(std::span<ir::Frame> out);

  void power_up();
  void settle();
  void clock();
  void step(std::uint64_t cycles = 1);  // settle and clock, with unchanged inputs

  // Access to the inside: the instances below a scope and the nets of its module.
  const ir::Module& module(NativeScope scope) const;
  NativeScope child(NativeScope scope, ir::CellId instance) const;
  NativeScope scope(std::span<const ir::CellId> path) const;  // from the top
  NativeScope scope(std::string_view path) const;             // "u1/u2", names or "#cell number"
  std::string path(NativeScope scope) const;
  std::string name(NativeScope scope) const;    // the last part of the path
  NativeScope parent(NativeScope scope) const;  // for the top: the top
  std::vector<NativeScope> children(NativeScope scope) const;
  ir::Lanes peek(NativeScope scope, ir::Net net);  // DesignError if nothing drives it
  // The same in two steps, for values read in every cycle. Nets with one value share a probe.
  NativeProbe probe(NativeScope scope, ir::Net net) const;
  ir::Lanes read(NativeProbe probe);
  // With a fast clock, a clock has two halves, and reads return the second one. All inputs of a
  // clock must be set before the first read (DesignError). This reads the first half before that.
  bool has_fast_clock() const;
  ir::Lanes read_first_half(NativeProbe probe);

  NativeSize size() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kumiki::backends

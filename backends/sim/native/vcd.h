// SPDX-License-Identifier: Apache-2.0
// Waveforms of one lane of a native simulation, for any viewer of value change dumps. A cycle takes
// ten time units. The clock rises at its start; the values shown until its end are those that the
// next rising edge captures. With a fast clock the second half of the cycle has separate values.
// The text depends only on the design and its values.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/native/simulator.h"

namespace kumiki::backends {

struct VcdOptions {
  unsigned lane = 0;
  std::uint64_t first = 0;  // cycles to write, both included
  std::uint64_t last = ~std::uint64_t{0};
};

class VcdWriter {
 public:
  // Always writes the ports of the top. The simulator must outlive the writer.
  VcdWriter(std::ostream& out, NativeSimulator& simulator, VcdOptions options = {});
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  // Adds signals; call before the first sample. Adds chosen nets, or all ports and named nets of a
  // scope, or also those of everything below it. A name already in use gets a number; equal nets
  // are written only once.
  void add(NativeScope scope, std::string_view name, std::span<const ir::Net> nets);
  void add_named(NativeScope scope);
  void add_all(NativeScope scope = {});

  // Call once a cycle, after applying the inputs, before reading outputs and before the clock.
  void sample();
  // Ends the last cycle; the destructor does it too.
  void finish();

 private:
  struct Signal {
    NativeScope scope;
    std::string name;
    std::vector<NativeProbe> probes;  // least significant first
    std::size_t wave = 0;
  };
  struct Wave {  // a value, stored once, however many signals show it
    std::vector<NativeProbe> probes;
    std::string value;  // most significant first; empty before the first sample
  };

  std::vector<std::uint32_t> way_to(NativeScope scope) const;
  void write_header();
  void write_changes(bool first_half);

  std::ostream& out_;
  NativeSimulator& simulator_;
  VcdOptions options_;
  std::uint64_t cycle_ = 0;
  bool is_open_ = false, is_finished_ = false, has_clock_ = false;
  std::vector<Signal> signals_;
  std::vector<Wave> waves_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> taken_;  // scope and name
};

}  // namespace kumiki::backends

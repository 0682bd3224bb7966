// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/waveform.h"

#include <algorithm>
#include <sstream>

#include "backends/sim/native/machine.h"
#include "backends/sim/native/vcd.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"

namespace kumiki::backends {
namespace {

struct Window {
  std::uint64_t first, last;
};

Window window(const Mismatch& m, const WaveformOptions& o) {
  return {m.cycle - std::min(m.cycle, o.before), m.cycle + o.after};
}

bool is_same(const ir::Frame& out, const ir::PortLayout& ports, const Mismatch& m) {
  auto first = out.begin() + ports.outputs.at(m.output).limb;
  return std::equal(m.got.begin(), m.got.end(), first) &&
         std::all_of(m.unknown.begin(), m.unknown.end(), [](auto limb) { return limb == 0; });
}

Waveform record_native(const ir::Design& design, const Mismatch& m, Stimulus& stimulus,
                       Window cycles) {
  std::ostringstream text;
  Waveform wave{"native", {}, false};
  NativeSimulator simulator(design);
  {
    VcdWriter writer(text, simulator, {.first = cycles.first, .last = cycles.last});
    writer.add_all();
    ir::Frame in, out;
    for (std::uint64_t cycle = 0; cycle <= cycles.last; ++cycle) {
      stimulus.next(in);
      simulator.set_frame(in);
      writer.sample();
      simulator.get_frame(out, 0);
      if (cycle == m.cycle) wave.shows_mismatch = is_same(out, simulator.ports(), m);
      simulator.clock();
    }
  }
  wave.vcd = text.str();
  return wave;
}

Waveform record_verilated(const ir::Design& design, const Mismatch& m, Stimulus& stimulus,
                          Window cycles, VerilatorOptions options) {
  options.trace = true;
  VerilatedMachine machine(design, options);
  TemporaryFolder folder;
  auto file = folder.path() / "window.vcd";
  Waveform wave{"verilator", {}, false};
  ir::Frame in, out;
  for (std::uint64_t cycle = 0; cycle <= cycles.last; ++cycle) {
    if (cycle == cycles.first) machine.trace_to(file);
    stimulus.next(in);
    machine.step(in, out);
    if (cycle == m.cycle) wave.shows_mismatch = is_same(out, machine.ports(), m);
  }
  machine.close_trace();
  wave.vcd = without_date(read_file(file));
  return wave;
}

}  // namespace

Waveform record_waveform(const ir::Design& design, const Mismatch& mismatch, Stimulus& stimulus,
                         const WaveformOptions& options) {
  // Every lane has its own seed.
  auto own = stimulus.options();
  own.seed += mismatch.lane;
  Stimulus again(stimulus.ports(), std::move(own));
  auto cycles = window(mismatch, options);
  auto native = record_native(design, mismatch, again, cycles);
  if (native.shows_mismatch || !options.may_verilate) return native;
  again.restart();
  return record_verilated(design, mismatch, again, cycles, options.verilator);
}

}  // namespace kumiki::backends

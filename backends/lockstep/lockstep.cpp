// SPDX-License-Identifier: Apache-2.0
#include "backends/lockstep/lockstep.h"

#include <fmt/format.h>

#include <sstream>

#include "backends/native/machine.h"
#include "backends/native/vcd.h"

namespace kumiki::backends {
namespace {

std::string hexadecimal(const ir::PortSlot& slot, const ir::Frame& frame) {
  std::string text;
  for (std::uint32_t i = slot.limbs(); i-- > 0;)
    text += text.empty() ? fmt::format("{:x}", frame[slot.limb + i])
                         : fmt::format("{:016x}", frame[slot.limb + i]);
  return "0x" + text;
}

void compare(const ir::PortLayout& ports, std::uint64_t cycle, const ir::Frame& in,
             const ir::Frame& want, const ir::Frame& got, std::size_t most,
             std::vector<Mismatch>& mismatches) {
  for (const ir::PortSlot& slot : ports.outputs)
    for (std::uint32_t i = 0; i < slot.limbs(); ++i) {
      auto difference = want[slot.limb + i] ^ got[slot.limb + i];
      if (difference == 0) continue;
      if (mismatches.size() < most)
        mismatches.push_back({cycle, slot.name, hexadecimal(slot, want), hexadecimal(slot, got),
                              64 * i + static_cast<std::uint32_t>(__builtin_ctzll(difference)),
                              in});
      break;
    }
}

}  // namespace

LockstepResult run_lockstep(ir::Machine& reference, ir::Machine& hardware,
                            const ir::PortLayout& ports, Stimulus& stimulus,
                            const LockstepOptions& options) {
  LockstepResult result;
  reference.power_up();
  hardware.power_up();
  ir::Frame in, want, got;
  while (result.cycles < options.cycles && result.mismatches.size() < options.mismatches) {
    stimulus.next(in);
    reference.step(in, want);
    hardware.step(in, got);
    if (want != got)
      compare(ports, result.cycles, in, want, got, options.mismatches, result.mismatches);
    result.comparisons += ports.outputs.size();
    if (++result.cycles % 1024 == 0 && options.progress) options.progress(result.cycles);
  }
  result.stimulus = stimulus.counts();
  return result;
}

Driver find_driver(const ir::Design& design, std::string_view port, std::uint32_t bit) {
  const ir::Module* m = &design.top();
  const ir::Port* p = m->find_port(port);
  if (!p || bit >= p->width) return {};
  Driver driver;
  for (ir::Net net = m->port_nets(*p)[bit];;) {
    const ir::Cell* found = nullptr;
    std::uint32_t index = 0;
    for (; !found && index < m->cells().size(); ++index) {
      const ir::Cell& c = m->cells()[index];
      if (net >= c.out && net.index < c.out.index + m->output_count(c)) found = &c;
    }
    if (!found) {
      driver.cell = net.is_constant() ? "constant" : "input";
      return driver;
    }
    auto name = design.text(m->cell_name({index - 1}));
    driver.path += (driver.path.empty() ? "" : "/") +
                   (name.empty() ? fmt::format("#{}", index - 1) : std::string(name));
    driver.place = found->place;
    if (found->kind != ir::Kind::instance) {
      driver.cell = ir::prototype(found->kind).name;
      return driver;
    }
    // The outputs of an instance are those of its module, port after port.
    std::uint32_t offset = net.index - found->out.index;
    m = &design.module({found->params});
    for (const ir::Port& q : m->ports()) {
      if (q.direction != ir::Direction::output) continue;
      if (offset < q.width) {
        net = m->port_nets(q)[offset];
        break;
      }
      offset -= q.width;
    }
  }
}

std::string to_string(const ir::Design& design, const Mismatch& m) {
  auto driver = find_driver(design, m.port, m.bit);
  return fmt::format(
      "cycle {}, port {}: expected {}, got {} (bit {} differs); driven by {}{} ({}), {}", m.cycle,
      m.port, m.expected, m.got, m.bit, driver.path.empty() ? "" : design.top().name(),
      driver.path.empty() ? "" : "/" + driver.path, driver.cell, to_string(driver.place));
}

Window record_window(const ir::Design& design, ir::Machine& reference, const ir::PortLayout& ports,
                     StimulusOptions options, std::uint64_t cycle) {
  constexpr std::uint64_t before = 32, after = 8;
  std::ostringstream text;
  Window window;
  {
    NativeSimulator simulator(design);
    VcdWriter writer(text, simulator,
                     {.first = cycle < before ? 0 : cycle - before, .last = cycle + after});
    writer.add_all();
    Stimulus stimulus(ports, std::move(options));
    reference.power_up();
    ir::Frame in, want, got;
    for (std::uint64_t c = 0; c <= cycle + after; ++c) {
      stimulus.next(in);
      simulator.set_frame(in);
      writer.sample();
      simulator.get_frame(got, 0);
      reference.step(in, want);
      if (c == cycle) window.native_differs = got != want;
      simulator.clock();
    }
  }
  window.vcd = text.str();
  return window;
}

}  // namespace kumiki::backends

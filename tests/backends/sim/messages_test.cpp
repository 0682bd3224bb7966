// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/messages.h"

#include <sstream>

#include "backends/emit/project/vectors.h"
#include "backends/sim/icarus/icarus.h"
#include "backends/sim/lockstep/stimulus.h"
#include "backends/sim/messages.h"
#include "backends/sim/mutation/mutation.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/native/vcd.h"
#include "gen/hdl/hdl.h"
#include "tests/support/messages.h"

namespace kumiki::backends {
namespace sim_messages_test {

using namespace gen;

// y is the lowest bit of a.
struct Wire {
  Wire() {
    auto& m = builder.design().add_module("m");
    Scope s(builder, m);
    const auto a = s.input<UInt>("a", 6);
    s.output("y", a.slice(0, 1));
    s.finish();
    builder.design().set_top(m.id());
  }
  const ir::Design& design() { return builder.design(); }
  Builder builder;
};

struct Wrong : ir::Machine {
  void power_up() override {}
  void step(const ir::Frame& in, ir::Frame& out) override { out = {~in[0] & 1}; }
};

TEST(Messages, OfSimulators) {
  Wire wire;
  NativeSimulator simulator(wire.design());
  const ir::PortLayout ports = simulator.ports();
  test::expect_messages(
      "messages/simulators.txt",
      {{code::vendor_models,
        [&] {
          (void)run_icarus(verilog_netlist(wire.design()), std::vector<ir::Frame>{{0}},
                           {.unisim = "nowhere"});
        }},
       {code::unknown_port, [&] { (void)simulator.input("o"); }},
       {code::port_width, [&] { simulator.set_bits(0, std::vector<ir::Lanes>(4)); }},
       {code::frame_size,
        [&] {
          Stimulus(ports, {.given = {{0, 0}}});
        }},
       {code::lane_range, [&] { simulator.set_frames(std::vector<ir::Frame>(65, ir::Frame(1))); }},
       {code::late_input,
        [] {
          Builder two;
          Scope s(two, two.design().add_module("m"));
          s.output("y", to_slow(s, to_fast(s, s.input<UInt>("a", 1))).first);
          s.finish();
          two.design().set_top(s.module().id());
          NativeSimulator fast(two.design());
          fast.set_all(0, 0);
          (void)fast.get(0, 0);
          fast.set_all(0, 1);
        }},
       {code::unknown_instance, [&] { (void)simulator.scope("u"); }},
       {code::signal_too_late,
        [&] {
          std::ostringstream text;
          VcdWriter vcd(text, simulator);
          vcd.sample();
          vcd.add({}, "late", {});
        }},
       {code::nothing_compared,
        [&] {
          const ir::Names names(wire.design());
          OutputSet out;
          (void)write_vectors(names, {.inputs = {{0}}, .outputs = {{0}}, .valid = {{0}}}, out);
        }},
       {code::netlist_differs, [&] {
          (void)try_mutations(
              wire.builder.design(), [] { return std::make_unique<Wrong>(); },
              [](unsigned run, std::size_t, ir::Frame& f) { f = {run & 63}; });
        }}});
}

}  // namespace sim_messages_test
}  // namespace kumiki::backends

// SPDX-License-Identifier: Apache-2.0
// A heap under test: every form of bit, many inputs at once, the sum in integers.
#pragma once
#include <functional>
#include <optional>
#include <random>

#include "backends/sim/native/simulator.h"
#include "gen/blocks/compressor/build.h"
#include "gen/hdl/hdl.h"
#include "ir/resources.h"

namespace kumiki::gen::compressor {

// A module with one input port `x` and the sum `y` of the heap that `fill` makes of it.
class HeapCircuit {
 public:
  using Fill = std::function<void(Heap&, const UInt& x)>;

  HeapCircuit(unsigned inputs, unsigned width, const Fill& fill, const TreePlan& plan,
              ir::Family family = ir::Family::series7, Pipeline pipeline = {})
      : builder_(family), plan_(plan) {
    // Three rows have registers behind their sum, at most those.
    if (plan.finish == Finish::ternary && pipeline.every == 0) pipeline.every = 100;
    latency_ = latency(plan, pipeline.every);
    ir::Module& m = builder_.design().add_module("heap");
    Scope s(builder_, m);
    UInt x = s.input<UInt>("x", inputs);
    Heap heap(width);
    fill(heap, x);
    if (plan.finish == Finish::carry)
      s.output("y", UInt(bits(s, {compress_carry(s, heap, plan, pipeline)})));
    else
      s.output("y", compress(s, heap, plan, pipeline));
    s.finish();
    builder_.design().set_top(m.id());
    simulator_.emplace(builder_.design());
  }

  const ir::Design& design() const { return builder_.design(); }
  unsigned sites() const { return ir::own_cost(builder_.design().top()).luts; }
  unsigned cells(ir::Kind kind) const {
    unsigned n = 0;
    for (const ir::Cell& c : builder_.design().top().cells()) n += c.kind == kind ? c.width : 0;
    return n;
  }

  // The output for 64 inputs of up to 64 bits.
  std::array<std::uint64_t, 64> run(const std::array<std::uint64_t, 64>& x) {
    std::array<std::uint64_t, 64> y{};
    simulator_->set_each(0, x);
    simulator_->step(latency_);
    simulator_->get_each(0, y);
    return y;
  }
  // Any number of inputs; x has 64 words a bit.
  std::vector<ir::Lanes> run(const std::vector<ir::Lanes>& x) {
    std::vector<ir::Lanes> y(simulator_->ports().outputs[0].width);
    simulator_->set_bits(0, x);
    simulator_->step(latency_);
    simulator_->get_bits(0, y);
    return y;
  }

  // check(x, y) for every input, up to 24 bits of them.
  void for_all(const std::function<void(std::uint64_t, std::uint64_t)>& check) {
    const std::uint64_t count = 1ull << simulator_->ports().inputs[0].width;
    for (std::uint64_t base = 0; base < count; base += 64) {
      std::array<std::uint64_t, 64> x;
      for (unsigned i = 0; i < 64; ++i) x[i] = (base + i) % count;
      auto y = run(x);
      for (unsigned i = 0; i < std::min<std::uint64_t>(64, count); ++i) check(x[i], y[i]);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  Builder builder_;
  TreePlan plan_;
  unsigned latency_ = 0;
  std::optional<backends::NativeSimulator> simulator_;
};

}  // namespace kumiki::gen::compressor

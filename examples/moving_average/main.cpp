// SPDX-License-Identifier: Apache-2.0
// A generator of one's own, in one file: the mean of the last 2^k samples, one result a clock.
// The sum is kept by adding what comes in and subtracting what leaves a shift register.
#include <deque>

#include "gen/flow/program.h"
#include "gen/hdl/hdl.h"

using namespace kumiki;
using namespace kumiki::gen;

// The plan: all numbers, no nets.
struct Plan {
  unsigned bits = 8, log2_taps = 4;
  unsigned sum_bits() const { return bits + log2_taps; }
  std::string module_name() const { return fmt::format("mean{}_of_{}", bits, 1u << log2_taps); }
  bool operator==(const Plan&) const = default;
};

// The ports, once for nets and once for the model's integers.
template <class R>
struct In {
  typename R::Bit en;
  typename R::UInt sample;
  static constexpr auto ports() {
    return std::tuple(port("en", &In::en), port("sample", &In::sample));
  }
};
template <class R>
struct Out {
  typename R::UInt mean;
  static constexpr auto ports() { return std::tuple(port("mean", &Out::mean)); }
};

// The hardware follows the plan.
Out<Hardware> make(Scope& s, const Plan& p, const In<Hardware>& in) {
  UInt oldest = s.named("oldest", delay(s, in.sample, 1u << p.log2_taps, in.en));
  Reg<UInt> sum(s, p.sum_bits(), {.enable = in.en});
  UInt more = add(s, sum.q(), zext(s, in.sample, p.sum_bits()));
  sum.next(sub(s, more, zext(s, oldest, p.sum_bits())));
  s.named("sum", sum.q());
  return {.mean = sum.q().slice(p.log2_taps, p.bits)};
}

// The model knows neither.
struct Behaviour {
  Plan plan;
  std::deque<std::uint64_t> window;
  void power_up() { window.assign(std::size_t{1} << plan.log2_taps, 0); }
  Out<Values> step(const In<Values>& in) {
    std::uint64_t sum = 0;
    for (auto v : window) sum += v;
    if (in.en) {
      window.pop_front();
      window.push_back(in.sample);
    }
    return {.mean = sum >> plan.log2_taps};
  }
};

int main(int argc, char** argv) {
  return flow::run_program([&] {
    Plan plan;
    In<Hardware> inputs{.en = {}, .sample = UInt::shape(plan.bits)};
    Out<Hardware> outputs{.mean = UInt::shape(plan.bits)};
    Builder builder;
    build_top(builder, make, plan, inputs);
    Model<In, Out, Behaviour> model(inputs, outputs, Behaviour{plan, {}});
    return flow::write_and_run(builder.design(), model, argc, argv);
  });
}

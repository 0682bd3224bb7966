// SPDX-License-Identifier: Apache-2.0
// A layer of binarised neurons by hierarchy: one module a threshold, placed once a neuron.
// y[n] = popcount(x xnor w[n]) >= threshold[n], two clocks later.
#include "gen/flow/program.h"
#include "gen/hdl/hdl.h"

using namespace kumiki;
using namespace kumiki::gen;

struct NeuronPlan {
  unsigned inputs;
  unsigned threshold;
  std::string module_name() const { return fmt::format("neuron{}_t{}", inputs, threshold); }
  bool operator==(const NeuronPlan&) const = default;
};

template <class R>
struct NeuronIn {
  typename R::UInt x, w;
  static constexpr auto ports() {
    return std::tuple(port("x", &NeuronIn::x), port("w", &NeuronIn::w));
  }
};
template <class R>
struct NeuronOut {
  typename R::Bit y;
  static constexpr auto ports() { return std::tuple(port("y", &NeuronOut::y)); }
};

NeuronOut<Hardware> make_neuron(Scope& s, const NeuronPlan& p, const NeuronIn<Hardware>& in) {
  UInt match = reg(s, lut(
                          s, [](bool x, bool w) { return x == w; }, in.x, in.w));
  UInt count = s.named("count", popcount(s, match));
  return {.y = reg(s, at_least(s, count, s.constant(p.threshold, count.width())))};
}

struct LayerPlan {
  unsigned inputs = 24;
  std::vector<unsigned> thresholds = {8, 12, 12, 16};
  std::string module_name() const { return fmt::format("neurons{}x{}", thresholds.size(), inputs); }
  bool operator==(const LayerPlan&) const = default;
};

template <class R>
struct LayerIn {
  typename R::UInt x;
  std::vector<typename R::UInt> w;
  static constexpr auto ports() {
    return std::tuple(port("x", &LayerIn::x), port("w", &LayerIn::w));
  }
};
template <class R>
struct LayerOut {
  std::vector<typename R::Bit> y;
  static constexpr auto ports() { return std::tuple(port("y", &LayerOut::y)); }
};

LayerOut<Hardware> make_layer(Scope& s, const LayerPlan& p, const LayerIn<Hardware>& in) {
  LayerOut<Hardware> out;
  for (std::size_t n = 0; n < p.thresholds.size(); ++n)
    out.y.push_back(instantiate(s, make_neuron, NeuronPlan{p.inputs, p.thresholds[n]},
                                NeuronIn<Hardware>{in.x, in.w[n]}, fmt::format("n{}", n))
                        .y);
  return out;
}

// Results wait two clocks; before anything came in, the registers hold zeros, which do not match.
struct LayerModel {
  LayerPlan plan;
  std::vector<bool> now, next;
  void power_up() {
    auto quiet = [&] {
      std::vector<bool> y;
      for (auto t : plan.thresholds) y.push_back(t == 0);
      return y;
    };
    next = quiet();
    now.assign(plan.thresholds.size(), false);
  }
  LayerOut<Values> step(const LayerIn<Values>& in) {
    LayerOut<Values> out{.y = {now.begin(), now.end()}};
    now = next;
    for (std::size_t n = 0; n < next.size(); ++n) {
      std::uint64_t mask = (std::uint64_t{1} << plan.inputs) - 1;
      next[n] = static_cast<unsigned>(__builtin_popcountll(~(in.x ^ in.w[n]) & mask)) >=
                plan.thresholds[n];
    }
    return out;
  }
};

int main(int argc, char** argv) {
  return flow::run_program([&] {
    LayerPlan plan;
    LayerIn<Hardware> inputs{.x = UInt::shape(plan.inputs),
                             .w = std::vector(plan.thresholds.size(), UInt::shape(plan.inputs))};
    LayerOut<Hardware> outputs{.y = std::vector<Net>(plan.thresholds.size())};
    Builder builder(ir::Family::series7);
    build_top(builder, make_layer, plan, inputs);
    Model<LayerIn, LayerOut, LayerModel> model(inputs, outputs, LayerModel{plan, {}, {}});
    return flow::write_and_run(builder.design(), model, argc, argv);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Small blocks are proved against their definitions; changed ones are refuted, and what refutes
// them is so on the native simulator and the model, which know nothing of proofs.
#include "backends/proof/prove.h"

#include <gtest/gtest.h>

#include <random>

#include "backends/mutation/mutation.h"
#include "backends/native/machine.h"
#include "gen/catalog.h"
#include "gen/references.h"
#include "ir/check.h"

namespace kumiki::gen {
namespace {

using backends::proof::Status;
using backends::proof::Verdict;

struct Block {
  std::string name, json;
  unsigned clocks = 0;  // that are proved from power-up, where that is all
};
void PrintTo(const Block& b, std::ostream* to) { *to << b.name; }

class Subject {
 public:
  explicit Subject(const std::string& layer)
      : document_(
            config::parse_document(R"({"kumiki": 1, "name": "proofs", "layers": [)" + layer + "]}",
                                   "test.json", registry())),
        layers_(make_layers(document_, "test.json")),
        builder_(document_.target.family),
        reference_(*reference_of(document_.layers[0], *layers_[0].layer, document_.target)) {
    builder_.design().set_top(layers_[0].layer->build(builder_, {}).id());
  }
  ir::Design& design() { return builder_.design(); }
  const Layer& layer() const { return *layers_[0].layer; }
  Verdict prove(unsigned seconds, unsigned clocks = 0) { return prove(design(), seconds, clocks); }
  Verdict prove(const ir::Design& of, unsigned seconds, unsigned clocks) {
    return backends::proof::prove(of,
                                  {reference_.verilog,
                                   reference_.depth,
                                   reference_.flushes,
                                   reference_.while_one,
                                   reference_.parts,
                                   {reference_.sum_ports, reference_.sum_words}},
                                  {clocks, seconds});
  }

 private:
  config::Document document_;
  std::vector<NamedLayer> layers_;
  Builder builder_;
  proof::Reference reference_;
};

// 8'h2a into its limbs.
void put(const std::string& value, std::uint64_t* limb) {
  unsigned at = 0;
  for (auto digit = value.rbegin(); *digit != 'h'; ++digit, at += 4)
    limb[at / 64] |= std::stoull(std::string(1, *digit), nullptr, 16) << at % 64;
}

ir::Frame replay(ir::Machine& machine, const ir::PortLayout& ports,
                 const backends::proof::Counterexample& c) {
  machine.power_up();
  ir::Frame out;
  for (const auto& clock : c.inputs) {
    ir::Frame in(ports.input_limbs, 0);
    for (const auto& slot : ports.inputs)
      for (const auto& p : clock)
        if (p.name == slot.name) put(p.value, &in[slot.limb]);
    machine.step(in, out);
  }
  return out;
}

void expect_value(const ir::Frame& frame, const ir::PortLayout& ports, const std::string& port,
                  const std::string& value) {
  for (const auto& slot : ports.outputs) {
    if (slot.name != port) continue;
    ir::Frame wanted(slot.limbs(), 0);
    put(value, wanted.data());
    for (std::uint32_t l = 0; l < slot.limbs(); ++l) EXPECT_EQ(frame[slot.limb + l], wanted[l]);
  }
}

// What refutes a design is so on the native simulator and the model.
void expect_true(const ir::Design& design, const Layer& layer,
                 const backends::proof::Counterexample& c) {
  const auto ports = ir::layout(design.top());
  backends::NativeMachine native(design);
  expect_value(replay(native, ports, c), ports, c.output, c.got);
  const auto model = layer.model();
  expect_value(replay(*model, ports, c), ports, c.output, c.expected);
  EXPECT_NE(c.got, c.expected);
}

class Prove : public ::testing::TestWithParam<Block> {};

TEST_P(Prove, TheBlockIsItsDefinition) {
  Subject subject(GetParam().json);
  const auto clocks = GetParam().clocks;
  const auto verdict = subject.prove(300, clocks);
  EXPECT_EQ(verdict.status, clocks ? Status::bounded : Status::proved)
      << name(verdict.status) << " by " << verdict.method;
  EXPECT_EQ(verdict.clocks, clocks);
}

// What a mutation does is seen on the native simulator first: random inputs, 64 runs side by side.
bool is_observable(Subject& subject, std::uint64_t seed) {
  const auto ports = ir::layout(subject.design().top());
  std::vector<std::mt19937_64> random;
  for (unsigned run = 0; run < 64; ++run) random.emplace_back(run + 1);
  const auto result = backends::try_mutations(
      subject.design(), [&] { return subject.layer().model(); },
      [&](unsigned run, std::size_t, ir::Frame& in) {
        for (const auto& slot : ports.inputs) {
          // Ports that hold a design back or empty it: mostly not.
          const auto draw = random[run]();
          const std::uint64_t often = slot.name == "rst" ? draw % 32 == 0 : draw % 8 != 0;
          const bool control = slot.name == "rst" || slot.name == "en";
          for (std::uint32_t l = 0; l < slot.limbs(); ++l) {
            const auto bits = std::min<std::uint32_t>(64, slot.width - 64 * l);
            const auto all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            in[slot.limb + l] = control ? often : random[run]() & all;
          }
        }
      },
      {.seed = seed, .count = 1, .cycles = 60, .survivor_cycles = 1});
  return result.by_lockstep == 1;
}

void apply(ir::Design& design, const backends::Mutation& m) {
  if (m.kind == backends::Mutation::Kind::parameter_bit)
    design.module(m.module).mutable_params(m.cell)[m.index] = m.after;
  else
    design.module(m.module).mutable_inputs(m.cell)[m.index] =
        ir::Net{static_cast<std::uint32_t>(m.after)};
}

TEST_P(Prove, AChangedOneIsRefutedAndTheCounterexampleIsTrue) {
  Subject subject(GetParam().json);
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const auto m = backends::random_mutations(subject.design(), 1, seed).at(0);
    const auto what = to_string(subject.design(), m);
    if (!is_observable(subject, seed)) continue;
    apply(subject.design(), m);
    const auto verdict = subject.prove(120, 3 * GetParam().clocks);
    ASSERT_EQ(verdict.status, Status::refuted) << what;
    EXPECT_FALSE(to_text(verdict.counterexample).empty());
    return expect_true(subject.design(), subject.layer(), verdict.counterexample);
  }
  FAIL() << "nothing that is changed shows";
}

std::vector<Block> blocks() {
  return {
      {"popcount", R"({"type": "popcount", "name": "a", "bits": 12})"},
      {"multiplier", R"({"type": "multiplier", "name": "a", "a_bits": 4, "b_bits": 3,
                         "pipeline": 1})"},
      {"neuron", R"({"type": "bnn_neuron", "name": "a", "inputs": 8, "threshold": 5})"},
      {"serial", R"({"type": "bnn_serial", "name": "a", "inputs": 6, "cycles": 2,
                     "threshold": 4})"},
      {"stored_dot", R"({"type": "stored_dot", "name": "a", "terms": 2, "weight_bits": 3,
                         "data_bits": 3})",
       9},
      {"pixels", R"({"type": "vision", "name": "a", "width": 2, "height": 2, "bits": 2,
                     "channels": 2, "stages": [{"kernel": "minimum"}]})",
       12},
      {"window", R"({"type": "vision", "name": "a", "width": 2, "height": 1, "bits": 1,
                     "stages": [{"kernel": "erode"}]})",
       24},
      {"matvec", R"({"type": "matvec", "name": "a", "outputs": 1, "inputs": 2, "activations":
                     {"bits": 2}, "weights": {"bits": 2}, "weights_from": "values",
                     "values": [1, -2]})",
       14},
      {"lut_macc", R"({"type": "lut_macc", "name": "a", "terms": 1, "a": {"bits": 4},
                       "b": {"bits": 4}})"},
      {"requant", R"({"type": "requant", "name": "a", "accumulator_bits": 8, "scale": 0.037})"},
      {"popcount_64", R"({"type": "popcount", "name": "a", "bits": 64})"},
      {"neuron_64", R"({"type": "bnn_neuron", "name": "a", "inputs": 64, "threshold": 40})"},
      {"neuron_any_t", R"({"type": "bnn_neuron", "name": "a", "inputs": 17, "pipeline": 1})"},
      {"dense", R"({"type": "bnn_dense", "name": "a", "inputs": 12, "threshold": 7, "weights":
                    [[1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0]]})"},
      {"compressor", R"({"type": "compressor", "name": "a", "constant": 9, "operands":
                         [{"count": 2, "bits": 2, "signed": true, "factor": -3},
                          {"bits": 2, "column": 1}]})"},
      {"conv2d", R"({"type": "conv2d", "name": "a", "in_channels": 1, "height": 1, "width": 2,
                     "out_channels": 1, "kernel": [1, 1], "activations": {"bits": 2},
                     "weights": {"bits": 2}, "weights_from": "values", "values": [-2]})",
       6},
      {"dot", R"({"type": "dot", "name": "a", "scheme": "wp487-int8", "terms": 1})"},
  };
}
std::string name_of(const ::testing::TestParamInfo<Block>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Blocks, Prove, ::testing::ValuesIn(blocks()), name_of);

}  // namespace
}  // namespace kumiki::gen

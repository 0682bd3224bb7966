// SPDX-License-Identifier: Apache-2.0
// Layers with a clock enable between AXI4-Streams, in lockstep with their models between queues.
// Independently of how that model is made, the results are those of the layer itself, in order,
// whatever the streams do.
#include "gen/flow/axi_stream/flow.h"

#include <optional>

#include "gen/config/document.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/layers/catalog.h"
#include "ir/error.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace flow_lockstep_test {

constexpr auto family = ir::Family::ultrascale_plus;

// One word a set and several; ports that are whole bytes and ports that are not; operands of which
// not all values are legal; results that wait for later words of their own chain.
constexpr const char* configuration = R"({"kumiki": 1, "name": "flows", "layers": [
  {"type": "dot", "name": "pair", "scheme": "wp487-int8", "terms": 5},
  {"type": "dot", "name": "folded", "scheme": "offset-binary", "terms": 6, "cycles": 3},
  {"type": "dot", "name": "narrow", "scheme": "shared-drain", "terms": 2,
   "packed": {"bits": 4, "narrow": true}, "shared": {"bits": 7}},
  {"type": "requant", "name": "scaled", "accumulator_bits": 13, "scale": 0.037},
  {"type": "popcount", "name": "ones", "bits": 21, "pipeline": 1},
  {"type": "const_dot", "name": "blur", "bits": 4, "weights": [1, 2, 1, -3], "pipeline": 1},
  {"type": "bnn_serial", "name": "neuron", "inputs": 11, "cycles": 4},
  {"type": "lut_macc", "name": "products", "terms": 2, "a": {"bits": 3}, "b": {"bits": 5}}]})";

std::vector<NamedLayer> plain_layers() {
  return layers_of(config::parse_document(configuration, "flows.json", registry()), "flows.json");
}

std::vector<NamedLayer> wrapped_layers() {
  auto all = plain_layers();
  for (NamedLayer& l : all) EXPECT_TRUE(axi_stream::wrap(l.layer, family)) << l.name;
  return all;
}

struct Flows : test::NetworkRig {
  explicit Flows(const std::vector<NamedLayer>& all = wrapped_layers()) : NetworkRig(all) {}
  void expect_results(const backends::LockstepResult& result) const {
    EXPECT_GT(result.comparisons, result.cycles * 2 * layers.size());
  }
};

TEST(FlowLockstep, OnTheNativeSimulator) {
  Flows all;
  EXPECT_EQ(ir::check(all.design(), {.warnings = false}).size(), 0u);
  all.expect_results(all.run_native(6000));
}

TEST(FlowLockstep, OnVerilator) {
  Flows some(test::this_time(wrapped_layers(), 3));
  some.expect_results(some.run_verilated(4000, test::shared_cache));
}

TEST(FlowLockstep, AChangedNetlistIsSeen) { Flows().expect_mutants_seen(50, 600, 2000); }

// The results that the layer's own model gives to words without a gap.
std::vector<ir::Frame> expected(const Layer& layer, const axi_stream::FlowPorts& ports,
                                const std::vector<ir::Frame>& words) {
  const auto model = layer.model();
  ir::Frame in(ports.inner.input_limbs), out;
  std::vector<ir::Frame> results;
  model->power_up();
  for (std::size_t i = 0; i < words.size() + 200; ++i) {
    const bool is_word = i < words.size();
    if (is_word) in = words[i];
    in[ports.inner.inputs[ports.en].limb] = 1;
    in[ports.inner.inputs[ports.in_valid].limb] = is_word;
    in[ports.inner.inputs[ports.rst].limb] = 0;
    model->step(in, out);
    if (out[ports.inner.outputs[ports.out_valid].limb] == 0) continue;
    for (std::size_t limb = 0; limb < out.size() && model->valid_mask(); ++limb)
      out[limb] &= (*model->valid_mask())[limb];
    results.push_back(out);
  }
  return results;
}

std::vector<ir::Frame> legal_words(const Layer& layer, const ir::PortLayout& ports,
                                   std::size_t count, tests::Random& random) {
  std::vector<ir::Frame> words(count, ir::Frame(ports.input_limbs));
  for (ir::Frame& word : words) {
    for (const ir::PortSlot& p : ports.inputs)
      for (std::uint32_t bit = 0; bit < p.width; ++bit)
        word[p.limb + bit / 64] |= std::uint64_t{random.below(2)} << bit % 64;
    layer.constrain(word);
  }
  return words;
}

// One bit of a frame's port.
bool bit_of(const ir::Frame& frame, const ir::PortSlot& port, std::uint32_t bit) {
  return frame[port.limb + bit / 64] >> bit % 64 & 1;
}

const ir::PortSlot& port_of(const std::vector<ir::PortSlot>& ports, const std::string& name) {
  return *std::ranges::find(ports, name, &ir::PortSlot::name);
}

class Wrapped {
 public:
  explicit Wrapped(NamedLayer layer) : prefix_(layer.name + "_") {
    layers_.push_back(std::move(layer));
    network_ = build_network(builder_, "flow", layers_);
    ports_ = ir::layout(builder_.design().top());
    machine_.emplace(builder_.design());
    in_.resize(ports_.input_limbs);
    set("aresetn", 1);
  }
  void set(const std::string& name, std::uint64_t value) {
    in_[port_of(ports_.inputs, prefix_ + name).limb] = value;
  }
  // The layer's operands as the word of the stream.
  void set_data(const axi_stream::FlowPorts& flow, const ir::Frame& word) {
    ir::Frame outer(flow.outer.input_limbs);
    axi_stream::pack_flow(flow, word, outer);
    const auto& from = flow.outer.inputs[axi_stream::flow_in_data];
    const auto& to = port_of(ports_.inputs, prefix_ + "s_axis_in_tdata");
    EXPECT_EQ(to.width, from.width);
    std::copy_n(outer.begin() + from.limb, from.limbs(), in_.begin() + to.limb);
  }
  void step() { machine_->step(in_, out_); }
  bool is(const std::string& name) const {
    return bit_of(out_, port_of(ports_.outputs, prefix_ + name), 0);
  }
  bool data_bit(std::uint32_t bit) const {
    return bit_of(out_, port_of(ports_.outputs, prefix_ + "m_axis_out_tdata"), bit);
  }

 private:
  std::vector<NamedLayer> layers_;
  Builder builder_{family};
  BuiltNetwork network_;
  ir::PortLayout ports_;
  std::optional<backends::NativeMachine> machine_;
  ir::Frame in_, out_;
  std::string prefix_;
};

TEST(FlowLockstep, TheResultsOfTheLayerInTheirOrderWhateverTheStreamsDo) {
  auto plain = plain_layers(), wrapped = wrapped_layers();
  tests::Random random(7);
  for (std::size_t l = 0; l < plain.size(); ++l) {
    SCOPED_TRACE(plain[l].name);
    const Layer& layer = *plain[l].layer;
    Builder scratch(family);
    const auto flow = axi_stream::flow_ports(ir::layout(layer.build(scratch, {})));
    const auto words = legal_words(layer, flow.inner, 120 * layer.clocks_of_set(), random);
    const auto results = expected(layer, flow, words);
    ASSERT_EQ(results.size(), 120u);

    Wrapped machine(std::move(wrapped[l]));
    std::size_t sent = 0, got = 0;
    for (int cycle = 0; cycle < 20000 && got < results.size(); ++cycle) {
      const unsigned mood = cycle / 97 % 4;  // free, source slow, sink slow, both
      const bool valid = sent < words.size() && (mood % 2 == 0 || random.one_in(3));
      const bool ready = mood < 2 || random.one_in(3);
      machine.set("s_axis_in_tvalid", valid);
      machine.set("m_axis_out_tready", ready);
      if (valid) machine.set_data(flow, words[sent]);
      machine.step();
      if (valid && machine.is("s_axis_in_tready")) ++sent;
      if (!ready || !machine.is("m_axis_out_tvalid")) continue;
      for (const axi_stream::Field& f : flow.out) {
        const ir::PortSlot& port = flow.inner.outputs[f.port];
        for (std::uint32_t bit = 0; bit < port.width; ++bit)
          ASSERT_EQ(machine.data_bit(f.low + bit), bit_of(results[got], port, bit))
              << "result " << got << ", " << port.name << " bit " << bit;
      }
      ++got;
    }
    EXPECT_EQ(got, results.size());
    EXPECT_EQ(sent, words.size());
  }
}

TEST(FlowLockstep, AWordInEveryClockWhereASetIsOne) {
  auto wrapped = wrapped_layers();
  auto plain = plain_layers();
  for (std::size_t l = 0; l < plain.size(); ++l) {
    SCOPED_TRACE(plain[l].name);
    Wrapped machine(std::move(wrapped[l]));
    machine.set("s_axis_in_tvalid", 1);
    machine.set("m_axis_out_tready", 1);
    unsigned taken = 0, given = 0;
    for (int cycle = 0; cycle < 400; ++cycle) {
      machine.step();
      taken += machine.is("s_axis_in_tready");
      given += machine.is("m_axis_out_tvalid");
    }
    EXPECT_EQ(taken, 400u);
    EXPECT_GE(given * plain[l].layer->clocks_of_set(), 340u);
  }
}

TEST(FlowLockstep, FieldsBeginAtWholeBytes) {
  const ir::PortLayout layer{.inputs = {{"rst", 1}, {"en", 1}, {"in_valid", 1}, {"x", 9}, {"t", 3}},
                             .outputs = {{"out_valid", 1}, {"y", 1}, {"sum", 12}}};
  ASSERT_TRUE(axi_stream::is_enabled_pipeline(layer));
  const auto flow = axi_stream::flow_ports(layer);
  EXPECT_EQ(axi_stream::fields_text(layer.inputs, flow.in),
            "x at bit 0, 9 bits; t at bit 16, 3 bits");
  EXPECT_EQ(axi_stream::fields_text(layer.outputs, flow.out),
            "y at bit 0, 1 bit; sum at bit 8, 12 bits");
  EXPECT_EQ(flow.outer.inputs[axi_stream::flow_in_data].width, 24u);
  EXPECT_EQ(flow.outer.outputs[axi_stream::flow_out_data].width, 24u);
}

}  // namespace flow_lockstep_test
}  // namespace kumiki::gen

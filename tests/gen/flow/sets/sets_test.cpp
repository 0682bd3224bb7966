// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sets/sets.h"

#include <gtest/gtest.h>

#include "gen/flow/messages.h"
#include "gen/flow/sets/arrays.h"
#include "gen/flow/usage.h"
#include "gen/layers/catalog.h"
#include "ir/interrupt.h"
#include "tests/support/refusal.h"

namespace kumiki::flow {
namespace sets_test {

gen::NamedLayer layer_of(const std::string& json) {
  const auto document = gen::config::parse_document(
      R"({"kumiki": 1, "name": "n", "defaults": {"effort": 0}, "layers": [)" + json + "]}",
      "cfg.json", gen::registry());
  return gen::layers_of(document, "cfg.json").at(0);
}

Sets sets_of(const gen::NamedLayer& layer) { return {layer, ir::Family::ultrascale_plus}; }

// Two sums a set by hand, more sets than lanes so that some lanes have two.
TEST(Sets, DotProductsOnModelAndNetlist) {
  const Sets sets = sets_of(layer_of(R"({"type": "dot", "scheme": "wp487-int8", "terms": 2})"));
  ASSERT_EQ(sets.inputs().size(), 2u);
  EXPECT_EQ(sets.inputs()[0].shape, (std::vector<std::size_t>{2, 2}));
  constexpr std::size_t count = 100;
  Sets::Arrays in(2);
  std::vector<std::int64_t> wanted;
  for (std::int64_t s = 0; s < std::int64_t{count}; ++s) {
    const std::int64_t x[] = {s - 50, 127, -128, 2 * s - 100}, y[] = {-128, s};
    in[0].insert(in[0].end(), std::begin(x), std::end(x));
    in[1].insert(in[1].end(), std::begin(y), std::end(y));
    wanted.push_back(x[0] * y[0] + x[1] * y[1]);
    wanted.push_back(x[2] * y[0] + x[3] * y[1]);
  }
  EXPECT_EQ(sets.on_model(in, count), Sets::Arrays{wanted});
  EXPECT_EQ(sets.on_netlist(in, count), Sets::Arrays{wanted});
}

// A model that is wrong in one bit of one result.
class Liar : public ir::Machine {
 public:
  explicit Liar(std::unique_ptr<ir::Machine> honest) : honest_(std::move(honest)) {}
  void power_up() override { honest_->power_up(); }
  void step(const ir::Frame& in, ir::Frame& out) override {
    honest_->step(in, out);
    if (in[0] == 5) out[0] ^= 1;
  }

 private:
  std::unique_ptr<ir::Machine> honest_;
};

class WithLiar : public gen::Layer {
 public:
  explicit WithLiar(std::shared_ptr<const gen::Layer> inner) : inner_(std::move(inner)) {}
  std::string plan_text() const override { return inner_->plan_text(); }
  void write_plan(gen::config::Writer& w) const override { inner_->write_plan(w); }
  gen::Facts facts() const override { return inner_->facts(); }
  ir::Module& build(gen::Builder& b, ir::OriginId o) const override { return inner_->build(b, o); }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Liar>(inner_->model());
  }
  std::vector<gen::Beat> beats() const override { return inner_->beats(); }

 private:
  std::shared_ptr<const gen::Layer> inner_;
};

TEST(Sets, ANetlistThatDiffersIsTold) {
  gen::NamedLayer layer = layer_of(R"({"type": "popcount", "name": "ones", "bits": 4})");
  layer.layer = std::make_shared<WithLiar>(layer.layer);
  const Sets sets = sets_of(layer);
  try {
    sets.on_netlist({{1, 0, 0, 0, 1, 0, 1, 0}}, 2);
    FAIL() << "no difference";
  } catch (const DesignError& e) {
    EXPECT_STREQ(e.what(), "ones: set 1, sum[0] is 2 on the netlist, 3 by the model");
    EXPECT_EQ(e.code(), code::result_differs);
  }
}

TEST(Sets, ArraysThatAreNoOperands) {
  using gen::config::Array;
  const Sets sets =
      sets_of(layer_of(R"({"type": "dot", "name": "d", "scheme": "wp487-int8", "terms": 2})"));
  const std::string zeros(256, '\0');
  const auto bytes = [&](gen::config::ArrayShape shape, gen::config::NumberType type = {'i', 1}) {
    const std::size_t size = gen::config::count(shape) * type.size;
    return Array{.name = "",
                 .type = type,
                 .shape = std::move(shape),
                 .data = std::string_view(zeros).substr(0, size)};
  };
  const std::string &x = sets.inputs()[0].name, &y = sets.inputs()[1].name;
  const auto said = [&](const std::map<std::string, Array>& arrays) {
    return test::refusal<UsageError>([&] { (void)filled(sets, arrays); });
  };
  EXPECT_EQ(said({{x, bytes({3, 2, 2})}, {y, bytes({3, 1, 2})}}), "not refused");
  EXPECT_EQ(said({{x, bytes({3, 2, 2})}, {y, bytes({3, 1, 2})}, {"z", bytes({3})}}),
            "unknown operand \"z\"; give x (N x 2x2), y (N x 1x2)");
  EXPECT_EQ(said({{x, bytes({3, 2, 2})}}),
            "the operand y is missing; give x (N x 2x2), y (N x 1x2)");
  EXPECT_EQ(said({{x, bytes({3, 2, 2}, {'f', 4})}, {y, bytes({3, 1, 2})}}),
            "x is an array of float32; it must have integers of 8 to 64 bits, or booleans");
  EXPECT_EQ(said({{x, bytes({3, 2, 3})}, {y, bytes({3, 1, 2})}}),
            "x is 3x2x3; it must be Nx2x2, with at least one set");
  EXPECT_EQ(said({{x, bytes({0, 2, 2})}, {y, bytes({0, 1, 2})}}),
            "x is 0x2x2; it must be Nx2x2, with at least one set");
  EXPECT_EQ(said({{x, bytes({3, 2, 2})}, {y, bytes({4, 1, 2})}}),
            "x has 3 sets, but y has 4; all must have the same number");
}

TEST(Sets, NumbersThatAnOperandDoesNotHold) {
  const Sets sets = sets_of(layer_of(R"({"type": "popcount", "name": "ones", "bits": 2})"));
  EXPECT_THROW(sets.on_model({{0, 2}}, 1), UsageError);
  EXPECT_THROW(sets.on_model({{-1, 0}}, 1), UsageError);
}

// Symmetric operands: the plan counts on -128 never being there.
TEST(Sets, NumbersThatAPlanExcludes) {
  const Sets sets = sets_of(layer_of(
      R"({"type": "dot", "name": "d", "terms": 1, "packed": {"bits": 8, "narrow": true}, "shared": {"bits": 8}})"));
  const std::size_t a = sets.inputs()[0].size(), b = sets.inputs()[1].size();
  Sets::Arrays in{std::vector<std::int64_t>(2 * a, -127), std::vector<std::int64_t>(2 * b, -128)};
  EXPECT_EQ(sets.on_netlist(in, 2)[0][0], 127 * 128);
  in[0].back() = -128;
  try {
    sets.on_model(in, 2);
    FAIL() << "-128 was taken";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "d: set 1 has numbers that this layer was not planned for; give operands within "
                 "the ranges of its plan");
  }
}

// Every example of every type either takes sets, and gives the same on both, or says why not.
TEST(Sets, EveryExampleOfEveryType) {
  std::size_t took = 0, refused = 0;
  for (const auto& type : gen::registry().types()) {
    if (!type.files.empty()) continue;  // networks, which tests/cli/run has
    for (const std::string& example : type.examples) {
      SCOPED_TRACE(type.name + ": " + example);
      const gen::NamedLayer layer = layer_of(example);
      try {
        const Sets sets = sets_of(layer);
        Sets::Arrays in;
        for (const Operand& o : sets.inputs()) {
          auto& numbers = in.emplace_back(2 * o.size());
          for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<std::int64_t>(i) % 2;
        }
        const auto out = sets.on_netlist(in, 2);
        EXPECT_EQ(out.size(), sets.outputs().size());
        ++took;
      } catch (const UsageError& e) {
        EXPECT_NE(std::string(e.what()).find("takes no sets of numbers"), std::string::npos)
            << e.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(took, 15u);
  EXPECT_GT(refused, 0u);
}

TEST(Sets, AWishToStopIsHeardAndForgotten) {
  const Sets sets = sets_of(layer_of(R"({"type": "popcount", "bits": 2})"));
  ir::interrupt(2);
  EXPECT_THROW(sets.on_model({{0, 1}}, 1), Interrupted);
  ir::forget_interrupt();
  EXPECT_EQ(sets.on_model({{0, 1}}, 1), (Sets::Arrays{{1}}));
}

}  // namespace sets_test
}  // namespace kumiki::flow

// SPDX-License-Identifier: Apache-2.0
// Layers side by side: what cannot stand beside another is said with the layer to blame.
#include "gen/flow/network.h"

#include <gtest/gtest.h>

#include "gen/layer/layer_error.h"

namespace kumiki::gen {
namespace network_test {

// A wire from one port to another.
class Through : public Layer {
 public:
  Through(std::string module, std::string in) : module_(std::move(module)), in_(std::move(in)) {}
  std::string plan_text() const override { return {}; }
  void write_plan(config::Writer&) const override {}
  Facts facts() const override { return {}; }
  ir::Module& build(Builder& builder, ir::OriginId) const override {
    ir::Module& m = builder.design().add_module(module_);
    Scope s(builder, m);
    s.output("y", s.input<UInt>(in_, 2));
    s.finish();
    return m;
  }
  std::unique_ptr<ir::Machine> model() const override { return nullptr; }

 private:
  std::string module_, in_;
};

std::string refusal(const std::string& first, const std::string& first_port,
                    const std::string& second, const std::string& second_port) {
  std::vector<NamedLayer> layers;
  layers.push_back({first, "wire", {}, std::make_unique<Through>("m1", first_port)});
  layers.push_back({second, "wire", {}, std::make_unique<Through>("m2", second_port)});
  Builder builder;
  try {
    build_network(builder, "top", layers);
  } catch (const LayerError& e) {
    return e.pointer() + ": " + e.message();
  }
  return "built";
}

TEST(Network, PortsOfTwoLayersWithOneName) {
  EXPECT_EQ(refusal("m", "in_data", "m_in", "data"),
            "/layers/1/name: \"m_in\" makes a port m_in_data beside that of /layers/0; give "
            "another name");
  EXPECT_EQ(refusal("M", "IN_data", "m_in", "data"),
            "/layers/1/name: \"m_in\" makes a port m_in_data beside that of /layers/0; give "
            "another name");
  EXPECT_EQ(refusal("m", "in_data", "m_in", "valid"), "built");
}

}  // namespace network_test
}  // namespace kumiki::gen

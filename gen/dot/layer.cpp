// SPDX-License-Identifier: Apache-2.0
#include "gen/dot/layer.h"

#include <fmt/format.h>

#include "gen/dot/build.h"
#include "gen/dot/model.h"
#include "gen/dsl/hierarchy.h"
#include "gen/dsl/model.h"

namespace kumiki::gen::dot {
namespace {

using config::field;

// The proof that breaks is the message.
config::Violations check_length(const Request& request) {
  for (const Proof& proof : prove(request)) {
    if (proof.holds()) continue;
    return {
        {"terms",
         fmt::format("are too many for {}: {} can be {} to {}, {} to {} fits", name(request.scheme),
                     proof.what, proof.low, proof.high, proof.legal_low, proof.legal_high),
         fmt::format("1 to {} is legal", term_limit(8, 18))}};
  }
  return {};
}

class DotLayer : public Layer {
 public:
  explicit DotLayer(const Request& request) : plan_(plan(request)) {}
  std::string plan_text() const override { return to_text(plan_); }
  Json plan_json() const override { return to_json(plan_); }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, dot::build, plan_, plan_.input_shape(), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    DotModel behaviour(plan_.request.terms, plan_.latency, plan_.request.skew == Skew::external);
    return std::make_unique<Model<DotIn, DotOut, DotModel>>(
        plan_.input_shape(), plan_.output_shape(), std::move(behaviour));
  }

 private:
  DotPlan plan_;
};

}  // namespace

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "dot",
      "Two dot products that share an operand: ab = sum a[i]*b[i], db = sum d[i]*b[i].",
      {field("scheme", &Request::scheme)
           .choices({{"wp487-int8", Scheme::wp487_int8,
                      "INT8 pairs at distance 18, increment at the end"}})
           .help("how two products share a slice"),
       field("terms", &Request::terms).required().range(1, 65536).help("products in each sum"),
       field("sharing", &Request::sharing)
           .choices({{"weight", Sharing::weight, "b is a weight, a and d two pixels of one map"},
                     {"input", Sharing::input, "b is a pixel, a and d the weights of two maps"}})
           .help("what the shared operand is"),
       field("skew", &Request::skew)
           .choices(
               {{"internal", Skew::internal, "all terms at once; registers align them"},
                {"external", Skew::external, "term i arrives i clocks later, as inside a matrix"}})
           .help("who aligns the terms with the sum that climbs the column")},
      {check_length}};
  return table;
}

std::unique_ptr<Layer> make_layer(const Request& request) {
  return std::make_unique<DotLayer>(request);
}

}  // namespace kumiki::gen::dot

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/lut_macc/layer.h"

#include <fmt/format.h>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/lut_macc/build.h"
#include "gen/layers/lut_macc/model.h"
#include "gen/layers/lut_macc/reference.h"
#include "ir/arch.h"

namespace kumiki::gen::lut_macc {
namespace {

using config::field;

const config::TableOf<Operand>& operand_table() {
  static const config::TableOf<Operand> table{
      "operand",
      "One factor of every product.",
      {field("bits", &Operand::bits)
           .range(1, ir::arch::dsp48e2.multiplier_a)
           .unit("bits")
           .help("width at the port"),
       field("signed", &Operand::is_signed).help("two's complement")}};
  return table;
}

class MaccLayer : public Layer {
 public:
  explicit MaccLayer(Plan plan) : plan_(std::move(plan)) {}
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override {
    return {.latency = plan_.latency(), .macs_per_clock = plan_.request.terms, .levels = 3};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, lut_macc::build, plan_, plan_.input_shape(), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<MaccIn, MaccOut, MaccModel>>(
        plan_.input_shape(), plan_.output_shape(), MaccModel(plan_));
  }
  std::uint32_t clocks_of_set() const override {
    return plan_.lateness(plan_.request.terms - 1) > 0 ? 0 : 1;
  }
  Definition definition() const override { return reference(plan_); }
  std::vector<Beat> beats() const override {
    const std::int64_t terms = plan_.request.terms;
    std::vector<std::uint32_t> late;
    for (int i = 0; i < plan_.request.terms; ++i)
      late.push_back(static_cast<std::uint32_t>(plan_.lateness(i)));
    const auto port = [&](const char* name, const Operand& o) {
      return Beat{.port = name,
                  .formats = {o},
                  .elements = {{"term", terms}},
                  .of = {{"term", terms, {{"term"}}}},
                  .what = name,
                  .when = {"in_valid", "en"},
                  .late = late};
    };
    return {port("a", plan_.request.a), port("b", plan_.request.b),
            Beat{.port = "sum",
                 .formats = {plan_.sum_format()},
                 .what = "sum",
                 .when = {"out_valid", "en"}}};
  }

 private:
  Plan plan_;
};

}  // namespace

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "lut_macc",
      "A sum of products a * b in LUTs and carry chains, for devices whose slices are used up.",
      {field("terms", &Request::terms).required().range(1, 4096).help("products in the sum"),
       field("a", &Request::a).object(operand_table()).help("the first factors"),
       field("b", &Request::b).object(operand_table()).help("the second factors"),
       field("sum", &Request::sum)
           .choices({{"tree", Sum::tree, "all operands at once; adders in levels"},
                     {"systolic", Sum::systolic,
                      "a chain of adders; from the third on every operand comes a clock later"}})
           .help("how products are added up"),
       field("rows_per_stage", &Request::rows_per_stage)
           .range(1, 14)
           .help("carry chains of a product between two registers: 1 is fastest, more take fewer "
                 "flip-flops and clocks")}};
  return table;
}

std::unique_ptr<Layer> make_layer(const Request& request) {
  auto planned = plan(request);
  if (!planned)
    throw config::Refusal({planned.reason().code, "terms", planned.reason().wrong,
                           "the sum must have at most 63 bits", true});
  return std::make_unique<MaccLayer>(*std::move(planned));
}

config::LayerType layer_type() {
  return {
      .name = "lut_macc",
      .help = "a sum of products in LUTs and carry chains, without a slice",
      .table = &request_table(),
      .plan = plan_with<Request, make_layer>,
      .examples = {
          R"({"type": "lut_macc", "terms": 4, "a": {"bits": 4}, "b": {"bits": 5, "signed": false}})"}};
}

}  // namespace kumiki::gen::lut_macc

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/stored_dot/layer.h"

#include "gen/config/table.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/stored_dot/build.h"
#include "gen/layers/stored_dot/model.h"
#include "gen/layers/stored_dot/reference.h"

namespace kumiki::gen::stored_dot {
namespace {

using config::field;
using packing::Side;
using packing::StoreEnable;
using packing::StoreKind;

class StoredLayer : public Layer {
 public:
  explicit StoredLayer(StoredPlan plan) : plan_(std::move(plan)) {}
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override {
    return {.latency = plan_.latency(),
            .macs_per_clock = plan_.slices() * plan_.results(),
            .slices = plan_.slices(),
            .host = host_facts(plan_),
            .levels = 5};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, stored_dot::build, plan_, plan_.input_shape(), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<StoredIn, StoredOut, StoredModel>>(
        plan_.input_shape(), plan_.output_shape(), StoredModel(plan_));
  }
  // None: weights have a handshake of their own.
  std::uint32_t clocks_of_set() const override { return 0; }
  Definition definition() const override { return reference(plan_); }
  std::vector<Beat> beats() const override { return stored_dot::beats(plan_); }

 private:
  StoredPlan plan_;
};

}  // namespace

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "stored_dot",
      "Chains of products whose weights rest in the slices: the next ones are loaded while the "
      "present ones multiply, without a flip-flop outside the slices.",
      {field("terms", &Request::terms)
           .required()
           .range(1, 4096)
           .help("products in each sum, slices in each chain"),
       field("chains", &Request::chains)
           .range(1, 1024)
           .help("chains side by side that share the enables of their stores"),
       field("operation", &Request::operation)
           .choices({{"product", Operation::product, "sums of x * w"},
                     {"sum", Operation::sum, "sums of (x + d) * w, added in the slice"},
                     {"pair", Operation::pair, "sums of x * w and of d * w, two products a slice"}})
           .help("what a slice does with its weight"),
       field("store", &Request::kind)
           .choices({{"chain", StoreKind::ShiftChain,
                      "weights shift along the cascade through one register and are multiplied "
                      "from the other"},
                     {"two-entries", StoreKind::TwoEntries,
                      "both registers load from a bus, INMODE selects"}})
           .help("how weights come in"),
       field("enable", &Request::enable)
           .choices({{"common", StoreEnable::Common,
                      "one enable: the next load waits until the last slice has swapped"},
                     {"skewed", StoreEnable::Skewed,
                      "an enable a slice: loads follow each other without a gap"}})
           .help("who shifts while a load comes in"),
       field("side", &Request::side)
           .choices({{"b", Side::Shared, "on B, 18 bits"}, {"a", Side::Packed, "on A, 27 bits"}})
           .help("where weights rest"),
       field("weight_bits", &Request::weight_bits)
           .range(1, 27)
           .unit("bits")
           .help("width of the signed weights"),
       field("data_bits", &Request::data_bits)
           .range(1, 27)
           .unit("bits")
           .help("width of the signed x and d"),
       field("tile_cycles", &Request::tile_cycles)
           .range(1, 1 << 30)
           .unit("cycles")
           .absent("the shortest period that the store can keep up")
           .help("cycles for which the same weights are used")}};
  return table;
}

std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target) {
  const auto limits = limits_of(target);
  return std::make_unique<StoredLayer>(plan(request, limits));
}

config::LayerType layer_type() {
  return {.name = "stored_dot",
          .help = "dot products whose weights rest in the slices and are loaded meanwhile",
          .table = &request_table(),
          .families = families_of_dsp48e2(),
          .plan = plan_with<Request, make_layer>,
          .examples = {R"({"type": "stored_dot", "terms": 4, "chains": 2})"}};
}

}  // namespace kumiki::gen::stored_dot

// SPDX-License-Identifier: Apache-2.0
// The plan of chains of products whose weights are loaded into the slices at run time: the keys of
// the layer become an operand store (gen/blocks/packing/store.h, T7) and lanes.
#pragma once
#include <optional>
#include <string>

#include "gen/blocks/packing/store.h"
#include "gen/layer/layer.h"
#include "gen/layers/stored_dot/ports.h"

namespace kumiki::gen::stored_dot {

enum class Operation {
  product,  // x * w
  sum,      // (x + d) * w, the sum in the pre-adder
  pair,     // x * w and d * w in one slice, offset-binary lanes (T1)
};

struct Request {
  int terms = 1;   // slices of a chain
  int chains = 1;  // side by side, with the same enables
  Operation operation = Operation::product;
  packing::StoreKind kind = packing::StoreKind::ShiftChain;
  packing::StoreEnable enable = packing::StoreEnable::Common;
  packing::Side side = packing::Side::Shared;  // where weights rest: Shared is B, Packed is A
  int weight_bits = 8;
  int data_bits = 8;
  std::optional<int> tile_cycles;
  bool operator==(const Request&) const = default;
};

struct StoredPlan {
  Request request;
  packing::StorePlan store;
  int guard = 0;                // pair: G, where the lane of d begins
  std::int64_t low_offset = 0;  // pair: R, what RND adds to the lane of x
  arith::Interval sum;          // of one result
  arith::Certificate lanes;

  bool on_b() const { return request.side == packing::Side::Shared; }
  bool preadder() const { return request.operation != Operation::product; }
  int columns() const;  // weight words of a chain in one clock
  int results() const { return request.operation == Operation::pair ? 2 : 1; }  // of a chain
  int slices() const { return request.terms * request.chains; }
  int multiply_latency() const { return preadder() ? 4 : 3; }
  std::vector<std::uint32_t> lateness() const;  // skew of every operand of a set, enabled clocks
  // Enabled clocks from the first operand of a set to its results.
  int latency() const { return multiply_latency() + store.skew(request.terms - 1); }
  std::int64_t flip_flops_saved() const { return store.registers_saved * request.chains; }

  std::string module_name() const;
  bool operator==(const StoredPlan& other) const;
  StoredIn<Hardware> input_shape() const;
  StoredOut<Hardware> output_shape() const;
};

// What is wrong with a request, at the key to blame; plan() throws it as config::Refusal.
std::optional<config::Violation> complaint(const Request& request,
                                           const packing::Limits& limits = {});
StoredPlan plan(const Request& request, const packing::Limits& limits = {});

std::vector<Beat> beats(const StoredPlan& plan);
std::string to_text(const StoredPlan& plan);
HostFacts host_facts(const StoredPlan& plan);
void write(config::Writer& w, const StoredPlan& plan);

}  // namespace kumiki::gen::stored_dot

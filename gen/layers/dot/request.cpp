// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/request.h"

#include <fmt/format.h>

#include "gen/blocks/packing/schemes/schemes.h"
#include "gen/layers/dot/messages.h"

namespace kumiki::gen::dot {
namespace {

using config::field;

config::Violations check_operand(const Operand& o) {
  const auto terms = o.values ? std::ssize(o.values->front()) : 1;
  const auto wrong = format_of(o).contradiction(terms);
  if (!wrong) return {};
  return {{wrong->code,
           o.values  ? "values"
           : o.range ? "range"
                     : "bits",
           fmt::format("contradicts the operand: operand: {}", to_string(*wrong)),
           "give values of so many bits"}};
}

config::Violations check_lengths(const Request& request) {
  config::Violations all;
  const auto side = [&](const char* key, const Operand& o) {
    if (o.values && static_cast<std::int64_t>(o.values->front().size()) != request.terms)
      all.push_back({code::values_per_term, key,
                     fmt::format("has rows of {} known values for {} terms",
                                 o.values->front().size(), request.terms),
                     fmt::format("give rows of {}", request.terms)});
  };
  side("packed/values", request.packed);
  side("shared/values", request.shared);
  if (request.cycles && *request.cycles > request.terms)
    all.push_back({code::more_cycles_than_terms, "cycles",
                   fmt::format("is more than the {} terms", request.terms),
                   fmt::format("must be 1 to {}", request.terms)});
  return all;
}

}  // namespace

packing::OperandFormat format_of(const Operand& o) {
  packing::OperandFormat f{.bits = o.bits, .is_signed = o.is_signed, .narrow = o.narrow};
  if (o.range) f.range = {o.range->at(0), o.range->at(1)};
  if (o.values) f.values = *o.values;
  return f;
}

std::vector<config::Choice<packing::Scheme>> scheme_choices() {
  std::vector<config::Choice<packing::Scheme>> all;
  for (const auto& entry : packing::scheme_table())
    all.push_back({entry.name, entry.scheme, entry.title});
  return all;
}

std::vector<config::Choice<packing::Objective>> wish_choices() {
  return {{"fewest-slices", packing::Objective::FewestSlices, "most products a slice"},
          {"no-lut", packing::Objective::NoLut, "nothing but wires outside the slices"},
          {"shortest-latency", packing::Objective::ShortestLatency, "results soonest"},
          {"least-area", packing::Objective::LeastArea,
           "slices and LUTs together, a slice as the LUTs that devices have for each"}};
}

const config::TableOf<Operand>& operand_table() {
  static const config::TableOf<Operand> table{
      "operand",
      "What is known about an operand before it is packed.",
      {field("bits", &Operand::bits)
           .range(1, ir::arch::dsp48e2.multiplier_a)
           .unit("bits")
           .help("width at the port"),
       field("signed", &Operand::is_signed).help("two's complement"),
       field("narrow", &Operand::narrow)
           .help("signed without its lowest value: -127 to 127 of 8 bits"),
       field("range", &Operand::range)
           .length(2, 2)
           .absent("all that the bits hold")
           .help("the lowest and the highest value that occur"),
       field("values", &Operand::values)
           .rows(1, 18)
           .columns(1, 65536)
           .or_file()
           .absent("they come through a port")
           .help("known values, a row for every operand of the slice, one entry a term")},
      {check_operand}};
  return table;
}

const config::TableOf<packing::Tuning>& tuning_table() {
  using packing::Tuning;
  const auto open = "chosen by the scheme";
  static const config::TableOf<Tuning> table{
      "tuning",
      "What may be fixed by hand.",
      {field("guard", &Tuning::guard)
           .range(1, 47)
           .unit("bits")
           .absent(open)
           .help("G, the distance of two lanes"),
       field("segment", &Tuning::segment)
           .range(1, 65536)
           .absent(open)
           .help("N, terms of a chain before its lanes are separated or relieved"),
       field("packed_count", &Tuning::packed_count)
           .range(1, 18)
           .absent(open)
           .help("operands on the 27-bit side"),
       field("shared_count", &Tuning::shared_count)
           .range(1, 18)
           .absent(open)
           .help("operands on the 18-bit side"),
       field("centre_packed", &Tuning::centre_packed)
           .absent(open)
           .help("multiply unsigned packed operands as signed ones"),
       field("centre_shared", &Tuning::centre_shared)
           .absent(open)
           .help("multiply unsigned shared operands as signed ones"),
       field("chains_per_drain", &Tuning::chains_per_drain)
           .range(1, 2)
           .absent(open)
           .help("shared-drain: chains that one drain slice adds up"),
       field("macc_slices", &Tuning::macc_slices)
           .range(1, 65536)
           .absent(open)
           .help("wp486-macc: slices that share the terms"),
       field("watch_bits", &Tuning::watch_bits)
           .range(1, 3)
           .absent(open)
           .help("wrap-counter: top bits that are compared"),
       field("look_period", &Tuning::look_period)
           .range(1, 65536)
           .absent(open)
           .help("carry-lane: products between two looks at the low lane"),
       field("canary_bits", &Tuning::canary_bits)
           .range(1, 3)
           .absent(open)
           .help("canary: bits that are compared at the foot of a lane")}};
  return table;
}

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "dot",
      "Packed dot products: every slice multiplies several packed operands x with shared ones y; "
      "each pair has a sum over the terms.",
      {field("scheme", &Request::scheme)
           .choices(scheme_choices())
           .absent("the best for the objective")
           .help("how products share a slice"),
       field("terms", &Request::terms).required().range(1, 65536).help("products in each sum"),
       field("packed", &Request::packed)
           .object(operand_table())
           .help("operands on the 27-bit side, two or more of them in a slice (a and d of WP487)"),
       field("shared", &Request::shared)
           .object(operand_table())
           .help("operands on the 18-bit side, which all packed ones meet (b of WP487)"),
       field("sharing", &Request::sharing)
           .choices({{"weight", Sharing::weight, "y is a weight, the x are pixels of one map"},
                     {"input", Sharing::input, "y is a pixel, the x are weights of several maps"}})
           .help("what the shared operand is"),
       field("skew", &Request::skew)
           .choices({{"internal", packing::Skew::Internal,
                      "all terms of a cycle at once; registers align them"},
                     {"external", packing::Skew::External,
                      "every term when its slice wants it, as inside a matrix"}})
           .help("who aligns the terms with the sum that climbs the column"),
       field("clocking", &Request::clocking)
           .choices(
               {{"single", Clocking::single, "one clock, clk"},
                {"double", Clocking::twice,
                 "the slices run on clk2x, twice as fast as clk and in phase with it: y has "
                 "twice as many operands, of which a slice meets one in each half of a clock"}})
           .help("the clock of the slices"),
       field("cycles", &Request::cycles)
           .range(1, 65536)
           .absent("1, or what the scheme needs")
           .help("clocks over which the terms of a set may be spread"),
       field("objective", &Request::objective)
           .choices(wish_choices())
           .help("what the planner looks for first"),
       field("offset_results", &Request::offset_results)
           .help("results still have the constants of the packing in them (the plan says which); "
                 "the consumer takes them off with its own bias"),
       field("tuning", &Request::tuning).object(tuning_table()).help("what may be fixed by hand")},
      {check_lengths}};
  return table;
}

packing::Request packing_request(const Request& r) {
  return {.packed = format_of(r.packed),
          .shared = format_of(r.shared),
          .terms = r.terms,
          .cycles = r.cycles,
          .objective = r.objective,
          .offset_results = r.offset_results,
          .tuning = r.tuning,
          .asked_for = tuning_table().present(&r.tuning)};
}

}  // namespace kumiki::gen::dot

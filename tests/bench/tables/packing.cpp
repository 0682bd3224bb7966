// SPDX-License-Identifier: Apache-2.0
// `bench packing`: one dot product in every packing scheme side by side. Everything is counted on
// the netlist; a row says exact only if its plan is proved and its netlist has run in lockstep.
#include <fmt/format.h>

#include "gen/blocks/packing/hardware/sum.h"
#include "gen/flow/network.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/dot/plan.h"
#include "gen/layers/lut_macc/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/trial.h"

namespace kumiki::cli {
namespace packing_table {
namespace {

struct Options {
  std::vector<std::int64_t> terms{7, 8, 9, 64, 256};
  std::string skew = "external";  // internal, both
  ir::Family family = ir::Family::ultrascale_plus;
  TrialOptions trial;
};

using gen::dot::Operand;
using gen::dot::Request;
using gen::packing::Scheme;
using gen::packing::Skew;

struct Entry {
  const char* note;
  Request request;
};

Operand s(int bits) { return {.bits = bits}; }
Operand u(int bits) { return {.bits = bits, .is_signed = false}; }
Operand narrow(int bits) { return {.bits = bits, .narrow = true}; }

std::vector<Entry> entries() {
  return {
      {"", {.scheme = Scheme::Wp487Int8}},
      {"", {.scheme = Scheme::Wp487Int8Dsp}},
      {"", {.scheme = Scheme::Wp487Int8Lut}},
      {"", {.scheme = Scheme::Wp487Uint8, .packed = u(8)}},
      {"", {.scheme = Scheme::Wp487Uint8Dsp, .packed = u(8)}},
      {"", {.scheme = Scheme::Wp486Macc}},
      {"", {.scheme = Scheme::OffsetBinary}},
      {"", {.scheme = Scheme::SharedDrain}},
      {"narrow", {.scheme = Scheme::SharedDrain, .packed = narrow(8)}},
      {"", {.scheme = Scheme::CarryLane}},
      {"", {.scheme = Scheme::CarryLaneDrain}},
      {"", {.scheme = Scheme::CarryLooks}},
      {"narrow", {.scheme = Scheme::CarryLooks, .packed = narrow(8)}},
      {"", {.scheme = Scheme::WrapCounter}},
      {"narrow", {.scheme = Scheme::WrapCounter, .packed = narrow(8)}},
      {"", {.scheme = Scheme::Single}},
      {"27x18", {.scheme = Scheme::Single, .packed = s(27), .shared = s(18)}},
      {"", {.scheme = Scheme::FourLane, .packed = s(4), .shared = u(4)}},
      {"offset",
       {.scheme = Scheme::FourLane, .packed = s(4), .shared = u(4), .offset_results = true}},
      {"", {.scheme = Scheme::CarryLooks, .packed = s(4), .shared = u(4)}},
      {"offset",
       {.scheme = Scheme::CarryLooks, .packed = s(4), .shared = s(4), .offset_results = true}},
      {"drained",
       {.scheme = Scheme::SharedDrain,
        .packed = s(4),
        .shared = u(4),
        .tuning = {.packed_count = 2, .shared_count = 2}}},
      {"", {.scheme = Scheme::Canary, .packed = s(6), .shared = u(6)}},
      {"", {.scheme = Scheme::Canary, .packed = s(5), .shared = u(5)}},
      {"W4A8", {.scheme = Scheme::Canary, .packed = s(4), .shared = u(8)}},
      {"", {.scheme = Scheme::Canary, .packed = s(4), .shared = u(4)}},
      {"", {.scheme = Scheme::Canary, .packed = s(3), .shared = u(3)}},
      {"", {.scheme = Scheme::Canary, .packed = s(2), .shared = u(2)}},
  };
}

std::string operand_name(const Operand& o) {
  return fmt::format("{}{}", o.is_signed ? "S" : "U", o.bits);
}

// The content of a row, from any generator.
struct Subject {
  std::string scheme, note, a, b;
  int a_bits, b_bits;
  std::int64_t cycles, latency;
  double macs;  // in a clock
  bool proved;
  gen::NamedLayer layer;
};

// Empty if the plan is refused: a single chain of the white papers has a maximum length.
std::optional<Subject> subject(const Entry& entry, std::int64_t terms, Skew skew,
                               ir::Family family) {
  Request request = entry.request;
  request.terms = terms;
  request.skew = skew;
  const auto plan = gen::dot::plan(request, gen::packing::Limits::of(family));
  if (!plan) return {};
  const auto& p = plan->packing;
  return Subject{.scheme = gen::packing::to_string(p.scheme),
                 .note = entry.note,
                 .a = operand_name(request.packed),
                 .b = operand_name(request.shared),
                 .a_bits = request.packed.bits,
                 .b_bits = request.shared.bits,
                 .cycles = p.cycles(),
                 .latency = p.latency,
                 .macs = static_cast<double>(p.macs()) / static_cast<double>(p.cycles()),
                 .proved = p.certificate.holds(),
                 .layer = {"dot", "dot", {}, gen::dot::make_layer(request, {.family = family})}};
}

// WP486's other way, without a slice: a chain if operands come skewed, otherwise a tree.
std::optional<Subject> lut_subject(std::int64_t terms, Skew skew) {
  using gen::lut_macc::Sum;
  if (terms > 4096) return {};
  const gen::lut_macc::Request request{.terms = static_cast<int>(terms),
                                       .sum = skew == Skew::External ? Sum::systolic : Sum::tree};
  const auto plan = *gen::lut_macc::plan(request);
  return Subject{.scheme = "lut-macc",
                 .note = "",
                 .a = "S8",
                 .b = "S8",
                 .a_bits = 8,
                 .b_bits = 8,
                 .cycles = 1,
                 .latency = plan.latency(),
                 .macs = static_cast<double>(terms),
                 .proved = plan.certificate.holds(),
                 .layer = {"macc", "lut_macc", {}, gen::lut_macc::make_layer(request)}};
}

Result row(Subject subject, std::int64_t terms, Skew skew, const Options& options,
           const backends::Cache& cache) {
  // Folded sets take several cycles: this gives every row some dozens of results.
  const auto [total, exact, saved] =
      try_layer(std::move(subject.layer), options.trial, cache, 2000, 2, options.family);
  const auto luts = total.luts + total.lut_rams;
  Cell mac_per_slice;  // unknown without slices
  if (total.dsps != 0) mac_per_slice = subject.macs / static_cast<double>(total.dsps);
  return {{"scheme", subject.scheme},
          {"note", subject.note},
          {"a", subject.a},
          {"b", subject.b},
          {"a_bits", subject.a_bits},
          {"b_bits", subject.b_bits},
          {"terms", terms},
          {"skew", skew == Skew::External ? "external" : "internal"},
          {"cycles", subject.cycles},
          {"slices", total.dsps},
          {"luts", luts},
          {"luts_with_adders", luts + saved},
          {"ffs", total.ffs},
          {"carries", total.carry_bits},
          {"mac_per_slice", mac_per_slice},
          {"lut_per_mac", static_cast<double>(luts) / subject.macs},
          {"latency", subject.latency},
          {"exact", exact && subject.proved}};
}

void print(const Results& rows) {
  fmt::print(
      "{:15} {:8} {:>4} {:>4} {:>6} {:9} {:>6} {:>7} {:>6} {:>6} {:>6} {:>8} {:>10} {:>8} {:>8} "
      "{}\n",
      "scheme", "", "a", "b", "terms", "skew", "cycles", "slices", "LUT", "adders", "FF", "CARRY",
      "MAC/slice", "LUT/MAC", "latency", "exact");
  for (const auto& r : rows)
    fmt::print(
        "{:15} {:8} {:>4} {:>4} {:>6} {:9} {:>6} {:>7} {:>6} {:>6} {:>6} {:>8} {:>10} {:>8.3f} "
        "{:>8} "
        "{}\n",
        r["scheme"].text(), r["note"].text(), r["a"].text(), r["b"].text(), r["terms"].integer(),
        r["skew"].text(), r["cycles"].integer(), r["slices"].integer(), r["luts"].integer(),
        r["luts_with_adders"].integer(), r["ffs"].integer(), r["carries"].integer(),
        r["mac_per_slice"].is_known() ? fmt::format("{:.3f}", r["mac_per_slice"].number())
                                      : std::string("-"),
        r["lut_per_mac"].number(), r["latency"].integer(), r["exact"].flag() ? "yes" : "NO");
}

int run(const Options& options, flow::Context& context) {
  Results rows;
  const auto add = [&](std::optional<Subject> one, std::int64_t terms, Skew skew) {
    if (one) rows.push_back(row(std::move(*one), terms, skew, options, context.cache()));
  };
  std::vector<Skew> skews;
  if (options.skew != "internal") skews.push_back(Skew::External);
  if (options.skew != "external") skews.push_back(Skew::Internal);
  for (const std::int64_t terms : options.terms) {
    for (const Entry& entry : entries())
      for (const Skew skew : skews) add(subject(entry, terms, skew, options.family), terms, skew);
    for (const Skew skew : skews) add(lut_subject(terms, skew), terms, skew);
  }
  return finish(rows, options.trial.json, print);
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  number(app, "--terms", o->terms, {1, 65536}, "lengths (default: 7 8 9 64 256)");
  app.add_option("--skew", o->skew, "who aligns the operands")
      ->check(CLI::IsMember({"external", "internal", "both"}))
      ->capture_default_str();
  add_family(app, o->family);
  add_trial(app, o->trial, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace packing_table

Command bench_packing() {
  return {"packing", "dot products by every packing scheme: slices, LUTs and MACs a slice",
          packing_table::declare};
}

}  // namespace kumiki::cli

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/const_matrix/layer.h"

#include <fmt/format.h>

#include "gen/arith/certificate.h"
#include "gen/blocks/compressor/build.h"
#include "gen/blocks/const_matrix/build.h"
#include "gen/blocks/const_matrix/stages.h"
#include "gen/layers/common/write.h"
#include "gen/layers/compressor/tree.h"
#include "gen/layers/const_matrix/reference.h"
#include "ir/arch.h"
#include "ir/resources.h"

namespace kumiki::gen::const_matrix {
namespace {

std::string size(const Plan& p) {
  return fmt::format("{} x {}", p.task.rows.size(), p.task.rows[0].size());
}

ir::Module& build(Builder& builder, const Plan& p, ir::OriginId origin) {
  return compressor::build_datapath(
      builder, origin, p.datapath(), [&](Scope& s, const std::vector<UInt>& x, Net enable) {
        const auto y = build_network(s, p.solution.network, x, enable);
        std::vector<Net> all;
        for (const UInt& word : y) all.insert(all.end(), word.nets().begin(), word.nets().end());
        return bits(s, all);
      });
}

class MatrixLayer : public Layer {
 public:
  explicit MatrixLayer(Plan plan) : plan_(std::move(plan)) {}

  std::string plan_text() const override {
    const auto path = plan_.datapath();
    return fmt::format(
        "matrix       {}, {} digits that are not 0\n"
        "network      {} chains, {} tables, {} LUTs, {} flip-flops; the smallest of {}\n"
        "outputs      {} bits, {}\n"
        "latency      {}\n",
        size(plan_), plan_.solution.digits, plan_.chains(), plan_.tables(), plan_.luts, plan_.ffs,
        plan_.solution.tried, path.out.width, path.out.is_signed ? "signed" : "unsigned",
        path.latency == 0 ? "combinational"
                          : fmt::format("{} clocks, at most {} levels between registers",
                                        path.latency, plan_.levels()));
  }
  void write_plan(config::Writer& w) const override {
    const auto path = plan_.datapath();
    w.member("outputs", plan_.task.rows.size());
    w.member("inputs", plan_.task.rows[0].size());
    w.member("digits", plan_.solution.digits);
    w.member("chains", plan_.chains());
    w.member("tables", plan_.tables());
    w.member("luts", plan_.luts);
    w.member("ffs", plan_.ffs);
    w.member("networks_tried", plan_.solution.tried);
    w.member("output_bits", path.out.width);
    w.member("output_signed", path.out.is_signed);
    w.member("latency", path.latency);
    w.member("levels", plan_.levels());
    w.member("results_per_cycle", plan_.task.rows.size());
    arith::Certificate certificate;
    const arith::Format format{static_cast<int>(path.out.width), path.out.is_signed};
    for (std::size_t m = 0; m < plan_.task.rows.size(); ++m) {
      arith::Interval sum;
      for (const std::int64_t f : plan_.task.rows[m])
        sum = sum + plan_.task.input.range() * arith::Exact{f};
      certificate.within(fmt::format("y[{}]", m), sum, format.range());
    }
    w.member("proofs", certificate);
  }
  Facts facts() const override {
    Facts all{.latency = plan_.datapath().latency,
              .macs_per_clock = static_cast<double>(plan_.task.rows.size()) *
                                static_cast<double>(plan_.task.rows[0].size())};
    if (all.latency != 0) all.levels = plan_.levels();
    return all;
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return const_matrix::build(builder, plan_, origin);
  }
  Definition definition() const override { return reference(plan_); }
  std::vector<Beat> beats() const override { return compressor::beats(plan_.datapath()); }

  // By definition: the matrix times the vector.
  std::unique_ptr<ir::Machine> model() const override {
    return compressor::datapath_model(plan_.datapath(),
                                      [rows = plan_.task.rows](const compressor::WordValues& x) {
                                        compressor::WordValues y;
                                        for (const Factors& row : rows) {
                                          std::int64_t sum = 0;
                                          for (std::size_t i = 0; i < x.size(); ++i)
                                            sum += row[i] * x[i];
                                          y.push_back(sum);
                                        }
                                        return y;
                                      });
  }

 private:
  Plan plan_;
};

std::unique_ptr<Layer> make(const Request& request, const config::Target& target) {
  return make_layer(request, target);
}

}  // namespace

compressor::Datapath Plan::datapath() const {
  const Network& n = solution.network;
  const auto inputs = static_cast<std::uint32_t>(task.rows[0].size());
  return {.module =
              fmt::format("const_matrix_{}x{}_{}", task.rows.size(), inputs, to_string(task.input)),
          .about = fmt::format("{} constants times {} words, latency {}", task.rows.size() * inputs,
                               inputs, n.latency),
          .in = {{"x", inputs, static_cast<std::uint32_t>(task.input.bits), task.input.is_signed}},
          .out = {"y", static_cast<std::uint32_t>(task.rows.size()),
                  static_cast<std::uint32_t>(n.output_bits()), n.output_is_signed()},
          .latency = static_cast<unsigned>(n.latency)};
}

int Plan::chains() const { return static_cast<int>(solution.network.count(Kind::chain)); }
int Plan::tables() const { return static_cast<int>(solution.network.count(Kind::table)); }
int Plan::levels() const {
  return levels_between(solution.network, ir::arch::of(family).carry_positions);
}

Plan plan(const Request& request, const config::Target& target) {
  Plan p{.task = task_of(request), .family = target.family};
  try {
    require_narrow(p.task);
  } catch (const DesignError& e) {
    throw config::Refusal("bits", e,
                          fmt::format("outputs must have at most {} bits", most_output_bits));
  }
  auto solution = solve(p.task);
  // Fewer clocks need more levels between registers; if a user specifies neither, the limit is
  // three.
  constexpr int most_levels = 64;
  while (!solution && !request.levels && p.task.levels < most_levels) {
    if (!(p.task.pairs = !p.task.pairs)) ++p.task.levels;
    solution = solve(p.task);
  }
  if (!solution)
    throw config::Refusal({code::out_of_range, "latency", "is less than any adder network has",
                           fmt::format("must be at least {}", shortest_latency(p.task))});
  p.solution = std::move(*solution);
  // Unused cells are only removed when the netlist is complete.
  Builder scratch(p.family);
  const ir::Module& m = build(scratch, p, {});
  p.luts = ir::own_cost(m).luts;
  for (const ir::Cell& c : m.cells()) p.ffs += ir::prototype(c.kind).cost(m.view(c)).ffs;
  return p;
}

std::unique_ptr<Layer> make_layer(Plan plan) {
  return std::make_unique<MatrixLayer>(std::move(plan));
}
std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target) {
  return make_layer(plan(request, target));
}

config::LayerType layer_type() {
  return {
      .name = "const_matrix",
      .help = "a constant matrix times a vector in LUTs, sums shared between outputs",
      .table = &request_table(),
      .plan = plan_with<Request, make>,
      .searches = true,
      .examples = {
          R"({"type": "const_matrix", "outputs": 2, "inputs": 3, "bits": 4, "weights": [[3, -5, 7], [-1, 6, 0]]})",
          R"({"type": "const_matrix", "outputs": 4, "inputs": 4, "bits": 3, "signed": false, "weights_from": "random", "weight_bits": 5, "latency": 0})"}};
}

}  // namespace kumiki::gen::const_matrix

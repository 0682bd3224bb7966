// SPDX-License-Identifier: Apache-2.0
// The estimate of clocks against what an open flow has placed and routed, and the levels that
// generators promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "backends/fabric/slices.h"
#include "backends/timing/analysis.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/context.h"
#include "gen/flow/project.h"
#include "gen/layers/matrix/layer.h"
#include "ir/resources.h"
#include "ir/text.h"
#include "tests/support/cache.h"
#include "tests/support/example.h"
#include "tests/support/fields.h"
#include "tests/support/seed.h"

namespace kumiki::flow {
namespace clock_test {

namespace fs = std::filesystem;
namespace timing = backends::timing;

const fs::path vectors = fs::path(KUMIKI_TEST_DIR) / "vectors" / "timing",
               placed = fs::path(KUMIKI_TEST_DIR) / "vectors" / "placed";

// Ranks from 0 on; equals share the middle of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> r;
  for (const double v : values) {
    const auto below = std::ranges::count_if(values, [&](double o) { return o < v; });
    const auto same = std::ranges::count(values, v);
    r.push_back(static_cast<double>(below) + static_cast<double>(same - 1) / 2);
  }
  return r;
}

// Spearman: the correlation of the ranks.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ra = ranks(a), rb = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (ra[i] - mean) * (rb[i] - mean);
    aa += (ra[i] - mean) * (ra[i] - mean);
    bb += (rb[i] - mean) * (rb[i] - mean);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Clock, RankCorrelationIsSpearmans) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

double estimated(const ir::Design& design) {
  const timing::Netlist netlist(design);
  return timing::analyse(netlist, {.paths = 0}).worst / 1000.0;
}

struct Row {
  std::string design;  // a layer of designs.json, or "naive NAME" for NAME.txt
  double routed = 0, old = 0;
  std::uint64_t lut_cells = 0, sites = 0, carry4 = 0, slices = 0;  // that were placed
  double now = 0;
};

std::vector<Row> measured() {
  std::vector<Row> rows;
  std::ifstream file(vectors / "routed.csv");
  std::string line;
  std::getline(file, line);  // the names of the columns
  while (std::getline(file, line)) {
    const std::vector<std::string> f = tests::fields(line);
    rows.push_back({.design = f.at(0),
                    .routed = std::stod(f.at(1)),
                    .old = std::stod(f.at(2)),
                    .lut_cells = std::stoull(f.at(3)),
                    .sites = std::stoull(f.at(4)),
                    .carry4 = std::stoull(f.at(5)),
                    .slices = std::stoull(f.at(6))});
  }
  return rows;
}

// 31 combinational designs on 7 series fabric. The table of delays that plans trees gave
// 0.93 for the same designs; the estimate with wires by their fan-out must not be worse.
TEST(Clock, RanksDesignsAsPlaceAndRouteDoes) {
  auto rows = measured();
  ASSERT_EQ(rows.size(), 31u);
  Project project((vectors / "designs.json").string());
  for (const auto& l : project.network.layers) {
    const auto row = std::ranges::find(rows, l.layer->name, &Row::design);
    ASSERT_NE(row, rows.end()) << l.layer->name;
    project.builder.design().set_top(l.module);
    row->now = estimated(project.design());
  }
  std::vector<double> routed, before, now;
  double squares = 0;  // of the logarithms of the ratios
  for (Row& row : rows) {
    if (row.now == 0)
      row.now = estimated(*ir::parse(text_of(vectors / (row.design + ".txt")), row.design));
    routed.push_back(row.routed);
    before.push_back(row.old);
    now.push_back(row.now);
    RecordProperty(row.design, std::to_string(row.now));
    // An estimate of a delay as well, on fabric of -1: within a quarter of what was routed, and a
    // twelfth as the mean.
    EXPECT_GT(row.now, row.routed * 0.86) << row.design;
    EXPECT_LT(row.now, row.routed * 1.25) << row.design;
    const double off = std::log(row.now / row.routed);
    squares += off * off;
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(rows.size())), std::log(1 + 1 / 12.0));
  const double old_rank = rank_correlation(before, routed), rank = rank_correlation(now, routed);
  EXPECT_GE(old_rank, 0.92);
  EXPECT_GE(rank, old_rank) << "was " << old_rank;
}

struct Placed {
  std::string design;
  double sites = 0, ns = 0;
};

// Designs of ours in tests/vectors/placed that have registers and are soon made.
std::vector<Placed> placed_with_registers() {
  std::vector<Placed> all;
  std::ifstream file(placed / "placed.csv");
  std::string line;
  std::getline(file, line);  // the names of the columns
  while (std::getline(file, line)) {
    const std::vector<std::string> f = tests::fields(line);
    const bool has_registers = std::stod(f.at(10)) > 0;
    if (f[1] == "kumiki" && f[2] == f[0] + ".json" && has_registers &&
        (test::long_form() || !f[0].starts_with("const_matrix")))
      all.push_back({f[0], std::stod(f[5]), std::stod(f[7])});
  }
  return all;
}

// A CARRY4 has one pin for the carry into its first position and for a net on DI there. So DI must
// come out of the LUT that gives S, which has five inputs for that.
bool fits_a_slice(const timing::Netlist& netlist, std::uint32_t carry) {
  const auto is_constant = [](std::uint32_t net) {
    return net == ir::net_zero.index || net == ir::net_one.index;
  };
  constexpr std::uint32_t cyinit = 1, di = 2, s = 6;
  if (is_constant(netlist.input(carry, cyinit)) || is_constant(netlist.input(carry, di)))
    return true;
  const std::uint32_t lut = netlist.driver[netlist.input(carry, s)];
  return netlist.driver[netlist.input(carry, di)] == lut ||
         netlist.cell(lut).kind != ir::Kind::lut6;
}

TEST(Clock, TheFirstPositionOfACarryFitsASlice) {
  std::size_t carries = 0;
  for (const Placed& row : placed_with_registers()) {
    SCOPED_TRACE(row.design);
    const Project project((placed / (row.design + ".json")).string());
    const timing::Netlist netlist(project.design());
    for (std::uint32_t c = 0; c < netlist.flat.cells.size(); ++c)
      if (netlist.cell(c).kind == ir::Kind::carry4) {
        EXPECT_TRUE(fits_a_slice(netlist, c));
        ++carries;
      }
  }
  EXPECT_GT(carries, 100u);
}

// The longest wires of a placed design are longer than those that an estimate knows: without
// `far` the root mean square is above a third.
TEST(Clock, KnowsThatRegistersAreFarApart) {
  const std::vector<Placed> rows = placed_with_registers();
  ASSERT_GE(rows.size(), 12u);
  double squares = 0;
  for (const Placed& row : rows) {
    SCOPED_TRACE(row.design);
    const Project project((placed / (row.design + ".json")).string());
    const double ns = estimated(project.design());
    EXPECT_GT(ns, row.ns * 0.7);
    EXPECT_LT(ns, row.ns * 1.4);
    const double off = std::log(ns / row.ns);
    squares += off * off;
    const timing::Netlist netlist(project.design());
    const auto packed = backends::fabric::pack(netlist);
    // A placer brings bits into chains without a LUT where we count one.
    EXPECT_GE(static_cast<double>(packed.sites), row.sites * 0.99);
    EXPECT_LE(static_cast<double>(packed.sites), row.sites * 1.17);
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(rows.size())), std::log(1.2));
}

// The same designs: the LUT sites that they took when they were placed, feeds of carry chains among
// them. Trees that are found today may have other LUTs than those that were placed.
TEST(Clock, CountsSitesAsPlacementDoes) {
  Project project((vectors / "designs.json").string());
  std::size_t carry_bound = 0;
  for (const Row& row : measured()) {
    SCOPED_TRACE(row.design);
    const auto layer = std::ranges::find_if(project.network.layers, [&](const gen::BuiltLayer& l) {
      return l.layer->name == row.design;
    });
    std::unique_ptr<ir::Design> read;
    if (layer != project.network.layers.end())
      project.builder.design().set_top(layer->module);
    else
      read = ir::parse(text_of(vectors / (row.design + ".txt")), row.design);
    const ir::Design& design = read ? *read : project.design();
    const bool is_naive = row.design.find('-') != std::string::npos;
    const timing::Netlist netlist(design);
    const auto packed = backends::fabric::pack(netlist, {.pairs = is_naive});
    const ir::Cost cost = ir::count_resources(design).total;
    const std::uint64_t cells = cost.luts - packed.feeds;
    if (is_naive) {
      // Its pairs are counted in its favour, and not without measure.
      EXPECT_LE(packed.sites, row.sites);
      EXPECT_GE(packed.sites * 100, row.sites * 83);
    } else {
      EXPECT_EQ(packed.sites, cost.luts);
      EXPECT_NEAR(static_cast<double>(packed.sites) - static_cast<double>(cells),
                  static_cast<double>(row.sites) - static_cast<double>(row.lut_cells), 2);
    }
    // That placer does not pack for area, except where carry chains leave it no choice.
    EXPECT_LE(packed.slices, row.slices);
    EXPECT_GE(packed.slices * 4, packed.sites);
    if (is_naive || row.carry4 * 10 < row.slices * 9) continue;
    EXPECT_GE(packed.slices * 100, row.slices * 90);
    ++carry_bound;
  }
  EXPECT_GE(carry_bound, 5u);
}

// Trees that were found in an earlier run are not looked for again.
flow::Context& context() {
  static flow::Context kept(backends::Cache(test::shared_cache));
  return kept;
}

// What is counted module by module is what stands in the slices of the flat netlist: no LUT is
// brought to a carry chain of another module.
void expect_counted(const timing::Netlist& netlist, const std::string& name) {
  const ir::Cost cost = ir::count_resources(*netlist.flat.design).total;
  const auto packed = backends::fabric::pack(netlist);
  EXPECT_EQ(packed.sites, std::uint64_t{cost.luts} + cost.lut_rams) << name;
  const bool is_old = netlist.flat.design->family() == ir::Family::series7;
  const std::uint64_t luts = is_old ? 4 : 8, ffs = is_old ? 8 : 16;
  EXPECT_GE(packed.slices * luts, packed.sites) << name;
  EXPECT_GE(packed.slices * ffs, cost.ffs) << name;
  EXPECT_GE(packed.slices * luts, cost.carry_bits) << name;
}

// Of every layer of a file: no more levels than its plan promises. A layer without a clock
// promises nothing, every other one does.
void expect_promise(const gen::NamedLayer& layer, ir::Family family) {
  gen::Builder builder(family, {});
  const ir::Module& m = layer.layer->build(builder, layer.origin);
  builder.design().set_top(m.id());
  const timing::Netlist netlist(builder.design());
  const backends::Depth depth = backends::logic_depth(netlist);
  const auto promised = layer.layer->facts().levels;
  EXPECT_EQ(promised.has_value(), m.find_port(ir::clock_port) != nullptr) << layer.name;
  expect_counted(netlist, layer.name);
  if (!promised) return;
  std::string path;
  for (const auto& cell : depth.path) path += "\n  " + cell;
  EXPECT_LE(static_cast<int>(depth.total()), *promised) << layer.name << path;
}

void expect_promises(const std::vector<gen::NamedLayer>& layers, ir::Family family) {
  for (gen::NamedLayer l : layers) {
    expect_promise(l, family);
    if (!gen::axi_stream::wrap(l.layer, family)) continue;
    l.name += ", streams";
    expect_promise(l, family);
  }
}

TEST(Levels, NoExampleOfATypeHasMoreThanPromised) {
  for (const auto& type : gen::registry().types())
    for (const std::string& example : type.examples) {
      SCOPED_TRACE(example);
      const auto file = test::write_example(fs::path(KUMIKI_TEST_TMP) / "levels", type, example);
      const Plans plans(file.string(), {.context = context()});
      expect_promises(plans.layers, plans.document.target.family);
    }
}

// Every scheme as a column, on one clock and on two, with one word in a set and with many, and with
// operands for which its results are made in LUTs.
TEST(Levels, NoSchemeOfAMatrixHasMoreThanThree) {
  using gen::packing::OperandFormat;
  const std::vector<std::pair<OperandFormat, OperandFormat>> formats{
      {{8, true}, {8, true}},  {{8, false}, {8, true}}, {{8, false}, {.narrow = true}},
      {{4, false}, {4, true}}, {{2, true}, {2, true}},  {{18, true}, {18, true}}};
  std::vector<gen::matrix::MatrixRequest> all;
  for (const auto scheme : gen::packing::all_schemes())
    for (const auto& [activations, weights] : formats)
      for (const auto& [channels, kernel] : {std::pair{8, 1}, {8, 3}, {40, 3}})
        for (const bool is_double : {false, true})
          for (const auto sharing : {gen::matrix::Sharing::Weight, gen::matrix::Sharing::Input})
            all.push_back({.shape = {.in_channels = channels,
                                     .height = 3,
                                     .width = 4,
                                     .out_channels = 2,
                                     .kernel_height = kernel,
                                     .kernel_width = kernel},
                           .activations = activations,
                           .weights = weights,
                           .sharing = sharing,
                           .scheme = scheme,
                           .rows = 8,
                           .columns = 1,
                           .is_double = is_double});
  std::set<gen::packing::Scheme> built;
  for (const auto& request : test::this_time(all, 5)) {
    gen::NamedLayer layer{.name = to_string(*request.scheme), .type = "conv2d"};
    try {
      layer.layer = gen::matrix::make_layer(request);
    } catch (const DesignError&) {
      continue;  // not a scheme for these operands, or not for so many clocks
    }
    EXPECT_EQ(layer.layer->facts().levels, 3);
    expect_promise(layer, ir::Family::ultrascale_plus);
    built.insert(*request.scheme);
    if (HasFailure())
      FAIL() << to_string(request.activations) << " x " << to_string(request.weights) << ", "
             << request.shape.in_channels << " channels, kernel " << request.shape.kernel_width
             << ", two clocks " << request.is_double << "\n"
             << layer.layer->plan_text();
  }
  EXPECT_GE(built.size(), 8u);
}

// What no example has: lanes as float32, by themselves and in an array, and pools of wide words.
TEST(Levels, NoLaneAndNoPoolHasMoreThanPromised) {
  const std::string array = R"({"type": "pe_array", "rows": 3, "columns": 4, "accumulators": 2,
      "weights_from": "random", "max_pool": true, "average_pool": false, )";
  for (const std::string& layer :
       {std::string(R"({"type": "requant", "rule": "onnxruntime", "accumulator_bits": 24,
                        "scale": [0.3, 0.1, 0.7]})"),
        std::string(R"({"type": "requant", "rule": "onnxruntime", "accumulator_bits": 32,
                        "result_bits": 18, "scale": 131071.0})"),
        array + R"("bits": 8, "requantise": "float32", "network": [
                   {"type": "fc", "name": "f", "inputs": 4, "outputs": 5, "scale": 0.25}]})",
        array + R"("bits": 12, "network": [
                   {"type": "fc", "name": "f", "inputs": 4, "outputs": 5}]})"}) {
    const auto document =
        gen::config::parse_document(R"({"kumiki": 1, "name": "x", "layers": [)" + layer + "]}",
                                    layer, gen::registry(), {}, context());
    const auto layers = gen::layers_of(document, layer);
    ASSERT_EQ(layers.size(), 1u);
    EXPECT_EQ(layers[0].layer->facts().levels, layers[0].type == "requant" ? 3 : 4) << layer;
    expect_promises(layers, document.target.family);
  }
}

// Who asks for two clocks and for no scheme gets what two clocks are for.
TEST(DoubleClocking, ReachesFourProductsASliceByItself) {
  const auto products = [](const std::string& keys) {
    const std::string layer =
        R"({"type": "conv2d", "in_channels": 64, "out_channels": 64, "height": 4, "width": 4,
            "padding": 1, "weights_from": "random", "slices": 512, "clocking": "double")" +
        keys + "}";
    const auto document =
        gen::config::parse_document(R"({"kumiki": 1, "name": "x", "layers": [)" + layer + "]}",
                                    layer, gen::registry(), {}, context());
    const auto facts = gen::layers_of(document, layer).at(0).layer->facts();
    EXPECT_GE(facts.slices, 256);
    return *facts.macs_per_clock / static_cast<double>(facts.slices);
  };
  EXPECT_EQ(products(""), 4.0);
  EXPECT_LT(products(R"(, "objective": "no-lut")"), 3.86);
}

class EveryFile : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFile, HasNoMoreLevelsThanPromised) {
  const Plans plans(KUMIKI_TEST_DIR "/../examples/" + GetParam(), {.context = context()});
  expect_promises(plans.layers, plans.document.target.family);
}

std::vector<std::string> examples() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(KUMIKI_TEST_DIR "/../examples"))
    if (entry.path().extension() == ".json") all.push_back(entry.path().filename());
  std::ranges::sort(all);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Levels, EveryFile, ::testing::ValuesIn(examples()));

}  // namespace clock_test
}  // namespace kumiki::flow

// SPDX-License-Identifier: Apache-2.0
// The front beside its definition, over every pair of points.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "gen/flow/sweep/table.h"
#include "tests/support/seed.h"

namespace kumiki::flow::sweep {
namespace {

double cost(const Row& row, const Figure& f) {
  const double value = row.result->figures.at(std::string(f.name)).get<double>();
  return f.better == Better::more ? -value : value;
}

bool beats(const Row& a, const Row& b, const std::vector<const Figure*>& figures) {
  bool better = false;
  for (const Figure* f : figures) {
    if (cost(a, *f) > cost(b, *f)) return false;
    better |= cost(a, *f) < cost(b, *f);
  }
  return better;
}

TEST(Front, IsWhatNothingBeats) {
  std::mt19937_64 random(test::rotating_seed());
  const std::vector<const Figure*> all{find_figure("luts"), find_figure("macs_per_clock"),
                                       find_figure("levels"), find_figure("mhz")};
  for (std::size_t axes = 2; axes <= all.size(); ++axes) {
    const std::vector<const Figure*> figures(all.begin(),
                                             all.begin() + static_cast<std::ptrdiff_t>(axes));
    std::vector<Row> rows(200);
    for (Row& row : rows) {
      row.result = Result{};
      for (const Figure* f : figures)
        row.result->figures[std::string(f->name)] = static_cast<int>(random() % 12);
    }
    mark_front(rows, figures);
    std::size_t on_front = 0;
    for (const Row& row : rows) {
      const bool beaten =
          std::ranges::any_of(rows, [&](const Row& other) { return beats(other, row, figures); });
      EXPECT_EQ(row.on_front, !beaten);
      on_front += row.on_front ? 1 : 0;
    }
    EXPECT_GT(on_front, 0U);
    EXPECT_LT(on_front, rows.size());
  }
}

TEST(Front, HasNoPointThatFailedOrLacksAFigure) {
  std::vector<Row> rows(3);
  rows[0].result = Result{.exit = 1, .figures = {{"luts", 1}, {"mhz", 900}}};
  rows[1].result = Result{.figures = {{"luts", 2}, {"mhz", nullptr}}};
  rows[2].result = Result{.figures = {{"luts", 3}, {"mhz", 100}}};
  rows.emplace_back();
  mark_front(rows, {find_figure("luts"), find_figure("mhz")});
  for (const Row& row : rows) EXPECT_EQ(row.on_front, &row == &rows[2]);
}

TEST(Figures, AreNamedOnceAndComeWithAStep) {
  for (const Figure& f : figures()) {
    EXPECT_EQ(find_figure(f.name), &f);
    EXPECT_TRUE(comes_with(f, {f.step})) << f.name;
    EXPECT_EQ(comes_with(f, {Step::plan}), f.step == Step::plan) << f.name;
  }
  EXPECT_TRUE(comes_with(*find_figure("luts"), {Step::sim}));
  EXPECT_FALSE(comes_with(*find_figure("levels"), {Step::sim}));
  EXPECT_EQ(find_figure("lut"), nullptr);
}

}  // namespace
}  // namespace kumiki::flow::sweep

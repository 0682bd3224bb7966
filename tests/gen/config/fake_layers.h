// SPDX-License-Identifier: Apache-2.0
// Two layer types that use every kind of attribute there is, and nothing behind them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/config/document.h"

namespace kumiki::gen::config {

enum class FakeScheme { plain, wp487, bias };
enum class FakeRounding { away, even };

struct FakeRequant {
  std::vector<double> scale;
  int shift = 0;
  FakeRounding rounding = FakeRounding::away;
  bool operator==(const FakeRequant&) const = default;
};

struct FakeStage {
  std::string label;
  std::int8_t gain = 1;
  bool operator==(const FakeStage&) const = default;
};

struct FakeDot {
  int terms = 7;
  FakeScheme scheme = FakeScheme::wp487;
  bool pipelined = true;
  double load = 0.5;
  std::optional<std::vector<std::int16_t>> weights;
  std::array<int, 2> kernel = {3, 3};
  std::variant<int, std::vector<int>> stride = 1;
  std::vector<std::vector<int>> taps;
  std::optional<FakeRequant> requant;
  std::vector<FakeStage> stages;
  std::optional<std::string> file;
  std::string note;
  bool operator==(const FakeDot&) const = default;
};

// Shares the key "terms" with the other, in a narrower range, and has a key that must be given.
struct FakeSum {
  int operands = 0;
  int terms = 1;
  bool operator==(const FakeSum&) const = default;
};

const TableOf<FakeDot>& fake_dot_table();
const TableOf<FakeSum>& fake_sum_table();
const Registry& fake_registry();

}  // namespace kumiki::gen::config

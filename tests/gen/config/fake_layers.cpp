// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/config/fake_layers.h"

#include <fmt/format.h>

#include "gen/layers/neuron/messages.h"

namespace kumiki::gen::config {
namespace {

const TableOf<FakeRequant>& requant_table() {
  static const TableOf<FakeRequant> table{
      "requant",
      "Back to few bits.",
      {field("scale", &FakeRequant::scale)
           .required()
           .range(0.0, 1e6)
           .length(1, 64)
           .help("factor, one a channel"),
       field("shift", &FakeRequant::shift).range(0, 47).unit("bits").help("right shift behind it"),
       field("rounding", &FakeRequant::rounding)
           .choices({{"away", FakeRounding::away}, {"even", FakeRounding::even}})
           .help("of halves")},
      {[](const FakeRequant& r) -> Violations {
        if (r.shift > 0 || r.rounding == FakeRounding::away) return {};
        return {{code::key_without_use, "rounding", "rounds nothing without a shift",
                 "must be \"away\""}};
      }}};
  return table;
}

const TableOf<FakeStage>& stage_table() {
  static const TableOf<FakeStage> table{
      "a stage",
      "One stage of the pipeline.",
      {field("label", &FakeStage::label).required().rule(identifier()).help("its name"),
       field("gain", &FakeStage::gain).help("its gain")}};
  return table;
}

Violations weights_match_terms(const FakeDot& dot) {
  if (!dot.weights || static_cast<int>(dot.weights->size()) == dot.terms) return {};
  return {{code::weights_per_input, "weights", "does not have one entry for each term",
           fmt::format("must be a list of {}", dot.terms)}};
}

Violations taps_fit_kernel(const FakeDot& dot) {
  Violations found;
  for (std::size_t row = 0; row < dot.taps.size(); ++row) {
    for (std::size_t column = 0; column < dot.taps[row].size(); ++column) {
      if (dot.taps[row][column] <= dot.terms) continue;
      found.push_back({code::out_of_range, fmt::format("taps/{}/{}", row, column),
                       "is a tap behind the last term",
                       fmt::format("must be at most {}", dot.terms)});
    }
  }
  return found;
}

Violations plain_is_short(const FakeDot& dot) {
  if (dot.scheme != FakeScheme::plain || dot.terms <= 1024) return {};
  return {{code::out_of_range, "scheme", "has room for 1024 terms",
           "use another scheme or fewer terms"}};
}

}  // namespace

const TableOf<FakeDot>& fake_dot_table() {
  static const TableOf<FakeDot> table{
      "dot",
      "A dot product that nobody builds.",
      {field("terms", &FakeDot::terms).range(1, 65536).help("products summed"),
       field("scheme", &FakeDot::scheme)
           .choices({{"plain", FakeScheme::plain, "one product a slice"},
                     {"wp487-int8", FakeScheme::wp487, "two products a slice"},
                     {"offset-binary", FakeScheme::bias}})
           .help("how products share a slice"),
       field("pipelined", &FakeDot::pipelined).help("registers between slices"),
       field("load", &FakeDot::load).range(0.0, 1.0).help("fraction of busy cycles"),
       field("weights", &FakeDot::weights)
           .range(-128, 127)
           .length(1, 2'000'000)
           .absent("loaded at run time")
           .help("embedded weights"),
       field("kernel", &FakeDot::kernel).range(1, 11).unit("pixels").help("height and width"),
       field("stride", &FakeDot::stride).range(1, 4).length(2, 2).help("step, both ways or each"),
       field("taps", &FakeDot::taps)
           .range(0, 100'000)
           .rows(0, 8)
           .columns(1, 8)
           .help("matrix of taps"),
       field("requant", &FakeDot::requant).object(requant_table()).help("back to few bits"),
       field("stages", &FakeDot::stages).object(stage_table()).length(0, 4).help("extra stages"),
       field("file", &FakeDot::file).rule(file_path()).help("weights in a file"),
       field("note", &FakeDot::note).help("remarks")},
      {weights_match_terms, taps_fit_kernel, plain_is_short}};
  return table;
}

const TableOf<FakeSum>& fake_sum_table() {
  static const TableOf<FakeSum> table{
      "sum",
      "A sum that nobody builds.",
      {field("operands", &FakeSum::operands).required().range(2, 1024).help("numbers summed"),
       field("terms", &FakeSum::terms).range(1, 16).help("numbers a cycle")}};
  return table;
}

const Registry& fake_registry() {
  static const Registry registry{{{"dot", "dot product, fake", &fake_dot_table()},
                                  {"sum", "sum of numbers, fake", &fake_sum_table()}}};
  return registry;
}

}  // namespace kumiki::gen::config

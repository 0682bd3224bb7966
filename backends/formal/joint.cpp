// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/joint.h"

#include <filesystem>

#include "backends/formal/abc.h"
#include "backends/formal/aiger.h"
#include "backends/formal/unroll.h"
#include "backends/support/file.h"
#include "backends/support/process.h"

namespace kumiki::backends::proof {
namespace {

// Copies the gates of `from` into `to`; returns what its literals are there.
std::vector<Literal> copied(Aig& to, const Aig& from, const std::vector<Literal>& inputs) {
  std::vector<Literal> is(from.size(), zero);
  for (std::size_t i = 0; i < inputs.size(); ++i) is[from.inputs()[i]] = inputs[i];
  auto now = [&](Literal l) { return is[l >> 1] ^ (l & 1); };
  for (std::uint32_t n = 1; n < from.size(); ++n)
    if (!from.is_input(n)) is[n] = to.both(now(from.node(n).a), now(from.node(n).b));
  return is;
}

Joint apart(const Circuit& all) {
  Joint joint{all, all};
  const auto outputs = all.outputs.size();
  auto& second = joint.gate.output_values;
  joint.gold.output_values.resize(outputs);
  second.erase(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(outputs));
  return joint;
}

// Both circuits in one: all registers, and the outputs in the order of the reference.
Circuit together(const Circuit& gold, const Circuit& gate) {
  const auto input_at = places(gold.inputs, gate.inputs);
  const auto output_at = places(gold.outputs, gate.outputs);
  Circuit all{
      .aig = {}, .inputs = gold.inputs, .outputs = gold.outputs, .output_values = {}, .next = {}};
  std::vector<Literal> of_gold, of_gate(gate.inputs.size());
  for (std::size_t at : input_at) {
    of_gold.push_back(all.aig.add_input());
    of_gate[at] = of_gold.back();
  }
  for (std::size_t i = 0; i < gold.latches(); ++i) of_gold.push_back(all.aig.add_input());
  for (std::size_t i = 0; i < gate.latches(); ++i) of_gate.push_back(all.aig.add_input());
  const auto gold_is = copied(all.aig, gold.aig, of_gold);
  const auto gate_is = copied(all.aig, gate.aig, of_gate);
  const auto in_gold = [&](Literal l) { return gold_is[l >> 1] ^ (l & 1); };
  const auto in_gate = [&](Literal l) { return gate_is[l >> 1] ^ (l & 1); };
  for (Literal l : gold.next) all.next.push_back(in_gold(l));
  for (Literal l : gate.next) all.next.push_back(in_gate(l));
  for (Literal l : gold.output_values) all.output_values.push_back(in_gold(l));
  for (std::size_t at : output_at) all.output_values.push_back(in_gate(gate.output_values[at]));
  return all;
}

}  // namespace

Joint merged(const Circuit& gold, const Circuit& gate, unsigned seconds) {
  const Circuit all = together(gold, gate);
  const TemporaryFolder folder;
  write_file(folder.path() / "both.aig", write_aiger(all));
  const auto merged = folder.path() / "merged.aig";
  // When ABC is stopped in the middle of writing, the file is no circuit.
  const bool done =
      run_abc(folder.path(), "&r both.aig; &scl; &scorr; &w merged.aig", seconds).has_value();
  return apart(done && std::filesystem::exists(merged) ? read_aiger(read_file(merged), all) : all);
}

}  // namespace kumiki::backends::proof

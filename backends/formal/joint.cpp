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
  const auto next = these(gate_is, gate.next), outputs = these(gate_is, gate.output_values);
  all.next = these(gold_is, gold.next);
  all.next.insert(all.next.end(), next.begin(), next.end());
  all.output_values = these(gold_is, gold.output_values);
  for (std::size_t at : output_at) all.output_values.push_back(outputs[at]);
  return all;
}

}  // namespace

Joint merged(const Circuit& gold, const Circuit& gate, unsigned seconds) {
  const Circuit all = together(gold, gate);
  const TemporaryFolder folder;
  write_file(folder.path() / "both.aig", write_aiger(all));
  const auto merged = folder.path() / "merged.aig";
  // If ABC is stopped while it writes, the file is not a circuit.
  const bool done =
      run_abc(folder.path(), "&r both.aig; &scl; &scorr; &w merged.aig", seconds).has_value();
  return apart(done && std::filesystem::exists(merged) ? read_aiger(read_file(merged), all) : all);
}

}  // namespace kumiki::backends::proof

// SPDX-License-Identifier: Apache-2.0
#include "backends/proof/reach.h"

#include "backends/process.h"
#include "backends/proof/aiger.h"
#include "backends/tool.h"
#include "backends/verilog_netlist.h"
#include "ir/error.h"

namespace kumiki::backends::proof {

Solution reach(const Circuit& circuit, unsigned seconds) {
  const TemporaryFolder folder;
  write_file(folder.path() / "question.aig", write_aiger(circuit));
  const auto run = run_process(
      {"timeout", "-k", "1", std::to_string(seconds), require({"yosys-abc", "yosys"}).string(),
       "-c", "read_aiger question.aig; pdr; write_cex answer.txt"},
      folder.path());
  if (run.output.find("Property proved.") != std::string::npos) return {Answer::never, {}};
  if (run.output.find("was asserted in frame") == std::string::npos) return {};
  // A digit for every register at power-up, then one for every input in every clock.
  Solution s{Answer::sometimes, {}};
  std::size_t registers = circuit.latches();
  for (char c : read_file(folder.path() / "answer.txt"))
    if (c == '0' || c == '1') {
      if (registers > 0)
        --registers;
      else
        s.inputs.push_back(c == '1');
    }
  if (s.inputs.empty() || s.inputs.size() % circuit.inputs.size() != 0)
    throw ToolError("yosys-abc: its counterexample has another length than the question");
  return s;
}

}  // namespace kumiki::backends::proof

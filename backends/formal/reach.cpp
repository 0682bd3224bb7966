// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/reach.h"

#include "backends/emit/messages.h"
#include "backends/formal/abc.h"
#include "backends/formal/aiger.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "ir/error.h"

namespace kumiki::backends::proof {

Solution reach(const Circuit& circuit, unsigned seconds) {
  const TemporaryFolder folder;
  write_file(folder.path() / "question.aig", write_aiger(circuit));
  const auto said =
      run_abc(folder.path(), "read_aiger question.aig; pdr; write_cex answer.txt", seconds);
  if (!said) return {};
  if (said->find("Property proved.") != std::string::npos) return {Answer::never, {}};
  if (said->find("was asserted in frame") == std::string::npos) return {};
  // The answer lists every register at power-up, then every input in every clock.
  const auto digits = digits_in(folder.path() / "answer.txt");
  const auto registers = circuit.latches();
  if (digits.size() <= registers || (digits.size() - registers) % circuit.inputs.size() != 0)
    throw ToolError(code::tool_answer,
                    "yosys-abc: its counterexample has another length than the question");
  return {Answer::sometimes,
          {digits.begin() + static_cast<std::ptrdiff_t>(registers), digits.end()}};
}

}  // namespace kumiki::backends::proof

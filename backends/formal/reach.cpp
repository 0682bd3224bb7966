// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/reach.h"

#include <chrono>

#include "backends/emit/messages.h"
#include "backends/formal/abc.h"
#include "backends/formal/aiger.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "ir/error.h"

namespace kumiki::backends::proof {

namespace {

// How many clocks a counterexample has: "was asserted in frame 3." is four.
std::size_t clocks_of(const std::string& said) {
  constexpr std::string_view before = "was asserted in frame ";
  const auto at = said.find(before);
  return at == std::string::npos ? 0 : std::stoul(said.substr(at + before.size())) + 1;
}

// `simpler`: what ABC does to the circuit first.
Solution ask(const std::filesystem::path& folder, const Circuit& circuit,
             const std::string& simpler, unsigned seconds) {
  const auto said =
      run_abc(folder, "read_aiger question.aig; " + simpler + "pdr; write_cex answer.txt", seconds);
  if (!said) return {};
  if (said->find("Property proved.") != std::string::npos) return {Answer::never, {}};
  const auto clocks = clocks_of(*said);
  if (clocks == 0) return {};
  // The answer lists every register that is left at power-up, then every input in every clock.
  const auto digits = digits_in(folder / "answer.txt");
  const auto inputs = clocks * circuit.inputs.size();
  if (digits.size() < inputs || digits.size() - inputs > circuit.latches())
    throw ToolError(code::tool_answer,
                    "yosys-abc: its counterexample has another length than the question");
  return {Answer::sometimes, {digits.end() - static_cast<std::ptrdiff_t>(inputs), digits.end()}};
}

}  // namespace

Solution reach(const Circuit& circuit, unsigned seconds) {
  const TemporaryFolder folder;
  write_file(folder.path() / "question.aig", write_aiger(circuit));
  // Registers and gates that are always equal become one: the search takes half as long.
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  const auto found = ask(folder.path(), circuit, "scorr; dc2; ", seconds);
  if (found.answer != Answer::unknown || seconds_until(until) == 0) return found;
  return ask(folder.path(), circuit, {}, seconds_until(until));
}

}  // namespace kumiki::backends::proof

// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "backends/emit/messages.h"
#include "backends/formal/abc.h"
#include "backends/formal/aiger.h"
#include "backends/formal/sweep.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "ir/error.h"

namespace kumiki::backends::proof {
namespace {

constexpr unsigned random_words = 32;  // of 64 cases
constexpr int sweeps = 3;

std::uint64_t random_word(std::mt19937_64& random, unsigned chance) {
  std::uint64_t word = 0;  // built from the lowest bit of the chance up
  for (unsigned bit = 0; bit < 4; ++bit) {
    const std::uint64_t coins = random();
    word = chance >> bit & 1 ? word | coins : word & coins;
  }
  return word;
}

std::optional<std::vector<bool>> try_random(const Aig& aig, const std::vector<Literal>& literals,
                                            const std::vector<unsigned>& chance,
                                            Clock::time_point deadline) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> inputs(aig.inputs().size()), nodes;
  for (unsigned round = 0; round < random_words && Clock::now() < deadline; ++round) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = random_word(random, chance.empty() ? 8 : chance[i]);
    aig.simulate(inputs, nodes);
    for (Literal l : literals)
      if (const std::uint64_t hit = value(nodes, l)) {
        const int lane = __builtin_ctzll(hit);
        std::vector<bool> found;
        for (std::uint64_t w : inputs) found.push_back(w >> lane & 1);
        return found;
      }
  }
  return std::nullopt;
}

// Runs ABC on one output.
Solution ask_abc(const Aig& aig, Literal output, unsigned seconds) {
  const TemporaryFolder folder;
  write_file(folder.path() / "question.aig", write_aiger(aig, output));
  const auto said =
      run_abc(folder.path(), "read_aiger question.aig; iprove; write_cex answer.txt", seconds);
  if (!said) return {};
  if (said->find("UNSATISFIABLE") != std::string::npos) return {Answer::never, {}};
  if (said->find("SATISFIABLE") == std::string::npos) return {};
  Solution s{Answer::sometimes, digits_in(folder.path() / "answer.txt")};
  if (s.inputs.size() != aig.inputs().size())
    throw ToolError(code::tool_answer,
                    "yosys-abc: its counterexample has another length than the question");
  return s;
}

}  // namespace

unsigned seconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - Clock::now());
  return left.count() > 0 ? static_cast<unsigned>(left.count()) : 0;
}

Solution sample(const Aig& aig, const std::vector<Literal>& literals,
                const std::vector<unsigned>& chance, Clock::time_point deadline) {
  const Part part = part_of(aig, literals);
  if (auto found = try_random(part.aig, part.outputs, chance, deadline))
    return {Answer::sometimes, std::move(*found)};
  return {};
}

Solution decide(const Aig& aig, const std::vector<Literal>& literals, Clock::time_point deadline) {
  Part part = part_of(aig, literals);
  for (int i = 0; i < sweeps && Clock::now() < deadline; ++i) {
    const auto before = part.aig.size();
    part = sweep(part, deadline);
    if (part.aig.size() == before) break;
  }
  Literal any = zero;
  for (Literal l : part.outputs) any = part.aig.either(any, l);
  if (any == zero) return {Answer::never, {}};
  const unsigned seconds = seconds_until(deadline);
  if (seconds == 0) return {};
  const Part question = part_of(part.aig, {any});
  return ask_abc(question.aig, question.outputs[0], seconds);
}

Solution solve(const Aig& aig, const std::vector<Literal>& literals,
               const std::vector<unsigned>& chance, Clock::time_point deadline) {
  auto found = sample(aig, literals, chance, deadline);
  return found.answer == Answer::sometimes ? found : decide(aig, literals, deadline);
}

}  // namespace kumiki::backends::proof

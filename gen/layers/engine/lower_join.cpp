// SPDX-License-Identifier: Apache-2.0
// Which nodes are one operation.
#include <algorithm>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

using graph::Node;
using graph::TensorId;

bool is_of_two(const Node& n) {
  return std::holds_alternative<graph::Add>(n.op) || std::holds_alternative<graph::Mul>(n.op);
}
TensorId other_of(const Node& n, TensorId one) {
  return n.inputs[0] == one ? n.inputs[1] : n.inputs[0];
}

}  // namespace

// Nodes that follow the maker of their input in its lanes.
void Lowerer::join() {
  std::vector<bool> is_joined(g_.nodes.size(), false), is_made(g_.tensors.size(), false);
  for (const TensorId id : graph::all_inputs(g_)) is_made[id] = true;
  for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
    const Node& node = g_.nodes[n];
    if (is_joined[n]) continue;
    Job job{.node = n, .output = node.output};
    if (std::holds_alternative<graph::Lookup>(node.op)) {
      job.copies = true;
      job.table = n;
    } else if (is_of_two(node)) {
      job.copies = true;
      job.second = n;
    }
    if ((job.steps = known_.steps_behind(node))) {
      is_joined[*job.steps] = true;
      job.output = g_.nodes[*job.steps].output;
    }
    const bool has_lanes = !std::holds_alternative<graph::Resize>(node.op) &&
                           !std::holds_alternative<graph::Concat>(node.op);
    while (has_lanes && has_one_reader(job.output)) {
      const std::size_t next = readers_[job.output][0];
      if (std::holds_alternative<graph::Lookup>(g_.nodes[next].op)) {
        if (job.table || job.second) break;
        job.table = next;
      } else if (is_of_two(g_.nodes[next])) {
        if (job.second || !is_made[source_of(other_of(g_.nodes[next], job.output))]) break;
        job.second = next;
      } else {
        break;
      }
      is_joined[next] = true;
      job.output = g_.nodes[next].output;
    }
    jobs_.push_back(job);
    is_made[job.output] = true;
  }
}

// An enlarged map that is only ever a second number is read where its source is.
void Lowerer::leave_out_operands() {
  for (const Node& n : g_.nodes) {
    if (!std::holds_alternative<graph::Resize>(n.op) || is_output(n.output)) continue;
    is_operand_only_[n.output] = std::ranges::all_of(readers_[n.output], [&](std::size_t r) {
      return std::ranges::any_of(
          jobs_, [&](const Job& j) { return j.second == r && fresh_of(j) != n.output; });
    });
  }
  std::erase_if(jobs_, [&](const Job& j) { return is_operand_only_[j.output]; });
}

void Lowerer::number_jobs() {
  job_of_.assign(g_.nodes.size(), none);
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    job_of_[jobs_[j].node] = j;
    if (jobs_[j].steps) job_of_[*jobs_[j].steps] = j;
    if (jobs_[j].table) job_of_[*jobs_[j].table] = j;
    if (jobs_[j].second) job_of_[*jobs_[j].second] = j;
  }
}

// The tensor that the second of a job gets from the lanes.
TensorId Lowerer::fresh_of(const Job& j) const {
  if (j.copies && j.second == j.node) return g_.nodes[j.node].inputs[0];
  if (j.table) return g_.nodes[*j.table].output;
  return g_.nodes[j.steps ? *j.steps : j.node].output;
}

// The tensor whose map holds the numbers of an operand.
TensorId Lowerer::source_of(TensorId id) const {
  if (maker_[id] != none)
    if (const Node& n = g_.nodes[maker_[id]]; std::holds_alternative<graph::Resize>(n.op))
      return n.inputs[0];
  return id;
}

std::optional<TensorId> Lowerer::second_of(const Job& j) const {
  if (!j.second) return {};
  return other_of(g_.nodes[*j.second], fresh_of(j));
}

}  // namespace kumiki::gen::engine

// SPDX-License-Identifier: Apache-2.0
// Which nodes are one operation.
#include <algorithm>

#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/normal.h"

namespace kumiki::gen::engine {
namespace {

using graph::Node;
using graph::TensorId;

bool adds(const Node& n) { return std::holds_alternative<graph::Add>(n.op); }
bool multiplies(const Node& n) { return std::holds_alternative<graph::Mul>(n.op); }
TensorId other_of(const Node& n, TensorId one) {
  return n.inputs[0] == one ? n.inputs[1] : n.inputs[0];
}

}  // namespace

std::optional<Gated> gated(const graph::Graph& g, const Node& mul) {
  for (const std::size_t i : {1, 0}) {
    TensorId id = mul.inputs[i];
    const auto maker = std::ranges::find(g.nodes, id, &Node::output);
    if (maker != g.nodes.end() && std::holds_alternative<graph::Resize>(maker->op))
      id = maker->inputs[0];
    const graph::Shape& s = g.tensors[id].shape;
    if (s.size() == 3 && s[1] == 1 && s[2] == 1) return Gated{mul.inputs[1 - i], id};
  }
  return {};
}

// Nodes that follow the maker of their input in its lanes.
void Lowerer::join() {
  std::vector<bool> is_joined(g_.nodes.size(), false), is_made(g_.tensors.size(), false);
  for (const TensorId id : graph::all_inputs(g_)) is_made[id] = true;
  for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
    const Node& node = g_.nodes[n];
    if (is_joined[n]) continue;
    if (std::holds_alternative<graph::Constant>(node.op)) {
      is_made[node.output] = true;
      continue;
    }
    Job job{.node = n, .output = node.output};
    if (std::holds_alternative<graph::Lookup>(node.op)) {
      job.copies = true;
      job.table = n;
    } else if (adds(node) || multiplies(node)) {
      job.copies = true;
      job.second = n;
      if (multiplies(node)) job.product = gated(g_, node);
    }
    if ((job.steps = known_.steps_behind(node))) {
      is_joined[*job.steps] = true;
      job.output = g_.nodes[*job.steps].output;
    }
    const bool has_lanes = !std::holds_alternative<graph::Resize>(node.op) &&
                           !std::holds_alternative<graph::Concat>(node.op) &&
                           !std::holds_alternative<graph::MaxPool>(node.op) && !normalises(node.op);
    while (has_lanes && has_one_reader(job.output)) {
      const std::size_t next = readers_[job.output][0];
      if (std::holds_alternative<graph::Lookup>(g_.nodes[next].op)) {
        if (job.table || job.second) break;
        job.table = next;
      } else if (adds(g_.nodes[next])) {
        if (job.second || !is_made[other_of(g_.nodes[next], job.output)]) break;
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

// A gate is read where it is before it is enlarged.
void Lowerer::leave_out_gates() {
  for (const Node& n : g_.nodes) {
    if (!std::holds_alternative<graph::Resize>(n.op) || is_output(n.output)) continue;
    is_gate_[n.output] = std::ranges::all_of(readers_[n.output], [&](std::size_t r) {
      const Node& reader = g_.nodes[r];
      return multiplies(reader) && gated(g_, reader)->map != n.output;
    });
  }
  std::erase_if(jobs_, [&](const Job& j) { return is_gate_[j.output]; });
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
  if (j.copies && j.second == j.node) return walked(j);
  if (j.table) return g_.nodes[*j.table].output;
  return g_.nodes[j.steps ? *j.steps : j.node].output;
}

std::optional<TensorId> Lowerer::second_of(const Job& j) const {
  if (!j.second) return {};
  if (j.product) return j.product->gate;
  return other_of(g_.nodes[*j.second], fresh_of(j));
}

}  // namespace kumiki::gen::engine

// SPDX-License-Identifier: Apache-2.0
// Every rule of a graph. The check first requires that a node's tensors exist, then that their
// shapes have the right number of axes. Only then does it read them.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gen/graph/graph.h"
#include "gen/graph/messages.h"
#include "ir/error.h"

namespace kumiki::gen::graph {
namespace {

constexpr std::size_t largest_tensor = std::size_t{1} << 28;

class Check {
 public:
  explicit Check(const Graph& graph) : g_(graph) {}

  std::vector<Finding> all() {
    for (const Tensor& t : g_.tensors) tensor(t);
    if (!ids()) return std::move(found_);
    order();
    if (found_.empty()) {
      preparation();
      for (const Tensor& t : g_.tensors) numbers_.push_back(t.format.range());
      for (const TensorId id : all_inputs(g_)) numbers_[id] = numbers_of_input(g_, id);
      for (const Node& n : g_.nodes) {
        const std::size_t before = found_.size();
        node(n);
        if (found_.size() == before) numbers_[n.output] = reached_by(g_, n, numbers_);
      }
    }
    return std::move(found_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back({where_, fmt::format(text, std::forward<Args>(args)...)});
  }

  void tensor(const Tensor& t) {
    where_ = fmt::format("tensor {}", t.name);
    if (!names_.insert(t.name).second) say("is there twice; give it another name");
    std::size_t numbers = 1;
    for (const int n : t.shape) {
      if (n < 1 || n > largest_axis) {
        say("has an axis of {}; it must be 1 to {}", n, largest_axis);
        return;
      }
      numbers *= static_cast<std::size_t>(n);
      if (numbers > largest_tensor) return say("has more than {} numbers", largest_tensor);
    }
    if (t.shape.empty() || t.shape.size() > 3)
      say("has {} axes; it must have 1 to 3, without that of the images", t.shape.size());
    if (t.format.bits < 1 || t.format.bits > 32)
      return say("has numbers of {} bits; they must have 1 to 32", t.format.bits);
    if (!t.format.range().contains(t.zero_point))
      say("has a zero point of {}; it must be within {}", t.zero_point,
          to_string(t.format.range()));
    if (!(t.scale > 0) || !std::isfinite(t.scale))
      say("has a scale of {}; it must be a finite number above 0", t.scale);
  }

  bool is_tensor(TensorId id) { return id < g_.tensors.size(); }

  bool ids() {
    where_ = fmt::format("graph {}", g_.name);
    const std::size_t before = found_.size();
    if (!is_tensor(g_.input)) say("has no input");
    for (const TensorId id : g_.more_inputs)
      if (!is_tensor(id)) say("has an input that is not a tensor");
    if (g_.outputs.empty()) say("has no output");
    for (const TensorId id : g_.outputs)
      if (!is_tensor(id)) say("has an output that is not a tensor");
    for (const Node& n : g_.nodes) {
      where_ = fmt::format("node {}", n.name);
      if (!is_tensor(n.output) ||
          !std::ranges::all_of(n.inputs, [&](auto i) { return is_tensor(i); }))
        say("names a tensor that does not exist");
    }
    return found_.size() == before;
  }

  // Every tensor is made once, before it is read.
  void order() {
    std::vector<bool> made(g_.tensors.size());
    for (const TensorId id : all_inputs(g_)) {
      where_ = fmt::format("graph {}", g_.name);
      if (made[id]) say("has the input {} twice", g_.tensors[id].name);
      made[id] = true;
    }
    for (const Node& n : g_.nodes) {
      where_ = fmt::format("node {}", n.name);
      for (const TensorId id : n.inputs)
        if (!made[id]) say("reads {}, which no node before it makes", g_.tensors[id].name);
      if (made[n.output]) say("makes {}, which is made already", g_.tensors[n.output].name);
      made[n.output] = true;
    }
    where_ = fmt::format("graph {}", g_.name);
    for (const TensorId id : g_.outputs)
      if (!made[id]) say("has the output {}, which no node makes", g_.tensors[id].name);
  }

  void preparation() {
    where_ = fmt::format("graph {}", g_.name);
    const auto inputs = all_inputs(g_);
    for (const Preparation& p : g_.preparation) {
      if (p.input >= inputs.size()) return say("prepares input {}, which does not exist", p.input);
      const auto channels = static_cast<std::size_t>(g_.tensors[inputs[p.input]].shape[0]);
      if (p.values.size() != 1 && p.values.size() != channels)
        say("prepares its input with {} numbers; it must be 1 or {}", p.values.size(), channels);
      for (const float v : p.values)
        if (!std::isfinite(v) || (v == 0 && p.kind == Preparation::Kind::over))
          return say("prepares its input with {}; it must be a finite number, and not 0 to divide",
                     v);
    }
  }

  void node(const Node& n) {
    where_ = fmt::format("node {}", n.name);
    const std::size_t wanted =
        std::visit([]<class Op>(const Op&) { return inputs_of<Op>(); }, n.op);
    if (wanted == one_or_more ? n.inputs.empty() : n.inputs.size() != wanted)
      return say("has {} inputs; it must have {}", n.inputs.size(),
                 wanted == one_or_more ? 1 : wanted);
    std::vector<arith::Interval> numbers;
    for (const TensorId id : n.inputs) numbers.push_back(numbers_[id]);
    NodeCheck here(ends_of(g_, n), std::move(numbers), [this](std::string what) {
      found_.push_back({where_, std::move(what)});
    });
    std::visit([&](const auto& op) { check(op, here); }, n.op);
  }

  const Graph& g_;
  std::vector<Finding> found_;
  std::string where_;
  std::set<std::string> names_;
  std::vector<arith::Interval> numbers_;  // of each tensor, as far as its node is valid
};

}  // namespace

std::vector<Finding> check(const Graph& graph) { return Check(graph).all(); }

void require_legal(const Graph& graph) {
  const auto all = check(graph);
  if (all.empty()) return;
  std::string text;
  for (const Finding& f : all)
    text += fmt::format("{}{} {}", text.empty() ? "" : "\n", f.where, f.message);
  throw DesignError(code::illegal_graph, text);
}

}  // namespace kumiki::gen::graph

// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/transposes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gen/graph/readers.h"

namespace kumiki::gen::graph {
namespace {

bool is_transpose(const Node& n) { return std::holds_alternative<Transpose>(n.op); }
bool is_constant(const Node* maker) {
  return maker != nullptr && std::holds_alternative<Constant>(maker->op);
}

// The axes of both lists, which have as many numbers, each split where one of the other list ends.
// Empty: such an end is at no divisor of the axis.
std::optional<std::vector<int>> split_alike(std::vector<int> a, std::vector<int> b) {
  std::vector<int> parts;
  while (!a.empty() && !b.empty()) {
    const int part = std::min(a.back(), b.back());
    for (auto* axes : {&a, &b}) {
      if (axes->back() % part != 0) return {};
      axes->back() /= part;
    }
    parts.insert(parts.begin(), part);
    for (auto* axes : {&a, &b})
      if (axes->back() == 1) axes->pop_back();
  }
  return parts;
}

// The indices of the parts of each axis.
std::vector<std::vector<int>> parts_of(const std::vector<int>& axes,
                                       const std::vector<int>& parts) {
  std::vector<std::vector<int>> all;
  std::size_t part = 0;
  for (const int axis : axes) {
    all.emplace_back();
    for (int size = 1; size < axis; size *= parts[part++])
      all.back().push_back(static_cast<int>(part));
  }
  return all;
}

// Both one after the other, in their simplest forms.
std::optional<Transpose> joined(const Transpose& first, const Transpose& second) {
  std::vector<int> between;
  for (const int axis : first.order) between.push_back(first.view[static_cast<std::size_t>(axis)]);
  const auto parts = split_alike(between, second.view);
  if (!parts) return {};
  // Parts are numbered in the order between the two.
  const auto of_first = parts_of(between, *parts), of_second = parts_of(second.view, *parts);
  Transpose made;
  std::vector<int> place(parts->size());  // of a part in the view
  for (std::size_t axis = 0; axis < first.view.size(); ++axis) {
    const auto at = std::ranges::find(first.order, static_cast<int>(axis)) - first.order.begin();
    for (const int part : of_first[static_cast<std::size_t>(at)]) {
      place[static_cast<std::size_t>(part)] = static_cast<int>(made.view.size());
      made.view.push_back((*parts)[static_cast<std::size_t>(part)]);
    }
  }
  for (const int axis : second.order)
    for (const int part : of_second[static_cast<std::size_t>(axis)])
      made.order.push_back(place[static_cast<std::size_t>(part)]);
  return simplest(made, {});
}

// The constant in another order.
Constant in_order(const Constant& op, const Transpose& order) {
  const Tensor in{.name = {}, .shape = order.view},
      out{.name = {}, .shape = {static_cast<int>(op.values.size())}};
  const Numbers from(op.values.begin(), op.values.end());
  Numbers to(from.size());
  kernels::Workers alone;
  computer(order, Ends{{&in}, &out})({from}, to, alone);
  return {.values = {to.begin(), to.end()}};
}

class Simplifier {
 public:
  Simplifier(Graph& g, std::int64_t inside) : g_(g), inside_(inside) {
    for (const Tensor& t : g_.tensors) names_.insert(t.name);
  }

  void run() {
    if (std::ranges::none_of(g_.nodes, is_transpose)) return;
    do {
      merge_equal();
      join();
      leave_out_reshapes();
      look();
    } while (turn_a_region());
  }

 private:
  // Makers and readers as the nodes are now.
  void look() {
    readers_ = readers_of(g_);
    maker_.assign(g_.tensors.size(), nullptr);
    for (const Node& n : g_.nodes) maker_[n.output] = &n;
  }
  bool is_input(TensorId id) const { return std::ranges::count(all_inputs(g_), id) > 0; }
  bool is_output(TensorId id) const { return std::ranges::count(g_.outputs, id) > 0; }
  Transpose order_of(const Node& n) const {
    return simplest(std::get<Transpose>(n.op), g_.tensors[n.inputs[0]].shape);
  }
  std::int64_t weight_of(const Node& transpose) const {
    const bool leaves = is_output(transpose.output) && readers_[transpose.output].empty();
    return leaves || is_input(transpose.inputs[0]) ? 1 : inside_;
  }

  bool is_by_number(const Node& n) const { return works_by_number(g_, n); }

  // Of equal transposes of one tensor the first one remains.
  void merge_equal() {
    std::map<TensorId, std::vector<const Node*>> before;
    for (Node& n : g_.nodes) {
      if (!is_transpose(n)) continue;
      auto& others = before[n.inputs[0]];
      const auto same = std::ranges::find_if(
          others, [&](const Node* other) { return order_of(*other) == order_of(n); });
      if (same == others.end()) {
        others.push_back(&n);
      } else {
        n.op = Reshape{};
        n.inputs = {(*same)->output};
      }
    }
  }

  // A transpose of a transpose reads what that one reads, also behind reshapes.
  void join() {
    look();
    for (Node& n : g_.nodes)
      while (is_transpose(n)) {
        const Node* before = maker_[n.inputs[0]];
        while (before != nullptr && std::holds_alternative<Reshape>(before->op))
          before = maker_[before->inputs[0]];
        if (before == nullptr || !is_transpose(*before)) break;
        const auto both = joined(order_of(*before), order_of(n));
        if (!both) break;
        n.inputs = before->inputs;
        if (both->order.size() > 1)
          n.op = *both;
        else
          n.op = Reshape{};
      }
    leave_out_unread();
  }

  // Moves that nobody reads.
  void leave_out_unread() {
    std::vector<bool> is_read(g_.tensors.size());
    for (const TensorId id : g_.outputs) is_read[id] = true;
    std::vector<Node> nodes;
    for (auto n = g_.nodes.rbegin(); n != g_.nodes.rend(); ++n) {
      const bool moves = is_transpose(*n) || std::holds_alternative<Reshape>(n->op);
      if (moves && !is_read[n->output]) continue;
      for (const TensorId id : n->inputs) is_read[id] = true;
      nodes.push_back(std::move(*n));
    }
    g_.nodes.assign(std::move_iterator(nodes.rbegin()), std::move_iterator(nodes.rend()));
  }

  // Reshapes to the same shape. Of an output the tensor stays, and the maker makes it.
  void leave_out_reshapes() {
    std::vector<TensorId> stands_for(g_.tensors.size());
    for (TensorId id = 0; id < stands_for.size(); ++id) stands_for[id] = id;
    std::vector<Node> nodes;
    std::vector<std::optional<TensorId>> reshaped_from(g_.tensors.size());
    for (Node& n : g_.nodes) {
      for (TensorId& id : n.inputs) id = stands_for[id];
      if (std::holds_alternative<Reshape>(n.op)) {
        n.inputs[0] = reshaped_from[n.inputs[0]].value_or(n.inputs[0]);
        reshaped_from[n.output] = n.inputs[0];
      }
      if (std::holds_alternative<Reshape>(n.op) && !is_output(n.output) &&
          g_.tensors[n.inputs[0]].shape == g_.tensors[n.output].shape)
        stands_for[n.output] = n.inputs[0];
      else
        nodes.push_back(std::move(n));
    }
    g_.nodes = std::move(nodes);
    for (std::size_t i = 0; i < g_.nodes.size();) {
      const Node& reshape = g_.nodes[i];
      const TensorId to = reshape.output;
      if (!std::holds_alternative<Reshape>(reshape.op) || is_input(reshape.inputs[0]) ||
          is_output(reshape.inputs[0]) ||
          g_.tensors[reshape.inputs[0]].shape != g_.tensors[to].shape) {
        ++i;
        continue;
      }
      const TensorId from = reshape.inputs[0];
      g_.nodes.erase(g_.nodes.begin() + static_cast<std::ptrdiff_t>(i));
      for (Node& n : g_.nodes) {
        std::ranges::replace(n.inputs, from, to);
        if (n.output == from) n.output = to;
      }
    }
  }

  // Tensors between nodes that work number by number, from this one on.
  std::set<TensorId> region_of(TensorId first) const {
    std::set<TensorId> region;
    std::vector<TensorId> pending{first};
    while (!pending.empty()) {
      const TensorId id = pending.back();
      pending.pop_back();
      if (!region.insert(id).second) continue;
      const auto add = [&](const Node& n) {
        if (!is_by_number(n)) return;
        pending.push_back(n.output);
        pending.insert(pending.end(), n.inputs.begin(), n.inputs.end());
      };
      if (maker_[id] != nullptr) add(*maker_[id]);
      for (const std::size_t r : readers_[id]) add(g_.nodes[r]);
    }
    return region;
  }

  // How a tensor of a region is seen from outside when the region has another order.
  struct Turn {
    Transpose order;  // from the old numbers to the new ones
    Shape shape;      // of all its tensors
  };
  bool undoes(const Node* maker, const Turn& turn) const {
    return maker != nullptr && is_transpose(*maker) && inverse(order_of(*maker)) == turn.order;
  }
  bool does(const Node& reader, const Turn& turn) const {
    return is_transpose(reader) && order_of(reader) == turn.order;
  }
  // A node outside of the region reads the old order.
  bool is_read_as_it_was(TensorId id, const Turn& turn) const {
    return std::ranges::any_of(readers_[id], [&](std::size_t r) {
      return !is_by_number(g_.nodes[r]) && !does(g_.nodes[r], turn);
    });
  }
  bool is_made_inside(TensorId id) const {
    return maker_[id] != nullptr && is_by_number(*maker_[id]);
  }

  // What the transposes around a region count, as it is and after a turn.
  std::int64_t weight_of(const std::set<TensorId>& region) const {
    std::int64_t all = 0;
    for (const TensorId id : region) {
      if (maker_[id] != nullptr && is_transpose(*maker_[id])) all += weight_of(*maker_[id]);
      for (const std::size_t r : readers_[id])
        if (is_transpose(g_.nodes[r])) all += weight_of(g_.nodes[r]);
    }
    return all;
  }
  std::int64_t weight_of(const std::set<TensorId>& region, const Turn& turn) const {
    std::int64_t all = 0;
    for (const TensorId id : region) {
      const bool stays = is_read_as_it_was(id, turn), leaves = is_output(id);
      for (const std::size_t r : readers_[id])
        if (is_transpose(g_.nodes[r]) && !does(g_.nodes[r], turn)) all += weight_of(g_.nodes[r]);
      if (is_constant(maker_[id])) continue;
      if (is_made_inside(id)) {
        all += stays ? inside_ : leaves ? 1 : 0;
      } else if (undoes(maker_[id], turn)) {
        all += stays || leaves ? weight_of(*maker_[id]) : 0;
      } else {
        if (maker_[id] != nullptr && is_transpose(*maker_[id])) all += weight_of(*maker_[id]);
        all += maker_[id] == nullptr ? 1 : inside_;
      }
    }
    return all;
  }

  // The turns that leave out a transpose of the region.
  std::vector<Turn> turns_of(const std::set<TensorId>& region) const {
    std::vector<Turn> all;
    for (const TensorId id : region) {
      if (maker_[id] != nullptr && is_transpose(*maker_[id])) {
        if (region.contains(maker_[id]->inputs[0])) return {};  // it would be in two orders
        all.push_back({inverse(order_of(*maker_[id])), g_.tensors[maker_[id]->inputs[0]].shape});
      }
      for (const std::size_t r : readers_[id])
        if (const Node& n = g_.nodes[r]; is_transpose(n)) {
          if (region.contains(n.output)) return {};
          all.push_back({order_of(n), g_.tensors[n.output].shape});
        }
    }
    return all;
  }

  // Whether a region has another order now.
  bool turn_a_region() {
    std::set<TensorId> seen;
    for (const Node& n : g_.nodes) {
      if (!is_transpose(n)) continue;
      for (const TensorId id : {n.inputs[0], n.output}) {
        if (seen.contains(id)) continue;
        const std::set<TensorId> region = region_of(id);
        seen.insert(region.begin(), region.end());
        std::optional<Turn> best;
        std::int64_t least = weight_of(region);
        for (const Turn& turn : turns_of(region))
          if (const std::int64_t weight = weight_of(region, turn); weight < least) {
            best = turn;
            least = weight;
          }
        if (!best) continue;
        apply(region, *best);
        return true;
      }
    }
    return false;
  }

  void apply(const std::set<TensorId>& region, const Turn& turn) {
    std::map<TensorId, TensorId> turned;
    std::vector<bool> stays(g_.tensors.size());
    for (const TensorId id : region) {
      const bool is_made_as_it_was =
          !is_made_inside(id) && !undoes(maker_[id], turn) && !is_constant(maker_[id]);
      stays[id] = is_output(id) || is_made_as_it_was || is_read_as_it_was(id, turn);
      Tensor t = g_.tensors[id];
      if (stays[id]) t.name = unique(t.name + "/turned");
      t.shape = turn.shape;
      turned[id] = g_.tensors.size();
      g_.tensors.push_back(std::move(t));
    }
    std::vector<Node> nodes;
    const auto add = [&](const Operator& op, TensorId from, TensorId to) {
      nodes.push_back({g_.tensors[to].name, op, {from}, to});
    };
    for (const TensorId id : all_inputs(g_))
      if (region.contains(id)) add(turn.order, id, turned[id]);
    for (const Node& n : g_.nodes) {
      if (is_by_number(n) && region.contains(n.output)) {
        Node made = n;
        made.output = turned[n.output];
        for (TensorId& id : made.inputs) id = turned[id];
        nodes.push_back(std::move(made));
        if (stays[n.output]) add(inverse(turn.order), turned[n.output], n.output);
      } else if (is_transpose(n) && region.contains(n.inputs[0]) && does(n, turn)) {
        add(Reshape{}, turned[n.inputs[0]], n.output);
      } else if (!region.contains(n.output)) {
        nodes.push_back(n);
      } else if (const auto* constant = std::get_if<Constant>(&n.op)) {
        if (stays[n.output]) nodes.push_back(n);
        const TensorId to = turned[n.output];
        nodes.push_back({g_.tensors[to].name, in_order(*constant, turn.order), {}, to});
      } else if (undoes(&n, turn)) {
        if (stays[n.output]) nodes.push_back(n);
        add(Reshape{}, n.inputs[0], turned[n.output]);
      } else {
        nodes.push_back(n);
        add(turn.order, n.output, turned[n.output]);
      }
    }
    g_.nodes = std::move(nodes);
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}#{}", wanted, i);
    return name;
  }

  Graph& g_;
  std::int64_t inside_;  // what a transpose counts that is at no end
  std::set<std::string> names_;
  Readers readers_;
  std::vector<const Node*> maker_;  // by tensor; null: an input
};

// The axes of a transpose's input as it sees them, and of its result.
Shape view_of(const Graph& g, const Node& n) {
  const auto& op = std::get<Transpose>(n.op);
  return op.view.empty() ? g.tensors[n.inputs[0]].shape : op.view;
}
Shape in_order(const Shape& view, const std::vector<int>& order) {
  Shape axes;
  for (const int axis : order) axes.push_back(view[static_cast<std::size_t>(axis)]);
  return axes;
}

class PutLast {
 public:
  explicit PutLast(Graph& g) : g_(g) {}

  void run() {
    for (Node& n : std::exchange(g_.nodes, {})) {
      const bool is_last = pick(n) || concat(n);
      if (!is_last) g_.nodes.push_back(std::move(n));
    }
    const Readers readers = readers_of(g_);
    std::erase_if(g_.nodes, [&](const Node& n) {
      return is_constant(&n) && readers[n.output].empty() &&
             std::ranges::count(g_.outputs, n.output) == 0;
    });
  }

 private:
  const Node* maker(TensorId id) const {
    const auto found = std::ranges::find(g_.nodes, id, &Node::output);
    return found == g_.nodes.end() ? nullptr : &*found;
  }
  // The transpose that makes a tensor, if the tensor has its axes.
  const Node* transpose(TensorId id) const {
    const Node* n = maker(id);
    return n != nullptr && is_transpose(*n) &&
                   in_order(view_of(g_, *n), std::get<Transpose>(n->op).order) ==
                       g_.tensors[id].shape
               ? n
               : nullptr;
  }
  TensorId add(TensorId like, const std::string& ending, const Shape& shape) {
    Tensor t = g_.tensors[like];
    t.name += ending;
    t.shape = shape;
    g_.tensors.push_back(std::move(t));
    return g_.tensors.size() - 1;
  }
  // Makes what a node makes from its result before the transpose.
  void finish(Node n, const std::vector<int>& order, const Shape& shape) {
    const TensorId output = n.output;
    n.output = add(output, "/first", shape);
    const std::string name = n.name + "/order";
    const TensorId from = n.output;
    g_.nodes.push_back(std::move(n));
    const Transpose last{.order = order, .view = shape};
    const bool stays = simplest(last, shape).order.size() <= 1;
    g_.nodes.push_back({name, stays ? Operator(Reshape{}) : last, {from}, output});
  }

  bool pick(const Node& n) {
    const auto* given = std::get_if<Pick>(&n.op);
    const Node* before = given ? transpose(n.inputs[0]) : nullptr;
    if (before == nullptr) return false;
    const Shape& seen = g_.tensors[n.inputs[0]].shape;
    if (!given->view.empty() && given->view != seen) return false;
    const std::vector<int> order = std::get<Transpose>(before->op).order;
    const auto places = places_of(*given, g_.tensors[n.inputs[0]]);
    Node made = n;
    made.inputs = before->inputs;
    auto& op = std::get<Pick>(made.op);
    op.view = view_of(g_, *before);
    Shape picked(order.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis)
      picked[static_cast<std::size_t>(order[axis])] = static_cast<int>(places[axis].size());
    for (std::size_t i = 0; i < op.runs.size(); i += 4)
      op.runs[i] = order[static_cast<std::size_t>(op.runs[i])];
    finish(std::move(made), order, picked);
    return true;
  }

  bool concat(const Node& n) {
    const auto* given = std::get_if<Concat>(&n.op);
    if (given == nullptr) return false;
    std::optional<std::vector<int>> order;
    for (const TensorId id : n.inputs) {
      const Node* before = transpose(id);
      if (before == nullptr) {
        if (!is_constant(maker(id))) return false;
        continue;
      }
      const std::vector<int>& own = std::get<Transpose>(before->op).order;
      if (order.value_or(own) != own) return false;
      order = own;
    }
    if (!order) return false;
    std::vector<int> back(order->size());
    for (std::size_t i = 0; i < back.size(); ++i)
      back[static_cast<std::size_t>((*order)[i])] = static_cast<int>(i);
    const auto axis = static_cast<std::size_t>((*order)[static_cast<std::size_t>(given->axis)]);
    Node made = n;
    std::get<Concat>(made.op).axis = static_cast<int>(axis);
    Shape all;
    for (TensorId& id : made.inputs) {
      const Shape seen = g_.tensors[id].shape, shape = in_order(seen, back);
      if (all.empty())
        all = shape;
      else
        all[axis] += shape[axis];
      if (const Node* before = transpose(id)) {
        const TensorId from = before->inputs[0];
        if (g_.tensors[from].shape == shape) {
          id = from;
          continue;
        }
        const TensorId to = add(from, "/" + n.name, shape);
        g_.nodes.push_back({g_.tensors[to].name, Reshape{}, {from}, to});
        id = to;
      } else {
        const TensorId to = add(id, "/" + n.name, shape);
        g_.nodes.push_back(
            {g_.tensors[to].name,
             in_order(std::get<Constant>(maker(id)->op), Transpose{.order = back, .view = seen}),
             {},
             to});
        id = to;
      }
    }
    finish(std::move(made), *order, all);
    return true;
  }

  Graph& g_;
};

}  // namespace

void put_transposes_last(Graph& graph) { PutLast(graph).run(); }

bool works_by_number(const Graph& g, const Node& n) {
  const Shape& out = g.tensors[n.output].shape;
  if (std::holds_alternative<Reshape>(n.op)) return true;
  if (const auto* table = std::get_if<Lookup>(&n.op))
    return is_for_all(*table, g.tensors[n.inputs[0]]);
  if (const auto* steps = std::get_if<Thresholds>(&n.op))
    return std::ssize(steps->begins) == steps->levels && steps->falling.empty();
  return (std::holds_alternative<Add>(n.op) || std::holds_alternative<Mul>(n.op)) &&
         std::ranges::all_of(n.inputs, [&](TensorId id) { return g.tensors[id].shape == out; });
}

void simplify_transposes(Graph& graph, EndTransposes at_ends) {
  Simplifier(graph, at_ends == EndTransposes::count ? 1 : 1 << 20).run();
}

}  // namespace kumiki::gen::graph

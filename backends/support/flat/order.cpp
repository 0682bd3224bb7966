// SPDX-License-Identifier: Apache-2.0
#include "backends/support/flat/order.h"

#include <algorithm>

#include <fmt/format.h>

namespace kumiki::backends::native {
namespace {

// The inputs of the node, as driven nets, including constants.
class Reader {
 public:
  Reader(const Flat& flat, Node node)
      : flat_(flat),
        node_(node),
        scope_(flat.scopes[flat.cells[node.cell].scope]),
        cell_(flat.cell(flat.cells[node.cell])),
        view_(flat.module(scope_).view(cell_)),
        proto_(ir::prototype(cell_.kind)),
        in_(flat.module(scope_).inputs(cell_)) {}

  void append(std::vector<std::uint32_t>& nets) const {
    if (is_lut(cell_.kind) || is_muxf(cell_.kind)) return append_element(nets);
    if (node_.part == Node::whole) return append_whole(nets);
    if (is_carry(cell_.kind)) return append_position(nets);
    append_part(nets);
  }

 private:
  std::uint32_t driver(std::size_t input) const { return flat_.driver_of(scope_, in_[input]); }

  // Equivalent to `reach` plus same-element `reach_bit`, without testing every pair of bits.
  void append_element(std::vector<std::uint32_t>& nets) const {
    auto output = node_.part / cell_.width, element = node_.part % cell_.width;
    auto reach = proto_.reach(view_, output);
    for (std::uint32_t i = 0; i < proto_.inputs.size(); ++i)
      if (reach >> i & 1) nets.push_back(driver(i * cell_.width + element));
  }

  void append_whole(std::vector<std::uint32_t>& nets) const {
    std::uint64_t reach = 0;
    for (unsigned o = 0; o < proto_.outputs.size(); ++o) reach |= proto_.reach(view_, o);
    std::uint32_t at = 0;
    for (unsigned i = 0; i < proto_.inputs.size(); ++i) {
      auto end = at + ir::pin_width(proto_.inputs[i], view_);
      for (; at < end; ++at)
        if (reach >> i & 1) nets.push_back(driver(at));
    }
  }

  // A carry output reads its position and the carry below, which is a node itself.
  void append_position(std::vector<std::uint32_t>& nets) const {
    CarryShape shape(cell_.kind, view_);
    bool is_sum = node_.part >= shape.positions;
    auto at = node_.part % shape.positions;
    nets.push_back(driver(shape.s() + at));
    if (!is_sum) nets.push_back(driver(CarryShape::di + at));
    if (at % shape.chain != 0) {
      nets.push_back(flat_.driver_of(scope_, {cell_.out.index + at - 1}));
    } else {
      nets.push_back(driver(at / shape.chain));
      if (shape.has_fabric_input) nets.push_back(driver(1));
    }
  }

  void append_part(std::vector<std::uint32_t>& nets) const {
    unsigned out_pin = 0;
    std::uint32_t out_bit = node_.part;
    for (; out_bit >= ir::pin_width(proto_.outputs[out_pin], view_); ++out_pin)
      out_bit -= ir::pin_width(proto_.outputs[out_pin], view_);
    auto reach = proto_.reach(view_, out_pin);
    std::uint32_t at = 0;
    for (unsigned i = 0; i < proto_.inputs.size(); ++i) {
      auto width = ir::pin_width(proto_.inputs[i], view_);
      for (std::uint32_t b = 0; (reach >> i & 1) && b < width; ++b)
        if (!proto_.reach_bit || proto_.reach_bit(i, b, out_pin, out_bit))
          nets.push_back(driver(at + b));
      at += width;
    }
  }

  const Flat& flat_;
  Node node_;
  const Scope& scope_;
  const ir::Cell& cell_;
  ir::CellView view_;
  const ir::Prototype& proto_;
  std::span<const ir::Net> in_;
};

// Calls action(first output index, count) for every output pin with a combinational input.
template <class Action>
void for_each_combinational_pin(const ir::Prototype& proto, const ir::CellView& view,
                                Action action) {
  std::uint32_t at = 0;
  for (unsigned o = 0; o < proto.outputs.size(); ++o) {
    auto width = ir::pin_width(proto.outputs[o], view);
    if (proto.reach(view, o) != 0) action(at, width);
    at += width;
  }
}

std::vector<Node> make_nodes(const Flat& flat, const std::vector<bool>& is_cut) {
  std::vector<Node> nodes;
  for (std::uint32_t c = 0; c < flat.cells.size(); ++c) {
    const ir::Cell& cell = flat.cell(flat.cells[c]);
    if (is_flop(cell.kind)) continue;
    auto& proto = ir::prototype(cell.kind);
    auto view = flat.module(flat.cells[c]).view(cell);
    bool bits = is_lut(cell.kind) || is_muxf(cell.kind) || (is_cut[c] && proto.reach_bit);
    bool any = false;
    for_each_combinational_pin(proto, view, [&](std::uint32_t first, std::uint32_t count) {
      any = true;
      for (std::uint32_t b = 0; bits && b < count; ++b) nodes.push_back({c, first + b});
      if (!bits && is_cut[c]) nodes.push_back({c, first});
    });
    if (any && !bits && !is_cut[c]) nodes.push_back({c});
  }
  return nodes;
}

// The fan-in of every node, nodes only: inputs, registers and constants are known from the start.
struct Edges {
  std::vector<std::uint32_t> first, to;
  std::span<const std::uint32_t> of(std::uint32_t node) const {
    return std::span(to).subspan(first[node], first[node + 1] - first[node]);
  }
};

Edges make_edges(const Flat& flat, const std::vector<Node>& nodes) {
  std::vector<std::uint32_t> node_of(flat.driver.size(), none), nets;
  std::vector<Outputs> ranges;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    ranges.clear();
    append_outputs(flat, nodes[n], ranges);
    auto out = flat.output(flat.cells[nodes[n].cell]);
    for (auto r : ranges) std::fill_n(node_of.begin() + out + r.first, r.count, n);
  }
  Edges edges;
  edges.first.reserve(nodes.size() + 1);
  for (const Node& node : nodes) {
    edges.first.push_back(static_cast<std::uint32_t>(edges.to.size()));
    nets.clear();
    append_inputs(flat, node, nets);
    for (std::uint32_t net : nets)
      if (node_of[net] != none) edges.to.push_back(node_of[net]);
  }
  edges.first.push_back(static_cast<std::uint32_t>(edges.to.size()));
  return edges;
}

// Tarjan's strongly connected components without recursion. They are emitted fan-in first.
class Components {
 public:
  explicit Components(const Edges& edges)
      : edges_(edges), index_(edges.first.size() - 1, none), low_(index_.size()) {
    for (std::uint32_t n = 0; n < index_.size(); ++n)
      if (index_[n] == none) visit(n);
  }

  std::vector<std::uint32_t> sequence;            // nodes in order
  std::vector<std::vector<std::uint32_t>> loops;  // components other than a single plain node

 private:
  struct Visit {
    std::uint32_t node, next;
  };

  void visit(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      auto& [node, next] = path_.back();
      auto in = edges_.of(node);
      if (next < in.size()) {
        auto to = in[next++];
        if (index_[to] == none)
          enter(to);
        else if (index_[to] != finished)
          low_[node] = std::min(low_[node], index_[to]);
        continue;
      }
      auto done = node;
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[done]);
      if (low_[done] == index_[done]) finish(done);
    }
  }

  void enter(std::uint32_t node) {
    index_[node] = low_[node] = count_++;
    open_.push_back(node);
    path_.push_back({node, 0});
  }

  void finish(std::uint32_t node) {
    auto begin = open_.end() - 1;
    while (*begin != node) --begin;
    std::vector<std::uint32_t> members(begin, open_.end());
    open_.erase(begin, open_.end());
    for (auto m : members) index_[m] = finished;
    auto in = edges_.of(node);
    if (members.size() > 1 || std::find(in.begin(), in.end(), node) != in.end())
      loops.push_back(members);
    sequence.insert(sequence.end(), members.begin(), members.end());
  }

  static constexpr std::uint32_t finished = none - 1;
  const Edges& edges_;
  std::vector<std::uint32_t> index_, low_, open_;
  std::vector<Visit> path_;
  std::uint32_t count_ = 0;
};

// The shortest path from a node of the component back to itself, in signal direction.
std::vector<std::uint32_t> cycle(const Edges& edges, const std::vector<std::uint32_t>& members) {
  std::vector<std::uint32_t> from(edges.first.size(), none), queue;
  std::vector<bool> inside(edges.first.size());
  for (auto m : members) inside[m] = true;
  auto start = *std::min_element(members.begin(), members.end());
  queue.push_back(start);
  for (std::size_t i = 0; from[start] == none; ++i)
    for (auto to : edges.of(queue[i]))
      if (inside[to] && from[to] == none) from[to] = queue[i], queue.push_back(to);
  std::vector<std::uint32_t> path;
  auto n = start;
  do path.push_back(n = from[n]);
  while (n != start);
  std::rotate(path.begin(), path.end() - 1, path.end());
  return path;
}

std::string describe(const Flat& flat, Node node) {
  FlatCell fc = flat.cells[node.cell];
  const ir::Cell& cell = flat.cell(fc);
  auto& proto = ir::prototype(cell.kind);
  std::string pin;
  auto at = node.part == Node::whole ? 0 : node.part;
  auto view = flat.module(fc).view(cell);
  for (const ir::Pin& p : proto.outputs) {
    auto width = ir::pin_width(p, view);
    if (at < width) {
      pin = width == 1 ? std::string(p.name) : fmt::format("{}[{}]", p.name, at);
      break;
    }
    at -= width;
  }
  auto path = flat.path(fc.scope);
  auto name = flat.design->text(flat.module(fc).cell_name(fc.id));
  auto place = ir::to_string(cell.place);
  return fmt::format("{} {}{}{} in {} ({}){}{}", proto.name, name, name.empty() ? "" : " ", pin,
                     path.empty() ? "the top" : path, flat.module(fc).name(),
                     place.empty() ? "" : " at ", place);
}

[[noreturn]] void refuse_loop(const Flat& flat, const std::vector<Node>& nodes, const Edges& edges,
                              const std::vector<std::uint32_t>& members) {
  auto path = cycle(edges, members);
  auto text =
      fmt::format("combinational loop of {} {}:", path.size(), path.size() == 1 ? "hop" : "hops");
  for (auto n : path) text += "\n  " + describe(flat, nodes[n]);
  throw DesignError(code::loop, text + "\nput a register on the way");
}

}  // namespace

void append_outputs(const Flat& flat, Node node, std::vector<Outputs>& ranges) {
  FlatCell fc = flat.cells[node.cell];
  const ir::Cell& cell = flat.cell(fc);
  auto& proto = ir::prototype(cell.kind);
  bool bits = is_lut(cell.kind) || is_muxf(cell.kind) || proto.reach_bit;
  if (node.part != Node::whole && bits) return ranges.push_back({node.part, 1});
  for_each_combinational_pin(proto, flat.module(fc).view(cell),
                             [&](std::uint32_t first, std::uint32_t count) {
                               if (node.part == Node::whole || node.part == first)
                                 ranges.push_back({first, count});
                             });
}

void append_inputs(const Flat& flat, Node node, std::vector<std::uint32_t>& nets) {
  Reader(flat, node).append(nets);
}

std::vector<Node> order(const Flat& flat) {
  std::vector<bool> is_cut(flat.cells.size());
  for (bool may_cut = true;; may_cut = false) {
    auto nodes = make_nodes(flat, is_cut);
    auto edges = make_edges(flat, nodes);
    Components components(edges);
    if (components.loops.empty()) {
      std::vector<Node> sequence;
      sequence.reserve(nodes.size());
      for (auto n : components.sequence) sequence.push_back(nodes[n]);
      return sequence;
    }
    for (auto& members : components.loops) {
      bool helps = false;
      for (auto m : members)
        if (nodes[m].part == Node::whole) is_cut[nodes[m].cell] = helps = true;
      if (!helps || !may_cut) refuse_loop(flat, nodes, edges, members);
    }
  }
}

}  // namespace kumiki::backends::native

// SPDX-License-Identifier: Apache-2.0
// An expression of up to six inputs is a LUT. A wider one is a tree: a chain of one operator counts
// as one gate of many inputs, which is filled into LUTs level by level. So the tree is never deeper
// than the written expression. Savings across several expressions are found when the module is
// complete (merge.h).
#include "gen/hdl/bit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "gen/hdl/cone.h"
#include "gen/hdl/lut.h"
#include "gen/hdl/messages.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen {
namespace {

using detail::Cone;
using detail::Gate;
using detail::Node;

constexpr Table and2{.bits = 0b1000, .inputs = 2}, xor2{.bits = 0b0110, .inputs = 2};
// c ? a : b with c in front.
constexpr Table choose3 = table([](bool c, bool a, bool b) { return c ? a : b; });

// The six variables of a table: bit i is the variable's value at index i.
constexpr std::uint64_t variable[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                       0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

bool is_same(const Node& a, const Node& b) {
  return a.gate == b.gate && (a.gate == Gate::net ? a.net == b.net
                                                  : a.word.nets().data() == b.word.nets().data() &&
                                                        a.word.width() == b.word.width());
}

// The nets and words of an expression in the written order, without constants. Stops after more
// than `most`.
class Leaves {
 public:
  Leaves(const Node& root, std::size_t most) : most_(most) { visit(root); }
  const std::vector<const Node*>& all() const { return all_; }
  unsigned of(const Node& leaf) const {
    return static_cast<unsigned>(
        std::ranges::find_if(all_, [&](const Node* n) { return is_same(*n, leaf); }) -
        all_.begin());
  }

 private:
  void visit(const Node& n) {
    if (all_.size() > most_ || !seen_.insert(&n).second) return;
    if (n.gate == Gate::net || n.gate == Gate::word) {
      if (!(n.gate == Gate::net && n.net.is_constant()) && of(n) == all_.size()) all_.push_back(&n);
      return;
    }
    for (const auto* in : {&n.a, &n.b, &n.c})
      if (*in) visit(**in);
  }
  std::size_t most_;
  std::vector<const Node*> all_;
  std::unordered_set<const Node*> seen_;
};

// The function of at most six leaves.
class TableOf {
 public:
  explicit TableOf(const Leaves& leaves) : leaves_(leaves) {}
  Table operator()(const Node& root) {
    const auto inputs = static_cast<unsigned>(leaves_.all().size());
    return {.bits = value(root) & detail::full_mask(inputs), .inputs = inputs};
  }

 private:
  std::uint64_t value(const Node& n) {
    if (n.gate == Gate::net && n.net.is_constant()) return n.net == ir::net_one ? ~0ull : 0;
    if (n.gate == Gate::net || n.gate == Gate::word) return variable[leaves_.of(n)];
    if (const auto at = known_.find(&n); at != known_.end()) return at->second;
    const std::uint64_t a = value(*n.a), b = n.b ? value(*n.b) : 0, c = n.c ? value(*n.c) : 0;
    return known_[&n] = n.gate == Gate::inverse  ? ~a
                        : n.gate == Gate::all    ? a & b
                        : n.gate == Gate::any    ? a | b
                        : n.gate == Gate::differ ? a ^ b
                                                 : (a & b) | (~a & c);
  }
  const Leaves& leaves_;
  std::unordered_map<const Node*, std::uint64_t> known_;
};

class Mapper {
 public:
  Mapper(Scope& s, PlaceId at) : s_(s), at_(at) {}

  Net net(const Node& root) { return lut_of(cone(root)); }

 private:
  // A cone as an operand of a wide gate; everything that it reads is available at this level.
  struct Operand {
    Cone cone;
    unsigned level;
  };

  Net lut_of(const Cone& c) {
    if (c.is_constant() || c.is_wire()) return c.net();
    const Net out =
        s_.cell(detail::lut_kind(c.table.inputs), 1, c.inputs(), std::span(&c.table.bits, 1), at_);
    s_.keep_written(out, level(c) + 1);
    return out;
  }
  unsigned level(const Cone& c) const {
    unsigned most = 0;
    for (const Net n : c.inputs()) most = std::max(most, s_.written_level(n));
    return most;
  }

  Cone cone(const Node& n) {
    if (const Leaves leaves(n, 6); leaves.all().size() <= 6) {
      std::array<Net, 6> nets;
      std::ranges::transform(leaves.all(), nets.begin(),
                             [](const Node* leaf) { return leaf->net; });
      return detail::folded(TableOf(leaves)(n), std::span(nets).first(leaves.all().size()));
    }
    if (n.gate == Gate::inverse) return detail::inverse(cone(*n.a));
    if (n.gate == Gate::choose) return chosen({cone(*n.a), cone(*n.b), cone(*n.c)});
    std::vector<Operand> operands;
    if (n.gate == Gate::differ) {
      const bool turned = add_differing(n, operands);
      const Cone c = wide(xor2, std::move(operands));
      return turned ? detail::inverse(c) : c;
    }
    // a | b is ~(~a & ~b).
    const bool any = n.gate == Gate::any;
    add_all(n, any, operands);
    const Cone c = wide(and2, std::move(operands));
    return any ? detail::inverse(c) : c;
  }

  void add(const Cone& c, std::vector<Operand>& operands) const {
    operands.push_back({c, level(c)});
  }
  // Adds the operands that must all be 1 so that this node, or its inverse, is 1.
  void add_all(const Node& n, bool inverted, std::vector<Operand>& operands) {
    if (n.gate == Gate::inverse) return add_all(*n.a, !inverted, operands);
    if (n.gate == (inverted ? Gate::any : Gate::all)) {
      add_all(*n.a, inverted, operands);
      return add_all(*n.b, inverted, operands);
    }
    add(inverted ? detail::inverse(cone(n)) : cone(n), operands);
  }
  // Adds the operands of an XOR; returns whether the result must be inverted.
  bool add_differing(const Node& n, std::vector<Operand>& operands) {
    if (n.gate == Gate::inverse) return !add_differing(*n.a, operands);
    if (n.gate == Gate::differ) {
      const bool a = add_differing(*n.a, operands);
      return add_differing(*n.b, operands) != a;
    }
    add(cone(n), operands);
    return false;
  }

  Cone chosen(std::array<Cone, 3> of) {
    for (;;) {
      if (const auto all = detail::composed(choose3, of)) return *all;
      Cone& widest =
          *std::ranges::max_element(of, {}, [](const Cone& c) { return c.table.inputs; });
      widest = detail::cone_of(lut_of(widest));
    }
  }

  static std::optional<Cone> joined(const Table& gate, const Cone& a, const Cone& b) {
    return detail::composed(gate, std::array{a, b});
  }
  static std::optional<Cone> joined(const Table& gate, const std::vector<Operand>& operands) {
    std::optional<Cone> all = operands.front().cone;
    for (std::size_t i = 1; all && i < operands.size(); ++i)
      all = joined(gate, *all, operands[i].cone);
    return all;
  }

  // LUTs filled with operands: the widest operand first, into the first LUT that has room.
  struct Filled {
    Cone cone;
    std::vector<std::size_t> of;
  };
  static std::vector<Filled> fill(const Table& gate, const std::vector<Operand>& operands,
                                  unsigned level) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].level == level) order.push_back(i);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return operands[i].cone.table.inputs; });
    std::vector<Filled> luts;
    for (const std::size_t i : order) {
      std::optional<Cone> more;
      auto lut = luts.begin();
      while (lut != luts.end() && !(more = joined(gate, lut->cone, operands[i].cone))) ++lut;
      if (lut == luts.end()) {
        luts.push_back({operands[i].cone, {i}});
      } else {
        lut->cone = *more;
        lut->of.push_back(i);
      }
    }
    return luts;
  }

  static std::vector<Operand> without(const std::vector<Operand>& operands, const Filled& lut) {
    std::vector<Operand> rest;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (std::ranges::find(lut.of, i) == lut.of.end()) rest.push_back(operands[i]);
    return rest;
  }

  Cone wide(const Table& gate, std::vector<Operand> operands) {
    for (;;) {
      if (const auto all = joined(gate, operands)) return *all;
      const unsigned level = std::ranges::min(operands, {}, &Operand::level).level;
      const auto luts = fill(gate, operands, level);
      const Filled& fullest =
          *std::ranges::max_element(luts, {}, [](const Filled& f) { return f.cone.table.inputs; });
      auto rest = without(operands, fullest);
      if (luts.size() == 1) {
        // A LUT with room waits for operands of later levels, unless its output and all remaining
        // operands fit into one LUT.
        auto with_one_more = rest;
        with_one_more.push_back({detail::cone_of(Net{~std::uint32_t{0}}), level});
        if (fullest.cone.table.inputs < 6 && !joined(gate, with_one_more)) {
          const unsigned next = std::ranges::min(rest, {}, &Operand::level).level;
          for (const std::size_t i : fullest.of) operands[i].level = next;
          continue;
        }
      }
      const Net out = lut_of(fullest.cone);
      rest.push_back({detail::cone_of(out), s_.written_level(out)});
      operands = std::move(rest);
    }
  }

  Scope& s_;
  PlaceId at_;
};

}  // namespace

Net Scope::net(const Bit& logic, SourceLocation here) {
  return Mapper(*this, at(here)).net(*logic.node());
}

namespace {

// Makes a net of every part that depends only on nets, if these are more than one.
detail::NodeRef with_nets_made(Scope& s, const detail::NodeRef& n, PlaceId at) {
  if (n->gate == Gate::net || n->gate == Gate::word) return n;
  const Leaves leaves(*n, ~std::size_t{0});
  if (std::ranges::none_of(leaves.all(), [](const Node* l) { return l->gate == Gate::word; }))
    return leaves.all().size() < 2 ? n : detail::node(Mapper(s, at).net(*n));
  Node made = *n;
  for (auto* in : {&made.a, &made.b, &made.c})
    if (*in) *in = with_nets_made(s, *in, at);
  return std::make_shared<Node>(made);
}

// LUT sites for a word of an expression with these inputs; empty if there are too many. If a net is
// also a bit of a word, that position is another function, and no positions are paired.
std::optional<std::size_t> sites(const Leaves& leaves, std::uint32_t width) {
  std::vector<const Node*> words, nets;
  for (const Node* l : leaves.all()) (l->gate == Gate::word ? words : nets).push_back(l);
  const bool alike = std::ranges::none_of(words, [&](const Node* w) {
    const auto of = w->word.nets();
    return std::ranges::any_of(
        nets, [&](const Node* n) { return std::ranges::find(of, n->net) != of.end(); });
  });
  if (words.size() + nets.size() > 6) return {};
  return alike && 2 * words.size() + nets.size() <= 5 ? (width + 1) / 2 : width;
}

}  // namespace

UInt Scope::word(const Bits& logic, SourceLocation here) {
  detail::NodeRef root = logic.node();
  const Leaves as_written(*root, ~std::size_t{0});
  const auto width = (*std::ranges::find(as_written.all(), Gate::word, [](const Node* l) {
                       return l->gate;
                     }))->word.width();
  // A condition gets its own LUT if it must, or if two positions can then share a LUT.
  const auto without = sites(as_written, width);
  if (!without || *without == width) {
    const auto nets_made = with_nets_made(*this, root, at(here));
    const Leaves fewer(*nets_made, 6);
    const auto with = sites(fewer, width);
    const auto conditions = as_written.all().size() - fewer.all().size();
    if (with && (!without || *with + conditions < *without)) root = nets_made;
  }
  const Leaves leaves(*root, 6);
  if (leaves.all().size() > 6)
    refuse(here, code::lut_inputs,
           "an expression of words has more than six different inputs a bit: make a word of a "
           "part of it");
  std::array<detail::LutInput, 6> inputs;
  std::ranges::transform(leaves.all(), inputs.begin(), [](const Node* leaf) {
    return leaf->gate == Gate::net ? detail::lut_input(leaf->net) : detail::lut_input(leaf->word);
  });
  return detail::lut_word(*this, TableOf(leaves)(*root),
                          std::span(inputs).first(leaves.all().size()), here);
}

}  // namespace kumiki::gen

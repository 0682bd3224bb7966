// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/node_choices.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gen/config/document.h"
#include "gen/config/messages.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/operators/conv/convolution.h"
#include "gen/operators/conv/lut_matrix.h"

namespace kumiki::gen::pipeline {
namespace {

bool has_products(const graph::Node& n) { return std::holds_alternative<graph::Conv>(n.op); }

// The nodes that a key of the request names.
class Choice {
 public:
  using WhyNot = std::string (*)(const graph::Graph&, const graph::Node&);
  Choice(const graph::Graph& g, const char* key, WhyNot why_not,
         const char* what = "do without slices")
      : g_(g), key_(key), why_not_(why_not), what_(what) {}

  void add(const NodeNames& names) {
    if (const auto* one = std::get_if<std::string>(&names)) {
      if (*one == all_nodes)
        add_all();
      else
        add(*one, key_);
      return;
    }
    const auto& list = std::get<std::vector<std::string>>(names);
    for (std::size_t i = 0; i < list.size(); ++i) add(list[i], fmt::format("{}/{}", key_, i));
  }
  void add(const graph::Node& n, const std::string& key) {
    if (!has_products(n))
      throw config::Refusal(
          {code::no_machine, key,
           fmt::format("{} is {} and has no products", n.name, with_article(n.op)), allowed(),
           true});
    if (const std::string why = why_not_(g_, n); !why.empty())
      throw config::Refusal({code::no_machine, key,
                             fmt::format("{} cannot {}: {}", n.name, what_, why), allowed(), true});
    chosen_.insert(static_cast<std::size_t>(&n - g_.nodes.data()));
  }
  // Skips nodes without products silently.
  template <class Which>
  void add_if(const Which& which) {
    for (const graph::Node& n : g_.nodes)
      if (has_products(n) && which(n)) add(n, key_);
  }
  const std::set<std::size_t>& chosen() const { return chosen_; }
  std::string allowed() const {
    std::vector<std::string> names;
    for (const graph::Node& n : g_.nodes)
      if (has_products(n) && why_not_(g_, n).empty()) names.push_back(n.name);
    if (names.empty()) return "remove it";
    return fmt::format("use {}", config::alternatives(names));
  }

 private:
  void add(const std::string& name, const std::string& key) {
    const auto at = std::ranges::find(g_.nodes, name, &graph::Node::name);
    if (at == g_.nodes.end())
      throw config::Refusal({code::unknown_name, key, "is not a node of the network", allowed()});
    add(*at, key);
  }
  void add_all() {
    add_if([](const graph::Node&) { return true; });
  }

  const graph::Graph& g_;
  std::string key_;
  WhyNot why_not_;
  const char* what_;
  std::set<std::size_t> chosen_;
};

std::set<std::size_t> in_trees(const NodeNames& names, const graph::Graph& g) {
  Choice choice(g, "in_trees", why_not_in_trees);
  const auto* one = std::get_if<std::string>(&names);
  if (!one || *one != binarised_nodes) {
    choice.add(names);
    return choice.chosen();
  }
  choice.add_if(
      [&](const graph::Node& n) { return why_not_in_trees(g, n).empty() && is_binarised(g, n); });
  if (choice.chosen().empty())
    throw config::Refusal({code::no_machine, "in_trees",
                           "no layer has numbers and weights that are all -1 or 1",
                           choice.allowed(), true});
  return choice.chosen();
}

// "all": those that can.
std::set<std::size_t> outside(const NodeNames& names, const graph::Graph& g) {
  Choice choice(g, "weights_outside", why_not_outside, "have its weights outside");
  const auto* one = std::get_if<std::string>(&names);
  if (one && *one == all_nodes)
    choice.add_if([&](const graph::Node& n) { return why_not_outside(g, n).empty(); });
  else
    choice.add(names);
  return choice.chosen();
}

}  // namespace

NodeChoices node_choices(const Request& r, const graph::Graph& g) {
  NodeChoices all;
  if (r.in_luts) {
    Choice choice(g, "in_luts", why_not_in_luts);
    choice.add(*r.in_luts);
    all.in_luts = choice.chosen();
  }
  if (r.in_trees) all.in_trees = in_trees(*r.in_trees, g);
  for (const std::size_t node : all.in_trees)
    if (all.in_luts.contains(node))
      throw config::Refusal(
          {code::conflicting_keys, "in_trees",
           fmt::format("names {}, which \"in_luts\" names too", g.nodes[node].name),
           "remove it from one of the two"});
  if (r.weights_outside) {
    all.outside = outside(*r.weights_outside, g);
  }
  for (const std::size_t node : all.outside)
    if (all.in_luts.contains(node) || all.in_trees.contains(node))
      throw config::Refusal({code::conflicting_keys, "weights_outside",
                             fmt::format("names {}, which takes no slice", g.nodes[node].name),
                             "remove it, or remove it from \"in_luts\" or \"in_trees\""});
  all.word_bits = r.memory_bits;
  return all;
}

}  // namespace kumiki::gen::pipeline

// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/in_luts.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gen/config/document.h"
#include "gen/layers/pipeline/machines/lut_matrix.h"

namespace kumiki::gen::pipeline {
namespace {

bool has_products(const graph::Node& n) { return std::holds_alternative<graph::Conv>(n.op); }

class Choice {
 public:
  explicit Choice(const graph::Graph& g) : g_(g) {}

  void add(const std::string& name, const std::string& key) {
    const auto at = std::ranges::find(g_.nodes, name, &graph::Node::name);
    if (at == g_.nodes.end())
      throw config::Refusal({Code::unknown_name, key, "is no node of the network", legal()});
    add(*at, key);
  }
  void add(const graph::Node& n, const std::string& key) {
    if (!has_products(n))
      throw config::Refusal(
          {Code::no_machine, key,
           fmt::format("is not possible: {} is a {} and has no products", n.name, name_of(n.op)),
           legal()});
    if (const std::string why = why_not_in_luts(g_, n); !why.empty())
      throw config::Refusal(
          {Code::no_machine, key, fmt::format("is not possible: {} {}", n.name, why), legal()});
    chosen_.insert(static_cast<std::size_t>(&n - g_.nodes.data()));
  }
  void add_all(const std::string& key) {
    for (const graph::Node& n : g_.nodes)
      if (has_products(n)) add(n, key);
  }
  std::set<std::size_t> done() { return std::move(chosen_); }

 private:
  std::string legal() const {
    std::vector<std::string> names;
    for (const graph::Node& n : g_.nodes)
      if (has_products(n) && why_not_in_luts(g_, n).empty()) names.push_back(n.name);
    if (names.empty()) return "leaving it out is legal";
    return fmt::format("{} is legal", config::alternatives(names));
  }

  const graph::Graph& g_;
  std::set<std::size_t> chosen_;
};

}  // namespace

std::set<std::size_t> nodes_in_luts(const Request& r, const graph::Graph& g) {
  Choice choice(g);
  if (!r.in_luts) return {};
  if (const auto* one = std::get_if<std::string>(&*r.in_luts)) {
    if (*one == all_in_luts)
      choice.add_all("in_luts");
    else
      choice.add(*one, "in_luts");
  } else {
    const auto& names = std::get<std::vector<std::string>>(*r.in_luts);
    for (std::size_t i = 0; i < names.size(); ++i)
      choice.add(names[i], fmt::format("in_luts/{}", i));
  }
  return choice.done();
}

}  // namespace kumiki::gen::pipeline

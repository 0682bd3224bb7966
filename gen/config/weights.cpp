// SPDX-License-Identifier: Apache-2.0
#include "gen/config/weights.h"

#include <fmt/format.h>

#include "gen/config/messages.h"

namespace kumiki::gen::config {
namespace {

void load_nested(Node node, std::vector<std::int64_t>& out) {
  for (const Node entry : node.entries()) {
    if (entry.form() == Form::list)
      load_nested(entry, out);
    else
      out.push_back(entry.integer());
  }
}

// Whether `given` is `wanted`, possibly with neighbouring dimensions joined; dimensions of 1 do not
// count.
bool fits(const std::vector<std::size_t>& given, const std::vector<Dimension>& wanted) {
  std::size_t next = 0;
  for (const std::size_t size : given) {
    std::int64_t run = 1;
    while (run < static_cast<std::int64_t>(size) && next < wanted.size())
      run *= wanted[next++].size;
    if (run != static_cast<std::int64_t>(size)) return false;
  }
  for (; next < wanted.size(); ++next)
    if (wanted[next].size != 1) return false;
  return true;
}

std::vector<std::size_t> place_of(std::size_t entry, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; entry /= shape[d]) at[d] = entry % shape[d];
  return at;
}

}  // namespace

Violations check_shape(const std::string& key, const Weights& weights,
                       const std::vector<Dimension>& wanted) {
  std::int64_t count = 1;
  std::string names, sizes;
  for (const Dimension& d : wanted) {
    count *= d.size;
    names += fmt::format("[{}]", d.name);
    sizes += fmt::format("[{}]", d.size);
  }
  if (!fits(weights.shape, wanted)) {
    const std::string shape = fmt::format("{}", fmt::join(weights.shape, " x "));
    const auto given = static_cast<std::int64_t>(weights.values.size());
    return {{code::wrong_shape, key,
             given == count ? fmt::format("has the shape {} instead of {}", shape, sizes)
             : weights.shape.size() == 1
                 ? fmt::format("has {} weights instead of {}", given, count)
                 : fmt::format("has the shape {}, {} weights instead of {}", shape, given, count),
             fmt::format("give {} as {}, or all in one list", sizes, names)}};
  }
  return {};
}

Violations check_range(const std::string& key, const Weights& weights, std::int64_t low,
                       std::int64_t high) {
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const std::int64_t v = weights.values[i];
    if (v >= low && v <= high) continue;
    const std::string required = fmt::format("must be {} to {}", low, high);
    const auto place = place_of(i, weights.shape);
    if (weights.from_file)
      return {{code::out_of_range, key,
               fmt::format("has {} at [{}], which is out of range", v, fmt::join(place, "][")),
               required}};
    return {{code::out_of_range, fmt::format("{}/{}", key, fmt::join(place, "/")),
             "is out of range", required}};
  }
  return {};
}

Kind Bind<Weights>::kind() {
  return {.form = Kind::Form::weights,
          .shortest = 1,
          .longest = longest_list,
          .element = {Bind<std::int64_t>::kind()}};
}

void Bind<Weights>::load(const Kind&, Node node, Weights& out) {
  out = {.from_file = node.form() == Form::object};
  node = node.list();
  load_nested(node, out.values);
  for (Node n = node; n.form() == Form::list; n = *n.entries().begin()) {
    out.shape.push_back(n.size());
    if (n.size() == 0) break;
  }
}

void Bind<Weights>::save(const Kind&, const Weights& value, Writer& to) {
  std::vector<std::size_t> ends{1};
  for (auto d = value.shape.rbegin(); d != value.shape.rend(); ++d)
    ends.push_back(ends.back() * *d);
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    for (std::size_t d = 1; d < ends.size(); ++d)
      if (i % ends[d] == 0) to.begin_list();
    to.integer(value.values[i]);
    for (std::size_t d = 1; d < ends.size(); ++d)
      if ((i + 1) % ends[d] == 0) to.end_list();
  }
}

}  // namespace kumiki::gen::config

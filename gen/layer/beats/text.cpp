// SPDX-License-Identifier: Apache-2.0
// A beat as a person reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/layer/beats/beats.h"

namespace kumiki::gen {
namespace {

// "16 x S8", "8 x (S18, S20)"
std::string format_text(const Beat& b) {
  std::vector<std::string> one;
  for (const arith::Format& f : b.formats) one.push_back(to_string(f));
  const auto times = b.element_count() / static_cast<std::int64_t>(one.size());
  const auto text = one.size() == 1 ? one[0] : fmt::format("({})", fmt::join(one, ", "));
  return times == 1 ? text : fmt::format("{} x {}", times, text);
}

// "p + 2*c" of the loops that count elements.
std::string number_text(const std::vector<Index>& loops) {
  std::vector<std::string> sum;
  std::int64_t step = 1;
  for (std::size_t i = loops.size(); i-- > 0; step *= loops[i].count)
    if (loops[i].count > 1)
      sum.insert(sum.begin(),
                 step == 1 ? loops[i].name : fmt::format("{}*{}", step, loops[i].name));
  return sum.size() > 1 ? fmt::format("({})", fmt::join(sum, " + "))
                        : fmt::format("{}", fmt::join(sum, ""));
}

// "8*i": what is added to the lowest bit of all.
std::string low_text(const Beat& b) {
  int each = 0;
  for (const arith::Format& f : b.formats) each += f.bits;
  const auto number = number_text(b.elements);
  const auto base = b.low == 0 ? std::string() : fmt::format("{} + ", b.low);
  if (b.formats.size() == 1)
    return base + (each == 1 ? number : fmt::format("{}*{}", each, number));
  std::vector<std::uint32_t> lows;
  for (std::size_t i = 0; i < b.formats.size(); ++i)
    lows.push_back(b.low_of(static_cast<std::int64_t>(i)) - b.low);
  if (static_cast<std::int64_t>(lows.size()) == b.element_count())
    return fmt::format("{}{} for {}", base, fmt::join(lows, ", "), number);
  return fmt::format("{}{}*(e/{}) + {} for e modulo {}, e = {}", base, each, lows.size(),
                     fmt::join(lows, ", "), lows.size(), number);
}

std::string given_text(const Given& g) {
  return g.per == 1 ? g.port : fmt::format("{}/{} rounded up", g.port, g.per);
}

std::string range_text(const Index& i) {
  if (!i.given.port.empty()) return fmt::format("{} 0.. ({} of them)", i.name, given_text(i.given));
  return fmt::format("{} 0..{}", i.name, i.count - 1);
}

std::string ranges_text(const std::vector<Index>& loops) {
  std::vector<std::string> all;
  for (const Index& i : loops)
    if (i.count > 1 || !i.given.port.empty()) all.push_back(range_text(i));
  return fmt::format("{}", fmt::join(all, ", "));
}

bool is_counted(const Beat& b, const std::string& index) {
  for (const auto* loops : {&b.elements, &b.words})
    for (const Index& i : *loops)
      if (i.name == index) return i.count > 1 || !i.given.port.empty();
  return false;
}

std::string coordinate_text(const Beat& b, const Coordinate& c) {
  std::vector<std::string> sum;
  for (const Step& s : c.steps)
    if (is_counted(b, s.index))
      sum.push_back(s.size == 1 ? s.index : fmt::format("{}*{}", s.size, s.index));
  if (sum.empty()) return {};
  // A counter with the name of the coordinate needs no further text.
  if (sum.size() == 1 && sum[0] == c.name) return {};
  return fmt::format("{} = {}, below {}", c.name, fmt::join(sum, " + "),
                     c.given.port.empty() ? std::to_string(c.count) : given_text(c.given));
}

// "slot 0..47: 0..47; slot 48..63: 49..64"
std::string late_text(const Beat& b) {
  std::vector<std::string> runs;
  const auto& late = b.late;
  for (std::size_t i = 0; i < late.size();) {
    std::size_t end = i + 1;
    const auto step = [&](std::size_t k) { return std::int64_t{late[k]} - late[k - 1]; };
    if (end < late.size() && (step(end) == 0 || step(end) == 1))
      for (const auto first = step(end); end < late.size() && step(end) == first;) ++end;
    runs.push_back(end - i == 1 ? fmt::format("{}: {}", i, late[i])
                   : late[end - 1] == late[i]
                       ? fmt::format("{}..{}: {}", i, end - 1, late[i])
                       : fmt::format("{}..{}: {}..{}", i, end - 1, late[i], late[end - 1]));
    i = end;
  }
  return fmt::format("{} {}", b.elements.back().name, fmt::join(runs, "; "));
}

bool has_padding(const Beat& b) {
  for (const Coordinate& c : b.of) {
    if (!c.given.port.empty()) return true;
    std::int64_t most = 0;
    for (std::size_t i = c.steps.size(); i-- > 0;) {
      if (most >= c.steps[i].size) return true;
      for (const auto* loops : {&b.elements, &b.words})
        for (const Index& l : *loops)
          if (l.name == c.steps[i].index) most += c.steps[i].size * (l.count - 1);
    }
    if (most >= c.count) return true;
  }
  return false;
}

}  // namespace

std::string to_text(const std::vector<Beat>& beats) {
  std::string text;
  for (const Beat& b : beats) {
    std::string element = b.what;
    for (const Coordinate& c : b.of)
      if (c.count > 1) element += fmt::format("[{}]", c.name);
    const auto high = b.low + b.bits() - 1;
    text += fmt::format("{}{}: {}{}{}\n", b.port,
                        high == 0 ? std::string() : fmt::format("[{}:{}]", high, b.low),
                        format_text(b), element.empty() ? "" : ", ", element);
    const auto line = [&](const char* what, const std::string& says) {
      if (!says.empty()) text += fmt::format("  {:<6} {}\n", what, says);
    };
    if (b.element_count() > 1)
      line("bit", fmt::format("{}; {}", low_text(b), ranges_text(b.elements)));
    if (const auto loops = ranges_text(b.words); !loops.empty()) line("words", loops);
    for (const Coordinate& c : b.of) line("is", coordinate_text(b, c));
    if (has_padding(b)) line("else", b.padding);
    if (!b.when.empty())
      line("when",
           fmt::format("{}{}", fmt::join(b.when, " and "),
                       b.runs_on && b.word_count() > 1
                           ? fmt::format("; after the first word of a set {} is not looked at",
                                         b.when.front())
                           : ""));
    if (b.is_late()) line("later", late_text(b) + " enabled clocks");
    line("note", b.note);
  }
  return text;
}

}  // namespace kumiki::gen

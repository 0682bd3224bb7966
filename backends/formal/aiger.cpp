// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/aiger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/emit/messages.h"
#include "ir/error.h"

namespace kumiki::backends::proof {
namespace {

// Reads a line of numbers, and differences in groups of 7 bits.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<std::uint32_t> line() {
    const auto end = std::min(text_.find('\n', at_), text_.size());
    std::vector<std::uint32_t> all;
    const char* from = text_.data() + at_;
    const char* to = text_.data() + end;
    while (from != to) {
      if (*from == ' ') ++from;
      std::uint32_t n = 0;
      const auto [next, error] = std::from_chars(from, to, n);
      if (error != std::errc()) fail();
      all.push_back(n);
      from = next;
    }
    at_ = end + 1;
    return all;
  }
  std::uint32_t number() {
    const auto all = line();
    if (all.empty()) fail();
    return all[0];
  }
  std::uint32_t difference() {
    std::uint32_t d = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      if (at_ >= text_.size()) fail();
      const auto byte = static_cast<unsigned char>(text_[at_++]);
      d |= static_cast<std::uint32_t>(byte & 127) << shift;
      if (byte < 128) return d;
    }
    fail();
  }
  void skip(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail();
    at_ += word.size();
  }
  [[noreturn]] static void fail() {
    throw ToolError(code::tool_answer, "yosys-abc: its output is not a circuit (aig)");
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string write_aiger(const Circuit& c) {
  const Aig& aig = c.aig;
  std::vector<Literal> is(aig.size(), zero);
  std::uint32_t next = 1;
  for (std::uint32_t n : aig.inputs()) is[n] = 2 * next++;
  for (std::uint32_t n = 1; n < aig.size(); ++n)
    if (!aig.is_input(n)) is[n] = 2 * next++;
  auto now = [&](Literal l) { return is[l >> 1] ^ (l & 1); };
  const auto inputs = aig.inputs().size();
  std::string text = fmt::format("aig {} {} {} {} {}\n", aig.size() - 1, inputs - c.latches(),
                                 c.latches(), c.output_values.size(), aig.size() - 1 - inputs);
  for (Literal l : c.next) text += fmt::format("{}\n", now(l));
  for (Literal l : c.output_values) text += fmt::format("{}\n", now(l));
  auto difference = [&](std::uint32_t d) {
    for (; d >= 128; d >>= 7) text += static_cast<char>(d | 128);
    text += static_cast<char>(d);
  };
  for (std::uint32_t n = 1; n < aig.size(); ++n) {
    if (aig.is_input(n)) continue;
    auto a = now(aig.node(n).a), b = now(aig.node(n).b);
    if (a < b) std::swap(a, b);
    difference(is[n] - a);
    difference(a - b);
  }
  return text;
}

std::string write_aiger(const Aig& aig, Literal output) {
  return write_aiger(Circuit{aig, {}, {}, {output}, {}});
}

Circuit read_aiger(std::string_view text, const Circuit& ports) {
  Reader in(text);
  in.skip("aig ");
  const auto counts = in.line();
  if (counts.size() < 5 || counts[1] != ports.inputs.size() ||
      counts[3] != ports.output_values.size() || counts[0] != counts[1] + counts[2] + counts[4])
    Reader::fail();
  Circuit c{
      .aig = {}, .inputs = ports.inputs, .outputs = ports.outputs, .output_values = {}, .next = {}};
  std::vector<Literal> is{zero};
  for (std::uint32_t i = 0; i < counts[1] + counts[2]; ++i) is.push_back(c.aig.add_input());
  std::vector<std::uint32_t> next, values;
  for (std::uint32_t i = 0; i < counts[2]; ++i) next.push_back(in.number());
  for (std::uint32_t i = 0; i < counts[3]; ++i) values.push_back(in.number());
  auto now = [&](std::uint32_t l) {
    if (l >> 1 >= is.size()) Reader::fail();
    return is[l >> 1] ^ (l & 1);
  };
  for (std::uint32_t i = 0; i < counts[4]; ++i) {
    const auto gate = static_cast<std::uint32_t>(2 * is.size());
    const auto to_a = in.difference();
    if (to_a > gate) Reader::fail();
    const auto a = gate - to_a, to_b = in.difference();
    if (to_b > a) Reader::fail();
    is.push_back(c.aig.both(now(a), now(a - to_b)));
  }
  for (auto l : next) c.next.push_back(now(l));
  for (auto l : values) c.output_values.push_back(now(l));
  return c;
}

}  // namespace kumiki::backends::proof

// SPDX-License-Identifier: Apache-2.0
// What the edits have to know of expressions: how wide they are, whether they are constant.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "gen/flow/reduce/verilog.h"

namespace kumiki::reduction {
namespace {

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

// "[7:0]" from `at` on.
std::optional<std::size_t> width_of_range(const VerilogTokens& t, std::size_t at) {
  if (at + 5 > t.size() || t[at].text != "[" || t[at + 2].text != ":") return std::nullopt;
  const auto high = whole_number(t[at + 1].text), low = whole_number(t[at + 3].text);
  if (!high || !low || *high < *low) return std::nullopt;
  return *high - *low + 1;
}

bool is_text(const VerilogTokens& t, std::size_t at, std::string_view text) {
  return at < t.size() && t[at].text == text;
}

}  // namespace

Widths widths_of(const VerilogModule& module) {
  Widths widths;
  for (const auto& port : module.ports) {
    if (!port.is_known) continue;
    const auto width = port.range.empty() ? 1 : width_of_range(verilog_tokens(port.range), 0);
    if (width) widths[port.name] = *width;
  }
  for (const auto& item : module.items) {
    if (item.form != VerilogModule::Item::Form::declaration) continue;
    const auto open = std::ranges::find(item.head, "[", &VerilogToken::text);
    const auto width =
        open == item.head.end()
            ? 1
            : width_of_range(item.head, static_cast<std::size_t>(open - item.head.begin()));
    for (const auto& name : item.names)
      if (width) widths[name[0].text] = *width;
  }
  return widths;
}

std::optional<std::size_t> width_of(const VerilogTokens& e, const Widths& widths) {
  if (e.size() == 1) {
    const auto& text = e[0].text;
    const auto quote = text.find('\'');
    if (quote != std::string::npos) return whole_number(text.substr(0, quote));
    const auto found = widths.find(text);
    return found == widths.end() ? std::nullopt : std::optional(found->second);
  }
  if (e.size() == 4 && e[0].is_name() && is_text(e, 1, "[")) return 1;
  if (e.size() == 6 && e[0].is_name()) return width_of_range(e, 1);
  if (e.size() > 4 && is_text(e, 0, "{") && is_text(e, 2, "{")) {
    const auto times = whole_number(e[1].text);
    const auto inner = width_of(VerilogTokens(e.begin() + 2, e.end() - 1), widths);
    return times && inner ? std::optional(*times * *inner) : std::nullopt;
  }
  std::size_t sum = 0;
  for (const auto& part : concatenated(e)) {
    const auto width = width_of(part, widths);
    if (!width) return std::nullopt;
    sum += *width;
  }
  return sum == 0 ? std::nullopt : std::optional(sum);
}

bool is_constant(const VerilogTokens& expression) {
  return std::ranges::none_of(expression, &VerilogToken::is_name);
}

VerilogTokens constant(std::optional<std::size_t> width, bool one) {
  // A single bit is widened with zeros where it is too narrow.
  if (!width || *width == 1) return {{"", one ? "1'b1" : "1'b0"}};
  return {{"", one ? fmt::format("{{{}{{1'b1}}}}", *width) : fmt::format("{}'b0", *width)}};
}

std::vector<VerilogTokens> concatenated(const VerilogTokens& expression) {
  if (expression.size() < 3 || expression.front().text != "{" || expression.back().text != "}")
    return {};
  std::vector<VerilogTokens> parts(1);
  int depth = 0;
  for (std::size_t i = 1; i + 1 < expression.size(); ++i) {
    const auto& t = expression[i];
    if (t.text == "{" || t.text == "[" || t.text == "(") ++depth;
    if (t.text == "}" || t.text == "]" || t.text == ")") --depth;
    if (depth < 0) return {};  // "{a} + {b}"
    if (depth == 0 && t.text == ",")
      parts.emplace_back();
    else
      parts.back().push_back(t);
  }
  return parts;
}

VerilogTokens concatenation(const std::vector<VerilogTokens>& parts) {
  VerilogTokens all{{"", "{"}};
  for (const auto& part : parts) {
    if (all.size() > 1) all.push_back({"", ","});
    all.insert(all.end(), part.begin(), part.end());
    if (!part.empty() && all.size() > part.size() + 1) all[all.size() - part.size()].gap = " ";
  }
  all.push_back({"", "}"});
  return all;
}

}  // namespace kumiki::reduction

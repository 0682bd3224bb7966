// SPDX-License-Identifier: Apache-2.0
// Reads modules apart and puts them together again.
#include "gen/flow/reduce/verilog.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::reduction {
namespace {

using Item = VerilogModule::Item;
using Slice = std::pair<std::size_t, std::size_t>;  // of tokens: first, one past the last

template <std::size_t n>
bool is_one_of(const std::array<const char*, n>& words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}
constexpr std::array opens{"(", "[", "{"}, closes{")", "]", "}"};
constexpr std::array begins{"begin",    "case", "casex",    "casez",
                            "function", "task", "generate", "fork"};
constexpr std::array ends{"end", "endcase", "endfunction", "endtask", "endgenerate", "join"};
constexpr std::array nets{"wire", "tri", "wand", "wor", "reg", "logic"};
constexpr std::array statements{"always",    "initial",    "function", "task",   "generate",
                                "parameter", "localparam", "genvar",   "if",     "for",
                                "defparam",  "integer",    "input",    "output", "inout"};

class Parser {
 public:
  explicit Parser(VerilogTokens tokens) : all_(std::move(tokens)) {}

  VerilogText text() {
    VerilogText result;
    while (at_ < all_.size()) {
      std::size_t begin = at_;
      while (at_ < all_.size() && all_[at_].text != "module") ++at_;
      if (at_ == all_.size()) {
        result.tail = cut({begin, at_});
        break;
      }
      result.modules.push_back(module(begin));
    }
    if (result.modules.empty()) throw DesignError(Code::no_module, "there is no module");
    return result;
  }

 private:
  VerilogTokens cut(Slice s) const {
    if (s.second > all_.size())
      throw DesignError(Code::verilog_unfinished, "a module without an end");
    return {all_.begin() + static_cast<std::ptrdiff_t>(s.first),
            all_.begin() + static_cast<std::ptrdiff_t>(s.second)};
  }
  const std::string& word(std::size_t i) const {
    if (i >= all_.size()) throw DesignError(Code::verilog_unfinished, "a module without an end");
    return all_[i].text;
  }
  // From an opening bracket to its closing one.
  std::size_t closing(std::size_t i) const {
    for (int depth = 0;; ++i) {
      if (is_one_of(opens, word(i))) ++depth;
      if (is_one_of(closes, word(i)) && --depth == 0) return i;
    }
  }
  // What commas separate between two tokens.
  std::vector<Slice> list(std::size_t from, std::size_t to) const {
    std::vector<Slice> parts;
    std::size_t begin = from;
    for (std::size_t i = from; i < to; ++i) {
      if (is_one_of(opens, word(i))) i = closing(i);
      if (word(i) != ",") continue;
      parts.emplace_back(begin, i);
      begin = i + 1;
    }
    if (begin < to) parts.emplace_back(begin, to);
    return parts;
  }

  VerilogModule module(std::size_t begin) {
    VerilogModule m;
    m.name = word(at_ + 1);
    std::size_t i = at_ + 2;
    if (word(i) == "#") i = closing(i + 1) + 1;
    if (word(i) == "(") {
      const std::size_t close = closing(i);
      m.head = cut({begin, i + 1});
      ports(m, i + 1, close);
      m.middle = cut({close, close + 2});
      if (word(close + 1) != ";")
        throw DesignError(Code::verilog_malformed, fmt::format("module {}: no \";\"", m.name));
      at_ = close + 2;
    } else {
      while (word(i) != ";") ++i;
      m.head = cut({begin, i + 1});
      at_ = i + 1;
    }
    while (word(at_) != "endmodule") m.items.push_back(item());
    m.tail = cut({at_, at_ + 1});
    ++at_;
    return m;
  }

  void ports(VerilogModule& m, std::size_t from, std::size_t to) const {
    std::string direction, range;
    for (const Slice& s : list(from, to)) {
      if (s.first == s.second)
        throw DesignError(Code::verilog_malformed,
                          fmt::format("module {}: a port is missing", m.name));
      VerilogModule::Port port;
      port.gap = all_[s.first].gap;
      VerilogTokens tokens = cut(s);
      port.text = to_text(tokens).substr(port.gap.size());
      std::erase_if(tokens, [](const VerilogToken& t) { return t.text.starts_with("(*"); });
      const bool says = tokens.size() > 1 && !tokens[0].is_name();
      if (says) {
        direction = tokens[0].text;
        const auto open = std::ranges::find(tokens, "[", &VerilogToken::text);
        range = open == tokens.end() ? "" : to_text(VerilogTokens(open, tokens.end() - 1)) + " ";
        range.erase(0, range.find_first_not_of(' '));
      } else if (!direction.empty()) {
        // Its direction is that of the one before, which may go.
        port.text = fmt::format("{} wire {}{}", direction, range, port.text);
      }
      port.name = tokens.empty() ? "" : tokens.back().text;
      port.range = range;
      port.is_input = direction == "input";
      port.is_known = port.is_input || direction == "output";
      m.ports.push_back(std::move(port));
    }
  }

  // One past the end of a statement: its semicolon, or the end of what it begins.
  std::size_t statement_end(std::size_t i) const {
    for (int depth = 0;; ++i) {
      if (is_one_of(opens, word(i))) i = closing(i);
      if (word(i) == "endmodule")
        throw DesignError(Code::verilog_unfinished, "a statement without an end");
      if (is_one_of(begins, word(i))) ++depth;
      const bool closes_block = is_one_of(ends, word(i)) && --depth == 0;
      if (depth == 0 && (word(i) == ";" || closes_block) && word(i + 1) != "else") return i + 1;
    }
  }

  Item item() {
    const std::size_t begin = at_;
    std::size_t i = at_;
    while (word(i).starts_with("(*")) ++i;
    // A directive is the rest of its line.
    if (word(i).starts_with("`")) {
      at_ = i + 1;
      while (word(at_) != "endmodule" && all_[at_].gap.find('\n') == std::string::npos) ++at_;
      return {.head = cut({begin, at_})};
    }
    at_ = statement_end(i);
    const Slice whole{begin, at_};
    if (is_one_of(nets, word(i))) return declaration(whole, i + 1);
    if (word(i) == "assign") return assignment(whole, i + 1);
    if (is_one_of(statements, word(i)) || !all_[i].is_name()) return {.head = cut(whole)};
    return instance(whole, i);
  }

  Item declaration(Slice whole, std::size_t i) const {
    while (word(i) == "signed" || word(i) == "[") i = word(i) == "[" ? closing(i) + 1 : i + 1;
    Item item{.head = cut({whole.first, i})};
    for (const Slice& s : list(i, whole.second - 1)) {
      // A declaration with a value, or of an array, stays whole.
      if (s.second - s.first != 1) return {.head = cut(whole)};
      item.names.push_back(cut(s));
    }
    item.gone_names.resize(item.names.size());
    item.form = Item::Form::declaration;
    item.tail = cut({whole.second - 1, whole.second});
    return item;
  }

  Item assignment(Slice whole, std::size_t i) const {
    std::size_t equal = i;
    while (equal < whole.second && word(equal) != "=") ++equal;
    if (equal == whole.second || list(i, whole.second - 1).size() != 1) return {.head = cut(whole)};
    return {.form = Item::Form::assignment,
            .head = cut({whole.first, i}),
            .left = cut({i, equal}),
            .right = cut({equal + 1, whole.second - 1}),
            .tail = cut({whole.second - 1, whole.second})};
  }

  // TYPE #(...) NAME [3:0] (.PIN(value), ...);
  Item instance(Slice whole, std::size_t type) const {
    Item other{.head = cut(whole)};
    std::size_t i = type + 1;
    if (word(i) == "#") i = word(i + 1) == "(" ? closing(i + 1) + 1 : i + 2;
    if (i < whole.second && all_[i].is_name()) ++i;
    if (word(i) == "[") i = closing(i) + 1;
    if (word(i) != "(" || closing(i) + 2 != whole.second) return other;
    Item item{.form = Item::Form::instance, .head = cut({whole.first, i + 1}), .type = word(type)};
    for (const auto& [first, last] : list(i + 1, closing(i))) {
      if (word(first) != "." || word(first + 2) != "(" || closing(first + 2) + 1 != last)
        return other;  // by place, not by name
      item.pins.push_back({all_[first].gap, word(first + 1), cut({first + 3, last - 1})});
    }
    item.tail = cut({closing(i), whole.second});
    return item;
  }

  VerilogTokens all_;
  std::size_t at_ = 0;
};

void print(std::string& out, const Item& item) {
  if (item.gone) return;
  std::string parts;
  const auto comma = [&] { return parts.empty() ? "" : ","; };
  switch (item.form) {
    case Item::Form::other:
      break;
    case Item::Form::assignment:
      parts = to_text(item.left) + " =" + to_text(item.right);
      break;
    case Item::Form::declaration:
      for (std::size_t i = 0; i < item.names.size(); ++i)
        if (!item.gone_names[i]) parts += comma() + to_text(item.names[i]);
      if (parts.empty()) return;
      break;
    case Item::Form::instance:
      for (const auto& pin : item.pins)
        if (!pin.gone)
          parts += fmt::format("{}{}.{}({})", comma(), pin.gap, pin.name, to_text(pin.value));
      break;
  }
  out += to_text(item.head) + parts + to_text(item.tail);
}

void print(std::string& out, const VerilogModule& m) {
  if (m.gone) return;
  out += to_text(m.head);
  bool first = true;
  for (const auto& port : m.ports) {
    if (port.gone) continue;
    out += (first ? "" : ",") + port.gap + port.text;
    first = false;
  }
  out += to_text(m.middle);
  for (const Item& item : m.items) print(out, item);
  out += to_text(m.tail);
}

}  // namespace

VerilogText verilog_text(const std::string& text) { return Parser(verilog_tokens(text)).text(); }

std::string to_text(const VerilogText& verilog) {
  std::string out;
  for (const VerilogModule& m : verilog.modules) print(out, m);
  out += to_text(verilog.tail);
  const auto begin = out.find_first_not_of(" \t\r\n");
  return (begin == std::string::npos ? "" : out.substr(begin)) + "\n";
}

std::size_t count(const VerilogText& verilog) {
  std::size_t n = 0;
  for (const VerilogModule& m : verilog.modules)
    if (!m.gone)
      n += static_cast<std::size_t>(std::ranges::count_if(
          m.items, [](const Item& i) { return !i.gone && i.form == Item::Form::instance; }));
  return n;
}

}  // namespace kumiki::reduction

// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/messages.h"
#include "gen/operators/fields.h"
#include "ir/error.h"
#include "ir/printable.h"

namespace kumiki::gen::graph {
namespace {

constexpr std::size_t numbers_a_line = 32;

bool is_plain(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\\') return false;
  return name != "->";
}

std::string written(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + '"';
}

std::string written(float value) { return fmt::format("{:a}", value); }

template <class List>
std::string list(std::string_view key, const List& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % numbers_a_line == 0) text += fmt::format("{}  {}", i > 0 ? "\n" : "", key);
    if constexpr (std::is_same_v<typename List::value_type, float>)
      text += " " + written(values[i]);
    else
      text += fmt::format(" {}", values[i]);
  }
  return text.empty() ? text : text + "\n";
}

// The words of an operator, then its lists.
struct WordsOf : NoFields {
  std::string text;
  void pair(std::string_view key, const std::array<int, 2>& value,
            const std::array<int, 2>& unsaid) {
    if (value != unsaid) text += fmt::format(" {} {}x{}", key, value[0], value[1]);
  }
  void number(std::string_view key, int value, std::optional<int> unsaid = {}) {
    if (value != unsaid) text += fmt::format(" {} {}", key, value);
  }
  void real(std::string_view key, float value) {
    text += fmt::format(" {} {}", key, written(value));
  }
  void sizes(std::string_view key, const std::vector<int>& value) {
    if (!value.empty()) text += fmt::format(" {} {}", key, fmt::join(value, "x"));
  }
};
struct ListsOf : NoFields {
  std::string text;
  void list(std::string_view key, const auto& values) { text += graph::list(key, values); }
};

// A word between blanks, or between quotes.
struct Word {
  std::string text;
  bool quoted = false;
};

class Parser {
 public:
  Parser(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

  Graph graph() {
    while (next_line()) {
      if (words_.empty()) continue;
      const std::string key = word("a line");
      if (number_ == 1 || g_.name.empty()) {
        if (key != "graph") fail("the first line must be \"graph NAME\"");
        g_.name = word("graph");
      } else if (key == "tensor") {
        tensor();
      } else if (key == "input") {
        const TensorId input = id();
        if (has_input_)
          g_.more_inputs.push_back(input);
        else
          g_.input = input;
        has_input_ = true;
      } else if (key == "prepare") {
        prepare();
      } else if (key == "output") {
        g_.outputs.push_back(id());
      } else if (!continues(key)) {
        node(key);
      }
      if (at_ < words_.size())
        fail(fmt::format("unexpected word \"{}\" at the end of the line; remove it",
                         words_[at_].text));
    }
    if (g_.name.empty()) fail("the first line must be \"graph NAME\"");
    if (!has_input_) g_.input = g_.tensors.size();
    require_legal(g_);
    return std::move(g_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DesignError(code::graph_text,
                      fmt::format("{}:{}: {}", file_, std::max<std::size_t>(number_, 1), what));
  }

  bool next_line() {
    if (rest_.empty()) return false;
    ++number_;
    const auto end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    words_.clear();
    at_ = 0;
    for (std::size_t i = 0; i < line.size();) {
      if (static_cast<unsigned char>(line[i]) <= ' ') {
        ++i;
        continue;
      }
      Word w{.text = "", .quoted = line[i] == '"'};
      if (w.quoted) ++i;
      for (; i < line.size(); ++i) {
        if (w.quoted ? line[i] == '"' : static_cast<unsigned char>(line[i]) <= ' ') break;
        if (w.quoted && line[i] == '\\' && i + 1 < line.size()) {
          ++i;
          w.text += line[i] == 'n' ? '\n' : line[i];
        } else {
          w.text += line[i];
        }
      }
      if (w.quoted && i++ == line.size())
        fail("this quote is never closed; close it in the same line");
      w.text = printable(w.text);
      words_.push_back(std::move(w));
    }
    return true;
  }

  std::string word(std::string_view behind) {
    if (at_ == words_.size()) fail(fmt::format("a word is missing after {}", behind));
    return words_[at_++].text;
  }
  bool accept(std::string_view text) {
    if (at_ == words_.size() || words_[at_].quoted || words_[at_].text != text) return false;
    ++at_;
    return true;
  }
  TensorId id() {
    const std::string name = word("a tensor");
    const auto found = ids_.find(name);
    if (found == ids_.end())
      fail(fmt::format("no line above declares a tensor {}; declare it first", name));
    return found->second;
  }
  template <class N>
  N whole(std::string_view text) const {
    N value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("\"{}\" is not an integer, or out of range", text));
    return value;
  }
  float real(const std::string& text) const {
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (text.empty() || *end != '\0') fail(fmt::format("\"{}\" is not a number", text));
    return value;
  }
  float scale(const std::string& text, const std::string& of) const {
    const float value = real(text);
    if (!(value > 0) || !std::isfinite(value))
      fail(
          fmt::format("the scale \"{}\" of {} is {} in float32; it must be a finite number above 0",
                      text, of, value));
    return value;
  }
  float finite(const std::string& text) const {
    const float value = real(text);
    if (!std::isfinite(value)) fail(fmt::format("\"{}\" is not a finite float32", text));
    return value;
  }
  std::vector<int> sizes(const std::string& text) const {
    std::vector<int> all;
    for (std::size_t from = 0; from <= text.size();) {
      const auto to = std::min(text.find('x', from), text.size());
      all.push_back(whole<int>(std::string_view(text).substr(from, to - from)));
      from = to + 1;
    }
    return all;
  }
  std::array<int, 2> two() {
    const auto all = sizes(word("a size"));
    if (all.size() != 2) fail("the size of a window must be ROWSxCOLUMNS");
    return {all[0], all[1]};
  }

  // "prepare minus 0x1p-1 0x1p-2": applied to the input above it in the order of the lines.
  void prepare() {
    using Kind = Preparation::Kind;
    const std::string name = word("prepare");
    Preparation p;
    bool found = false;
    for (const Kind kind : {Kind::plus, Kind::minus, Kind::from, Kind::times, Kind::over})
      if (name_of(kind) == name) p.kind = kind, found = true;
    if (!found) fail(fmt::format("\"{}\" must be plus, minus, from, times or over", name));
    p.input = g_.more_inputs.size();
    p.values.push_back(real(word(name)));
    while (at_ < words_.size()) p.values.push_back(real(words_[at_++].text));
    g_.preparation.push_back(std::move(p));
  }

  void tensor() {
    Tensor t;
    t.name = word("tensor");
    const std::string format = word("the name of a tensor");
    if (format.size() < 2 || (format[0] != 's' && format[0] != 'u'))
      fail(fmt::format("\"{}\" is not a format; write one such as s8 or u4", format));
    t.format = {whole<int>(std::string_view(format).substr(1)), format[0] == 's'};
    t.shape = sizes(word("a format"));
    if (accept("scale")) t.scale = scale(word("scale"), t.name);
    if (accept("zero")) t.zero_point = whole<int>(word("zero"));
    if (!ids_.emplace(t.name, g_.tensors.size()).second)
      fail(fmt::format("tensor {} is declared twice; give another name", t.name));
    g_.tensors.push_back(std::move(t));
  }

  void node(const std::string& kind) {
    static const std::map<std::string, Operator, std::less<>> kinds = [] {
      std::map<std::string, Operator, std::less<>> all;
      for (const Operator& op : all_operators()) all.emplace(name_of(op), op);
      return all;
    }();
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
      std::vector<std::string> names;
      for (const auto& [name, op] : kinds) names.push_back(name);
      fail(fmt::format("unknown operator \"{}\"; use {}", kind, fmt::join(names, ", ")));
    }
    Node n;
    n.op = found->second;
    n.name = word(kind);
    while (!accept("->")) n.inputs.push_back(id());
    n.output = id();
    while (at_ < words_.size()) {
      ReadWord read(*this);
      std::visit([&](auto& op) { visit_fields(op, read); }, n.op);
      if (!read.found)
        fail(
            fmt::format("unexpected word \"{}\"; {} has no such property", words_[at_].text, kind));
    }
    g_.nodes.push_back(std::move(n));
  }

  // Reads the next word if it belongs to the operator.
  struct ReadWord : NoFields {
    Parser& parser;
    bool found = false;
    explicit ReadWord(Parser& p) : parser(p) {}
    bool is(std::string_view key) { return !found && (found = parser.accept(key)); }
    void pair(std::string_view key, std::array<int, 2>& value, const std::array<int, 2>&) {
      if (is(key)) value = parser.two();
    }
    void number(std::string_view key, int& value, std::optional<int> = {}) {
      if (is(key)) value = parser.whole<int>(parser.word(key));
    }
    void real(std::string_view key, float& value) {
      if (is(key)) value = parser.finite(parser.word(key));
    }
    void sizes(std::string_view key, std::vector<int>& value) {
      if (is(key)) value = parser.sizes(parser.word(key));
    }
  };

  // Reads lists of the preceding node, over as many lines as they take.
  struct ReadList : NoFields {
    Parser& parser;
    std::string_view line;
    bool found = false;
    ReadList(Parser& p, std::string_view key) : parser(p), line(key) {}
    template <class N>
    void list(std::string_view key, std::vector<N>& values) {
      if (key != line) return;
      found = true;
      while (parser.at_ < parser.words_.size()) {
        const std::string& text = parser.words_[parser.at_++].text;
        if constexpr (std::is_same_v<N, float>)
          values.push_back(key == "scales" ? parser.scale(text, parser.g_.nodes.back().name)
                                           : parser.finite(text));
        else
          values.push_back(parser.whole<N>(text));
      }
    }
  };
  bool continues(std::string_view key) {
    if (g_.nodes.empty()) return false;
    ReadList read(*this, key);
    std::visit([&](auto& op) { visit_fields(op, read); }, g_.nodes.back().op);
    return read.found;
  }

  std::string_view file_, rest_;
  std::size_t number_ = 0, at_ = 0;
  std::vector<Word> words_;
  std::map<std::string, TensorId, std::less<>> ids_;
  bool has_input_ = false;
  Graph g_;
};

}  // namespace

std::string to_text(const Graph& g) {
  std::string text = fmt::format("graph {}\n", written(g.name));
  for (const Tensor& t : g.tensors)
    text += fmt::format("tensor {} {}{} {} scale {} zero {}\n", written(t.name),
                        t.format.is_signed ? 's' : 'u', t.format.bits, to_string(t.shape),
                        written(t.scale), t.zero_point);
  const auto inputs = all_inputs(g);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += fmt::format("input {}\n", written(g.tensors[inputs[i]].name));
    for (const Preparation& p : g.preparation) {
      if (p.input != i) continue;
      text += fmt::format("prepare {}", name_of(p.kind));
      for (const float v : p.values) text += " " + written(v);
      text += "\n";
    }
  }
  for (const TensorId id : g.outputs)
    text += fmt::format("output {}\n", written(g.tensors[id].name));
  for (const Node& n : g.nodes) {
    text += fmt::format("{} {}", name_of(n.op), written(n.name));
    for (const TensorId id : n.inputs) text += " " + written(g.tensors[id].name);
    text += " -> " + written(g.tensors[n.output].name);
    WordsOf words;
    ListsOf lists;
    std::visit([&](const auto& op) { visit_fields(op, words), visit_fields(op, lists); }, n.op);
    text += words.text + "\n" + lists.text;
  }
  return text;
}

Graph parse_graph(std::string_view file, std::string_view text) {
  return Parser(file, text).graph();
}

}  // namespace kumiki::gen::graph

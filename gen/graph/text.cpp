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

std::string written(const Window& w) {
  static const Window plain;
  std::string text;
  const auto pair = [&](const char* key, const auto& value, const auto& unsaid) {
    if (value != unsaid) text += fmt::format(" {} {}x{}", key, value[0], value[1]);
  };
  pair("kernel", w.kernel, plain.kernel);
  pair("stride", w.stride, plain.stride);
  pair("dilation", w.dilation, plain.dilation);
  pair("before", w.before, plain.before);
  pair("after", w.after, plain.after);
  return text;
}

// What stands between quotes or blanks.
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
        if (key != "graph") fail("the first line is \"graph NAME\"");
        g_.name = word("graph");
      } else if (key == "tensor") {
        tensor();
      } else if (key == "input") {
        g_.input = id();
        has_input_ = true;
      } else if (key == "prepare") {
        prepare();
      } else if (key == "output") {
        g_.outputs.push_back(id());
      } else if (!continues(key)) {
        node(key);
      }
      if (at_ < words_.size())
        fail(fmt::format("\"{}\" is too much in this line", words_[at_].text));
    }
    if (g_.name.empty()) fail("the first line is \"graph NAME\"");
    if (!has_input_) g_.input = g_.tensors.size();
    require_legal(g_);
    return std::move(g_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DesignError(Code::graph_text,
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
      if (w.quoted && i++ == line.size()) fail("a quote is not closed");
      w.text = printable(w.text);
      words_.push_back(std::move(w));
    }
    return true;
  }

  std::string word(std::string_view behind) {
    if (at_ == words_.size()) fail(fmt::format("something is missing behind {}", behind));
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
    if (found == ids_.end()) fail(fmt::format("there is no tensor {} before this line", name));
    return found->second;
  }
  template <class N>
  N whole(std::string_view text) const {
    N value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("\"{}\" is no number of its range", text));
    return value;
  }
  float real(const std::string& text) const {
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (text.empty() || *end != '\0') fail(fmt::format("\"{}\" is no number", text));
    return value;
  }
  float scale(const std::string& text, const std::string& of) const {
    const float value = real(text);
    if (!(value > 0) || !std::isfinite(value))
      fail(
          fmt::format("the scale \"{}\" of {} is {} in float32: it must be a finite number above 0",
                      text, of, value));
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
    if (all.size() != 2) fail("a size of a window is ROWSxCOLUMNS");
    return {all[0], all[1]};
  }

  // "prepare minus 0x1p-1 0x1p-2": done with the input in the order of the lines.
  void prepare() {
    using Kind = Preparation::Kind;
    const std::string name = word("prepare");
    Preparation p;
    bool found = false;
    for (const Kind kind : {Kind::plus, Kind::minus, Kind::from, Kind::times, Kind::over})
      if (name_of(kind) == name) p.kind = kind, found = true;
    if (!found) fail(fmt::format("\"{}\" is plus, minus, from, times or over", name));
    p.values.push_back(real(word(name)));
    while (at_ < words_.size()) p.values.push_back(real(words_[at_++].text));
    g_.preparation.push_back(std::move(p));
  }

  void tensor() {
    Tensor t;
    t.name = word("tensor");
    const std::string format = word("the name of a tensor");
    if (format.size() < 2 || (format[0] != 's' && format[0] != 'u'))
      fail(fmt::format("\"{}\" is no format: s8 or u4 is one", format));
    t.format = {whole<int>(std::string_view(format).substr(1)), format[0] == 's'};
    t.shape = sizes(word("a format"));
    if (accept("scale")) t.scale = scale(word("scale"), t.name);
    if (accept("zero")) t.zero_point = whole<int>(word("zero"));
    if (!ids_.emplace(t.name, g_.tensors.size()).second)
      fail(fmt::format("tensor {} is there already", t.name));
    g_.tensors.push_back(std::move(t));
  }

  void node(const std::string& kind) {
    static const std::map<std::string, Operator, std::less<>> kinds = [] {
      std::map<std::string, Operator, std::less<>> all;
      for (Operator op :
           {Operator(Conv{}), Operator(Add{}), Operator(MaxPool{}), Operator(GlobalAverage{}),
            Operator(Lookup{}), Operator(Concat{}), Operator(Reshape{}), Operator(Transpose{}),
            Operator(ArgMax{}), Operator(Thresholds{}), Operator(AveragePool{})})
        all.emplace(name_of(op), op);
      return all;
    }();
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
      std::vector<std::string> names;
      for (const auto& [name, op] : kinds) names.push_back(name);
      fail(fmt::format("\"{}\" is no operator: {} are", kind, fmt::join(names, ", ")));
    }
    Node n;
    n.op = found->second;
    n.name = word(kind);
    while (!accept("->")) n.inputs.push_back(id());
    n.output = id();
    auto* conv = std::get_if<Conv>(&n.op);
    auto* pool = std::get_if<MaxPool>(&n.op);
    auto* mean = std::get_if<AveragePool>(&n.op);
    auto* steps = std::get_if<Thresholds>(&n.op);
    while (at_ < words_.size()) {
      Window* w = conv ? &conv->window : pool ? &pool->window : mean ? &mean->window : nullptr;
      if (w && accept("kernel"))
        w->kernel = two();
      else if (w && accept("stride"))
        w->stride = two();
      else if (w && accept("dilation"))
        w->dilation = two();
      else if (w && accept("before"))
        w->before = two();
      else if (w && accept("after"))
        w->after = two();
      else if (conv && accept("groups"))
        conv->groups = whole<int>(word("groups"));
      else if (auto* t = std::get_if<Transpose>(&n.op); t && accept("order"))
        t->order = sizes(word("order"));
      else if (steps && accept("lowest"))
        steps->lowest = whole<int>(word("lowest"));
      else if (steps && accept("levels"))
        steps->levels = whole<int>(word("levels"));
      else
        fail(fmt::format("\"{}\" is nothing that a {} has", words_[at_].text, kind));
    }
    g_.nodes.push_back(std::move(n));
  }

  // Lists of the node before, in as many lines as they take.
  bool continues(std::string_view key) {
    if (g_.nodes.empty()) return false;
    Operator& op = g_.nodes.back().op;
    const auto take = [&](auto& values) {
      using N = typename std::remove_reference_t<decltype(values)>::value_type;
      while (at_ < words_.size()) {
        if constexpr (std::is_same_v<N, float>)
          values.push_back(scale(words_[at_++].text, g_.nodes.back().name));
        else
          values.push_back(whole<N>(words_[at_++].text));
      }
      return true;
    };
    if (auto* conv = std::get_if<Conv>(&op)) {
      if (key == "weights") return take(conv->weights);
      if (key == "bias") return take(conv->bias);
      if (key == "scales") return take(conv->scales);
    }
    if (auto* lookup = std::get_if<Lookup>(&op); lookup && key == "values")
      return take(lookup->values);
    if (auto* add = std::get_if<Add>(&op); add && key == "values") return take(add->table);
    if (auto* steps = std::get_if<Thresholds>(&op)) {
      if (key == "begins") return take(steps->begins);
      if (key == "falling") return take(steps->falling);
    }
    return false;
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
  text += fmt::format("input {}\n", written(g.tensors[g.input].name));
  for (const Preparation& p : g.preparation) {
    text += fmt::format("prepare {}", name_of(p.kind));
    for (const float v : p.values) text += " " + written(v);
    text += "\n";
  }
  for (const TensorId id : g.outputs)
    text += fmt::format("output {}\n", written(g.tensors[id].name));
  for (const Node& n : g.nodes) {
    text += fmt::format("{} {}", name_of(n.op), written(n.name));
    for (const TensorId id : n.inputs) text += " " + written(g.tensors[id].name);
    text += " -> " + written(g.tensors[n.output].name);
    if (const auto* conv = std::get_if<Conv>(&n.op)) {
      text += written(conv->window);
      if (conv->groups != 1) text += fmt::format(" groups {}", conv->groups);
      text += "\n" + list("scales", conv->scales) + list("bias", conv->bias) +
              list("weights", conv->weights);
    } else if (const auto* mean = std::get_if<AveragePool>(&n.op)) {
      text += written(mean->window) + "\n";
    } else if (const auto* pool = std::get_if<MaxPool>(&n.op)) {
      text += written(pool->window) + "\n";
    } else if (const auto* lookup = std::get_if<Lookup>(&n.op)) {
      text += "\n" + list("values", lookup->values);
    } else if (const auto* add = std::get_if<Add>(&n.op)) {
      text += "\n" + list("values", add->table);
    } else if (const auto* order = std::get_if<Transpose>(&n.op)) {
      text += fmt::format(" order {}\n", fmt::join(order->order, "x"));
    } else if (const auto* steps = std::get_if<Thresholds>(&n.op)) {
      text += fmt::format(" lowest {} levels {}\n", steps->lowest, steps->levels) +
              list("begins", steps->begins) + list("falling", steps->falling);
    } else {
      text += "\n";
    }
  }
  return text;
}

Graph parse_graph(std::string_view file, std::string_view text) {
  return Parser(file, text).graph();
}

}  // namespace kumiki::gen::graph

// SPDX-License-Identifier: Apache-2.0
// Trees as text, for people and for the shipped data:
//
//   tree 7 columns, finish row
//   bits 64 0 0 0 0 0 0
//   objective stages, bound 45, proven
//   stage
//     4 x c25 at 0
//     chain A06 A2 at 0
//     exit chain A06 at 1
//
// `pin`, `exit` and `lead` tell how a carry enters a chain; `open` means that it leaves as three
// nets. Chains keep their order, because a chain may follow the exit of the previous one.
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/plan.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {
namespace {

// More than any tree has.
constexpr unsigned most_columns = 1u << 16, most_bits = 1u << 24, most_stages = 64;

constexpr const char* entry_names[] = {"", "pin ", "exit ", "lead "};

std::string list(const std::vector<unsigned>& n) { return fmt::format("{}", fmt::join(n, " ")); }

}  // namespace

std::string to_text(const Shape& shape) {
  std::vector<std::string> columns;
  for (unsigned c = 0; c < shape.width(); ++c) {
    std::string one = fmt::format("{}", shape.bits[c]);
    if (shape.pairs[c] > 0) one += fmt::format("+{}p", shape.pairs[c]);
    columns.push_back(one);
  }
  return fmt::format("{}", fmt::join(columns, " "));
}

std::string to_text(const TreePlan& plan) {
  std::string text =
      fmt::format("tree {} columns, finish {}{}\nbits {}\n", plan.shape.width(), name(plan.finish),
                  plan.free_exits ? ", free exits" : "", list(plan.shape.bits));
  if (plan.shape.has_pairs()) text += fmt::format("pairs {}\n", list(plan.shape.pairs));
  text += fmt::format("objective {}, bound {}{}{}\n", name(plan.objective), plan.bound,
                      plan.is_proven ? ", proven" : "", plan.is_stopped ? ", stopped" : "");
  for (const Stage& stage : plan.stages) {
    text += "stage\n";
    // Print equal neighbours as one line with a count.
    for (std::size_t i = 0, next; i < stage.counters.size(); i = next) {
      const Counter& c = stage.counters[i];
      for (next = i; next < stage.counters.size() && stage.counters[next] == c;) ++next;
      text += fmt::format("  {} x {} at {}\n", next - i, elements()[c.element].name, c.column);
    }
    for (const Chain& c : stage.chains) {
      std::vector<std::string> atoms;
      for (auto a : c.atoms) atoms.push_back(elements()[a].name);
      text += fmt::format("  {}chain {} at {}{}\n", entry_names[static_cast<int>(c.entry)],
                          fmt::join(atoms, " "), c.column, c.is_open ? " open" : "");
    }
  }
  return text;
}

namespace {

// The words of one line, taken one by one.
class Line {
 public:
  Line(std::string_view text, unsigned number) : number_(number) {
    while (!text.empty()) {
      auto end = std::min(text.find_first_of(" ,"), text.size());
      if (end > 0) words_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  bool is_empty() const { return at_ == words_.size(); }
  std::string_view peek() const { return is_empty() ? std::string_view() : words_[at_]; }
  std::string_view word() {
    if (is_empty()) wrong("something is missing at the end");
    return words_[at_++];
  }
  bool accept(std::string_view w) {
    if (peek() != w) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view w) {
    if (!accept(w)) wrong(fmt::format("\"{}\" is expected instead of \"{}\"", w, peek()));
  }
  template <class T = unsigned>
  T number() {
    auto w = word();
    T n{};
    auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), n);
    if (error != std::errc() || end != w.data() + w.size())
      wrong(fmt::format("\"{}\" is not a number", w));
    return n;
  }
  std::vector<unsigned> numbers() {
    std::vector<unsigned> all;
    while (!is_empty()) all.push_back(number());
    return all;
  }
  void finish() const {
    if (!is_empty())
      wrong(fmt::format("unexpected word \"{}\" at the end of the line; remove it", peek()));
  }
  [[noreturn]] void wrong(const std::string& what, Code code = code::tree_text) const {
    throw DesignError(code, fmt::format("tree, line {}: {}", number_, what));
  }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  unsigned number_;
};

template <class E>
E choice(Line& line, std::initializer_list<E> all) {
  auto w = line.word();
  for (E e : all)
    if (w == name(e)) return e;
  line.wrong(fmt::format("\"{}\" is not known", w));
}

// Each element of a stage takes bits. In a heap of few columns, some of these bits are constants.
std::uint64_t most_elements(const Shape& shape) {
  return 4 * (std::uint64_t{shape.total()} + shape.width());
}

void read_element(Line& line, Stage& stage, std::uint64_t most) {
  for (Entry entry : {Entry::none, Entry::pin, Entry::exit, Entry::lead}) {
    std::string_view word = entry_names[static_cast<int>(entry)];
    if (entry != Entry::none && !line.accept(word.substr(0, word.size() - 1))) continue;
    if (!line.accept("chain")) {
      if (entry == Entry::none) continue;
      line.wrong("a carry enters a chain");
    }
    Chain chain{0, {}, entry};
    while (!line.is_empty() && line.peek() != "at")
      chain.atoms.push_back(element_index(line.word()));
    line.expect("at");
    chain.column = line.number();
    chain.is_open = line.accept("open");
    stage.chains.push_back(std::move(chain));
    return;
  }
  const unsigned times = line.number();
  if (stage.counters.size() + times > most)
    line.wrong(fmt::format("{} counters are too many; use at most {}", times, most),
               code::tree_too_large);
  line.expect("x");
  Counter counter{element_index(line.word()), 0};
  line.expect("at");
  counter.column = line.number();
  stage.counters.insert(stage.counters.end(), times, counter);
}

void read_line(Line& line, TreePlan& plan, const Shape* wanted) {
  if (line.accept("tree")) {
    const unsigned columns = line.number();
    if (columns > most_columns || (wanted && columns != wanted->width()))
      line.wrong(fmt::format("{} columns do not fit; give {}", columns,
                             wanted ? fmt::format("{}", wanted->width())
                                    : fmt::format("1 to {}", most_columns)),
                 wanted ? code::other_heap : code::tree_too_large);
    plan.shape.bits.assign(columns, 0);
    plan.shape.pairs = plan.shape.bits;
    line.expect("columns");
    line.expect("finish");
    plan.finish = choice(line, {Finish::row, Finish::ternary, Finish::carry});
    if (line.accept("free")) {
      line.expect("exits");
      plan.free_exits = true;
    }
  } else if (line.peek() == "bits" || line.peek() == "pairs") {
    bool bits = line.word() == "bits";
    auto numbers = line.numbers();
    if (numbers.size() != plan.shape.width())
      line.wrong(fmt::format("{} columns instead of {}", numbers.size(), plan.shape.width()),
                 code::other_heap);
    std::uint64_t total = 0;
    for (const unsigned n : numbers) total += n;
    if (total > most_bits)
      line.wrong(fmt::format("{} bits are too many; use at most {}", total, most_bits),
                 code::tree_too_large);
    if (wanted && numbers != (bits ? wanted->bits : wanted->pairs))
      line.wrong("this is the tree of another heap", code::other_heap);
    (bits ? plan.shape.bits : plan.shape.pairs) = std::move(numbers);
  } else if (line.accept("objective")) {
    plan.objective = choice(line, {Objective::stages, Objective::area, Objective::delay,
                                   Objective::paper, Objective::luts});
    line.expect("bound");
    plan.bound = line.number<double>();
    plan.is_proven = line.accept("proven");
    plan.is_stopped = line.accept("stopped");
  } else if (line.accept("stage")) {
    if (plan.stages.size() == most_stages)
      line.wrong(fmt::format("there are too many stages; use at most {}", most_stages),
                 code::tree_too_large);
    plan.stages.emplace_back();
  } else {
    if (plan.stages.empty()) line.wrong("an element stands before the first stage");
    read_element(line, plan.stages.back(), most_elements(plan.shape));
  }
  line.finish();
}

}  // namespace

TreePlan parse_tree(std::string_view text, const Shape* wanted) {
  TreePlan plan;
  for (unsigned number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.is_empty() || line.peek().front() == '#') continue;
    read_line(line, plan, wanted);
  }
  if (plan.shape.width() == 0)
    throw DesignError(code::tree_text, "tree: the line \"tree N columns\" is missing");
  audit(plan);
  return plan;
}

}  // namespace kumiki::gen::compressor

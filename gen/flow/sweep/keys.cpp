// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/keys.h"

#include <limits>

#include <fmt/format.h>

#include "gen/config/document.h"

namespace kumiki::flow::sweep {
namespace {

namespace config = gen::config;
using config::TableOf;
using config::Violations;

constexpr std::int64_t longest_span = 1'000'000;

const TableOf<Collect>& collect_table() {
  static const TableOf<Collect> table{
      "collect",
      "The table of all points.",
      {config::field("columns", &Collect::columns)
           .length(0, 64)
           .help("figures of the table (default: all that the steps give)"),
       config::field("pareto", &Collect::pareto)
           .length(0, 4)
           .help("figures of which no point of the front is worse in all: two or more")}};
  return table;
}

const TableOf<Find>& find_table() {
  static const TableOf<Find> table{
      "find",
      "What kumiki search looks for.",
      {config::field("wish", &Find::wish)
           .choices({{"least", Wish::least, "the smallest"}, {"most", Wish::most, "the largest"}})
           .help("of the figure"),
       config::field("of", &Find::of).required().help("figure"),
       config::field("subject_to", &Find::subject_to)
           .length(0, 64)
           .help("conditions over variables and figures that have to hold")}};
  return table;
}

}  // namespace

const TableOf<Keys>& keys_table() {
  static const TableOf<Keys> table{
      "the sweep",
      "Configurations that differ in some values, what is done with each, and what is collected.",
      {config::field("kumiki", &Keys::kumiki)
           .required()
           .range(config::format_version, config::format_version)
           .help("version of this format"),
       config::field("name", &Keys::name)
           .required()
           .rule(config::identifier())
           .help("name of the sweep"),
       config::field("description", &Keys::description).absent("none").help("remarks for people"),
       config::field("base", &Keys::base)
           .required()
           .rule(config::file_path())
           .length(1, 1000)
           .help("configuration that is varied, or several"),
       config::field("where", &Keys::where)
           .length(0, 64)
           .help("conditions over variables: points for which one does not hold are left out"),
       config::field("do", &Keys::steps)
           .choices({{"plan", Step::plan, "its arithmetic, no netlist"},
                     {"check", Step::check, "the netlist built, checked and counted"},
                     {"timing", Step::timing, "levels of logic and clock, an estimate"},
                     {"gen", Step::gen, "all files of gen, in the point's folder"},
                     {"sim", Step::sim, "lockstep of netlist and model on the native simulator"}})
           .length(1, 5)
           .help("what is done with every point"),
       config::field("collect", &Keys::collect)
           .object(collect_table())
           .absent("all figures, no front")
           .help("the table of all points"),
       config::field("find", &Keys::find)
           .object(find_table())
           .absent("for kumiki sweep")
           .help("what kumiki search looks for")}};
  return table;
}

const TableOf<Span>& span_table() {
  static const TableOf<Span> table{
      "a range",
      "Whole numbers at equal distances.",
      {config::field("from", &Span::from).required().help("first one"),
       config::field("to", &Span::to).required().help("none is larger"),
       config::field("step", &Span::step).range(1, std::int64_t{1} << 62).help("distance")},
      {[](const Span& s) -> Violations {
        const auto width = static_cast<std::uint64_t>(s.to) - static_cast<std::uint64_t>(s.from);
        if (s.to >= s.from && width / static_cast<std::uint64_t>(s.step) < longest_span) return {};
        std::int64_t last = 0;
        if (__builtin_mul_overflow(s.step, longest_span - 1, &last) ||
            __builtin_add_overflow(s.from, last, &last))
          last = std::numeric_limits<std::int64_t>::max();
        return {{code::out_of_range, "to",
                 fmt::format("does not make a range of 1 to {} numbers", longest_span),
                 fmt::format("must be {} to {}; or use a larger step", s.from, last)}};
      }}};
  return table;
}

}  // namespace kumiki::flow::sweep

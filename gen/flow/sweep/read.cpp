// SPDX-License-Identifier: Apache-2.0
// Reads a sweep from its file; reports everything that is wrong at once, each at its place.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "gen/config/messages.h"
#include "gen/config/nearest.h"
#include "gen/config/reader.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/sweep/keys.h"
#include "gen/flow/sweep/messages.h"
#include "gen/flow/sweep/sweep.h"
#include "ir/error.h"

namespace kumiki::flow::sweep {
namespace {

namespace config = gen::config;
using config::Form;

// The unescaped keys of a pointer. Empty: it is not a pointer.
std::optional<std::vector<std::string>> keys_of(const std::string& pointer) try {
  if (!pointer.starts_with('/')) return {};
  std::vector<std::string> keys;
  for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) keys.push_back(at.back());
  std::ranges::reverse(keys);
  return keys;
} catch (const Json::exception&) {
  return {};
}

// A name that expressions can contain.
std::string joined(const std::vector<std::string>& keys, std::size_t last) {
  std::string name =
      fmt::format("{}", fmt::join(keys.end() - static_cast<std::ptrdiff_t>(last), keys.end(), "_"));
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Whether a value may be put there: one exists, or the object accepts new keys.
bool can_hold(const Json& base, const std::string& pointer) {
  const Json* at = &base;
  const auto keys = *keys_of(pointer);
  for (const std::string& key : keys) {
    const bool is_number =
        !key.empty() && std::ranges::all_of(key, [](unsigned char c) { return std::isdigit(c); });
    if (at && at->is_array()) {
      const std::size_t last = at->size();
      const bool has_zeros = key.size() > 1 && key[0] == '0';
      if (!is_number || has_zeros || key.size() > 8 || std::stoul(key) >= last) return false;
      at = &(*at)[std::stoul(key)];
    } else if (at && at->is_object()) {
      const auto found = at->find(key);
      at = found == at->end() ? nullptr : &*found;
    } else if (at || is_number) {
      return false;
    }
  }
  return true;
}

class SweepFile {
 public:
  SweepFile(const std::filesystem::path& file, std::string text)
      : source_(file.string(), std::move(text), findings_), reader_(findings_) {
    sweep_.file = file;
  }

  Sweep read() {
    if (source_.parsed()) read_keys();
    if (!findings_.empty()) fail();
    read_bases();
    for (const Variable& v : sweep_.variables) check_place(v);
    if (!findings_.empty()) fail();
    return std::move(sweep_);
  }

 private:
  [[noreturn]] void fail() {
    const std::size_t count = findings_.count();
    throw config::ConfigError(source_.file(), findings_.take(source_.text()), count);
  }

  void read_keys() {
    const config::Node root = source_.root();
    if (root.form() != Form::object) {
      reader_.report(root, code::wrong_type, "is not a sweep", "must be a JSON object");
      return;
    }
    const config::Table::Given given{.object = root, .also = {"vary"}};
    if (!keys_table().check(reader_, given)) return;
    Keys keys;
    keys_table().load(given, &keys);
    sweep_.name = keys.name;
    sweep_.bases = keys.base.index() == 0 ? std::vector{std::get<0>(keys.base)}
                                          : std::get<1>(std::move(keys.base));
    sweep_.steps = keys.steps;
    if (sweep_.bases.size() > 1) add_bases_as_variable(root.member("base"));
    read_variables(root.member("vary"));
    name_variables();
    sweep_.where = expressions(root.member("where"), keys.where, false);
    if (keys.find) read_goal(root, *keys.find);
    read_collect(root.member("collect"), keys.collect.value_or(Collect{}));
  }

  void add_bases_as_variable(config::Node base) {
    Variable v{.pointer = "", .name = "base", .values = {}};
    std::set<std::string> seen;
    std::size_t i = 0;
    for (const config::Node entry : base.entries()) {
      if (!seen.insert(sweep_.bases[i]).second)
        reader_.report(entry, code::value_twice, "is there twice", "name each file once");
      v.values.emplace_back(sweep_.bases[i++]);
    }
    sweep_.variables.push_back(std::move(v));
  }

  void read_variables(config::Node vary) {
    if (!vary) return;
    if (vary.form() != Form::object) {
      reader_.report(vary, code::wrong_type, "is not an object",
                     "must be an object of JSON pointers and their values");
      return;
    }
    const Json all = Json::parse(source_.text()).at("vary");
    for (const auto& [key, value] : vary.members()) read_variable(key, value, all.at(key.text()));
  }

  void read_variable(config::Node key, config::Node node, const Json& values) {
    const auto keys = keys_of(key.text());
    if (!keys) {
      reader_.report(key, code::no_such_place, "is not a JSON pointer",
                     "write one such as \"/layers/0/terms\"");
      return;
    }
    for (const Variable& v : sweep_.variables)
      if (!v.pointer.empty() && (v.pointer + "/").starts_with(key.text() + "/")) {
        reader_.report(key, code::no_such_place, fmt::format("has {} within it", v.pointer),
                       "remove one of the two");
        return;
      } else if (!v.pointer.empty() && (key.text() + "/").starts_with(v.pointer + "/")) {
        reader_.report(key, code::no_such_place, fmt::format("lies within {}", v.pointer),
                       "remove one of the two");
        return;
      }
    Variable v{.pointer = key.text(), .name = {}, .values = {}};
    if (node.form() == Form::object) {
      if (!span_table().check(reader_, {.object = node})) return;
      Span s;
      span_table().load({.object = node}, &s);
      const auto steps = (static_cast<std::uint64_t>(s.to) - static_cast<std::uint64_t>(s.from)) /
                         static_cast<std::uint64_t>(s.step);
      for (std::uint64_t i = 0; i <= steps; ++i)
        v.values.emplace_back(s.from + static_cast<std::int64_t>(i) * s.step);
    } else if (node.form() == Form::list && node.size() > 0) {
      std::set<std::string> seen;
      std::size_t i = 0;
      for (const config::Node entry : node.entries()) {
        if (!seen.insert(values[i].dump()).second)
          reader_.report(entry, code::value_twice, "is there twice", "give each value once");
        v.values.push_back(values[i++]);
      }
    } else {
      reader_.report(node, code::wrong_type, "is not a list of values",
                     "must be a list of at least one value, or {\"from\": 1, \"to\": 32}");
      return;
    }
    sweep_.variables.push_back(std::move(v));
  }

  // Names each variable by its fewest last keys that are unique and begin with a letter.
  void name_variables() {
    std::vector<std::vector<std::string>> keys;
    for (const Variable& v : sweep_.variables)
      keys.push_back(v.pointer.empty() ? std::vector<std::string>{v.name} : *keys_of(v.pointer));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto is_free = [&](std::size_t last) {
        const std::string name = joined(keys[i], last);
        if (std::isdigit(static_cast<unsigned char>(name.front()))) return false;
        for (std::size_t j = 0; j < keys.size(); ++j)
          if (j != i && joined(keys[j], std::min(last, keys[j].size())) == name) return false;
        return true;
      };
      std::size_t last = 1;
      while (last < keys[i].size() && (joined(keys[i], last).empty() || !is_free(last))) ++last;
      sweep_.variables[i].name = joined(keys[i], last);
      sweep_.variables[i].long_name = joined(keys[i], keys[i].size());
    }
  }

  std::vector<Expression> expressions(config::Node list, const std::vector<std::string>& texts,
                                      bool with_figures) {
    std::vector<Expression> all;
    if (!list) return all;
    std::vector<std::string> legal;
    for (const Variable& v : sweep_.variables) legal.insert(legal.end(), {v.name, v.long_name});
    if (with_figures)
      for (const Figure& f : figures()) legal.emplace_back(f.name);
    std::size_t i = 0;
    for (const config::Node entry : list.entries()) try {
        Expression e(texts[i++]);
        for (const std::string& name : e.names())
          if (std::ranges::find(legal, name) == legal.end())
            unknown(entry, name, legal, with_figures ? "variable or figure" : "variable");
        all.push_back(std::move(e));
      } catch (const DesignError& e) {
        reader_.report(entry, e.code(), e.what(),
                       "write a condition such as \"slices < 512 && scheme == 'int8'\"");
      }
    return all;
  }

  void unknown(config::Node at, const std::string& name, const std::vector<std::string>& legal,
               std::string_view what) {
    std::vector<std::string> once;
    for (const std::string& word : legal)
      if (std::ranges::find(once, word) == once.end()) once.push_back(word);
    const auto instead = once.empty() ? "\"vary\" has none" : "use " + config::alternatives(once);
    reader_.report(at, code::unknown_name,
                   fmt::format("names \"{}\", which is not a {}{}", name, what,
                               config::did_you_mean(name, legal, instead)),
                   "");
  }

  std::vector<const Figure*> figures_of(config::Node list, const std::vector<std::string>& names) {
    std::vector<const Figure*> all;
    std::size_t i = 0;
    if (list)
      for (const config::Node entry : list.entries())
        if (const Figure* f = figure(entry, names[i++])) {
          if (std::ranges::find(all, f) != all.end())
            reader_.report(entry, code::value_twice, "is there twice", "name each figure once");
          all.push_back(f);
        }
    return all;
  }

  const Figure* figure(config::Node at, const std::string& name) {
    if (const Figure* f = find_figure(name)) return f;
    std::vector<std::string> legal;
    for (const Figure& f : figures()) legal.emplace_back(f.name);
    unknown(at, name, legal, "figure");
    return nullptr;
  }

  // A figure of a table must come from one of the steps.
  void require_step(config::Node list, const std::vector<const Figure*>& all) {
    std::size_t i = 0;
    for (const config::Node entry : list.entries()) {
      if (i == all.size()) return;
      const Figure& f = *all[i++];
      if (!comes_with(f, sweep_.steps))
        reader_.report(entry, code::option_needs, "is not computed by any step in \"do\"",
                       fmt::format("\"{}\" in \"do\" gives it", word(f.step)));
    }
  }

  void read_collect(config::Node node, const Collect& collect) {
    if (node) {
      const config::Node columns = node.member("columns"), pareto = node.member("pareto");
      sweep_.columns = figures_of(columns, collect.columns);
      sweep_.pareto = figures_of(pareto, collect.pareto);
      if (!findings_.empty()) return;
      // A search does the steps that its figures need.
      if (columns && !sweep_.goal) require_step(columns, sweep_.columns);
      if (pareto && !sweep_.goal) require_step(pareto, sweep_.pareto);
      if (pareto) check_front(pareto);
    }
    if (sweep_.columns.empty())
      for (const Figure& f : figures())
        if (comes_with(f, sweep_.steps)) sweep_.columns.push_back(&f);
    // Figures of the front are in the table too.
    for (const Figure* f : sweep_.pareto)
      if (std::ranges::find(sweep_.columns, f) == sweep_.columns.end()) sweep_.columns.push_back(f);
  }

  void check_front(config::Node pareto) {
    std::size_t i = 0;
    for (const config::Node entry : pareto.entries())
      if (sweep_.pareto[i++]->better == Better::neither)
        reader_.report(entry, code::wrong_type, "cannot be minimised or maximised",
                       "use another figure");
    if (sweep_.pareto.size() < 2)
      reader_.report(pareto, code::wrong_length, "has too few figures for a front",
                     "must have two to four");
  }

  void read_goal(config::Node root, const Find& find) {
    const config::Node node = root.member("find");
    if (const config::Node steps = root.member("do"))
      reader_.report(steps, code::unknown_key, "has no effect in a search",
                     "remove it; a search does what its figures need");
    Goal goal{.figure = figure(node.member("of"), find.of), .most = find.wish == Wish::most};
    if (goal.figure && goal.figure->better == Better::neither)
      reader_.report(node.member("of"), code::wrong_type, "is not an amount", "use another figure");
    goal.subject_to = expressions(node.member("subject_to"), find.subject_to, true);
    sweep_.goal = std::move(goal);
  }

  void read_bases() {
    for (const std::string& base : sweep_.bases) {
      const auto path = sweep_.file.parent_path() / base;
      std::string text = config::load_text(path);
      config::Findings findings;
      const config::Source source(path.string(), text, findings);
      if (!source.parsed() || !findings.empty()) {
        const std::size_t count = findings.count();
        throw config::ConfigError(path.string(), findings.take(text), count);
      }
      sweep_.parsed.push_back(Json::parse(text));
    }
  }

  void check_place(const Variable& v) {
    if (v.pointer.empty()) return;
    for (std::size_t i = 0; i < sweep_.bases.size(); ++i) {
      if (can_hold(sweep_.parsed[i], v.pointer)) continue;
      for (const auto& [key, value] : source_.root().member("vary").members())
        if (key.text() == v.pointer)
          reader_.report(key, code::no_such_place,
                         fmt::format("leads nowhere in {}", config::in_quotes(sweep_.bases[i])),
                         "must lead to a value, or to a new key of an object");
    }
  }

  config::Findings findings_;
  config::Source source_;
  config::Reader reader_;
  Sweep sweep_;
};

}  // namespace

Sweep read_sweep(const std::filesystem::path& file) {
  Sweep sweep = SweepFile(file, config::load_text(file, config::max_bytes, "a sweep")).read();
  choose_points(sweep);
  return sweep;
}

}  // namespace kumiki::flow::sweep

// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "gen/config/document.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::flow::sweep {
namespace {

using Steps = std::vector<Step>;

// Runs `each(i, context)` for all i below `count`, on one thread for each context.
void in_parallel(std::size_t count, const std::vector<Context*>& contexts, const std::string& what,
                 const std::function<void(std::size_t, Context&)>& each) {
  ir::Activity doing(what);
  std::atomic<std::size_t> next = 0;
  std::mutex lock;
  std::exception_ptr error;
  const auto work = [&](Context& context) {
    try {
      for (std::size_t i; !ir::interrupted() && (i = next++) < count;) {
        each(i, context);
        const std::lock_guard guard(lock);
        if (i % 64 == 0) doing.at(fmt::format("{} of {}", i, count));
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < contexts.size(); ++t)
    threads.emplace_back([&, t] { work(*contexts[t]); });
  work(*contexts.front());
  for (std::thread& t : threads) t.join();
  if (error) std::rethrow_exception(error);
  if (const int signal = ir::interrupted()) throw Interrupted(signal);
}

class Search {
 public:
  Search(const Sweep& sweep, const std::vector<Context*>& contexts)
      : sweep_(sweep), goal_(*sweep.goal), contexts_(contexts) {
    for (const Expression& e : goal_.subject_to)
      (needs(e) == Steps{Step::plan} ? of_plans_ : of_netlists_).push_back(&e);
  }

  Found run() {
    std::vector<Row> rows = all_points();
    measure_all(rows, {Step::plan}, "planning");
    found_.refused = std::erase_if(rows, [](const Row& r) { return !r.result; });
    found_.planned = rows.size();
    count_alone(rows);
    keep(rows, of_plans_);
    const Steps steps = steps_of_netlists();
    if (sweep_.pareto.empty() && goal_.figure->step == Step::plan)
      first_that_holds(std::move(rows), steps);
    else
      all_that_hold(std::move(rows), steps);
    mark_front(found_.rows, sweep_.pareto);
    add_columns();
    return std::move(found_);
  }

 private:
  static void add(Steps& steps, Step step) {
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(step);
  }
  Steps needs(const Expression& e) const {
    Steps steps{Step::plan};
    for (const std::string& name : e.names())
      if (const Figure* f = find_figure(name)) add(steps, f->step);
    return steps;
  }
  // The steps that the conditions, the goal and the front need; empty if plans suffice.
  Steps steps_of_netlists() const {
    Steps steps{goal_.figure->step};
    for (const Expression* e : of_netlists_)
      for (const Step s : needs(*e)) add(steps, s);
    for (const Figure* f : sweep_.pareto) add(steps, f->step);
    std::erase(steps, Step::plan);
    return steps;
  }

  std::vector<Row> all_points() const {
    std::vector<Row> rows(sweep_.points.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].number = i + 1;
    return rows;
  }

  // Refused rows lose their result.
  void measure_row(Row& row, const Steps& steps, Context& context) const {
    try {
      auto m = measure(configuration_of(sweep_, sweep_.points[row.number - 1]), steps,
                       {.context = context});
      row.result = Result{.message = std::move(m.mismatch), .figures = std::move(m.figures)};
    } catch (const gen::config::ConfigError&) {
      row.result.reset();
    } catch (const DesignError&) {  // includes limits
      row.result.reset();
    }
  }
  void measure_all(std::vector<Row>& rows, const Steps& steps, const std::string& what) const {
    in_parallel(rows.size(), contexts_, what,
                [&](std::size_t i, Context& context) { measure_row(rows[i], steps, context); });
  }

  // Figures take precedence over variables of the same name.
  bool holds(const Row& row, const Expression& e) const {
    const ValueOf variable = sweep_.values_of(sweep_.points[row.number - 1]);
    return row.result && sweep::holds(sweep_, e, [&](const std::string& name) {
             const Figure* figure = find_figure(name);
             return figure ? row.figure(*figure) : variable(name);
           });
  }
  void keep(std::vector<Row>& rows, const std::vector<const Expression*>& conditions) const {
    std::erase_if(rows, [&](const Row& row) {
      return !row.result ||
             !std::ranges::all_of(conditions, [&](const Expression* e) { return holds(row, *e); });
    });
  }

  void count_alone(const std::vector<Row>& rows) {
    for (const Expression& e : goal_.subject_to) {
      const bool of_plans = std::ranges::find(of_plans_, &e) != of_plans_.end();
      found_.alone.push_back(of_plans
                                 ? std::optional(static_cast<std::size_t>(std::ranges::count_if(
                                       rows, [&](const Row& r) { return holds(r, e); })))
                                 : std::nullopt);
    }
  }

  // Removes rows without a value; they are no answer.
  void sort(std::vector<Row>& rows) const {
    const Figure& figure = *goal_.figure;
    std::erase_if(rows, [&](const Row& r) { return !r.figure(figure).is_number(); });
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
      const Json x = a.figure(figure), y = b.figure(figure);
      return goal_.most ? x > y : x < y;
    });
  }

  void all_that_hold(std::vector<Row> rows, const Steps& steps) {
    if (!steps.empty()) {
      found_.built = rows.size();
      measure_all(rows, steps, "building");
    }
    keep(rows, of_netlists_);
    sort(rows);
    found_.rows = std::move(rows);
  }

  // Measures as many rows at a time as there are threads, so rows after the first one that holds
  // may be measured too.
  void first_that_holds(std::vector<Row> rows, const Steps& steps) {
    sort(rows);
    if (steps.empty()) {
      found_.rows = std::move(rows);
      return;
    }
    const ir::Activity doing("searching");
    for (std::size_t at = 0; at < rows.size() && found_.rows.empty(); at += contexts_.size()) {
      const auto end = std::min(rows.size(), at + contexts_.size());
      std::vector<Row> some(rows.begin() + static_cast<std::ptrdiff_t>(at),
                            rows.begin() + static_cast<std::ptrdiff_t>(end));
      measure_all(some, steps, "building");
      found_.built += some.size();
      keep(some, of_netlists_);
      found_.rows = std::move(some);
    }
    found_.not_built = rows.size() - found_.built;
  }

  // Adds the columns of the table that the search itself did not need.
  void add_columns() {
    Steps steps = steps_of_netlists();
    add(steps, Step::plan);
    bool is_more = false;
    for (const Figure* f : sweep_.columns)
      if (!comes_with(*f, steps)) {
        add(steps, f->step);
        is_more = true;
      }
    if (!is_more || found_.rows.empty()) return;
    std::vector<Row*> shown{&found_.rows.front()};
    for (Row& row : found_.rows)
      if (row.on_front && &row != shown.front()) shown.push_back(&row);
    in_parallel(shown.size(), contexts_, "measuring",
                [&](std::size_t i, Context& context) { measure_row(*shown[i], steps, context); });
  }

  const Sweep& sweep_;
  const Goal& goal_;
  const std::vector<Context*>& contexts_;
  std::vector<const Expression*> of_plans_, of_netlists_;
  Found found_;
};

}  // namespace

Found search(const Sweep& sweep, const std::vector<Context*>& contexts) {
  return Search(sweep, contexts).run();
}

}  // namespace kumiki::flow::sweep

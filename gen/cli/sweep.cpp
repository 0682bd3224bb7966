// SPDX-License-Identifier: Apache-2.0
// `sweep`: runs configurations that differ in some values: in sequence, on all processors, or as
// the tasks of a scheduler. Then it makes the table of results.
#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gen/cli/commands.h"
#include "gen/cli/output.h"
#include "gen/cli/told.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/sweep/emit.h"
#include "gen/flow/sweep/page.h"
#include "gen/flow/sweep/pool.h"
#include "ir/processors.h"

namespace kumiki::cli {
namespace sweep_command_of {
namespace {

namespace sweep = flow::sweep;
using sweep::Folder;
using sweep::Result;
using sweep::Sweep;

struct Options {
  std::string file, folder = "out", task, scheduler;
  std::optional<unsigned> jobs;
  std::optional<double> seconds;
  std::optional<std::uint64_t> megabytes;
  std::optional<std::size_t> tasks, point;
  std::vector<std::size_t> worker;
  bool collect = false, retry = false, force = false, json = false;
  std::span<char*> line;  // as typed, for the processes that run the points
};

struct Task {
  std::size_t number = 1, of = 1;
};

Task task_of(const std::string& text) {
  Task t;
  const auto slash = text.find('/');
  const auto reads = [&](std::size_t from, std::size_t to, std::size_t& number) {
    const char* end = text.data() + to;
    const auto [at, error] = std::from_chars(text.data() + from, end, number);
    return error == std::errc() && at == end;
  };
  if (slash == std::string::npos || !reads(0, slash, t.number) ||
      !reads(slash + 1, text.size(), t.of) || t.number < 1 || t.number > t.of)
    throw UsageError(
        code::option_value,
        fmt::format(
            "--task must be the number of a task and how many there are, such as 3/16; got \"{}\"",
            text));
  return t;
}

// With a sanitizer, which reserves most addresses, memory is measured from outside.
void bound_memory(std::uint64_t megabytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{megabytes << 20, megabytes << 20};
  ::setrlimit(RLIMIT_DATA, &limit);
#else
  (void)megabytes;
#endif
}

struct Done {
  Result result;
  backends::OutputSet files;
};

// Removes the folder of the sweep, which differs between machines.
std::string without_folder(std::string text, const std::string& configuration) {
  const auto folder = std::filesystem::path(configuration).parent_path().string() + "/";
  if (folder == "/") return text;
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

// Gives what the point's own command would report.
Done do_point(const Sweep& s, std::size_t number, flow::Context& context) {
  Done done{.result = {.figures = Json::object()}, .files = {}};
  const auto given = sweep::configuration_of(s, s.points[number - 1]);
  try {
    auto m = sweep::measure(given, s.steps, {.context = context});
    done.result.figures = std::move(m.figures);
    done.files = std::move(m.files);
    if (m.mismatch.empty()) return done;
    done.result.exit = design_failed;
    done.result.message = m.mismatch;
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    const Told t = told();
    done.result.exit = t.exit;
    done.result.message = without_folder(t.text, given.name);
  }
  if (const int signal = ir::interrupted()) throw Interrupted(signal);
  return done;
}

// Runs in its own process; the parent reports everything else.
int work(const Options& o, const Sweep& s, flow::Context& context) {
  if (o.megabytes) bound_memory(*o.megabytes);
  const Folder folder(s, o.folder);
  for (const std::size_t n : o.worker) {
    if (n < 1 || n > s.points.size()) return usage;
    const Done done = do_point(s, n, context);
    folder.keep(n, done.result, done.files);
  }
  return ok;
}

int show_point(const Options& o, const Sweep& s, flow::Context& context) {
  if (*o.point > s.points.size())
    throw UsageError(code::option_value,
                     fmt::format("--point must be 1 to {1}; got {0}", *o.point, s.points.size()));
  const Done done = do_point(s, *o.point, context);
  if (o.json) {
    Json all{{"point", *o.point}, {"exit", done.result.exit}, {"figures", done.result.figures}};
    if (!done.result.ok()) all["message"] = done.result.message;
    fmt::print("{}", gen::config::print(all));
    return done.result.exit;
  }
  for (std::size_t i = 0; i < s.variables.size(); ++i)
    fmt::print("{} = {}\n", s.variables[i].name, sweep::shown(s.value(s.points[*o.point - 1], i)));
  for (const auto& [name, value] : done.result.figures.items())
    fmt::print("{}: {}\n", name, value.is_null() ? "-" : sweep::shown(value));
  if (!done.result.ok()) fmt::print(stderr, "{}\n", done.result.message);
  return done.result.exit;
}

// Our own command line, without what only one process may write.
std::vector<std::string> worker_command(const Options& o) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string()};
  for (std::size_t i = 1; i < o.line.size(); ++i) {
    const std::string word = o.line[i];
    if (word == "--trace") ++i;
    if (word != "--trace" && !word.starts_with("--trace=")) words.push_back(word);
  }
  words.emplace_back("--worker");
  return words;
}

std::vector<std::size_t> numbers_of(const Sweep& s, const Task& task) {
  std::vector<std::size_t> all;
  for (std::size_t n = task.number; n <= s.points.size(); n += task.of) all.push_back(n);
  return all;
}

void do_task(const Options& o, const Sweep& s, const Folder& folder, const Task& task) {
  folder.tidy();
  std::vector<std::size_t> todo;
  const auto numbers = numbers_of(s, task);
  for (const std::size_t n : numbers) {
    const auto known = folder.find(n);
    if (known && !known->ok() && o.retry) folder.forget(n);
    if (!known || (!known->ok() && o.retry)) todo.push_back(n);
  }
  sweep::Pool pool{.jobs = o.jobs.value_or(o.task.empty() ? ir::processors() : 1),
                   .command = worker_command(o)};
  if (o.seconds) pool.seconds = backends::Seconds(*o.seconds);
  sweep::do_points(s, folder, todo, pool);
  fmt::print(stderr, "{}: {} of {} points done, {} were there\n",
             o.task.empty() ? s.name : fmt::format("{}, task {}", s.name, o.task), todo.size(),
             numbers.size(), numbers.size() - todo.size());
}

bool is_task_ok(const Sweep& s, const Folder& folder, const Task& task) {
  return std::ranges::all_of(numbers_of(s, task),
                             [&](std::size_t n) { return folder.find(n)->ok(); });
}

constexpr const char *table_csv = "table.csv", *table_json = "table.json",
                     *table_html = "table.html";

// Check this before hours of work on the points.
void require_room_for_table(const Options& o) {
  backends::OutputSet files;
  for (const char* name : {table_csv, table_json, table_html}) files.add(name, "");
  files.require_replaceable(o.folder, theirs(o.force));
}

int write_table(const Options& o, const Sweep& s, const Folder& folder, flow::Context& context) {
  const sweep::Table table = sweep::collect(s, folder);
  backends::OutputSet files(context.cache());
  files.add(table_csv, sweep::csv(table));
  const std::string json = sweep::json(table);
  files.add(table_json, json);
  files.add(table_html, sweep::page(table));
  write_part(files, o.folder, "sweep", theirs(o.force));
  if (table.is_whole()) folder.tidy();
  if (o.json) {
    fmt::print("{}", json);
  } else {
    fmt::print("{}\n", sweep::summary(table));
    for (const sweep::Row& row : table.rows)
      if (row.result && !row.result->ok()) {
        fmt::print("point {} {}: {}\n  {}\n", row.number, sweep::status(row),
                   row.result->message.substr(0, row.result->message.find('\n')),
                   sweep::repeat(s, row.number));
        break;
      }
  }
  say_written(files, o.folder);
  if (table.all_ok()) return ok;
  return table.count("ok") + table.count("missing") == table.rows.size() ? unproved : design_failed;
}

int emit(const Options& o, const Sweep& s) {
  using sweep::Scheduler;
  const Scheduler scheduler = o.scheduler == "slurm"   ? Scheduler::slurm
                              : o.scheduler == "ninja" ? Scheduler::ninja
                                                       : Scheduler::snakemake;
  std::string options;
  if (o.jobs) options += fmt::format(" --jobs {}", *o.jobs);
  if (o.seconds) options += fmt::format(" --time {}", *o.seconds);
  if (o.megabytes) options += fmt::format(" --memory {}", *o.megabytes);
  constexpr std::size_t usual_tasks = 16;
  fmt::print("{}",
             sweep::emit(scheduler, s,
                         {.file = o.file,
                          .folder = o.folder,
                          .options = options,
                          .tasks = std::min(o.tasks.value_or(usual_tasks), s.points.size())}));
  return ok;
}

int run(const Options& o, flow::Context& context) {
  const Sweep s = sweep::read_sweep(o.file);
  if (s.goal)
    throw UsageError(
        code::option_value,
        fmt::format("{}: \"find\" has no effect in a sweep; remove it, or run kumiki search",
                    o.file));
  if (!o.worker.empty()) return work(o, s, context);
  if (o.point) return show_point(o, s, context);
  if (!o.scheduler.empty()) return emit(o, s);
  const Folder folder(s, o.folder);
  if (o.collect) return write_table(o, s, folder, context);
  if (!o.task.empty()) {
    const Task task = task_of(o.task);
    do_task(o, s, folder, task);
    return is_task_ok(s, folder, task) ? ok : design_failed;
  }
  require_room_for_table(o);
  do_task(o, s, folder, {});
  return write_table(o, s, folder, context);
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  o->line = settings.line;
  app.add_option("FILE", o->file, "a sweep (JSON): a configuration, and what changes in it")
      ->required();
  app.add_option("-o,--out", o->folder, "folder for the points and their table")
      ->capture_default_str();
  number(app, "-j,--jobs", o->jobs, most_jobs,
         "points at a time (default: one a processor that this process may use; with --task 1)");
  auto* seconds =
      number(app, "--time", o->seconds, {0.1, 1e7}, "seconds that a point may take (default: any)");
  auto* megabytes = number(app, "--memory", o->megabytes, {64, 10'000'000},
                           "megabytes that a point may take (default: any)");
  auto* task = app.add_option("--task", o->task,
                              "I/N: do every Nth point from the Ith on, and no table: what a "
                              "scheduler starts N times");
  auto* collect =
      app.add_flag("--collect", o->collect, "run no point; make the table of the finished ones");
  auto* scheduler =
      app.add_option("--emit", o->scheduler,
                     "print the job file for a scheduler: slurm (a shell script that submits an "
                     "array and the table behind it), ninja or snakemake")
          ->check(CLI::IsMember({"slurm", "ninja", "snakemake"}));
  number(app, "--tasks", o->tasks, {1, 100'000}, "with --emit: how many (default: 16)")
      ->needs(scheduler);
  auto* point = number(app, "--point", o->point, {1, sweep::most_combinations},
                       "do this point here, print what came out, keep nothing");
  auto* retry = app.add_flag("--retry", o->retry, "do points again that have failed");
  auto* worker = number(app, "--worker", o->worker, {1, sweep::most_combinations}, "");
  worker->group("");
  for (auto* one : {task, collect, scheduler, point})
    for (auto* other : {task, collect, scheduler, point})
      if (one != other) one->excludes(other);
  for (auto* other : {collect, scheduler, point}) retry->excludes(other);
  for (auto* other : {collect, point}) {
    seconds->excludes(other);
    megabytes->excludes(other);
  }
  add_force(app, o->force);
  add_json(app, o->json);
  add_limits(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace sweep_command_of

Command sweep_command() {
  return {"sweep", "do many configurations that differ in some values, and collect a table",
          sweep_command_of::declare};
}

}  // namespace kumiki::cli

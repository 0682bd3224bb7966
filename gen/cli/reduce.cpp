// SPDX-License-Identifier: Apache-2.0
// `reduce`: a file that makes a command fail, shrunk.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "backends/support/file.h"
#include "backends/support/files.h"
#include "backends/support/process.h"
#include "backends/support/temporary.h"
#include "backends/support/tool.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/cli/output.h"
#include "gen/config/writer.h"
#include "gen/flow/reduce/reduce.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using backends::ProcessResult;
using backends::Seconds;

struct ReduceOptions {
  std::string file;
  std::vector<std::string> command, parsed;  // behind --; as the parser has them
  std::optional<int> exit;                   // that is looked for instead of the original's
  std::vector<std::string> outputs;  // all of these texts have to be in what the command prints
  std::string out;                   // empty: NAME.reduced.ENDING beside the file
  bool force = false, json = false;
  bool take_incumbent = false;
  unsigned seconds = 3600;
  std::size_t tries = 10'000;
};

// How much longer than the first run another one may take.
constexpr double patience = 10;
constexpr Seconds least_patience{10};

// Runs the user's command on candidates and says which ones fail as the original does.
UsageError too_slow(const ReduceOptions& options) {
  return {Code::command_too_slow,
          fmt::format("the command has not ended on {} within {} seconds: a longer --time is legal",
                      options.file, options.seconds)};
}

class Judge {
 public:
  explicit Judge(const ReduceOptions& options)
      : options_(options), end_(Clock::now() + std::chrono::seconds(options.seconds)) {}

  // What has to be found again is learned from the original.
  void learn(const std::string& text) {
    const auto begin = Clock::now();
    const ProcessResult r = run(text, Seconds(options_.seconds));
    if (r.timed_out) throw too_slow(options_);
    const int exit = options_.exit.value_or(r.status);
    if (r.status != exit)
      throw UsageError(Code::command_does_not_fail,
                       fmt::format("the command ends on {} with {}, not with {}", options_.file,
                                   r.status, exit));
    if (exit == 0 && !options_.exit && options_.outputs.empty())
      throw UsageError(Code::command_does_not_fail,
                       fmt::format("the command does not fail on {}: one that does, --output or "
                                   "--exit is legal",
                                   options_.file));
    for (const auto& text_of_user : options_.outputs)
      if (r.output.find(text_of_user) == std::string::npos)
        throw UsageError(Code::command_does_not_fail,
                         fmt::format("what the command prints on {} does not contain \"{}\"",
                                     options_.file, text_of_user));
    status_ = exit;
    limit_ = std::max(least_patience, patience * Seconds(Clock::now() - begin));
  }

  bool operator()(const std::string& text) {
    const ProcessResult r = run(text, std::min(limit_, Seconds(end_ - Clock::now())));
    return !r.timed_out && r.status == status_ &&
           std::ranges::all_of(options_.outputs, [&](const std::string& wanted) {
             return r.output.find(wanted) != std::string::npos;
           });
  }

  bool is_late() const { return Clock::now() >= end_; }

 private:
  // The candidate has the name of the file and its neighbours beside it, which it may refer to.
  ProcessResult run(const std::string& text, Seconds limit) const {
    const backends::TemporaryFolder folder;
    const fs::path file = fs::absolute(options_.file);
    std::error_code error;
    for (fs::directory_iterator at(file.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
      std::error_code ignored;  // one that cannot be linked is missed where it is needed
      if (at->path().filename() != file.filename())
        fs::create_symlink(at->path(), folder.path() / at->path().filename(), ignored);
    }
    const fs::path candidate = folder.path() / file.filename();
    backends::write_file(candidate, text);
    return backends::run_process(command(candidate.string()), {}, limit);
  }

  std::vector<std::string> command(const std::string& candidate) const {
    std::vector<std::string> words = options_.command;
    bool named = false;
    for (std::string& word : words)
      for (std::size_t at = 0; (at = word.find("{}", at)) != std::string::npos;
           at += candidate.size()) {
        word.replace(at, 2, candidate);
        named = true;
      }
    if (!named) words.push_back(candidate);
    return words;
  }

  const ReduceOptions& options_;
  Clock::time_point end_;
  int status_ = 0;
  Seconds limit_{};
};

fs::path result_of(const ReduceOptions& options) {
  if (!options.out.empty()) return options.out;
  const fs::path file(options.file);
  return file.parent_path() / (file.stem().string() + ".reduced" + file.extension().string());
}

void report(const ReduceOptions& options, const reduction::Reduction& r, std::string_view parts,
            const std::string& file, std::size_t bytes) {
  if (!options.json) {
    fmt::print("{}: {} of {} {}, {} of {} bytes, after {} runs of the command\n", file, r.after,
               r.before, parts, r.text.size(), bytes, r.tries);
    return;
  }
  gen::config::Writer w;
  w.object([&] {
    w.member("file", file);
    w.member("parts", parts);
    w.member("before", static_cast<std::int64_t>(r.before));
    w.member("after", static_cast<std::int64_t>(r.after));
    w.member("bytes_before", static_cast<std::int64_t>(bytes));
    w.member("bytes_after", static_cast<std::int64_t>(r.text.size()));
    w.member("runs", static_cast<std::int64_t>(r.tries));
    w.member("finished", r.finished);
  });
  fmt::print("{}\n", w.printed());
}

int reduce(const ReduceOptions& options, flow::Context&) {
  if (options.command.empty())
    throw UsageError(Code::missing_argument, "no command: reduce FILE -- COMMAND... is legal");
  const fs::path out = result_of(options);
  flow::require_free(out, options.force, "-o");
  const std::string text = backends::read_file(options.file);
  const auto form = reduction::form_of(text);
  const std::string plain = reduction::laid_out(options.file, text, form);

  ir::Activity activity("reducing " + options.file);
  std::optional<ir::TakesCtrlC> ctrl_c;
  if (options.take_incumbent) ctrl_c.emplace();
  Judge judge(options);
  judge.learn(text);
  const bool fails = judge(plain);
  if (judge.is_late()) throw too_slow(options);
  if (!fails)
    throw UsageError(Code::command_does_not_fail,
                     fmt::format("the command no longer fails so when {} is only laid out anew, "
                                 "without comments: a --output that names no place is legal",
                                 options.file));
  std::size_t runs = 2, smallest = plain.size();
  reduction::Search search(
      [&](const std::string& candidate) {
        activity.at(fmt::format("{} of {} bytes, run {}", smallest, text.size(), ++runs));
        const bool good = judge(candidate);
        if (good) smallest = candidate.size();
        return good;
      },
      {.tries = options.tries,
       .is_enough = [&] { return judge.is_late() || (ctrl_c && ctrl_c->came()); }});
  const auto reduced = reduction::reduce(options.file, text, form, search);
  backends::write_named_file(out, reduced.text, theirs(options.force));
  if (!reduced.finished)
    fmt::print(stderr, "kumiki: {}, more might go\n",
               ctrl_c && ctrl_c->came() ? "interrupted"
               : judge.is_late()        ? "the time of --time is over"
                                        : "the runs of --tries are used up");
  report(options, reduced, reduction::parts_of(form), out.string(), text.size());
  return ok;
}

Run declare_reduce(CLI::App& app, Settings& settings) {
  const auto options = std::make_shared<ReduceOptions>();
  ReduceOptions& o = *options;
  app.add_option("file", o.file,
                 "configuration (JSON), netlist in structural Verilog or in Kumiki's text form")
      ->required();
  // The line as it stands: CLI11 would read "[a, b]" behind -- as a list.
  const auto dashes = std::ranges::find(settings.line, std::string_view("--"));
  if (dashes != settings.line.end()) o.command.assign(dashes + 1, settings.line.end());
  app.add_option("command", o.parsed,
                 "behind --: a program and its arguments; {} is the file, which stands at the end "
                 "where there is no {}")
      ->required();
  number(app, "--exit", o.exit, {0, 255},
         "exit code that is looked for (default: the one on the file as it is)");
  app.add_option("--output", o.outputs,
                 "text that the command has to print (several: the option again)")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("-o,--out", o.out, "file to write (default: NAME.reduced.ENDING beside the file)");
  add_replace(app, o.force);
  number(app, "--time", o.seconds, {1, 1'000'000}, "seconds for all of it")->capture_default_str();
  number(app, "--tries", o.tries, {1, 100'000'000}, "runs of the command")->capture_default_str();
  app.add_flag("--take-incumbent", o.take_incumbent,
               "the first Ctrl-C ends only the search: the smallest file so far is written");
  add_json(app, o.json);
  return runs(reduce, options);
}

}  // namespace

Command reduce_command() {
  return {"reduce", "shrink a configuration or a netlist that makes a command fail",
          declare_reduce};
}

}  // namespace kumiki::cli

// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/emit.h"

#include <fmt/format.h>

#include "backends/support/tool.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/page.h"
#include "gen/flow/usage.h"
#include "templates/templates.h"

namespace kumiki::flow::sweep {
namespace {

void require_plain(const std::string& path) {
  if (shell_word(path) == path) return;
  throw UsageError(
      code::option_value,
      fmt::format("{} cannot be named in a job file; use a path of letters, digits and ._-+/",
                  path));
}

// Two edges for every task: one makes its mark, the other waits for it.
struct Edges {
  std::string tasks, marks;
};
Edges ninja_edges(const Jobs& jobs) {
  Edges all;
  for (std::size_t i = 1; i <= jobs.tasks; ++i) {
    const auto mark = fmt::format("{}/tasks/{}-of-{}", jobs.folder, i, jobs.tasks);
    all.tasks += fmt::format("build {}: task\n  task = {}/{}\n", mark, i, jobs.tasks);
    all.marks += ' ' + mark;
  }
  return all;
}

}  // namespace

std::string emit(Scheduler scheduler, const Sweep& sweep, const Jobs& jobs) {
  require_plain(jobs.file);
  require_plain(jobs.folder);
  const std::string words = fmt::format("{} -o {}", jobs.file, jobs.folder);
  const auto tasks = std::to_string(jobs.tasks);
  switch (scheduler) {
    case Scheduler::slurm:
      return backends::fill(
          templates::text("sweep/slurm.sh.in"),
          {{"NAME", sweep.name}, {"TASKS", tasks}, {"WORDS", words}, {"OPTIONS", jobs.options}});
    case Scheduler::ninja: {
      const Edges edges = ninja_edges(jobs);
      return backends::fill(templates::text("sweep/build.ninja.in"), {{"NAME", sweep.name},
                                                                      {"WORDS", words},
                                                                      {"OPTIONS", jobs.options},
                                                                      {"FOLDER", jobs.folder},
                                                                      {"EDGES", edges.tasks},
                                                                      {"MARKS", edges.marks}});
    }
    case Scheduler::snakemake:
      break;
  }
  return backends::fill(templates::text("sweep/Snakefile.in"), {{"NAME", sweep.name},
                                                                {"TASKS", tasks},
                                                                {"WORDS", words},
                                                                {"OPTIONS", jobs.options},
                                                                {"FOLDER", jobs.folder}});
}

}  // namespace kumiki::flow::sweep

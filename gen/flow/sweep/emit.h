// SPDX-License-Identifier: Apache-2.0
// Job files for existing schedulers: each task is `kumiki sweep --task I/N`, followed by `kumiki
// sweep --collect` for the table.
#pragma once
#include <string>

#include "gen/flow/sweep/sweep.h"

namespace kumiki::flow::sweep {

enum class Scheduler { slurm, ninja, snakemake };

struct Jobs {
  std::string file, folder;  // as tasks name them, from where they run
  std::string options = {};  // for every task: " --jobs 4"
  std::size_t tasks = 1;
};

// UsageError: shells and these files would interpret a name differently.
std::string emit(Scheduler scheduler, const Sweep& sweep, const Jobs& jobs);

}  // namespace kumiki::flow::sweep

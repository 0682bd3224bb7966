// SPDX-License-Identifier: Apache-2.0
// Job files for schedulers that are there already: each task is `kumiki sweep --task I/N`, the
// table `kumiki sweep --collect` behind them.
#pragma once
#include <string>

#include "gen/flow/sweep/sweep.h"

namespace kumiki::flow::sweep {

enum class Scheduler { slurm, ninja, snakemake };

struct Jobs {
  std::string file, folder;  // as the tasks are to name them, from where they run
  std::string options = {};  // of every task: " --jobs 4"
  std::size_t tasks = 1;
};

// UsageError: a name that shells and these files would read in different ways.
std::string emit(Scheduler scheduler, const Sweep& sweep, const Jobs& jobs);

}  // namespace kumiki::flow::sweep

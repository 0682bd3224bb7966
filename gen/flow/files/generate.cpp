// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/generate.h"

#include <nlohmann/json.hpp>

#include "gen/flow/files/network_files.h"

namespace kumiki::flow {

Generated generate(const Project& project, const Source& source, const Generate& how,
                   backends::OutputSet& files) {
  Generated all{add_netlist(project, files, how.extras, {.seed = how.seed}, how.recorded),
                add_network_files(project, files, how.whole)};
  add_report(project, files, all.report, "gen", source);
  return all;
}

}  // namespace kumiki::flow

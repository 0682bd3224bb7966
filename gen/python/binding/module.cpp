// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include "gen/flow/files/output.h"
#include "ir/activity.h"

NB_MODULE(_core, m) {
  using namespace kumiki;
  m.def("version", &flow::version);
  m.def("activity", &ir::current_activity);
  python::add_errors(m);
  python::add_networks(m);
  python::add_projects(m);
}

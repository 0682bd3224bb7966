// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include "gen/flow/files/output.h"
#include "ir/activity.h"

NB_MODULE(_core, m) {
  using namespace kumiki;
  m.def("version", &flow::version);
  m.def("activity", &ir::current_activity);
  m.def("write_file", [](const std::string& path, const std::string& text, bool force) {
    using backends::FilesOfUser;
    backends::write_named_file(path, text, force ? FilesOfUser::replace : FilesOfUser::keep);
  });
  python::add_errors(m);
  python::add_networks(m);
  python::add_projects(m);
}

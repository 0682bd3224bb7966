// SPDX-License-Identifier: Apache-2.0
#include "tests/support/lint.h"

#include <fmt/format.h>

#include "backends/emit/verilog/verilog.h"
#include "backends/support/process.h"

namespace kumiki::tests {
namespace {

using backends::run_process;
using Command = std::vector<std::string>;

// Passes when the tool succeeds and prints nothing; else the failure shows the text of the netlist.
testing::AssertionResult silent(const Command& command, const std::filesystem::path& folder,
                                const backends::OutputSet& set) {
  auto result = run_process(command, folder);
  if (result.status == 0 && result.output.empty()) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure()
                 << command[0] << " ended with " << result.status << ":\n"
                 << result.output;
  for (const auto& file : set.files())
    if (!file.name.starts_with("primitives/") && file.text.size() < 20000)
      failure << "--- " << file.name << "\n" << file.text.view();
  return failure;
}

}  // namespace

testing::AssertionResult lint_everywhere(const ir::Design& design) {
  ir::Names names(design);
  backends::OutputSet set;
  auto files = backends::write_verilog(names, set, {.models = true});
  backends::TemporaryFolder folder;
  set.commit(folder.path());
  std::string top(names.module(design.top_id()));

  Command verilator{"verilator", "--lint-only", "-Wall", "--top-module", top};
  for (auto waiver : backends::verilator_waivers()) verilator.emplace_back(waiver);
  // Never -o /dev/null: Icarus makes its output executable, and root would do that to the device.
  Command icarus{"iverilog", "-g2005", "-Wall", "-o", "lint.vvp", "-s", top};
  for (Command* command : {&verilator, &icarus})
    command->insert(command->end(), files.begin(), files.end());
  Command yosys{"yosys", "-q", "-p",
                fmt::format("read_verilog {}; hierarchy -check -top {}; check -assert",
                            fmt::join(files, " "), top)};
  for (const Command* command : {&verilator, &icarus, &yosys})
    if (auto result = silent(*command, folder.path(), set); !result) return result;
  return testing::AssertionSuccess();
}

}  // namespace kumiki::tests

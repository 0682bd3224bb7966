// SPDX-License-Identifier: Apache-2.0
#include "backends/proof/abc.h"

#include "backends/file.h"
#include "backends/process.h"
#include "backends/tool.h"

namespace kumiki::backends::proof {

std::string run_abc(const std::filesystem::path& folder, const std::string& script,
                    unsigned seconds) {
  return run_process({"timeout", "-k", "1", std::to_string(seconds),
                      require({"yosys-abc", "yosys"}).string(), "-c", script},
                     folder)
      .output;
}

std::vector<bool> digits_in(const std::filesystem::path& file) {
  std::vector<bool> digits;
  for (char c : read_file(file))
    if (c == '0' || c == '1') digits.push_back(c == '1');
  return digits;
}

}  // namespace kumiki::backends::proof

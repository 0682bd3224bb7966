// SPDX-License-Identifier: Apache-2.0
#include "tests/support/example.h"

#include "backends/support/file.h"

namespace kumiki::test {

std::filesystem::path write_example(const std::filesystem::path& folder,
                                    const gen::config::LayerType& type,
                                    const std::string& example) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : type.files) backends::write_file(folder / name, text);
  const auto file = folder / "example.json";
  backends::write_file(file, R"({"kumiki": 1, "name": "example", "layers": [)" + example + "]}\n");
  return file;
}

}  // namespace kumiki::test

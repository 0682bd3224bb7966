// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/catalog.h"
#include "ir/error.h"
#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {

void configuration(std::string_view bytes) {
  using namespace gen::config;
  std::string once;
  try {
    once = print(parse_document(std::string(bytes), "fuzz.json", gen::registry()));
  } catch (const ConfigError&) {
    return;
  } catch (const FileError&) {
    return;
  }
  require(print(parse_document(once, "again.json", gen::registry())) == once,
          "the effective configuration reads as another one");
}

}  // namespace kumiki::fuzz

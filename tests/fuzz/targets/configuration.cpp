// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/catalog.h"
#include "ir/error.h"
#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {
namespace {

// All types; those whose planning searches for seconds are read and not planned.
const gen::config::Registry& types() {
  static const gen::config::Registry all([] {
    auto types = gen::registry().types();
    for (auto& type : types)
      if (type.searches) type.plan = {};
    return types;
  }());
  return all;
}

}  // namespace

void configuration(std::string_view bytes) {
  using namespace gen::config;
  std::string once;
  try {
    once = print(parse_document(std::string(bytes), "fuzz.json", types()));
  } catch (const ConfigError&) {
    return;
  } catch (const FileError&) {
    return;
  }
  require(print(parse_document(once, "again.json", types())) == once,
          "the effective configuration reads as another one");
}

}  // namespace kumiki::fuzz

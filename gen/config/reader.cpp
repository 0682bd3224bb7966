// SPDX-License-Identifier: Apache-2.0
#include "gen/config/reader.h"

#include <fmt/format.h>

namespace kumiki::gen::config {

bool Reader::report(Node at, Code code, std::string_view message, std::string required) {
  if (quiet_) return false;
  return report(at, at.pointer(), at.shown(), code, std::string(message), std::move(required));
}

bool Reader::report(Node at, Code code, std::string_view message, const Kind& kind) {
  if (quiet_) return false;
  return report(at, code, message, "must be " + noun(kind));
}

bool Reader::report(Node at, std::string pointer, std::string value, Code code, std::string message,
                    std::string required) {
  if (quiet_) return false;
  findings_.add(at.begin(), {.pointer = std::move(pointer),
                             .value = std::move(value),
                             .message = std::move(message),
                             .required = required + whom_,
                             .code = code});
  return false;
}

}  // namespace kumiki::gen::config

// SPDX-License-Identifier: Apache-2.0
#include "ir/message.h"

#include <utility>

#include "ir/error.h"

namespace kumiki {

std::string with_code(std::string text, Code code) {
  return std::move(text) + " [" + std::string(code.word()) + "]";
}

std::string said(const Error& e) {
  return e.diagnostic().has_codes ? e.what() : with_code(e.what(), e.code());
}

Diagnostic within(const std::string& place, const Error& e) {
  Diagnostic d = e.diagnostic();
  d.wrong = place + ": " + d.wrong;
  return d;
}

std::string to_string(const Diagnostic& d) {
  return d.required.empty() ? d.wrong : d.wrong + "; " + d.required;
}

}  // namespace kumiki

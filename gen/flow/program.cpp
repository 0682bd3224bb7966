// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/program.h"

#include <exception>

#include "ir/error.h"

namespace kumiki::flow {
namespace {

int say(int status, const std::string& what) {
  fmt::print(stderr, "error: {}\n", what);
  return status;
}
int say(int status, const Error& e) { return say(status, said(e)); }

}  // namespace

int run_program(const std::function<int()>& program) {
  constexpr int wrong = 1, outside = 4;  // as in the program kumiki
  try {
    return program();
  } catch (const FileError& e) {
    return say(outside, e);
  } catch (const ToolError& e) {
    return say(outside, e);
  } catch (const Error& e) {
    return say(wrong, e);
  } catch (const std::exception& e) {
    return say(wrong, e.what());
  }
}

}  // namespace kumiki::flow

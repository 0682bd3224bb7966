// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"

namespace kumiki::backends {
namespace project_header_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string header(const HeaderOptions& options) {
  const auto design = ir::parse(
      "design ultrascale+ top m\n"
      "module m\n"
      "  input d = %3\n"
      "  output q = %3\n");
  OutputSet files;
  write_header(ir::Names(*design), files, options);
  return std::string(files.find("m.h")->text.view());
}

TEST(Header, ConstantsOfPlansHaveATitleOfTheirOwn) {
  EXPECT_THAT(header({.constants = {{"pixels latency", 11}}}),
              HasSubstr("\n/* from the plans */\n#define M_PIXELS_LATENCY 11\n"));
  EXPECT_THAT(header({}), Not(HasSubstr("from the plans")));
}

}  // namespace project_header_test
}  // namespace kumiki::backends

// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/yosys/yosys.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace kumiki::backends {
namespace yosys_yosys_test {

// Yosys takes the module with the attribute for the top.
TEST(Yosys, TheTopSaysSoAndNoOtherModule) {
  const auto design = ir::parse(
      "design ultrascale+ top m\n"
      "module m\n"
      "  input d = %3\n"
      "  output q = %4\n"
      "  %4 = instance core \"one\" d=%3\n"
      "module core\n"
      "  input d = %3\n"
      "  output q = %4\n"
      "  %4 = LUT1 I0=%3 INIT=1\n");
  const std::string json = yosys_json(ir::Names(*design));
  const auto core = json.find("\"core\": {"), top = json.find("\"m\": {");
  ASSERT_NE(core, std::string::npos) << json;
  ASSERT_NE(top, std::string::npos) << json;
  const auto says_so = json.find("\"top\":");
  EXPECT_GT(says_so, top);
  EXPECT_EQ(json.find("\"top\":", says_so + 1), std::string::npos);
  EXPECT_TRUE(core < top || says_so < core);
}

}  // namespace yosys_yosys_test
}  // namespace kumiki::backends

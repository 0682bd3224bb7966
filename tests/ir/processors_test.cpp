// SPDX-License-Identifier: Apache-2.0
#include "ir/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace kumiki::ir {
namespace ir_processors_test {

// What a scheduler does that gives a job some processors of many.
TEST(Processors, AreThoseThatThisThreadMayRunOn) {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(processors(), static_cast<unsigned>(CPU_COUNT(&all)));
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(processors(), 1U);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace ir_processors_test
}  // namespace kumiki::ir

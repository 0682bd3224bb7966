// SPDX-License-Identifier: Apache-2.0
// Memories that are built in several parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/resources.h"
#include "tests/support/circuit.h"

namespace kumiki::gen::memory_test {

using tests::Circuit;
using Words = Circuit::Words;

std::vector<std::uint64_t> numbers(std::size_t count, std::uint32_t width) {
  std::vector<std::uint64_t> all(count);
  std::uint64_t state = 1;
  for (std::uint64_t& n : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    n = state >> (64 - width);
  }
  return all;
}

TEST(Memory, PartsHoldTheContentsOfTheWhole) {
  for (const std::uint32_t width : {13u, 29u, 64u}) {
    const auto contents = numbers(16384, width);
    Circuit c({14}, [&](Scope& s, const Words& in) -> Words {
      return {Memory{.depth = 16384, .width = width, .contents = contents, .read_address = in[0]}
                  .add_to(s)};
    });
    std::uint64_t before = 0;
    for (std::uint64_t at = 0; at < 16384; at += 5) {
      const auto out = c({at});
      if (at > 0) {
        ASSERT_EQ(out[0], contents[before]) << width << " bits, word " << before;
      }
      before = at;
    }
  }
}

TEST(Memory, PartsAreWrittenTogether) {
  // in: enable, where to, what, where from
  Circuit c({1, 13, 13, 13}, [](Scope& s, const Words& in) -> Words {
    return {Memory{.depth = 8192,
                   .width = 13,
                   .write_enable = in[0][0],
                   .write_address = in[1],
                   .write_data = in[2],
                   .read_address = in[3]}
                .add_to(s)};
  });
  const auto words = numbers(50, 13);
  for (std::uint64_t i = 0; i < words.size(); ++i) c({1, 163 * i, words[i], 0});
  for (std::uint64_t i = 0; i < words.size(); ++i) c({0, 163 * i, 7, 0});
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    c({0, 0, 0, 163 * i});
    EXPECT_EQ(c({0, 0, 0, 0})[0], words[i]) << i;
  }
}

TEST(Memory, CostsWhatItsPartsCost) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  const UInt address = s.input<UInt>("address", 13);
  s.output(
      "word",
      Memory{.depth = 8192, .width = 13, .contents = numbers(8192, 13), .read_address = address}
          .add_to(s));
  s.finish();
  b.design().set_top(s.module().id());
  EXPECT_EQ(std::ranges::count(s.module().cells(), ir::Kind::memory, &ir::Cell::kind), 2);
  EXPECT_EQ(ir::count_resources(b.design()).total.brams_18k, 6u);
}

}  // namespace kumiki::gen::memory_test

// SPDX-License-Identifier: Apache-2.0
// Written memories behave as the kernel of the table does, for every read, size and contents.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

#include "ir/primitives/memory.h"
#include "tests/support/icarus.h"
#include "tests/support/lint.h"

namespace kumiki::tests {
namespace verilog_memory_test {

namespace memory = ir::memory;

struct Shape {
  std::uint32_t depth, width, address_bits;
  memory::Read read;
  memory::Style style;
  bool is_rom, has_contents;
};

class WrittenMemory : public testing::TestWithParam<Shape> {};

ir::Blob contents(const Shape& s) {
  ir::Blob blob{.width = s.width, .limbs = {}};
  std::uint64_t value = 1;
  for (std::uint32_t i = 0; i < s.depth * blob.limbs_per_word(); ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    blob.limbs.push_back(s.width < 64 ? value >> (64 - s.width) : value);
  }
  if (s.width > 64 && s.width % 64)
    for (std::size_t i = 1; i < blob.limbs.size(); i += 2) blob.limbs[i] >>= 64 - s.width % 64;
  return blob;
}

TEST_P(WrittenMemory, BehavesAsItsKernel) {
  Shape s = GetParam();
  ir::Design design;
  auto& top = design.add_module("top");
  design.set_top(top.id());
  auto run = [](ir::Net first, std::uint32_t width) {
    std::vector<ir::Net> nets(width);
    for (std::uint32_t i = 0; i < width; ++i) nets[i] = {first.index + i};
    return nets;
  };
  std::vector<ir::Net> in{top.add_input("clk", 1)};
  auto append = [&](const char* name, std::uint32_t width) {
    auto nets = run(top.add_input(name, width), width);
    in.insert(in.end(), nets.begin(), nets.end());
  };
  if (s.is_rom)
    in.insert(in.end(), 1 + s.address_bits + s.width, ir::net_zero);
  else
    append("we", 1), append("wa", s.address_bits), append("d", s.width);
  append("re", 1);
  append("ra", s.address_bits);
  std::uint64_t params[] = {s.depth, s.width, s.address_bits, s.read, s.style, 0};
  auto blob = s.has_contents ? design.add_blob(contents(s)) : ir::BlobId{};
  auto cell = top.add_cell(ir::Kind::memory, 1, in, params, {}, blob);
  top.add_output("q", run(top.cell(cell).out, s.width));

  EXPECT_TRUE(lint_everywhere(design));
  EXPECT_TRUE(icarus_agrees(design, s.depth * 7 + s.width, 400));
}

const Shape shapes[] = {
    {2, 1, 1, memory::asynchronous, memory::distributed, false, false},
    {16, 5, 4, memory::asynchronous, memory::distributed, false, true},
    {11, 5, 4, memory::asynchronous, memory::distributed, false, true},
    {11, 5, 4, memory::registered, memory::distributed, false, true},
    {11, 7, 4, memory::twice_registered, memory::block, false, false},
    {16, 70, 4, memory::registered, memory::block, false, true},
    {8, 128, 3, memory::twice_registered, memory::block, false, true},
    {8, 3, 3, memory::registered, memory::ultra, false, false},
    {9, 3, 4, memory::twice_registered, memory::ultra, false, false},
    {13, 9, 4, memory::asynchronous, memory::distributed, true, true},
    {16, 9, 4, memory::registered, memory::block, true, true},
    {13, 64, 4, memory::twice_registered, memory::block, true, true},
};

std::string name_of(const testing::TestParamInfo<Shape>& info) {
  static constexpr const char* styles[] = {"distributed", "block", "ultra"};
  const Shape& s = info.param;
  return fmt::format("{}_{}x{}_{}_read{}{}", s.is_rom ? "rom" : "ram", s.depth, s.width,
                     styles[s.style], static_cast<int>(s.read), s.has_contents ? "_filled" : "");
}

INSTANTIATE_TEST_SUITE_P(Shapes, WrittenMemory, testing::ValuesIn(shapes), name_of);

}  // namespace verilog_memory_test
}  // namespace kumiki::tests

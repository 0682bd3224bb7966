// SPDX-License-Identifier: Apache-2.0
// Every operation in every kind of lanes, all operands where they can be counted, with stalls.
#include "gen/blocks/simd/simd.h"

#include <gmock/gmock.h>

#include "ir/error.h"
#include "tests/support/circuit.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::simd {
namespace simd_simd_test {

using tests::Pipeline;
using Values = Pipeline::Values;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::int64_t read(std::uint64_t value, std::uint32_t width, bool is_signed) {
  return is_signed ? tests::to_signed(value, width) : static_cast<std::int64_t>(value);
}
std::uint64_t write(std::int64_t value, std::uint32_t width) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << width) - 1);
}

struct Shape {
  Lanes lanes;
  std::uint32_t width;
  bool is_signed;
  std::size_t operations;

  Options options(Net enable) const { return {lanes, enable, is_signed}; }
  std::int64_t of(std::uint64_t v) const { return read(v, width, is_signed); }
};

// Operands a0, b0, a1, b1, … in, the results of all operations out.
using Build = std::function<Words(Scope&, const Options&, const Words&, const Words&)>;
using Operation = std::function<Values(std::int64_t, std::int64_t)>;

Pipeline pipeline(const Shape& shape, const Build& build, const Operation& operation) {
  std::vector<std::uint32_t> widths(2 * shape.operations, shape.width);
  return Pipeline(
      widths, simd::latency,
      [=](Scope& s, const Words& in, Net enable) {
        Words a, b;
        for (std::size_t i = 0; i < in.size(); i += 2) a.push_back(in[i]), b.push_back(in[i + 1]);
        return build(s, shape.options(enable), a, b);
      },
      [=] {
        return [=](const Values& in) {
          // All first results, then all second ones, as the functions give them.
          std::vector<Values> each;
          for (std::size_t i = 0; i < in.size(); i += 2)
            each.push_back(operation(shape.of(in[i]), shape.of(in[i + 1])));
          Values out;
          for (std::size_t k = 0; k < each[0].size(); ++k)
            for (const Values& e : each) out.push_back(e[k]);
          return out;
        };
      });
}

std::vector<Shape> shapes(std::uint32_t room) {
  std::vector<Shape> all;
  for (const Lanes l : {Lanes::four12, Lanes::two24, Lanes::one48})
    for (const bool is_signed : {false, true}) {
      // One operation of all operands; a slice and a lane more of them, of the largest width.
      all.push_back({l, 8, is_signed, 1});
      all.push_back({l, lane_bits(l) - room, is_signed, lanes_in_slice(l) + 1});
    }
  return all;
}

void check(std::uint32_t room, const Build& build,
           const std::function<Operation(const Shape&)>& operation) {
  for (const Shape& shape : shapes(room)) {
    SCOPED_TRACE(fmt::format("lanes of {}, {} bits, {}", lane_bits(shape.lanes), shape.width,
                             shape.is_signed ? "signed" : "unsigned"));
    const Pipeline p = pipeline(shape, build, operation(shape));
    if (shape.operations == 1)
      p.check_all();
    else
      p.check_random(4000);
  }
}

TEST(Simd, Add) {
  check(
      1, [](Scope& s, const Options& o, const Words& a, const Words& b) { return add(s, o, a, b); },
      [](const Shape& shape) {
        return
            [=](std::int64_t a, std::int64_t b) { return Values{write(a + b, shape.width + 1)}; };
      });
}

TEST(Simd, SubtractAndItsComparison) {
  check(
      1,
      [](Scope& s, const Options& o, const Words& a, const Words& b) {
        Difference d = subtract(s, o, a, b);
        for (const Net n : d.at_least) d.values.push_back(bits(s, {n}));
        return d.values;
      },
      [](const Shape& shape) {
        return [=](std::int64_t a, std::int64_t b) {
          return Values{write(a - b, shape.width + 1), a >= b};
        };
      });
}

TEST(Simd, OrderOfWordsThatFillTheLane) {
  check(
      0,
      [](Scope& s, const Options& o, const Words& a, const Words& b) {
        Words out;
        for (const Net n : at_least(s, o, a, b)) out.push_back(bits(s, {n}));
        return out;
      },
      [](const Shape&) { return [](std::int64_t a, std::int64_t b) { return Values{a >= b}; }; });
}

TEST(Simd, AbsoluteDifferenceOfWordsThatFillTheLane) {
  check(
      0,
      [](Scope& s, const Options& o, const Words& a, const Words& b) {
        return absolute_difference(s, o, a, b);
      },
      [](const Shape& shape) {
        return [=](std::int64_t a, std::int64_t b) {
          return Values{write(std::max(a, b) - std::min(a, b), shape.width)};
        };
      });
}

TEST(Simd, Logic) {
  using Gate = std::uint64_t (*)(std::uint64_t, std::uint64_t);
  const std::pair<Logic, Gate> all[] = {
      {Logic::and_, [](std::uint64_t a, std::uint64_t b) { return a & b; }},
      {Logic::or_, [](std::uint64_t a, std::uint64_t b) { return a | b; }},
      {Logic::xor_, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
      {Logic::not_, [](std::uint64_t a, std::uint64_t) { return ~a; }}};
  for (const auto& [f, gate] : all) {
    const std::vector<std::uint32_t> widths = {7, 7, 60, 60, 1, 1};  // across two slices
    Pipeline p(
        widths, simd::latency,
        [f = f](Scope& s, const Words& in, Net enable) {
          const Words a = {in[0], in[2], in[4]}, b = {in[1], in[3], in[5]};
          return logic(s, {.enable = enable}, f, a, f == Logic::not_ ? Words{} : b);
        },
        [=, gate = gate] {
          return [=](const Values& in) {
            Values out;
            for (std::size_t i = 0; i < 6; i += 2)
              out.push_back(gate(in[i], in[i + 1]) & ((std::uint64_t{1} << widths[i]) - 1));
            return out;
          };
        });
    EXPECT_EQ(p.cost().dsps, 2u);
    EXPECT_EQ(p.cost().luts, 0u);
    p.check_random(2000);
  }
}

TEST(Simd, Counts) {
  const auto cost = [](const Build& build) {
    return pipeline({Lanes::four12, 8, false, 4}, build,
                    [](std::int64_t, std::int64_t) { return Values{0}; })
        .cost();
  };
  const auto only_slice = cost(
      [](Scope& s, const Options& o, const Words& a, const Words& b) { return add(s, o, a, b); });
  EXPECT_EQ(only_slice.dsps, 1u);
  EXPECT_EQ(only_slice.luts + only_slice.ffs, 0u);
  const auto distance = cost([](Scope& s, const Options& o, const Words& a, const Words& b) {
    return absolute_difference(s, o, a, b);
  });
  EXPECT_EQ(distance.dsps, 2u);
  EXPECT_EQ(distance.luts, 4u * 4);
  EXPECT_EQ(distance.ffs, 0u);
}

TEST(Simd, AChangedNetlistIsSeen) {
  pipeline(
      {Lanes::four12, 11, true, 5},
      [](Scope& s, const Options& o, const Words& a, const Words& b) {
        Words out = add(s, o, a, b);
        const Words d = absolute_difference(s, o, a, b);
        out.insert(out.end(), d.begin(), d.end());
        return out;
      },
      [](std::int64_t a, std::int64_t b) {
        return Values{write(a + b, 12), write(std::max(a, b) - std::min(a, b), 11)};
      })
      .check_mutants(300);
}

TEST(Simd, WhatIsNotExactIsRefused) {
  const auto make = [](const Build& build, std::uint32_t width, const Options& o) {
    return [=] {
      tests::Circuit({width, width}, [&](Scope& s, const std::vector<UInt>& in) {
        return build(s, o, {in[0]}, {in[1]});
      });
    };
  };
  const Build sum = [](Scope& s, const Options& o, const Words& a, const Words& b) {
    return add(s, o, a, b);
  };
  const Build order = [](Scope& s, const Options& o, const Words& a, const Words& b) {
    return absolute_difference(s, o, a, b);
  };
  EXPECT_THAT(make(sum, 12, {}), ThrowsMessage<DesignError>(HasSubstr("1 to 11 bits")));
  EXPECT_THAT(make(order, 13, {}), ThrowsMessage<DesignError>(HasSubstr("1 to 12 bits")));
  EXPECT_THAT(make(sum, 24, {.lanes = Lanes::two24}),
              ThrowsMessage<DesignError>(HasSubstr("1 to 23 bits")));
  EXPECT_THAT([] { lanes_for(49); }, ThrowsMessage<DesignError>(HasSubstr("49 bits")));
  EXPECT_EQ(lanes_for(12), Lanes::four12);
  EXPECT_EQ(lanes_for(13), Lanes::two24);
}

}  // namespace simd_simd_test
}  // namespace kumiki::gen::simd

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
  std::uint32_t width, latency;
  bool is_signed;
  std::size_t operations;

  Options options(Net enable) const { return {lanes, enable, is_signed, latency}; }
  std::int64_t of(std::uint64_t v) const { return read(v, width, is_signed); }
};

// Operands a0, b0, a1, b1, … in, the results of all operations out.
using Build = std::function<Words(Scope&, const Options&, const Words&, const Words&)>;
using Operation = std::function<Values(std::int64_t, std::int64_t)>;

Pipeline pipeline(const Shape& shape, const Build& build, const Operation& operation) {
  std::vector<std::uint32_t> widths(2 * shape.operations, shape.width);
  return Pipeline(
      widths, shape.latency,
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
    for (const std::uint32_t latency : {short_latency, simd::latency})
      for (const bool is_signed : {false, true}) {
        // One operation of all operands; a slice and a lane more of them, of the largest width.
        all.push_back({l, 8, latency, is_signed, 1});
        all.push_back({l, lane_bits(l) - room, latency, is_signed, lanes_in_slice(l) + 1});
      }
  return all;
}

void check(std::uint32_t room, const Build& build,
           const std::function<Operation(const Shape&)>& operation) {
  for (const Shape& shape : shapes(room)) {
    SCOPED_TRACE(fmt::format("lanes of {}, {} bits, latency {}, {}", lane_bits(shape.lanes),
                             shape.width, shape.latency, shape.is_signed ? "signed" : "unsigned"));
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
        Words out = maximum(s, o, a, b);
        const Words low = minimum(s, o, a, b);
        const Exchanged both = exchange(s, o, a, b);
        out.insert(out.end(), low.begin(), low.end());
        out.insert(out.end(), both.low.begin(), both.low.end());
        out.insert(out.end(), both.high.begin(), both.high.end());
        for (const Net n : at_least(s, o, a, b)) out.push_back(bits(s, {n}));
        return out;
      },
      [](const Shape& shape) {
        return [=](std::int64_t a, std::int64_t b) {
          const auto low = write(std::min(a, b), shape.width);
          const auto high = write(std::max(a, b), shape.width);
          return Values{high, low, low, high, a >= b};
        };
      });
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
  for (const Logic f : {Logic::and_, Logic::nand, Logic::or_, Logic::nor, Logic::xor_, Logic::xnor,
                        Logic::and_not, Logic::or_not, Logic::not_}) {
    const std::vector<std::uint32_t> widths = {7, 7, 60, 60, 1, 1};  // across two slices
    Pipeline p(
        widths, simd::latency,
        [=](Scope& s, const Words& in, Net enable) {
          const Words a = {in[0], in[2], in[4]}, b = {in[1], in[3], in[5]};
          return logic(s, {.enable = enable}, f, a, f == Logic::not_ ? Words{} : b);
        },
        [=] {
          return [=](const Values& in) {
            Values out;
            for (std::size_t i = 0; i < 6; i += 2) {
              std::uint64_t word = 0;
              for (unsigned bit = 0; bit < widths[i]; ++bit)
                word |= std::uint64_t{apply(f, in[i] >> bit & 1, in[i + 1] >> bit & 1)} << bit;
              out.push_back(word);
            }
            return out;
          };
        });
    EXPECT_EQ(p.cost().dsps, 2u);
    EXPECT_EQ(p.cost().luts, 0u);
    p.check_random(2000);
  }
}

TEST(Simd, SelectInTheSliceAndInLuts) {
  Pipeline p(
      {1, 30, 30, 20, 20}, simd::latency,
      [](Scope& s, const Words& in, Net enable) {
        const Words one = {in[1], in[3]}, zero = {in[2], in[4]};
        Words out = select(s, {.enable = enable}, in[0][0], one, zero);
        const Words luts = select(s, {in[0][0], in[1][0]}, one, zero);
        for (const UInt& w : luts) out.push_back(delay(s, w, 2, enable));
        return out;
      },
      [] {
        return [](const Values& in) {
          const bool c = in[0];
          return Values{c ? in[1] : in[2], c ? in[3] : in[4], c ? in[1] : in[2],
                        in[1] & 1 ? in[3] : in[4]};
        };
      });
  EXPECT_EQ(p.cost().dsps, 2u);
  EXPECT_EQ(p.cost().luts, 25u);
  p.check_random(4000);
}

TEST(Simd, Accumulate) {
  for (const bool is_signed : {false, true})
    for (const std::uint32_t latency : {short_latency, simd::latency})
      for (const Lanes l : {Lanes::four12, Lanes::two24, Lanes::one48}) {
        const std::uint32_t width = lane_bits(l) - 4;  // up to 16 words
        Pipeline p(
            {1, width, width, width}, latency,
            [=](Scope& s, const Words& in, Net enable) {
              return accumulate(s, {l, enable, is_signed, latency}, {in[1], in[2], in[3]}, in[0][0],
                                16);
            },
            [=] {
              return [=, sums = std::vector<std::int64_t>(3)](const Values& in) mutable {
                Values out;
                for (std::size_t i = 0; i < 3; ++i) {
                  sums[i] = (in[0] ? 0 : sums[i]) + read(in[i + 1], width, is_signed);
                  out.push_back(write(sums[i], width + 4));
                }
                return out;
              };
            });
        EXPECT_EQ(p.cost().luts, 0u);
        p.check(6400, [&](std::uint64_t n) {
          const std::uint64_t top = (std::uint64_t{1} << width) - 1;
          std::uint64_t x = (n + 1) * 0x9e3779b97f4a7c15u;
          // 16 extremes in a row, then anything.
          if (n / 16 % 3 == 0) x = is_signed ? top / 2 + 1 : top;
          return Values{n % 16 == 0, x & top, (x >> 9) & top, (x >> 15) & top};
        });
      }
}

TEST(Simd, Counts) {
  const auto cost = [](const Build& build) {
    return pipeline({Lanes::four12, 8, simd::latency, false, 4}, build,
                    [](std::int64_t, std::int64_t) { return Values{0}; })
        .cost();
  };
  const auto only_slice = cost(
      [](Scope& s, const Options& o, const Words& a, const Words& b) { return add(s, o, a, b); });
  EXPECT_EQ(only_slice.dsps, 1u);
  EXPECT_EQ(only_slice.luts + only_slice.ffs, 0u);
  const auto both = cost([](Scope& s, const Options& o, const Words& a, const Words& b) {
    auto e = exchange(s, o, a, b);
    e.low.insert(e.low.end(), e.high.begin(), e.high.end());
    return e.low;
  });
  EXPECT_EQ(both.dsps, 1u);
  EXPECT_EQ(both.luts, 4u * 8);
  EXPECT_EQ(both.ffs, 4u * 8 * 2 * 2);
  const auto one = cost([](Scope& s, const Options& o, const Words& a, const Words& b) {
    return maximum(s, o, a, b);
  });
  EXPECT_EQ(one.luts, 4u * 4);
  const auto distance = cost([](Scope& s, const Options& o, const Words& a, const Words& b) {
    return absolute_difference(s, o, a, b);
  });
  EXPECT_EQ(distance.dsps, 2u);
  EXPECT_EQ(distance.luts, 4u * 4);
  EXPECT_EQ(distance.ffs, 0u);
}

TEST(Simd, AChangedNetlistIsSeen) {
  pipeline(
      {Lanes::four12, 11, simd::latency, true, 5},
      [](Scope& s, const Options& o, const Words& a, const Words& b) {
        auto e = exchange(s, o, a, b);
        const Words d = absolute_difference(s, o, a, b);
        e.low.insert(e.low.end(), e.high.begin(), e.high.end());
        e.low.insert(e.low.end(), d.begin(), d.end());
        return e.low;
      },
      [](std::int64_t a, std::int64_t b) {
        const auto low = write(std::min(a, b), 11), high = write(std::max(a, b), 11);
        return Values{low, high, write(std::max(a, b) - std::min(a, b), 11)};
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
    return minimum(s, o, a, b);
  };
  EXPECT_THAT(make(sum, 12, {}), ThrowsMessage<DesignError>(HasSubstr("1 to 11 bits")));
  EXPECT_THAT(make(order, 13, {}), ThrowsMessage<DesignError>(HasSubstr("1 to 12 bits")));
  EXPECT_THAT(make(sum, 24, {.lanes = Lanes::two24}),
              ThrowsMessage<DesignError>(HasSubstr("1 to 23 bits")));
  EXPECT_THAT(make(sum, 8, {.latency = 3}), ThrowsMessage<DesignError>(HasSubstr("latency of 3")));
  const Build running = [](Scope& s, const Options& o, const Words& a, const Words& b) {
    return accumulate(s, o, a, b[0][0], 17);
  };
  EXPECT_THAT(make(running, 8, {}), ThrowsMessage<DesignError>(HasSubstr("1 to 7 bits")));
  EXPECT_THAT([] { lanes_for(49); }, ThrowsMessage<DesignError>(HasSubstr("49 bits")));
  EXPECT_EQ(lanes_for(12), Lanes::four12);
  EXPECT_EQ(lanes_for(13), Lanes::two24);
}

}  // namespace simd_simd_test
}  // namespace kumiki::gen::simd

// SPDX-License-Identifier: Apache-2.0
// Pixel operations: netlists against definitions written here once more, all pairs of bytes where
// there are two operands, every width with stalls, refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "gen/layers/vision/pixel/make.h"
#include "ir/error.h"
#include "tests/support/circuit.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::vision {
namespace vision_pixel_test {

using packing::OperandFormat;
using tests::Pipeline;
using Values = Pipeline::Values;
using Numbers = std::vector<std::int64_t>;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr OperandFormat u(int bits) { return {.bits = bits, .is_signed = false}; }
constexpr OperandFormat s(int bits) { return {.bits = bits, .is_signed = true}; }

std::int64_t read(std::uint64_t v, const OperandFormat& f) {
  return f.is_signed ? tests::to_signed(v, static_cast<std::uint32_t>(f.bits))
                     : static_cast<std::int64_t>(v);
}

// Values of a range are spread over what the format's bits can say.
std::int64_t into_range(std::int64_t v, const OperandFormat& f) {
  const auto i = f.interval();
  const auto lo = static_cast<std::int64_t>(i.lo), span = static_cast<std::int64_t>(i.span()) + 1;
  return ((v - lo) % span + span) % span + lo;
}

class Rig {
 public:
  Rig(const PixelRequest& request, std::vector<OperandFormat> inputs, std::size_t pixels = 1)
      : inputs_(std::move(inputs)),
        operation_(make_operation(request, inputs_)),
        pixels_(pixels),
        pipeline_(widths(), static_cast<std::uint32_t>(operation_->latency()), build(),
                  [this] { return [this](const Values& in) { return expected(in); }; }) {}
  Rig(const Rig&) = delete;

  const PixelOperation& operation() const { return *operation_; }
  Pipeline& pipeline() { return pipeline_; }
  void check(std::uint64_t limit = 1 << 16) {
    std::uint32_t bits = 0;
    for (const std::uint32_t w : widths()) bits += w;
    const bool all = bits <= 16;
    const std::uint64_t count = all ? std::uint64_t{1} << bits : limit / 8;
    pipeline_.check(count, [&](std::uint64_t n) { return stimulus(n, all); });
  }

 private:
  std::vector<std::uint32_t> widths() const {
    std::vector<std::uint32_t> all;
    for (std::size_t p = 0; p < pixels_; ++p)
      for (const OperandFormat& f : inputs_) all.push_back(static_cast<std::uint32_t>(f.bits));
    return all;
  }
  Values stimulus(std::uint64_t n, bool all) const {
    Values in;
    std::uint64_t state = n * 0x9e3779b97f4a7c15u + 1;
    for (const std::uint32_t w : widths()) {
      const std::uint64_t mask = (std::uint64_t{1} << w) - 1;
      std::uint64_t v = all ? n & mask : state >> 30 & mask;
      const std::uint64_t corners[] = {0, mask, mask >> 1, mask / 2 + 1};
      if (!all && (state >> 61) < 3) v = corners[state >> 20 & 3];
      n >>= w;
      state = state * 6364136223846793005u + 1442695040888963407u;
      const OperandFormat& f = inputs_[in.size() % inputs_.size()];
      in.push_back(static_cast<std::uint64_t>(into_range(read(v, f), f)) & mask);
    }
    return in;
  }
  Pipeline::Build build() const {
    return [this](Scope& scope, const Pipeline::Words& in, Net enable) {
      PixelOperation::Pixels pixels;
      for (std::size_t i = 0; i < in.size(); i += inputs_.size())
        pixels.emplace_back(in.begin() + static_cast<std::ptrdiff_t>(i),
                            in.begin() + static_cast<std::ptrdiff_t>(i + inputs_.size()));
      Pipeline::Words out;
      for (const auto& pixel : operation_->build(scope, pixels, enable)) {
        EXPECT_EQ(pixel.size(), operation_->outputs().size());
        for (std::size_t c = 0; c < pixel.size(); ++c) {
          EXPECT_EQ(static_cast<int>(pixel[c].width()), operation_->outputs()[c].bits);
          out.push_back(pixel[c]);
        }
      }
      return out;
    };
  }
  Values expected(const Values& in) const {
    Values out;
    for (std::size_t i = 0; i < in.size(); i += inputs_.size()) {
      Numbers channels;
      for (std::size_t c = 0; c < inputs_.size(); ++c)
        channels.push_back(read(in[i + c], inputs_[c]));
      const Numbers made = operation_->apply(channels);
      for (std::size_t c = 0; c < made.size(); ++c) {
        const OperandFormat& f = operation_->outputs()[c];
        EXPECT_TRUE(f.interval().contains(made[c])) << operation_->text() << " gives " << made[c];
        out.push_back(static_cast<std::uint64_t>(made[c]) & ((std::uint64_t{1} << f.bits) - 1));
      }
    }
    return out;
  }

  std::vector<OperandFormat> inputs_;
  std::unique_ptr<PixelOperation> operation_;
  std::size_t pixels_;
  Pipeline pipeline_;
};

// A request in LUTs and in slices.
template <class Request>
std::vector<PixelRequest> styles(Request r) {
  std::vector<PixelRequest> all;
  for (const Style style : {Style::automatic, Style::slices}) {
    r.style = style;
    all.emplace_back(r);
  }
  return all;
}

template <class Request>
void check(const Request& request, const std::vector<OperandFormat>& inputs,
           const std::string& result, std::size_t pixels = 1) {
  for (const PixelRequest& r : styles(request)) {
    Rig rig(r, inputs, pixels);
    SCOPED_TRACE(rig.operation().name() + ": " + rig.operation().text());
    EXPECT_EQ(to_string(rig.operation().outputs()[0]), result);
    rig.check();
    EXPECT_EQ(rig.pipeline().cost().lut_rams, 0u);
    // A slice is taken when it is asked for, and what needs no clock needs none.
    const bool sliced = std::get<Request>(r).style == Style::slices;
    EXPECT_EQ(rig.pipeline().cost().dsps > 0, sliced && rig.operation().latency() > 0);
  }
}

Numbers apply(const PixelRequest& r, const std::vector<OperandFormat>& inputs, const Numbers& in) {
  return make_operation(r, inputs)->apply(in);
}

constexpr Fit wrap{.overflow = Overflow::wrap}, saturate{.overflow = Overflow::saturate};

TEST(PixelOperation, SumsAndDifferences) {
  check(Add{}, {u(8), u(8)}, "U9 in [0, 510]");
  check(Add{wrap}, {u(8), u(8)}, "U8");
  check(Add{saturate}, {u(8), u(8)}, "U8");
  check(Add{saturate}, {s(8), s(8)}, "S8");
  check(Add{{Overflow::saturate, 8, false}}, {s(8), s(8)}, "U8 in [0, 254]");
  check(Add{{Overflow::saturate, 6, true}}, {u(8), u(8)}, "S6 in [0, 31]");
  check(Add{{Overflow::wrap, 6, true}}, {u(8), s(8)}, "S6");
  check(Add{saturate, 100}, {u(8)}, "U8 in [100, 255]");
  check(Add{{}, -100}, {u(8)}, "S9 in [-100, 155]");
  check(Add{}, {u(11), s(9)}, "S13 in [-256, 2302]", 2);
  check(Subtract{}, {u(8), u(8)}, "S9 in [-255, 255]");
  check(Subtract{wrap}, {u(8), u(8)}, "U8");
  check(Subtract{saturate}, {u(8), u(8)}, "U8", 1);
  check(Subtract{saturate}, {s(8), s(8)}, "S8");
  check(Subtract{saturate, 17}, {u(8)}, "U8 in [0, 238]");
  EXPECT_EQ(apply(Add{saturate}, {u(8), u(8)}, {200, 100}), Numbers{255});
  EXPECT_EQ(apply(Add{wrap}, {u(8), u(8)}, {200, 100}), Numbers{44});
  EXPECT_EQ(apply(Subtract{saturate}, {u(8), u(8)}, {100, 200}), Numbers{0});
  EXPECT_EQ(apply(Subtract{}, {u(8), u(8)}, {100, 200}), Numbers{-100});
}

TEST(PixelOperation, DifferencesAndEnds) {
  check(AbsDiff{}, {u(8), u(8)}, "U8");
  check(AbsDiff{}, {s(8), s(8)}, "U8");
  check(AbsDiff{}, {u(8), s(8)}, "U9 in [0, 383]");
  check(AbsDiff{.constant = 100}, {u(8)}, "U8 in [0, 155]");
  check(AbsDiff{}, {s(16), s(16)}, "U16", 3);
  check(AbsDiff{}, {s(12), s(12)}, "U12", 3);
  check(Extreme{End::minimum}, {u(8), u(8)}, "U8");
  check(Extreme{End::maximum}, {s(8), u(8)}, "U8");
  check(Extreme{End::minimum}, {s(8), u(8)}, "S8");
  check(Extreme{End::maximum}, {s(7), s(7)}, "S7", 4);
  check(Extreme{End::maximum, 16}, {u(8)}, "U8 in [16, 255]");
  EXPECT_EQ(apply(AbsDiff{}, {s(8), s(8)}, {-128, 127}), Numbers{255});
}

TEST(PixelOperation, Bits) {
  for (const Gate gate : {Gate::and_, Gate::or_, Gate::xor_}) {
    check(Bitwise{gate}, {u(8), u(8)}, "U8");
    check(Bitwise{gate}, {s(8), u(8)}, "S9");
    check(Bitwise{gate, 0x3c}, {u(8)}, "U8");
  }
  check(Bitwise{Gate::not_}, {u(8)}, "U8", 2);
  check(Bitwise{Gate::not_}, {s(8)}, "S8");
  EXPECT_EQ(apply(Bitwise{Gate::not_}, {u(8)}, {1}), Numbers{254});
  EXPECT_EQ(apply(Bitwise{Gate::not_}, {s(8)}, {1}), Numbers{-2});
  EXPECT_EQ(apply(Bitwise{Gate::xor_, 0x0f}, {u(8)}, {0x55}), Numbers{0x5a});
}

TEST(PixelOperation, Accumulators) {
  check(Accumulate{}, {u(8), u(16)}, "U16");
  check(Accumulate{}, {u(8), s(16)}, "S16", 2);
  check(Accumulate{}, {s(6), s(8)}, "S8");
  EXPECT_EQ(apply(Accumulate{}, {u(8), s(16)}, {255, 32700}), Numbers{32767});
  for (const int alpha : {0, 1, 3, 7, 8, 11, 16})
    check(AccumulateWeighted{alpha, 4}, {u(8), u(8)}, "U8");
  check(AccumulateWeighted{5, 3}, {s(6), s(8)}, "S8");
  check(AccumulateWeighted{25, 8}, {u(8), u(12)}, "U12", 2);
  check(AccumulateWeighted{1, 0}, {u(8), u(8)}, "U8");
  // (3 * 200 + 13 * 100) / 16 = 118.75
  EXPECT_EQ(apply(AccumulateWeighted{3, 4}, {u(8), u(8)}, {200, 100}), Numbers{119});
}

TEST(PixelOperation, Thresholds) {
  check(Threshold{.value = 127}, {u(8)}, "U8");
  check(Threshold{.value = -1, .true_value = 0, .false_value = 1}, {s(8)}, "U1");
  check(Threshold{.low = 50, .high = 99}, {u(8)}, "U8");
  check(Threshold{.low = -3, .high = 200, .true_value = 9, .false_value = -6}, {u(8)},
        "S5 in [-6, 9]");
  check(Threshold{.value = 255}, {u(8)}, "U8");
  check(Threshold{.value = -1}, {u(8)}, "U8");
  check(Threshold{.value = 700}, {u(12)}, "U8", 4);
  for (int value = -130; value <= 130; value += 13)
    check(Threshold{.value = value, .true_value = 3, .false_value = 1}, {s(8)}, "U2 in [1, 3]");
  EXPECT_EQ(apply(Threshold{.value = 127}, {u(8)}, {127}), Numbers{0});
  EXPECT_EQ(apply(Threshold{.value = 127}, {u(8)}, {128}), Numbers{255});
  EXPECT_EQ(apply(Threshold{.low = 50, .high = 99}, {u(8)}, {99}), Numbers{255});
}

TEST(PixelOperation, Magnitudes) {
  check(Abs{}, {s(8)}, "U8 in [0, 128]");
  check(Abs{}, {u(8)}, "U8");
  OperandFormat sobel = s(11);
  sobel.range = {-1020, 1020};
  check(Abs{}, {sobel}, "U10 in [0, 1020]", 4);
  OperandFormat small = s(12);
  small.range = {-100, 60};
  check(Abs{}, {small}, "U7 in [0, 100]");
  for (const Norm norm : {Norm::l1, Norm::max}) {
    const bool l1 = norm == Norm::l1;
    check(Magnitude{norm}, {s(8), s(8)}, l1 ? "U9 in [0, 256]" : "U8 in [0, 128]");
    check(Magnitude{norm}, {sobel, sobel}, l1 ? "U11 in [0, 2040]" : "U10 in [0, 1020]", 4);
    check(Magnitude{norm, {Overflow::saturate, 8, false}}, {sobel, sobel}, "U8", 2);
    check(Magnitude{norm}, {s(16), s(16)}, l1 ? "U17 in [0, 65536]" : "U16 in [0, 32768]");
    check(Magnitude{norm, {Overflow::saturate, 16, true}}, {s(16), s(16)}, "S16 in [0, 32767]");
    check(Magnitude{norm}, {u(8), s(8)}, l1 ? "U9 in [0, 383]" : "U8");
    check(Magnitude{norm}, {u(8), u(8)}, l1 ? "U9 in [0, 510]" : "U8");
    check(Magnitude{norm}, {small, sobel}, l1 ? "U11 in [0, 1120]" : "U10 in [0, 1020]");
  }
  EXPECT_EQ(apply(Magnitude{}, {s(8), s(8)}, {-128, -128}), Numbers{256});
  EXPECT_EQ(apply(Magnitude{Norm::max}, {s(8), s(8)}, {-128, 5}), Numbers{128});
}

// Two slices for the squares in either style, the root in LUTs.
TEST(PixelOperation, MagnitudesWithARoot) {
  const auto check_root = [](Magnitude m, const std::vector<OperandFormat>& inputs,
                             const std::string& result, std::size_t pixels = 1) {
    m.norm = Norm::l2;
    Rig rig(m, inputs, pixels);
    SCOPED_TRACE(rig.operation().name() + ": " + rig.operation().text());
    EXPECT_EQ(to_string(rig.operation().outputs()[0]), result);
    rig.check();
    EXPECT_EQ(rig.pipeline().cost().dsps, 2 * pixels);
  };
  OperandFormat sobel = s(11);
  sobel.range = {-1020, 1020};
  check_root({}, {s(8), s(8)}, "U8 in [0, 181]");
  check_root({}, {u(8), u(8)}, "U9 in [0, 361]");
  check_root({}, {u(1), u(1)}, "U1");
  check_root({}, {u(2), s(3)}, "U3 in [0, 5]");
  check_root({}, {sobel, sobel}, "U11 in [0, 1442]", 2);
  check_root({.fit = {Overflow::saturate, 8, false}}, {sobel, sobel}, "U8");
  check_root({.fit = {Overflow::saturate, 16, true}, .style = Style::slices}, {s(16), s(16)},
             "S16 in [0, 32767]");
  const auto root = [](std::int64_t x, std::int64_t y) {
    return apply(Magnitude{Norm::l2}, {s(18), s(18)}, {x, y})[0];
  };
  EXPECT_EQ(root(3, -4), 5);
  EXPECT_EQ(root(0, 0), 0);
  EXPECT_EQ(root(1, 1), 1);     // 1.41
  EXPECT_EQ(root(1, 2), 2);     // 2.24
  EXPECT_EQ(root(2, -5), 5);    // 5.39
  EXPECT_EQ(root(-1, 12), 12);  // 12.04
  EXPECT_EQ(root(4, 5), 6);     // 6.40
  EXPECT_EQ(root(-131072, -131072), 185364);
  EXPECT_THAT(
      [] {
        make_operation(Magnitude{Norm::l2, {}, Style::luts}, {s(8), s(8)});
      },
      ThrowsMessage<DesignError>(HasSubstr("style \"automatic\" or \"slices\"")));
  EXPECT_THAT(
      [] {
        make_operation(Magnitude{Norm::l2}, {u(18), s(8)});
      },
      ThrowsMessage<DesignError>(HasSubstr("at most S18 or U17")));
}

// What 3 * x / 2^shift + offset can be for a signed byte.
OperandFormat apply_format(int shift, std::int64_t offset) {
  const auto end = [&](int x) {
    return std::lrint(std::ldexp(3.0 * x, -shift)) + offset;  // ties to even
  };
  OperandFormat format = s(10);
  format.range = {end(-128), end(127)};
  return format;
}

TEST(PixelOperation, Scales) {
  for (const Rounding n : {Rounding::down, Rounding::half_up, Rounding::half_even}) {
    check(Scale{.shift = 3, .rounding = n, .bits = 8}, {s(12)}, "U8");
    check(Scale{.multiplier = 77, .shift = 8, .offset = 16, .rounding = n}, {u(8)},
          n == Rounding::down ? "U7 in [16, 92]" : "U7 in [16, 93]");
    check(
        Scale{
            .multiplier = -5, .shift = 1, .offset = 3, .rounding = n, .bits = 6, .is_signed = true},
        {s(8)}, "S6");
    check(Scale{.multiplier = 365, .shift = 4, .rounding = n, .bits = 8}, {u(8)}, "U8", 2);
    for (const std::int64_t addend : {-9, 43})
      check(Scale{.multiplier = 171,
                  .addend = addend,
                  .shift = 10,
                  .offset = 3,
                  .rounding = n,
                  .bits = 6,
                  .is_signed = true},
            {s(9)}, "S6");
  }
  // Ties under an odd offset are even before it is added: 1.5 is 2, and 5 more.
  for (const std::int64_t offset : {-7, -1, 1, 4, 5})
    for (const int shift : {1, 2, 3})
      check(Scale{.multiplier = 3,
                  .shift = shift,
                  .offset = offset,
                  .rounding = Rounding::half_even,
                  .bits = 10,
                  .is_signed = true},
            {s(8)}, to_string(apply_format(shift, offset)));
  EXPECT_EQ(apply(Scale{.multiplier = 3, .shift = 3, .offset = 5, .rounding = Rounding::half_even},
                  {s(8)}, {4}),
            Numbers{7});
  check(Scale{.multiplier = -1, .offset = 255}, {u(8)}, "U8");
  check(Scale{.multiplier = 4}, {u(8)}, "U10 in [0, 1020]");
  check(Scale{.multiplier = 0, .offset = 7}, {u(8)}, "U3 in 7");
  check(Scale{.multiplier = -1}, {s(8)}, "S9 in [-127, 128]");
  check(Scale{.bits = 8}, {s(11)}, "U8");
  check(Scale{.shift = 8}, {u(8)}, "U1");
  // 2.5 and 3.5, -2.5
  const auto half = [](std::int64_t x, Rounding n) {
    return apply(Scale{.shift = 1, .rounding = n}, {s(8)}, {x})[0];
  };
  EXPECT_EQ(half(5, Rounding::half_even), 2);
  EXPECT_EQ(half(7, Rounding::half_even), 4);
  EXPECT_EQ(half(-5, Rounding::half_even), -2);
  EXPECT_EQ(half(-5, Rounding::half_up), -2);
  EXPECT_EQ(half(-5, Rounding::down), -3);
  EXPECT_EQ(half(5, Rounding::half_up), 3);
}

TEST(PixelOperation, ChannelsAreOneByOneOrImageByImage) {
  // Two images of three channels; the second has other formats.
  const std::vector<OperandFormat> two = {u(8), u(8), s(5), u(8), u(8), u(3)};
  for (const PixelRequest& r : styles(Subtract{})) {
    Rig rig(r, two, 2);
    EXPECT_EQ(rig.operation().outputs().size(), 3u);
    EXPECT_EQ(rig.operation().apply({{1, 2, 3, 40, 50, 6}}), (Numbers{-39, -48, -3}));
    rig.check();
  }
  Rig channels(ChannelSelect{{2, 0, 0}}, {u(8), u(4), s(5)});
  EXPECT_EQ(channels.operation().latency(), 0);
  EXPECT_EQ(channels.operation().apply({{1, 2, -3}}), (Numbers{-3, 1, 1}));
  channels.check();
  // Unsigned channels need no clock; they wait for the others.
  Rig mixed(Abs{}, {u(8), s(8)});
  EXPECT_EQ(mixed.operation().latency(), 1);
  mixed.check();
}

TEST(PixelOperation, Counts) {
  const auto cost = [](const PixelRequest& r, const std::vector<OperandFormat>& f,
                       std::size_t pixels) { return Rig(r, f, pixels).pipeline().cost(); };
  const std::vector<OperandFormat> bytes = {u(8), u(8)};
  EXPECT_EQ(cost(AbsDiff{}, bytes, 1).luts, 12u);
  EXPECT_EQ(cost(AbsDiff{.style = Style::slices}, bytes, 2).dsps, 1u);
  EXPECT_EQ(cost(AbsDiff{.style = Style::slices}, bytes, 2).luts, 8u);
  // Words may fill the lane.
  EXPECT_EQ(cost(AbsDiff{.style = Style::slices}, {u(12), u(12)}, 2).dsps, 1u);
  EXPECT_EQ(cost(Add{}, bytes, 1).luts, 8u);
  EXPECT_EQ(cost(Bitwise{Gate::and_}, bytes, 1).luts, 4u);
  EXPECT_EQ(cost(Bitwise{Gate::and_, {}, Style::slices}, bytes, 6).dsps, 1u);
  EXPECT_EQ(cost(Extreme{}, bytes, 1).luts, 8u);
  EXPECT_EQ(cost(Extreme{.style = Style::slices}, bytes, 4).luts, 16u);
  // Sums of 11 bits have 12: four lanes of a slice.
  EXPECT_EQ(cost(Add{.style = Style::slices}, {u(11), u(11)}, 4).dsps, 1u);
  EXPECT_EQ(cost(Add{.style = Style::slices}, {u(12), u(12)}, 4).dsps, 2u);
  EXPECT_EQ(cost(Extreme{.style = Style::slices}, bytes, 4).dsps, 1u);
  OperandFormat sobel = s(11);
  sobel.range = {-1020, 1020};
  // Two chains of 11; three absolute values and sums would be 32.
  EXPECT_EQ(cost(Magnitude{}, {sobel, sobel}, 1).luts, 22u);
  EXPECT_EQ(cost(Threshold{.style = Style::slices}, {u(8)}, 4).dsps, 1u);
  EXPECT_EQ(cost(Threshold{.style = Style::slices}, {u(8)}, 4).luts, 0u);
  EXPECT_LE(cost(Threshold{}, {u(8)}, 1).luts, 2u);
}

TEST(PixelOperation, NamesSayAllAndTextsAreForPeople) {
  const auto name = [](const PixelRequest& r, std::vector<OperandFormat> f) {
    return make_operation(r, f)->name();
  };
  EXPECT_EQ(name(Threshold{}, {u(8)}), "threshold_gt127_255_0");
  EXPECT_EQ(name(Threshold{.low = -3, .high = 4, .style = Style::slices}, {s(8)}),
            "threshold_m3to4_255_0_slices");
  EXPECT_EQ(name(Add{{Overflow::saturate, 8, false}, -3}, {u(8)}), "add_cm3_sat_u8");
  EXPECT_EQ(name(Scale{.multiplier = -2, .shift = 3, .bits = 8}, {s(12)}), "scale_m2_3_0_up_u8");
  EXPECT_EQ(name(ChannelSelect{{1, 0}}, {u(8), u(8)}), "channels_1_0");
  EXPECT_EQ(make_operation(Add{saturate}, {u(8), u(8)})->text(), "a + b, saturated: U8, U8 -> U8");
}

TEST(PixelOperation, WhatCannotBeIsRefused) {
  const auto made = [](const PixelRequest& r, std::vector<OperandFormat> f) {
    return [=] { make_operation(r, f); };
  };
  const auto says = [](const char* words) { return ThrowsMessage<DesignError>(HasSubstr(words)); };
  EXPECT_THAT(made(Add{}, {u(8)}), says("takes 2 images"));
  EXPECT_THAT(made(Add{}, {u(8), u(8), u(8)}), says("3 channels"));
  EXPECT_THAT(made(Abs{}, {}), says("0 channels"));
  EXPECT_THAT(made(Add{}, {u(27), u(27)}), says("28 bits"));
  EXPECT_THAT(made(Add{{Overflow::exact, 8}}, {u(8), u(8)}), says("exact"));
  EXPECT_THAT(made(Threshold{.low = 3}, {u(8)}), says("both \"low\" and \"high\""));
  EXPECT_THAT(made(Threshold{.low = 3, .high = 2}, {u(8)}), says("the range"));
  EXPECT_THAT(made(Bitwise{Gate::not_, 3}, {u(8)}), says("one operand"));
  EXPECT_THAT(made(AccumulateWeighted{17, 4}, {u(8), u(8)}),
              says("the weight is 17 / 2^4; it must be 0 to 1"));
  EXPECT_THAT(made(AccumulateWeighted{1, 4}, {s(8), u(8)}), says("does not hold"));
  EXPECT_THAT(made(Scale{.multiplier = 1 << 20, .style = Style::slices}, {u(8)}), says("2^17"));
  EXPECT_THAT(made(Scale{.multiplier = 1 << 30}, {u(8)}), says("2^30"));
  EXPECT_THAT(made(Scale{.shift = 31}, {u(8)}), says("0 to 30"));
  EXPECT_THAT(made(ChannelSelect{{3}}, {u(8)}), says("channel 3"));
  EXPECT_THAT(made(ChannelSelect{{}}, {u(8)}), says("at least one"));
  EXPECT_THAT(made(Abs{}, {u(28)}), says("28 bits"));
  const auto abs = make_operation(Abs{}, {s(8)});
  EXPECT_THAT(
      [&] {
        tests::Circuit({9}, [&](Scope& scope, const std::vector<UInt>& in) {
          return abs->build(scope, {{in[0]}}, ir::net_one)[0];
        });
      },
      says("channel 0 has 9 bits"));
}

TEST(PixelOperation, AChangedNetlistIsSeen) {
  for (const Style style : {Style::luts, Style::slices}) {
    Rig(AbsDiff{.style = style}, {s(8), s(8)}, 2).pipeline().check_mutants(100, 0.95);
    Rig(Magnitude{.fit = {Overflow::saturate, 8, false}, .style = style}, {s(11), s(11)})
        .pipeline()
        .check_mutants(100, 0.93);
    Rig(Scale{.multiplier = 77,
              .shift = 4,
              .rounding = Rounding::half_even,
              .bits = 8,
              .style = style},
        {s(9)})
        .pipeline()
        .check_mutants(100, 0.93);
  }
}

}  // namespace vision_pixel_test
}  // namespace kumiki::gen::vision

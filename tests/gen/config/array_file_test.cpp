// SPDX-License-Identifier: Apache-2.0
// Arrays in files that numpy wrote (npy/made.py), and files as numpy writes them.
#include "gen/config/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ir/error.h"
#include "tests/support/golden.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::config::array_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ArrayWanted with_reals{.reals = true};

std::string of_numpy(const std::string& name) {
  return test::read_bytes(std::string(KUMIKI_TEST_DIR) + "/gen/config/npy/" + name + ".npy");
}

std::string refusal(const std::string& bytes, const ArrayWanted& wanted = with_reals) {
  return test::refusal<FileError>([&] { parse_npy(bytes, "a.npy", wanted); });
}

TEST(ArrayFile, RealNumbersAreThoseOfNumpy) {
  const std::string single = of_numpy("float32"), twice = of_numpy("float64"),
                    scalar = of_numpy("scalar");
  const Array a = parse_npy(single, "a.npy", with_reals);
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_EQ(a.type, (NumberType{'f', 4}));
  EXPECT_EQ(a.real(0), 0.5);
  EXPECT_TRUE(a.real(1) == 0 && std::signbit(a.real(1)));
  EXPECT_EQ(a.real(2), double{1e-40f});
  EXPECT_EQ(a.real(3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(a.real(4), -3.25);
  EXPECT_TRUE(std::isnan(a.real(5)));
  const Array b = parse_npy(twice, "a.npy", with_reals);
  EXPECT_EQ(b.real(0), 0.1);
  EXPECT_EQ(b.real(1), -1e300);
  EXPECT_EQ(b.real(2), 5e-324);
  const Array c = parse_npy(scalar, "a.npy", with_reals);
  EXPECT_TRUE(c.shape.empty());
  EXPECT_EQ(c.real(0), 2.5);
}

TEST(ArrayFile, EitherOrderIsReadAsC) {
  const std::string reals = of_numpy("float32_fortran"), integers = of_numpy("int16_fortran"),
                    plain = of_numpy("int8");
  const Array r = parse_npy(reals, "a.npy", with_reals), i = parse_npy(integers, "a.npy", {}),
              p = parse_npy(plain, "a.npy", {});
  EXPECT_TRUE(r.is_fortran_order && i.is_fortran_order && !p.is_fortran_order);
  for (std::size_t at = 0; at < 24; ++at) {
    EXPECT_EQ(r.real(at), static_cast<double>(at) - 3);
    EXPECT_EQ(i.integer(at), static_cast<std::int64_t>(at) - 3);
    EXPECT_EQ(p.integer(at), static_cast<std::int64_t>(at) - 3);
  }
  EXPECT_EQ(place_in(r.shape, 23), "[1][2][3]");
  EXPECT_EQ(place_in(r.shape, 5), "[0][1][1]");
}

TEST(ArrayFile, WrongFilesAreRefused) {
  EXPECT_THAT(refusal(of_numpy("float32"), {}),
              HasSubstr("entries of type \"<f4\"; entries must be booleans or little-endian "
                        "integers of 1, 2, 4 or 8 bytes"));
  EXPECT_EQ(refusal(of_numpy("float16")),
            "a.npy has entries of type \"<f2\"; entries must be booleans, little-endian integers "
            "of 1, 2, 4 or 8 bytes and floats of 4 or 8 bytes");
  const auto with_shape = [](std::string shape) {
    std::string file = of_numpy("int8");
    const auto at = file.find("(2, 3, 4)");
    return file.replace(at, shape.size(), shape);
  };
  EXPECT_EQ(refusal(with_shape("(2, -, 4)")),
            "a.npy has the shape (2, -, 4), of which \"-\" is not a size; sizes must be 0 or more");
  EXPECT_THAT(refusal(of_numpy("int8"), {.most_entries = 23}), HasSubstr("at most 23 entries"));
  for (const char* name : {"float32", "int8", "bool"}) {
    const std::string whole = of_numpy(name);
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      EXPECT_NE(refusal(whole.substr(0, cut)), "not refused") << name << " " << cut;
    EXPECT_THAT(refusal(whole + "x"), HasSubstr("bytes of data")) << name;
  }
  EXPECT_EQ(parse_npy(of_numpy("none"), "a.npy", {}).shape[0], 0u);
}

TEST(ArrayFile, HeadersAreThoseOfNumpyToTheByte) {
  const auto header = [](const std::string& file) { return file.substr(0, 128); };
  EXPECT_EQ(npy_header({'i', 1}, {2, 3, 4}), header(of_numpy("int8")));
  EXPECT_EQ(npy_header({'u', 2}, {3}), header(of_numpy("uint16")));
  EXPECT_EQ(npy_header({'i', 4}, {1, 2}), header(of_numpy("int32")));
  EXPECT_EQ(npy_header({'f', 4}, {2, 3}), header(of_numpy("float32")));
  EXPECT_EQ(npy_header({'f', 4}, {}), header(of_numpy("scalar")));
  EXPECT_EQ(npy_header({'u', 1}, {0, 3}), of_numpy("none"));
}

TEST(ArrayFile, IdxOfUnsignedBytes) {
  const std::string good("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\1\2\3\4\5\xff", 18);
  const Array a = parse_idx(good, "a-ubyte", 100);
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_EQ(a.integer(5), 255);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_THROW(parse_idx(good.substr(0, cut), "a-ubyte", 100), FileError) << cut;
  EXPECT_THAT([&] { (void)parse_idx(good + "x", "a-ubyte", 100); },
              ::testing::ThrowsMessage<FileError>(::testing::StrEq(
                  "a-ubyte has 7 bytes of data; it must have 6, as its header says")));
  EXPECT_THROW(parse_idx(good, "a-ubyte", 5), FileError);
  EXPECT_FALSE(is_idx(std::string("\0\0\x0d\x01", 4)));  // floats
}

}  // namespace
}  // namespace kumiki::gen::config::array_file_test

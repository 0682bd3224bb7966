// SPDX-License-Identifier: Apache-2.0
// Numbers out of files, and configurations that name such files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "gen/config/document.h"
#include "gen/config/numbers.h"
#include "gen/config/weights.h"
#include "ir/error.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::config {
namespace config_numbers_test {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& order = "False", char version = 1) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  if (version > 1) file += std::string(2, '\0');
  return file + header + data;
}

std::string refusal(const std::string& bytes, const std::string& name, NumbersWanted wanted = {}) {
  return test::refusal<FileError>([&] { parse_numbers(bytes, name, wanted); });
}

TEST(Numbers, NpyOfEveryLegalType) {
  auto n = parse_numbers(npy("|i1", "(3,)", "\x01\xff\x7f"), "w.npy", {});
  EXPECT_EQ(n.rows(), 1u);
  EXPECT_EQ(n.columns(), 3u);
  EXPECT_THAT(n.values, ElementsAre(1, -1, 127));
  n = parse_numbers(npy("|u1", "(2, 2)", "\x01\xff\x7f\x02", "False", 2), "w.npy", {});
  EXPECT_EQ(n.rows(), 2u);
  EXPECT_THAT(n.values, ElementsAre(1, 255, 127, 2));
  n = parse_numbers(npy("|b1", "(2,)", std::string("\1\0", 2)), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(1, 0));
  n = parse_numbers(npy("<i2", "(2,)", std::string("\xfe\xff\x00\x01", 4)), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(-2, 256));
  n = parse_numbers(npy("<i8", "(1,)", std::string(8, '\xff')), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(-1));
}

std::string floats(const std::vector<float>& values) {
  std::string bytes(4 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return npy("<f4", fmt::format("({},)", values.size()), bytes);
}

// By hand: value / scale in float32, ties to the even neighbour.
TEST(Numbers, RealOnesBecomeIntegersOfAScale) {
  EXPECT_THAT(
      parse_numbers(floats({0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 2.49F, -128}), "w.npy", {.scale = 1})
          .values,
      ElementsAre(0, 2, 2, 0, -2, 2, -128));
  // Quotients in float32, by numpy: 0.5, 1.5, -3.5 and 127.
  EXPECT_THAT(parse_numbers(floats({0.1F, 0.3F, -0.7F, 25.4F}), "w.npy", {.scale = 0.2F}).values,
              ElementsAre(0, 2, -4, 127));
  std::string eight(8, '\0');
  const double value = 0.75;
  std::memcpy(eight.data(), &value, 8);
  EXPECT_THAT(parse_numbers(npy("<f8", "(1,)", eight), "w.npy", {.scale = 0.25}).values,
              ElementsAre(3));
  EXPECT_THAT(refusal(floats({1}), "w.npy"), HasSubstr("\"<f4\""));
  EXPECT_THAT(refusal(npy("|i1", "(1,)", "\1"), "w.npy", {.scale = 1}),
              HasSubstr("w.npy holds integers, which have no \"scale\"; omit \"scale\""));
  EXPECT_EQ(refusal(floats({1, NAN}), "w.npy", {.scale = 1}),
            "w.npy [1] is nan, nan of scale 1; every number must be below 2^53 in that scale");
  EXPECT_THAT(refusal(floats({3e38F}), "w.npy", {.scale = 0.1F}), HasSubstr("[0] is 3"));
  EXPECT_THAT(refusal(floats({INFINITY}), "w.npy", {.scale = 1}), HasSubstr("[0] is inf"));
}

TEST(Numbers, NpyThatIsNotWhatItSaysIsRefused) {
  const std::string good = npy("|i1", "(3,)", "\x01\xff\x7f");
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_NE(refusal(good.substr(0, cut), "w.npy"), "not refused") << cut;
  EXPECT_THAT(refusal(good + "x", "w.npy"),
              HasSubstr("has 4 bytes of data; it must have 3, for its 3 entries"));
  EXPECT_THAT(refusal(npy("<f4", "(1,)", "1234"), "w.npy"), HasSubstr("entries of type \"<f4\""));
  EXPECT_THAT(refusal(npy(">i2", "(1,)", "12"), "w.npy"), HasSubstr("little-endian integers"));
  EXPECT_THAT(refusal(npy("<i3", "(1,)", "123"), "w.npy"), HasSubstr("1, 2, 4 or 8 bytes"));
  EXPECT_THAT(refusal(npy("|u1", "(99999999999, 2)", "1"), "w.npy"), HasSubstr("has the shape"));
  EXPECT_THAT(refusal(npy("|u1", "(16000000, 16000000)", "1"), "w.npy"), HasSubstr("the shape"));
  EXPECT_THAT(
      refusal(npy("|u1", "(2, -1,)", "1"), "w.npy"),
      HasSubstr("has the shape (2, -1,), of which \"-1\" is not a size; sizes must be 0 or more"));
  EXPECT_THAT(refusal(npy("|u1", "(2.5,)", "1"), "w.npy"), HasSubstr("\"2.5\" is not a size"));
  EXPECT_THAT(refusal(npy("|u1", "(1,)", "1", "Maybe"), "w.npy"), HasSubstr("Fortran order"));
  EXPECT_THAT(refusal(npy("|u1", "(1,)", "1", "False", 9), "w.npy"),
              HasSubstr("is in version 9.0 of the format; it must be 1.0, 2.0 or 3.0, as "
                        "numpy.save writes them"));
  EXPECT_THAT(refusal(npy("<u8", "(1,)", std::string(8, '\xff')), "w.npy"), HasSubstr("at most"));
  EXPECT_THAT(refusal("1,2", "w.npy"), HasSubstr("is not a .npy file"));
}

// What numpy.save(np.arange(12).reshape(2, 3, 2)) holds, and the same in Fortran order.
TEST(Numbers, NpyOfAnyDimensionsInEitherOrder) {
  auto n = parse_numbers(npy("|u1", "(2, 3, 2)", std::string("\0\1\2\3\4\5\6\7\10\11\12\13", 12)),
                         "w.npy", {});
  EXPECT_THAT(n.shape, ElementsAre(2, 3, 2));
  EXPECT_THAT(n.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(n.rows(), 2u);
  EXPECT_EQ(n.columns(), 6u);
  EXPECT_FALSE(n.is_flat());
  n = parse_numbers(
      npy("|u1", "(2, 3, 2)", std::string("\0\6\2\10\4\12\1\7\3\11\5\13", 12), "True"), "w.npy",
      {});
  EXPECT_THAT(n.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(parse_numbers(npy("|u1", "()", "\5"), "w.npy", {}).values, ElementsAre(5));
  EXPECT_TRUE(parse_numbers(npy("|u1", "(1, 2, 1)", "12"), "w.npy", {}).is_flat());
}

TEST(Numbers, NothingButNumbers) {
  EXPECT_THAT(parse_numbers("\x01\xff", "w.bin", {.type = "int8"}).values, ElementsAre(1, -1));
  EXPECT_THAT(parse_numbers("\x01\xff", "w.raw", {.type = "uint8"}).values, ElementsAre(1, 255));
  EXPECT_THAT(parse_numbers("\x01\xff", "w.raw", {.type = "int16"}).values, ElementsAre(-255));
  EXPECT_THAT(parse_numbers(std::string(4, '\xff'), "w.bin", {.type = "uint32"}).values,
              ElementsAre(4294967295));
  EXPECT_THAT(refusal("123", "w.bin", {.type = "int16"}),
              HasSubstr("has 3 bytes; it must have a multiple of 2 for type int16"));
  EXPECT_THAT(refusal("123", "w.bin"),
              HasSubstr("does not say what its numbers are; give \"type\" as int8, uint8, int16, "
                        "uint16, int32, uint32, int64 or uint64"));
  EXPECT_THAT(refusal("123", "w.bin", {.type = "float"}), HasSubstr("numbers of type \"float\""));
  EXPECT_THAT(refusal("1,2", "w.csv", {.type = "int8"}),
              HasSubstr("w.csv already contains the type of its numbers; omit \"type\", which is "
                        "for .bin and .raw"));
  EXPECT_THAT(refusal("1,2", "w.csv", {.bits = 4}), HasSubstr("\"bits\", which is for .hex"));
}

TEST(Numbers, CsvAndHex) {
  auto n = parse_numbers("# two rows\r\n 1, -2,+3 \r\n\n4,5,6 # last", "w.csv", {});
  EXPECT_EQ(n.rows(), 2u);
  EXPECT_THAT(n.values, ElementsAre(1, -2, 3, 4, 5, 6));
  EXPECT_THAT(refusal("1,2\n3", "w.csv"),
              HasSubstr("has a row of 1 in line 2; every row must have 2, as the first one has"));
  EXPECT_THAT(refusal("1,,2", "w.csv"), HasSubstr("has \"\" in line 1"));
  EXPECT_THAT(refusal("1,2,", "w.csv"), HasSubstr("integers between commas"));
  EXPECT_THAT(refusal("1.5", "w.csv"), HasSubstr("has \"1.5\" in line 1"));
  EXPECT_THAT(refusal("99999999999999999999", "w.csv"), HasSubstr("integers between commas"));

  n = parse_numbers("4_d // a row\n80", "w.hex", {.single_bits = true});
  EXPECT_EQ(n.rows(), 2u);
  EXPECT_THAT(n.values, ElementsAre(1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1));
  n = parse_numbers("2d", "w.hex", {.single_bits = true, .bits = 6});
  EXPECT_THAT(n.values, ElementsAre(1, 0, 1, 1, 0, 1));
  EXPECT_THAT(refusal("4d", "w.hex", {.single_bits = true, .bits = 6}),
              HasSubstr("word must have 6 bits"));
  n = parse_numbers("7f 80\nff 01", "w.hex", {});
  EXPECT_EQ(n.rows(), 2u);
  EXPECT_THAT(n.values, ElementsAre(127, -128, -1, 1));
  EXPECT_THAT(parse_numbers("ff", "w.hex", {.is_signed = false}).values, ElementsAre(255));
  EXPECT_THAT(parse_numbers("7fffffffffffffff 4000000000000000", "w.hex", {.bits = 63}).values,
              ElementsAre(-1, -(std::int64_t{1} << 62)));
  EXPECT_THAT(refusal("xy", "w.hex"), HasSubstr("hexadecimal digits"));
  EXPECT_EQ(refusal("1\n8000000000000000", "w.hex", {.is_signed = false}),
            "w.hex has \"8000000000000000\" in line 2; a word must have at most 63 bits");
  EXPECT_THAT(parse_numbers("7fffffffffffffff", "w.hex", {.is_signed = false, .bits = 63}).values,
              ElementsAre(std::numeric_limits<std::int64_t>::max()));
  EXPECT_THAT(refusal("1", "w.txt"), HasSubstr(".npy, .csv, .hex, .bin or .raw"));
}

struct Weighted {
  std::optional<Weights> weights;
  std::vector<int> row;
  std::vector<std::vector<std::uint8_t>> rows;
};

const TableOf<Weighted>& weighted_table() {
  static const TableOf<Weighted> table{
      "weighted",
      "Weights for a test.",
      {field("weights", &Weighted::weights).range(-8, 7).absent("none").help("any shape"),
       field("row", &Weighted::row).range(-8, 7).length(0, 4).or_file().help("one list"),
       field("rows", &Weighted::rows).range(0, 1).rows(0, 3).columns(1, 8).or_file().help("many")},
      {[](const Weighted& w) -> Violations {
        if (!w.weights) return {};
        auto wrong = check_shape("weights", *w.weights, {{"out", 2}, {"in", 3}, {"tap", 1}});
        return wrong.empty() ? check_range("weights", *w.weights, -4, 3) : wrong;
      }}};
  return table;
}

class NumberFiles : public ::testing::Test {
 protected:
  NumberFiles() : registry({{"weighted", "", &weighted_table()}}) {
    std::filesystem::create_directories(folder / "data");
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
  // Of a configuration in the folder.
  Weighted read(const std::string& keys) const {
    const std::string text =
        R"({"kumiki": 1, "name": "n", "layers": [{"type": "weighted", )" + keys + "}]}";
    return parse_document(text, (folder / "cfg.json").string(), registry).layers[0].as<Weighted>();
  }
  std::string refused(const std::string& keys) const {
    return test::refusal<ConfigError>([&] { read(keys); });
  }
  Registry registry;
  std::filesystem::path folder = std::filesystem::path(KUMIKI_TEST_TMP) / "number_files";
};

TEST_F(NumberFiles, StandForListsRelativeToTheConfiguration) {
  write("data/row.csv", "1,-8,7\n");
  write("column.csv", "1\n2\n");
  write("rows.hex", "5\n2\n");
  write("rows.npy", npy("|u1", "(1, 2)", std::string("\1\0", 2)));
  EXPECT_THAT(read(R"("row": {"file": "data/row.csv"})").row, ElementsAre(1, -8, 7));
  EXPECT_THAT(read(R"("row": {"file": "column.csv"})").row, ElementsAre(1, 2));
  EXPECT_THAT(read(R"("rows": {"file": "rows.hex", "bits": 3})").rows,
              ElementsAre(ElementsAre(1, 0, 1), ElementsAre(0, 1, 0)));
  EXPECT_THAT(read(R"("rows": {"file": "rows.npy"})").rows, ElementsAre(ElementsAre(1, 0)));
  write("real.npy", floats({0.5F, -0.375F}));
  EXPECT_THAT(read(R"("row": {"file": "real.npy", "scale": 0.125})").row, ElementsAre(4, -3));
}

TEST_F(NumberFiles, WeightsHaveTheShapeOfTheLayer) {
  const auto one_to_six = std::string("\1\2\3\4\375\374", 6);
  write("flat.npy", npy("|i1", "(6,)", one_to_six));
  write("nested.npy", npy("|i1", "(2, 3, 1)", "\1\2\3\1\2\3"));
  write("fortran.npy", npy("|i1", "(2, 3)", "\1\1\2\2\3\3", "True"));
  write("turned.npy", npy("|i1", "(3, 2)", "\1\2\3\1\2\3"));
  write("raw.bin", "\1\2\3\1\2\3");
  write("rows.csv", "1,2,3\n1,2,3\n");
  for (const char* given : {R"([1, 2, 3, 1, 2, 3])", R"([[1, 2, 3], [1, 2, 3]])",
                            R"([[[1], [2], [3]], [[1], [2], [3]]])", R"({"file": "nested.npy"})",
                            R"({"file": "fortran.npy"})", R"({"file": "rows.csv"})",
                            R"({"file": "raw.bin", "type": "int8"})"})
    EXPECT_THAT(read(std::string(R"("weights": )") + given).weights->values,
                ElementsAre(1, 2, 3, 1, 2, 3))
        << given;
  EXPECT_THAT(refused(R"("weights": {"file": "turned.npy"})"),
              HasSubstr("/layers/0/weights: the file \"turned.npy\" has the shape 3 x 2 instead of "
                        "[2][3][1]; give [2][3][1] as [out][in][tap], or all in one list "));
  EXPECT_THAT(refused(R"("weights": {"file": "flat.npy"})"),
              HasSubstr("/layers/0/weights: the file \"flat.npy\" has 4 at [3], which is out of "
                        "range; must be -4 to 3"));
  EXPECT_THAT(refused(R"("weights": [[1, 2, 3], [1, 2]])"),
              HasSubstr("/layers/0/weights/1: [1, 2] differs in length"));
  EXPECT_THAT(
      refused(R"("weights": [[1, 2, 3], 4])"),
      HasSubstr("/layers/0/weights/1: 4 stands among lists; must be a list as long as the others"));
  EXPECT_THAT(refused(R"("weights": [[1, 2, 3], [[1], [2], [3]]])"),
              HasSubstr("/layers/0/weights/1/0: [1] is deeper than the first; must be a number"));
  EXPECT_THAT(refused(R"("weights": [[[1], [2]], [[3], [4, 5]]])"), HasSubstr("differs in length"));
  EXPECT_THAT(refused(R"("weights": [1, 9])"), HasSubstr("weights/1: 9 is out of range"));
  EXPECT_THAT(refused(R"("weights": [1, 2.5])"), HasSubstr("weights/1: 2.5 is written with"));
  EXPECT_THAT(refused(R"("weights": [])"), HasSubstr("is too short"));
  EXPECT_THAT(refused(R"("weights": 3)"), HasSubstr("3 is not a list"));
  // What was read is written again as it was nested.
  const std::string text =
      R"({"kumiki": 1, "name": "n", "layers": [{"type": "weighted", "weights": [[1, 2, 3], [1, 2, 3]]}]})";
  const auto document = parse_document(text, "n.json", registry);
  const auto again = parse_document(print(document), "n.json", registry);
  EXPECT_EQ(again.layers[0].as<Weighted>().weights, document.layers[0].as<Weighted>().weights);
  EXPECT_THAT(again.layers[0].as<Weighted>().weights->shape, ElementsAre(2, 3));
}

TEST_F(NumberFiles, MessagesNameFileFaultAndRule) {
  write("high.csv", "1,8\n");
  write("long.csv", "1,2,3,4,5\n");
  write("square.csv", "1,1\n1,1\n");
  write("two.csv", "0,1\n2,1\n");
  EXPECT_THAT(refused(R"("row": {"file": "high.csv"})"),
              HasSubstr("/layers/0/row: \"high.csv\" has 8 in row 0, column 1, which is out of "
                        "range; give an integer from -8 to 7 [out-of-range]"));
  EXPECT_THAT(refused(R"("row": {"file": "long.csv"})"),
              HasSubstr("\"long.csv\" has 5 entries; give a list of at most 4 [wrong-length]"));
  EXPECT_THAT(
      refused(R"("row": {"file": "square.csv"})"),
      HasSubstr("\"square.csv\" has the shape 2 x 2; give one row or one column [wrong-shape]"));
  EXPECT_THAT(refused(R"("rows": {"file": "two.csv"})"), HasSubstr("has 2 in row 1, column 0"));
  EXPECT_THAT(refused(R"("row": {"file": "none.csv"})"),
              HasSubstr("none.csv: no such file; give a file of numbers [file-not-found]"));
  // Once, and with one rule.
  write("old.npy", npy("|i1", "(1,)", "1", "False", 9));
  EXPECT_THAT(refused(R"("row": {"file": "old.npy"})"),
              EndsWith("/layers/0/row/file: old.npy is in version 9.0 of the format; it must be "
                       "1.0, 2.0 or 3.0, as numpy.save writes them [malformed-npy]"));
  EXPECT_THAT(refused(R"("row": {"fil": "high.csv"})"),
              HasSubstr("/layers/0/row/fil: \"fil\" is not known; give {\"file\": \"w.npy\"}, "
                        ".csv, .hex with \"bits\", or .bin or .raw with \"type\" [unknown-key]"));
  write("huge.csv", "1\n");
  std::filesystem::resize_file(folder / "huge.csv", max_bytes + 1);
  EXPECT_THAT(
      refused(R"("row": {"file": "huge.csv"})"),
      HasSubstr("huge.csv is too long; it must have at most 33554432 bytes [file-too-long]"));
  std::filesystem::remove(folder / "huge.csv");
  EXPECT_THAT(refused(R"("row": {"bits": 3})"), HasSubstr("names no file"));
  EXPECT_THAT(refused(R"("row": {"file": 3})"), HasSubstr("is not a text"));
  EXPECT_THAT(refused(R"("row": {"file": "high.csv", "bits": 0})"), HasSubstr("is out of range"));
  EXPECT_THAT(refused(R"("row": {"file": "data"})"), HasSubstr("is a directory"));
  EXPECT_THAT(refused(R"("row": {"file": "high.csv", "scale": 0.5})"),
              HasSubstr("/layers/0/row/scale: 0.5 is for real numbers of a .npy file; omit it, or "
                        "give a .npy file [key-without-use]"));
  EXPECT_THAT(refused(R"("row": {"file": "old.npy", "scale": 0})"), HasSubstr("is out of range"));
}

}  // namespace config_numbers_test
}  // namespace kumiki::gen::config

// SPDX-License-Identifier: Apache-2.0
// Numbers out of files, and configurations that name such files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gen/config/document.h"
#include "gen/config/numbers.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

using ::testing::ElementsAre;
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
  try {
    parse_numbers(bytes, name, wanted);
  } catch (const FileError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Numbers, NpyOfEveryLegalType) {
  auto n = parse_numbers(npy("|i1", "(3,)", "\x01\xff\x7f"), "w.npy", {});
  EXPECT_EQ(n.rows, 1u);
  EXPECT_EQ(n.columns, 3u);
  EXPECT_THAT(n.values, ElementsAre(1, -1, 127));
  n = parse_numbers(npy("|u1", "(2, 2)", "\x01\xff\x7f\x02", "False", 2), "w.npy", {});
  EXPECT_EQ(n.rows, 2u);
  EXPECT_THAT(n.values, ElementsAre(1, 255, 127, 2));
  n = parse_numbers(npy("|b1", "(2,)", std::string("\1\0", 2)), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(1, 0));
  n = parse_numbers(npy("<i2", "(2,)", std::string("\xfe\xff\x00\x01", 4)), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(-2, 256));
  n = parse_numbers(npy("<i8", "(1,)", std::string(8, '\xff')), "w.npy", {});
  EXPECT_THAT(n.values, ElementsAre(-1));
}

TEST(Numbers, NpyThatIsNotWhatItSaysIsRefused) {
  const std::string good = npy("|i1", "(3,)", "\x01\xff\x7f");
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_NE(refusal(good.substr(0, cut), "w.npy"), "accepted") << cut;
  EXPECT_THAT(refusal(good + "x", "w.npy"), HasSubstr("has 4 bytes of data: 3, for its 3 entries"));
  EXPECT_THAT(refusal(npy("<f4", "(1,)", "1234"), "w.npy"), HasSubstr("entries of type \"<f4\""));
  EXPECT_THAT(refusal(npy(">i2", "(1,)", "12"), "w.npy"), HasSubstr("little-endian integers"));
  EXPECT_THAT(refusal(npy("<i3", "(1,)", "123"), "w.npy"), HasSubstr("1, 2, 4 or 8 bytes"));
  EXPECT_THAT(refusal(npy("|u1", "(1, 1, 1)", "1"), "w.npy"), HasSubstr("has 3 dimensions"));
  EXPECT_THAT(refusal(npy("|u1", "()", "1"), "w.npy"), HasSubstr("has 0 dimensions"));
  EXPECT_THAT(refusal(npy("|u1", "(99999999999, 2)", "1"), "w.npy"), HasSubstr("has the shape"));
  EXPECT_THAT(refusal(npy("|u1", "(16000000, 16000000)", "1"), "w.npy"), HasSubstr("the shape"));
  EXPECT_THAT(refusal(npy("|u1", "(-1,)", "1"), "w.npy"), HasSubstr("has the shape (-1,)"));
  EXPECT_THAT(refusal(npy("|u1", "(1,)", "1", "True"), "w.npy"), HasSubstr("C order is legal"));
  EXPECT_THAT(refusal(npy("<u8", "(1,)", std::string(8, '\xff')), "w.npy"), HasSubstr("at most"));
  EXPECT_THAT(refusal("1,2", "w.npy"), HasSubstr("is no .npy file"));
}

TEST(Numbers, CsvAndHex) {
  auto n = parse_numbers("# two rows\r\n 1, -2,+3 \r\n\n4,5,6 # last", "w.csv", {});
  EXPECT_EQ(n.rows, 2u);
  EXPECT_THAT(n.values, ElementsAre(1, -2, 3, 4, 5, 6));
  EXPECT_THAT(refusal("1,2\n3", "w.csv"),
              HasSubstr("has a row of 1 in line 2: 2, as in the first"));
  EXPECT_THAT(refusal("1,,2", "w.csv"), HasSubstr("has \"\" in line 1"));
  EXPECT_THAT(refusal("1,2,", "w.csv"), HasSubstr("integers between commas"));
  EXPECT_THAT(refusal("1.5", "w.csv"), HasSubstr("has \"1.5\" in line 1"));
  EXPECT_THAT(refusal("99999999999999999999", "w.csv"), HasSubstr("integers between commas"));

  n = parse_numbers("4_d // a row\n80", "w.hex", {.single_bits = true});
  EXPECT_EQ(n.rows, 2u);
  EXPECT_THAT(n.values, ElementsAre(1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1));
  n = parse_numbers("2d", "w.hex", {.single_bits = true, .bits = 6});
  EXPECT_THAT(n.values, ElementsAre(1, 0, 1, 1, 0, 1));
  EXPECT_THAT(refusal("4d", "w.hex", {.single_bits = true, .bits = 6}),
              HasSubstr("words of 6 bits are legal"));
  n = parse_numbers("7f 80\nff 01", "w.hex", {});
  EXPECT_EQ(n.rows, 2u);
  EXPECT_THAT(n.values, ElementsAre(127, -128, -1, 1));
  EXPECT_THAT(parse_numbers("ff", "w.hex", {.is_signed = false}).values, ElementsAre(255));
  EXPECT_THAT(refusal("xy", "w.hex"), HasSubstr("hexadecimal digits are legal"));
  EXPECT_THAT(refusal("1", "w.txt"), HasSubstr(".npy, .csv or .hex is legal"));
}

struct Weighted {
  std::vector<int> row;
  std::vector<std::vector<std::uint8_t>> rows;
};

const TableOf<Weighted>& weighted_table() {
  static const TableOf<Weighted> table{
      "weighted",
      "Weights for a test.",
      {field("row", &Weighted::row).range(-8, 7).length(0, 4).or_file().help("one list"),
       field("rows", &Weighted::rows).range(0, 1).rows(0, 3).columns(1, 8).or_file().help("many")}};
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
    try {
      read(keys);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "accepted";
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
}

TEST_F(NumberFiles, MessagesNameFileFaultAndRule) {
  write("high.csv", "1,8\n");
  write("long.csv", "1,2,3,4,5\n");
  write("square.csv", "1,1\n1,1\n");
  write("two.csv", "0,1\n2,1\n");
  EXPECT_THAT(refused(R"("row": {"file": "high.csv"})"),
              HasSubstr("/layers/0/row: \"high.csv\" has 8 in row 0, column 1, which is out of "
                        "range: an integer from -8 to 7 is legal"));
  EXPECT_THAT(refused(R"("row": {"file": "long.csv"})"),
              HasSubstr("\"long.csv\" has 5 entries: a list of at most 4 is legal"));
  EXPECT_THAT(refused(R"("row": {"file": "square.csv"})"), HasSubstr("has 2 rows of 2"));
  EXPECT_THAT(refused(R"("rows": {"file": "two.csv"})"), HasSubstr("has 2 in row 1, column 0"));
  EXPECT_THAT(refused(R"("row": {"file": "none.csv"})"), HasSubstr("none.csv: no such file"));
  EXPECT_THAT(refused(R"("row": {"fil": "high.csv"})"), HasSubstr("is not known"));
  EXPECT_THAT(refused(R"("row": {"bits": 3})"), HasSubstr("names no file"));
  EXPECT_THAT(refused(R"("row": {"file": 3})"), HasSubstr("is not a text"));
  EXPECT_THAT(refused(R"("row": {"file": "high.csv", "bits": 0})"), HasSubstr("is out of range"));
  EXPECT_THAT(refused(R"("row": {"file": "data"})"), HasSubstr("is a directory"));
}

}  // namespace
}  // namespace kumiki::gen::config

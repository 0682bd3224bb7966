// SPDX-License-Identifier: Apache-2.0
// Pictures survive their files to the last sample, and bad files are refused in words.
#include "backends/support/image/image.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <fstream>

#include "backends/support/image/formats.h"
#include "backends/support/image/test_picture.h"
#include "ir/error.h"
#include "tests/support/refusal.h"

namespace kumiki::tests {
namespace image_image_test {

namespace fs = std::filesystem;
using namespace backends;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

constexpr auto refusal = &test::refusal<FileError>;
std::string refusal_of(std::string_view bytes) {
  return refusal([&] { decode_image(bytes, "in"); });
}

fs::path folder() {
  const fs::path path =
      fs::path(KUMIKI_TEST_TMP) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

// A PNG as others write it, by libpng's own simplified interface.
std::string foreign_png(std::uint32_t format, std::uint32_t side, const void* samples,
                        const void* colours = nullptr, std::uint32_t entries = 0) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = side;
  image.format = format;
  image.colormap_entries = entries;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &size, 0, samples, 0, colours));
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0, samples, 0, colours));
  return bytes;
}

constexpr std::pair<int, int> sizes[] = {{1, 1},  {1, 9},   {9, 1},  {2, 2},
                                         {17, 5}, {64, 48}, {321, 7}};

TEST(Image, EveryFormatReturnsWhatWasWritten) {
  for (const auto& picture : test_pictures())
    for (auto [width, height] : sizes) {
      const Image image = test_picture(picture.name, width, height, 7);
      ASSERT_EQ(image.channels, picture.channels);
      EXPECT_EQ(decode_image(encode_png(image), "x"), image) << picture.name << width;
      EXPECT_EQ(decode_image(encode_netpbm(image, false), "x"), image) << picture.name << width;
      EXPECT_EQ(decode_image(encode_netpbm(image, true), "x"), image) << picture.name << width;
    }
}

TEST(Image, FilesReturnWhatWasWritten) {
  const fs::path at = folder();
  const Image grey = test_picture("random", 33, 21), colour = test_picture("colour-bars", 33, 21);
  for (const auto& [name, image] : {std::pair{"a.png", grey},
                                    {"b.PNG", colour},
                                    {"c.pgm", grey},
                                    {"d.ppm", colour},
                                    {"new/folder/e.Pgm", grey}}) {
    write_image(at / name, image, FilesOfUser::keep);
    EXPECT_EQ(read_image(at / name), image) << name;
  }
  EXPECT_THROW(write_image(at / "a.png", colour, FilesOfUser::keep), FileError);
  write_image(at / "a.png", colour, FilesOfUser::replace);  // over the one that is there
  EXPECT_EQ(read_image(at / "a.png"), colour);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(at)) files += entry.is_regular_file();
  EXPECT_EQ(files, 5u) << "a temporary file was left behind";
}

TEST(Image, WhatIsInTheFileCountsNotItsName) {
  const fs::path at = folder();
  const Image image = test_picture("gradient", 5, 4);
  std::ofstream(at / "really.pgm", std::ios::binary) << encode_png(image);
  EXPECT_EQ(read_image(at / "really.pgm"), image);
}

TEST(Image, BytesAreTheSameEveryTime) {
  for (const auto& picture : test_pictures()) {
    const Image image = test_picture(picture.name, 120, 90, 3);
    EXPECT_EQ(image, test_picture(picture.name, 120, 90, 3));
    EXPECT_EQ(encode_png(image), encode_png(image));
  }
  EXPECT_EQ(encode_png(test_picture("gradient", 9, 9)).find("tIME"), std::string::npos);
}

TEST(Image, NetpbmHeadersAsOthersWriteThem) {
  const Image two{.width = 2, .height = 1, .maximum = 15, .samples = {7, 15}};
  EXPECT_EQ(decode_image("P2\n# made by hand\n2 1\n15\n7 15\n", "x"), two);
  EXPECT_EQ(decode_image("P2 2#w\n1#h\r\n\t15 7\v15", "x"), two);
  EXPECT_EQ(decode_image("P2#\n2 1 15 007 15 # end", "x"), two);
  EXPECT_EQ(decode_image("P5 2 1 15\n\x07\x0f", "x"), two);
  EXPECT_EQ(decode_image("P5\n#a\n#b\n2 1\n15 \x07\x0f", "x"), two);
  // A sample that looks like a blank or a comment is a sample.
  EXPECT_EQ(decode_image("P5 2 1 255\n\n#", "x").samples, (std::vector<std::uint8_t>{10, 35}));
  const Image red{.width = 1, .height = 1, .channels = 3, .maximum = 9, .samples = {9, 0, 1}};
  EXPECT_EQ(decode_image("P3 1 1 9 9 0 1", "x"), red);
  EXPECT_EQ(decode_image(std::string_view("P6 1 1 9\n\x09\x00\x01", 12), "x"), red);
}

TEST(Image, PlainFilesHaveShortLines) {
  const std::string text = encode_netpbm(test_picture("random", 100, 3), true);
  std::size_t start = 0, numbers = text.find("255\n") + 4;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(end - start, 70u);
    // And no shorter than they must be: another number of three digits would not fit.
    if (start >= numbers && end + 1 < text.size()) {
      EXPECT_GT(end - start, 66u);
    }
  }
  EXPECT_EQ(start, text.size());
}

TEST(Image, BadNetpbmFilesAreRefusedInWords) {
  EXPECT_THAT(refusal_of("P5 2 2 255\n123"),
              HasSubstr("in: is cut off: 3 of 4 samples are there; give a whole file"));
  EXPECT_THAT(refusal_of("P5 2 2 255\n12345"), HasSubstr("has 1 bytes after its last sample"));
  EXPECT_THAT(refusal_of("P2 2 2 255\n1 2 3 4 5"), HasSubstr(" after its last sample"));
  EXPECT_THAT(refusal_of("P2 2 2 255\n1 2 3      "), HasSubstr("ends before sample 3 of 4"));
  EXPECT_THAT(refusal_of("P2 2 2 255\n1 2 x 4"), HasSubstr("where sample 2 of 4 should be"));
  EXPECT_THAT(refusal_of("P2 1 1 255\n-1"), HasSubstr("use digits, blanks and # comments"));
  EXPECT_THAT(refusal_of("P2 1 1 20\n21"), HasSubstr("sample 0 is 21; it must be 0 to 20"));
  EXPECT_THAT(refusal_of("P2 1 1 20\n99999999999999999999999"), HasSubstr("sample 0 is"));
  EXPECT_THAT(refusal_of("P5 1 2 20\n\x14\x15"), HasSubstr("sample 1 is 21; it must be 0 to 20"));
  EXPECT_THAT(refusal_of("P5 1 1 65535\n12"),
              AllOf(HasSubstr("16 bits (up to 65535)"), HasSubstr("1 to 255")));
  EXPECT_THAT(refusal_of("P5 1 1 0\n1"), HasSubstr("0 as its largest value; it must be 1 to 255"));
  EXPECT_THAT(refusal_of("P5 0 1 255\n"),
              HasSubstr("is 0 x 1 pixels; it must be 1 x 1 to 8192 x 8192"));
  EXPECT_THAT(refusal_of("P6 4 0 255\n"), HasSubstr("is 4 x 0 pixels"));
  EXPECT_THAT(refusal_of("P5 8193 1 255\n"), HasSubstr("is 8193 x 1 pixels"));
  EXPECT_THAT(refusal_of("P5 1 99999999999999999999999999 255\n"),
              HasSubstr("pixels; it must be 1 x 1 to"));
  EXPECT_THAT(refusal_of("P5 8192 8192 255\n"), HasSubstr("is cut off"));
  EXPECT_THAT(refusal_of("P5 1 1 255"), HasSubstr("ends before its samples"));
  EXPECT_THAT(refusal_of("P5 1 1 255x"),
              HasSubstr("has no blank between its header and its samples; use exactly one"));
  EXPECT_THAT(refusal_of("P4 8 1\n1"),
              HasSubstr("is a P4 file; use P2, P3, P5 or P6 (PGM and PPM)"));
  EXPECT_THAT(refusal_of("P7\nWIDTH 1\n"), HasSubstr("is a P7 file"));
  EXPECT_THAT(refusal_of("P9 1 1"), HasSubstr("is a P9 file"));
}

TEST(Image, WhatIsNoPictureIsRefused) {
  EXPECT_THAT(refusal_of(""), HasSubstr("in: is empty; give PNG, PGM (P2, P5) or PPM (P3, P6)"));
  EXPECT_THAT(refusal_of("GIF89a"), HasSubstr("is not a picture of a known format"));
  EXPECT_THAT(refusal_of("Portable"), HasSubstr("is not a picture of a known format"));
  EXPECT_THAT(refusal_of("P55 1 1 1"), HasSubstr("is not a picture of a known format"));
  EXPECT_THAT(refusal([] { read_image(fs::path(KUMIKI_TEST_DIR)); }), HasSubstr("it is a folder"));
  EXPECT_THAT(refusal([] { read_image("nowhere.png"); }),
              AllOf(HasSubstr("nowhere.png"), HasSubstr("No such file")));
}

TEST(Image, PngsOfOthers) {
  const std::uint8_t rgb[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Image colour = decode_image(foreign_png(PNG_FORMAT_RGB, 2, rgb), "x");
  EXPECT_EQ(colour.samples, (std::vector<std::uint8_t>(rgb, rgb + 12)));
  // A palette is colours written shorter.
  const std::uint8_t indices[] = {0, 1, 1, 0}, colours[] = {9, 8, 7, 200, 201, 202};
  const Image palette =
      decode_image(foreign_png(PNG_FORMAT_RGB_COLORMAP, 2, indices, colours, 2), "x");
  EXPECT_EQ(palette.samples,
            (std::vector<std::uint8_t>{9, 8, 7, 200, 201, 202, 200, 201, 202, 9, 8, 7}));
}

TEST(Image, BadPngsAreRefusedInWords) {
  const std::uint8_t bytes[16] = {};
  const std::uint16_t words[4] = {};
  EXPECT_THAT(refusal_of(foreign_png(PNG_FORMAT_LINEAR_Y, 2, words)),
              HasSubstr("in: has samples of 16 bits; use 1 to 8 bits a sample"));
  EXPECT_THAT(refusal_of(foreign_png(PNG_FORMAT_RGBA, 2, bytes)),
              HasSubstr("has an alpha channel"));
  EXPECT_THAT(refusal_of(foreign_png(PNG_FORMAT_GA, 2, bytes)), HasSubstr("has an alpha channel"));
  const std::uint8_t clear[] = {1, 2, 3, 0, 4, 5, 6, 255};
  EXPECT_THAT(refusal_of(foreign_png(PNG_FORMAT_RGBA_COLORMAP, 2, bytes, clear, 2)),
              HasSubstr("has transparent colours"));

  std::string good = encode_png(test_picture("random", 9, 9));
  auto changed = [&](std::size_t at, std::string_view with) {
    std::string bad = good;
    return bad.replace(at, with.size(), with);
  };
  const auto zero = std::string_view("\0\0\0\0", 4), large = std::string_view("\0\0\x20\1", 4);
  EXPECT_THAT(refusal_of(changed(16, zero)),
              HasSubstr("is 0 x 9 pixels; it must be 1 x 1 to 8192 x 8192"));
  EXPECT_THAT(refusal_of(changed(20, zero)), HasSubstr("is 9 x 0 pixels"));
  EXPECT_THAT(refusal_of(changed(20, large)), HasSubstr("is 9 x 8193 pixels"));
  EXPECT_THAT(refusal_of(changed(16, "\xff\xff\xff\xff")), HasSubstr("is 4294967295 x 9 pixels"));
  EXPECT_THAT(refusal_of(changed(12, "IDAT")),
              HasSubstr("is a PNG without a header; the first chunk must be IHDR"));
  EXPECT_THAT(refusal_of(changed(30, "x")), HasSubstr("cannot be read"));  // the header's CRC
  EXPECT_THAT(refusal_of(good.substr(0, 20)), HasSubstr("cut off within its header"));
  EXPECT_THAT(
      refusal_of(good.substr(0, 60)),
      HasSubstr("is a PNG that cannot be read (it is cut off); give a whole, undamaged file"));
}

// Neither a length nor a changed byte of a small file does anything but be refused or read.
TEST(Image, EveryTruncationIsRefused) {
  for (const std::string& whole :
       {encode_png(test_picture("random", 6, 5)), encode_png(test_picture("colour-bars", 9, 4)),
        encode_netpbm(test_picture("random", 6, 5)),
        encode_netpbm(test_picture("colour-bars", 5, 3))}) {
    ASSERT_NO_THROW(decode_image(whole, "whole"));
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_THROW(decode_image(std::string_view(whole).substr(0, length), "part"), FileError)
          << length << " of " << whole.size();
  }
  // A plain file may lose its last line feed, and then digits of its last sample.
  const std::string plain = "P2\n3 2\n255\n1 2 3 4 5 67\n";
  for (std::size_t length = 0; length + 3 < plain.size(); ++length)
    EXPECT_THROW(decode_image(std::string_view(plain).substr(0, length), "part"), FileError)
        << length;
}

TEST(Image, EveryChangedByteIsRefusedOrRead) {
  std::size_t read = 0, refused = 0;
  for (const std::string& whole :
       {encode_png(test_picture("random", 6, 5)), encode_netpbm(test_picture("random", 6, 5)),
        encode_netpbm(test_picture("random", 3, 2), true)})
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (int change = 1; change < 256; change += 6) {
        std::string bad = whole;
        bad[at] = static_cast<char>(bad[at] ^ change);
        try {
          require_consistent(decode_image(bad, "changed"));
          ++read;
        } catch (const FileError&) {
          ++refused;
        }
      }
  EXPECT_GT(read, 1000u);  // samples of the PGM
  EXPECT_GT(refused, 4000u);
  // PNG guards every byte with a sum.
  const std::string png = encode_png(test_picture("random", 6, 5));
  for (std::size_t at = 0; at < png.size(); ++at) {
    std::string bad = png;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_THROW(decode_image(bad, "changed"), FileError) << at;
  }
}

TEST(Image, OnlyWhatAFormatHoldsIsWritten) {
  const Image grey = test_picture("gradient", 4, 4), colour = test_picture("colour-bars", 4, 4);
  EXPECT_THAT(refusal([&] { encode_image(colour, "a.pgm"); }),
              HasSubstr("a.pgm: PGM holds grey pictures and this one is in colour; use the "
                        "extension .ppm or .png"));
  EXPECT_EQ(
      refusal([&] { encode_image(grey, "a.ppm"); }),
      "a.ppm: PPM holds pictures in colour and this one is grey; use the extension .pgm or .png");
  EXPECT_THAT(refusal([&] { encode_image(grey, "a.jpg"); }),
              HasSubstr("\".jpg\" is not a format that kumiki writes; use .png, .pgm or .ppm"));
  EXPECT_THAT(refusal([&] { encode_image(grey, "a"); }),
              HasSubstr("is not a format that kumiki write"));
  Image dim = grey;
  dim.maximum = 254;
  dim.samples.assign(16, 254);
  EXPECT_EQ(refusal([&] { encode_image(dim, "a.png"); }),
            "a.png: white is 254, but PNG requires 255; it must be 255, or write .pgm or .ppm");
  EXPECT_EQ(decode_image(encode_image(dim, "a.pgm"), "x"), dim);
}

TEST(Image, InconsistentPicturesAreMistakesOfTheProgram) {
  const auto is = [](const auto& text) { return ThrowsMessage<DesignError>(StrEq(text)); };
  EXPECT_THAT([] { make_image(0, 1); },
              is("a picture has 0 x 1 pixels; it must be 1 x 1 to 8192 x 8192"));
  EXPECT_THAT([] { make_image(1, 8193); },
              is("a picture has 1 x 8193 pixels; it must be 1 x 1 to 8192 x 8192"));
  EXPECT_THAT([] { make_image(1, 1, 2); }, is("a picture has 2 channels; it must have 1 or 3"));
  Image image = make_image(2, 2);
  image.samples.pop_back();
  const auto few = is("a picture of 2 x 2 pixels and 1 channels has 3 samples; it must have 4");
  EXPECT_THAT([&] { encode_png(image); }, few);
  EXPECT_THAT([&] { encode_netpbm(image); }, few);
  image = make_image(2, 2);
  image.maximum = 3;
  image.samples[2] = 4;
  EXPECT_THAT([&] { encode_netpbm(image); }, is("a picture has a sample of 4; it must be 0 to 3"));
  image.samples[2] = 3;
  EXPECT_NO_THROW(encode_netpbm(image));
  EXPECT_THAT([&] { encode_png(image); }, is("the picture has white = 3; for PNG it must be 255"));
  for (const int white : {0, 256}) {
    image.maximum = white;
    EXPECT_THAT([&] { encode_netpbm(image); },
                is(fmt::format(
                    "a picture has white = {}; it must be 1 to 255 for samples of 8 bits", white)));
  }
}

TEST(TestPicture, EachIsWhatItsNameSays) {
  const Image pixel = test_picture("white-pixel", 7, 5);
  EXPECT_EQ(std::count(pixel.samples.begin(), pixel.samples.end(), 0), 34);
  EXPECT_EQ(pixel.at(3, 2), 255);
  const Image gradient = test_picture("gradient", 30, 20);
  EXPECT_EQ(gradient.at(0, 0), 0);
  EXPECT_EQ(gradient.at(29, 19), 255);
  const Image checker = test_picture("checker", 32, 32);
  EXPECT_EQ(std::count(checker.samples.begin(), checker.samples.end(), 255), 512);
  const Image plate = test_picture("zone-plate", 65, 65);
  EXPECT_EQ(plate.at(32, 32), 255);
  for (int i = 0; i < 65; ++i) EXPECT_EQ(plate.at(i, 10), plate.at(64 - i, 54));
  const Image shapes = test_picture("shapes", 100, 80, 5),
              noise = test_picture("noise", 100, 80, 5);
  int hit = 0;
  for (std::size_t i = 0; i < noise.samples.size(); ++i)
    hit += shapes.samples[i] != noise.samples[i];
  EXPECT_GT(hit, 600);
  EXPECT_LE(hit, 1000);
  EXPECT_NE(test_picture("shapes", 100, 80, 6), shapes);
  EXPECT_NE(test_picture("random", 10, 8, 6), test_picture("random", 10, 8, 7));
  EXPECT_THAT([] { test_picture("lena", 4, 4); },
              ThrowsMessage<DesignError>(
                  StrEq("unknown test picture \"lena\"; use zone-plate, gradient, checker, shapes, "
                        "noise, random, white-pixel, colour-bars")));
  EXPECT_THROW(test_picture("checker", 0, 4), DesignError);
}

}  // namespace image_image_test
}  // namespace kumiki::tests

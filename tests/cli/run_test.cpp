// SPDX-License-Identifier: Apache-2.0
// `kumiki run`: what onnxruntime made of a network (run/judged.py), and whatever may be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "backends/support/image/messages.h"
#include "backends/support/image/test_picture.h"
#include "backends/support/messages.h"
#include "gen/config/array_file.h"
#include "gen/config/messages.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/messages.h"
#include "gen/graph/messages.h"
#include "ir/message.h"
#include "tests/support/program.h"
#include "tests/support/running.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using gen::config::ArrayShape;
using gen::config::npy_header;
using ::testing::HasSubstr;
using ::testing::Not;

std::string judged(const std::string& name) { return "'" KUMIKI_TEST_DIR "/cli/run/" + name + "'"; }

std::string npy(const ArrayShape& shape, const std::vector<int>& numbers) {
  std::string file = npy_header({'i', 1}, shape);
  for (const int n : numbers) file += static_cast<char>(n);
  return file;
}

std::string npy(const ArrayShape& shape, const std::vector<float>& numbers) {
  std::string file = npy_header({'f', 4}, shape);
  for (const float n : numbers)
    for (int i = 0; i < 4; ++i)
      file += static_cast<char>(std::bit_cast<std::uint32_t>(n) >> (8 * i) & 255);
  return file;
}

// Of -1.5 to 2 in steps of a half, by onnxruntime.
const std::vector<float> softmax_of_halves{0x1.8c9ae6p-7F, 0x1.46f212p-6F, 0x1.0d8566p-5F,
                                           0x1.bc5d7ap-5F, 0x1.6e513p-4F,  0x1.2dfa38p-3F,
                                           0x1.f1e06ap-3F, 0x1.9a6e0cp-2F};

// Of so many images; number k of image i is i + k.
std::string counted(std::size_t images, ArrayShape shape) {
  std::vector<int> numbers;
  const std::size_t size = gen::config::count(shape);
  for (std::size_t i = 0; i < images * size; ++i)
    numbers.push_back(static_cast<int>(i / size + i % size));
  shape.insert(shape.begin(), images);
  return npy(shape, numbers);
}

class CliRun : public InFolder {
 protected:
  CliRun() {
    write("small.graph", graph("1x2x2", "4"));
    write("eight.graph", graph("8", "4x1x2"));
    write("classes.graph", graph("8", "8x1x1"));
    write("x.npy", counted(3, {1, 2, 2}));
    write("x8.npy", counted(3, {8}));
  }
  static std::string graph(const std::string& in, const std::string& out) {
    return fmt::format(
        "graph same\ntensor x s8 {} scale 0x1p-1 zero 3\ntensor y s8 {} scale 0x1p-1 zero 3\n"
        "input x\noutput y\nreshape r x -> y\n",
        in, out);
  }
  Called run(const std::string& network, const std::string& more) const {
    return kumiki("run " + path(network) + " " + more);
  }
  std::string in(const std::string& name) const { return "--input " + path(name); }
  // Without the path of this test's folder, and without how long it took.
  std::string said(const std::string& network, const std::string& more, int status) const {
    auto r = run(network, more);
    EXPECT_EQ(r.status, status) << more << "\n" << r.err;
    std::string text = r.err.substr(std::min(r.err.size(), r.err.find("kumiki: ")));
    const auto folder = folder_.string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }
};

TEST_F(CliRun, EveryTensorIsThatOfOnnxruntime) {
  const std::string net = "run " + judged("net.graph") + " --input " + judged("images.npy");
  for (const char* t : {"t1", "t2", "t3", "t4", "t5", "t6", "t7"}) {
    const auto r = kumiki(net + fmt::format(" --threads 2 --tensor {} --expect ", t) +
                          judged(std::string(t) + ".npy"));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr(fmt::format("numbers of {} are equal", t)));
  }
  ASSERT_EQ(kumiki(net + " --tensors " + path("all")).status, 0);
  for (const char* t : {"t1", "t2", "t3", "t4", "t5", "t6", "t7"})
    EXPECT_EQ(text(fmt::format("all/{}.npy", t)),
              read_bytes(fmt::format("{}/cli/run/{}.npy", KUMIKI_TEST_DIR, t)));
  // A second run replaces what the first one wrote, and nothing else.
  EXPECT_EQ(kumiki(net + " --tensors " + path("all")).status, 0);
  write("all/t3.npy", "mine");
  EXPECT_EQ(kumiki(net + " --tensors " + path("all")).status, 4);
  EXPECT_EQ(text("all/t3.npy"), "mine");
}

TEST_F(CliRun, RealNumbersAndPixelsAreQuantisedAsByOnnxruntime) {
  const std::string net = "run " + judged("quantise.graph") + " --input ";
  for (const char* expected : {"reals_quantised.npy", "reals_back.npy"})
    EXPECT_EQ(kumiki(net + judged("reals.npy") + " --expect " + judged(expected)).status, 0);
  const auto r = kumiki(net + judged("pixels-ubyte") + " --mean 0.45 --std 0.225 --expect " +
                        judged("pixels_quantised.npy"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("input: (pixels / 255 - 0.45) / 0.225, quantised with scale "
                               "0.0203125 and zero point -13\n"));
  // The same pixels as a picture.
  auto image = backends::make_image(16, 16, 1);
  for (std::size_t i = 0; i < 256; ++i) image.samples[i] = static_cast<std::uint8_t>(i);
  backends::write_image(folder_ / "p.png", image, backends::FilesOfUser::replace);
  EXPECT_EQ(kumiki(net + path("p.png") + " --mean 0.45 --std 0.225 --expect " +
                   judged("pixels_quantised.npy"))
                .status,
            0);
}

TEST_F(CliRun, WritesNumbersOrRealValuesAndProtectsFiles) {
  const std::string to = " --output " + path("y.npy");
  ASSERT_EQ(run("small.graph", in("x.npy") + to).status, 0);
  EXPECT_EQ(text("y.npy"), counted(3, {4}));
  EXPECT_EQ(run("small.graph", in("x.npy") + to).status, 4);
  ASSERT_EQ(run("small.graph", in("x.npy") + to + " --force --images 3").status, 0);
  EXPECT_EQ(text("y.npy"), counted(3, {4})) << "as many as there are";
  ASSERT_EQ(run("small.graph", in("x.npy") + to + " --force --as float --images 1").status, 0);
  EXPECT_EQ(text("y.npy"), npy({1, 4}, std::vector<float>{-1.5f, -1.0f, -0.5f, 0.0f}));
}

TEST_F(CliRun, ANetworkMayStandBehindTheImages) {
  const auto r = kumiki("run --input " + path("x.npy") + " " + path("small.graph"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, run("small.graph", in("x.npy")).out);
  const auto none = kumiki("run --input " + path("x.npy"));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("run needs a network: give MODEL.onnx, NAME.graph or NET.json"));
}

TEST_F(CliRun, NumbersThatUseLittleOfTheInputAreSaid) {
  const auto few = run("small.graph", in("x.npy"));
  EXPECT_THAT(few.out,
              HasSubstr("input: numbers as they are, 0 to 5\n"
                        "input: the numbers are 0 to 5, less than a quarter of the -128 to "
                        "127 that x holds for -65.5 to 62: are they pixels of another "
                        "scale? A file of float32, scaled as in the training, is "
                        "quantised\n"));
  write("wide.npy", npy({1, 1, 2, 2}, std::vector<int>{-100, 0, 1, 100}));
  EXPECT_THAT(run("small.graph", in("wide.npy")).out, Not(HasSubstr("quarter")));
  const auto json = nlohmann::json::parse(run("small.graph", in("x.npy") + " --json").out);
  EXPECT_EQ(json["input"]["highest"], 5);
  EXPECT_TRUE(json["input"].contains("doubt"));
}

TEST_F(CliRun, CompressedFilesAreRefusedWithWhatToDo) {
  write("images-idx3.gz", std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  EXPECT_EQ(said("small.graph", in("images-idx3.gz"), 4),
            "kumiki: images-idx3.gz is compressed; unpack it with gunzip [unknown-input]\n");
}

// What the graph does with real numbers of its input before they are quantised.
TEST_F(CliRun, TheInputIsPrepared) {
  write("prepared.graph",
        "graph same\ntensor x s8 2x1x2 scale 0x1p-1 zero 3\ninput x\nprepare minus 0x1p0\n"
        "prepare times 0x1p0 0x1p1\noutput x\n");
  write("r.npy", npy({1, 2, 1, 2}, std::vector<float>{1, 2.5f, 3, -1}));
  ASSERT_EQ(run("prepared.graph", in("r.npy") + " --output " + path("p.npy")).status, 0);
  EXPECT_EQ(text("p.npy"), npy({1, 2, 1, 2}, std::vector<int>{3, 6, 11, -5}));
  EXPECT_THAT(run("prepared.graph", in("r.npy")).out,
              HasSubstr("input: real numbers, minus 1, times a number a channel, quantised"));
}

TEST_F(CliRun, EveryInputHasItsImages) {
  write("two.graph",
        "graph two\ntensor a s8 1x1x2 scale 0x1p-1 zero 0\ntensor b s8 1x1x2 scale 0x1p-1 zero 0\n"
        "tensor y s8 2x1x2 scale 0x1p-1 zero 0\ninput a\nprepare minus 0x1p0\ninput b\noutput y\n"
        "concat c a b -> y\n");
  write("a.npy", npy({2, 1, 1, 2}, std::vector<float>{1, 2, 3, 4}));
  write("b.npy", npy({2, 1, 1, 2}, std::vector<int>{5, 6, 7, 8}));
  write("b1.npy", npy({1, 1, 1, 2}, std::vector<int>{5, 6}));
  const auto given = [&](const std::string& name, const std::string& file) {
    return "--input " + name + "=" + path(file) + " ";
  };
  const std::string both = given("b", "b.npy") + given("a", "a.npy");
  ASSERT_EQ(run("two.graph", both + "--output " + path("y.npy")).status, 0);
  EXPECT_EQ(text("y.npy"), npy({2, 2, 1, 2}, std::vector<int>{0, 2, 5, 6, 4, 6, 7, 8}));
  EXPECT_THAT(
      run("two.graph", both).out,
      HasSubstr("input: a: real numbers, minus 1, quantised with scale 0.5 and zero point 0; "
                "b: numbers as they are, 5 to 8\n"));
  EXPECT_THAT(
      said("two.graph", in("a.npy"), 2),
      HasSubstr("the network has the inputs a, b; write --input NAME=FILE for each of them"));
  EXPECT_THAT(said("two.graph", given("a", "a.npy"), 2),
              HasSubstr("no --input gives the input b; write --input b=FILE"));
  EXPECT_THAT(said("two.graph", given("a", "a.npy") + given("b", "b1.npy"), 4),
              HasSubstr("b has 1 image, but a has 2 images; they must be as many"));
  EXPECT_THAT(run("two.graph", both + "--images 1").out, HasSubstr("the first of 2"));
}

TEST_F(CliRun, TheNameOfTheOnlyInputMayBeGiven) {
  const std::string named = "--input x=" + path("x.npy");
  EXPECT_EQ(run("small.graph", named).out, run("small.graph", in("x.npy")).out);
  EXPECT_THAT(said("small.graph", "--input y=" + path("x.npy"), 2),
              HasSubstr("--input y=x.npy: the network has no input y; write x=x.npy or the file "
                        "alone"));
  EXPECT_THAT(said("small.graph", in("none.npy"), 4), HasSubstr("none.npy: no such file"));
  // A file may have such a name.
  write("y=x.npy", counted(3, {1, 2, 2}));
  EXPECT_EQ(run("small.graph", in("y=x.npy")).out, run("small.graph", in("x.npy")).out);
}

TEST_F(CliRun, IndicesOutsideOfATable) {
  write("words.graph",
        "graph w\ntensor x s4 2 scale 0x1p0 zero 0\ntensor y s8 2x1 scale 0x1p0 zero 0\ninput x\n"
        "output y\nembed e x -> y size 1\n  vectors 7 8 9\n");
  write("words.npy", npy({2, 2}, std::vector<int>{0, -1, 2, 1}));
  ASSERT_EQ(run("words.graph", in("words.npy") + " --output " + path("y.npy")).status, 0);
  EXPECT_EQ(text("y.npy"), npy({2, 2, 1}, std::vector<int>{7, 9, 9, 8}));
  write("far.npy", npy({2, 2}, std::vector<int>{0, -1, 3, 1}));
  EXPECT_THAT(said("words.graph", in("far.npy"), 4),
              HasSubstr("far.npy: image 1, [0] is 3, but the input x holds [-3, 2]"));
}

TEST_F(CliRun, SoftmaxOfTheResults) {
  const std::string to = " --output " + path("y.npy");
  ASSERT_EQ(run("eight.graph", in("x8.npy") + " --images 1 --as float").status, 0);
  EXPECT_THAT(said("eight.graph", in("x8.npy") + to + " --as softmax", 2),
              HasSubstr("--as softmax is for a vector, but y is 4x1x2; write floats"));
  EXPECT_THAT(said("classes.graph", in("x8.npy") + " --as softmax --tensors " + path("all"), 2),
              HasSubstr("--as softmax is for the results of the network"));
  // -1.5 to 2 in steps of a half, as onnxruntime has them.
  ASSERT_EQ(run("classes.graph", in("x8.npy") + to + " --as softmax --images 1").status, 0);
  EXPECT_EQ(text("y.npy"), npy({1, 8, 1, 1}, softmax_of_halves));
  EXPECT_THAT(run("classes.graph", in("x8.npy") + " --as softmax --images 1").out,
              HasSubstr(fmt::format("image 0    {}", softmax_of_halves[0])));
  EXPECT_THAT(run("classes.graph", in("x8.npy") + " --as softmax --images 1 --json").out,
              HasSubstr(fmt::format("{}", softmax_of_halves[7])));
}

TEST_F(CliRun, AccuracyIsTheShareOfRightLabels) {
  // The largest number of every image is the last one.
  write("labels.npy", npy({3}, std::vector<int>{7, 0, 7}));
  write("labels-ubyte", std::string("\0\0\x08\1\0\0\0\3\7\0\7", 11));
  for (const char* labels : {"labels.npy", "labels-ubyte"}) {
    const auto r = run("classes.graph", in("x8.npy") + " --labels " + path(labels));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("accuracy 66.67 % (2 of 3)\n"));
  }
  const auto json = nlohmann::json::parse(
      run("classes.graph", in("x8.npy") + " --json --labels " + path("labels.npy")).out);
  EXPECT_EQ(json["accuracy"]["right"], 2);
  // The first of equal numbers, and an index that the network makes itself.
  write("equal.npy", npy({1, 8}, std::vector<int>{1, 5, 2, 5, 5, 0, 0, 0}));
  write("one.npy", npy({1}, std::vector<int>{1}));
  write("index.graph",
        "graph index\ntensor x s8 8\ntensor y u8 1\ninput x\noutput y\narg_max a x -> y\n");
  for (const char* network : {"classes.graph", "index.graph"})
    EXPECT_THAT(run(network, in("equal.npy") + " --labels " + path("one.npy")).out,
                HasSubstr("accuracy 100.00 % (1 of 1)\n"))
        << network;
}

TEST_F(CliRun, ShowsTheFirstNumbersWhereNothingElseIsAskedFor) {
  write("many.npy", counted(12, {8}));
  const auto r = run("eight.graph", in("many.npy"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out,
              HasSubstr("same: 10 images, the first of 12\ninput: numbers as they are, 0 to "));
  EXPECT_THAT(r.out, HasSubstr("  image 1       1    2    3    4    5    6    7    8\n"));
  const auto json = nlohmann::json::parse(run("eight.graph", in("many.npy") + " --json").out);
  EXPECT_EQ(json["outputs"][0]["images"][9][7], 16);
  EXPECT_EQ(json["images_in_files"], 12);
}

TEST_F(CliRun, EveryMistakeHasItsCode) {
  write("x.txt", "1 2 3 4\n");
  write("reals.npy", npy({1, 1, 2, 2}, std::vector<float>{1, 2, 3, 4}));
  write("nan.npy", npy({2, 1, 2, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, std::nanf(""), 8}));
  write("wide.npy", npy({3, 5}, std::vector<int>(15)));
  write("short-ubyte", std::string("\0\0\x08\3\0\0", 6));
  write("labels.npy", npy({3}, std::vector<int>{7, 8, 0}));
  write("two.npy", npy({2}, std::vector<int>{7, 7}));
  auto wrong = counted(3, {4, 1, 2});
  wrong[wrong.size() - 11] = 7;  // entry 5 of image 1
  wrong[wrong.size() - 1] = 0;
  write("wrong.npy", wrong);
  write("large.graph",
        "graph large\ntensor x s8 1x1x1\ntensor y s8 1x512x510\ninput x\noutput y\n"
        "conv c x -> y before 256x255 after 255x254\n  scales 0x1p+0\n  bias 0\n  weights 1\n");
  write("ones.npy", npy({4200, 1, 1, 1}, std::vector<int>(4200)));
  write("high.graph", "graph h\ntensor x s2 2x2\ninput x\noutput x\n");
  write("bad.graph", "graph b\ntensor x w8 1\n");
  write("cut.npy", text("x.npy").substr(0, 130));
  write("none.npy", npy({0, 1, 2, 2}, std::vector<int>{}));
  write("square.npy", npy({3, 3}, std::vector<int>(9)));
  write("grey.pgm", "P2\n2 2\n255\n1 2 3 4\n");
  write("wide.pgm", "P2\n3 2\n255\n1 2 3 4 5 6\n");
  write("dim.pgm", "P2\n2 2\n100\n1 2 3 4\n");
  write("two.graph", graph("2x2x2", "8"));
  write("there.npy", "mine");
  fs::create_directory(folder_ / "folder");
  const std::string x = in("x.npy"), x8 = in("x8.npy");
  struct Case {
    Code code;
    std::string network, more;
    int status = 4;
  };
  std::string all;
  for (const Case& c : std::vector<Case>{
           {code::unknown_input, "small.graph", in("x.txt")},
           {code::mixed_inputs, "small.graph", x + " " + path("reals.npy")},
           {code::array_shape, "small.graph", in("wide.npy")},
           {code::array_shape, "small.graph", x + " --expect " + path("x8.npy")},
           {code::array_shape, "eight.graph", x8 + " --labels " + path("labels.npy")},
           {code::image_count, "small.graph", x + " --images 20", 2},
           {code::image_count, "classes.graph", x8 + " --labels " + path("two.npy")},
           {code::image_count, "small.graph", in("none.npy")},
           {code::array_shape, "classes.graph", x8 + " --labels " + path("square.npy")},
           {code::array_shape, "two.graph", in("grey.pgm")},
           {code::array_shape, "small.graph", in("wide.pgm")},
           {code::picture_white, "small.graph", in("dim.pgm")},
           {code::option_value, "small.graph", in("grey.pgm") + " --mean 1,2", 2},
           {code::unknown_suffix, "small.graph", x + " --picture y.png", 2},
           {code::option_value, "small.graph", x + " --images 0", 2},
           {code::option_value, "small.graph", x + " --images -1", 2},
           {code::option_value, "small.graph", x + " --images 99999999999999999999", 2},
           {code::too_many_images, "large.graph", in("ones.npy") + " --output " + path("y.npy"), 3},
           {code::not_a_number, "small.graph", in("nan.npy")},
           {code::image_range, "high.graph", x},
           {code::label_range, "classes.graph", x8 + " --labels " + path("labels.npy")},
           {code::result_differs, "eight.graph", x8 + " --expect " + path("wrong.npy"), 1},
           {code::malformed_idx, "small.graph", in("short-ubyte")},
           {code::wrong_file_size, "small.graph", in("cut.npy")},
           {code::file_not_found, "small.graph", in("nowhere.npy")},
           {code::file_not_found, "nowhere.graph", x},
           {code::file_is_directory, "small.graph", in("folder")},
           {code::unknown_suffix, "x.npy", x},
           {code::graph_text, "bad.graph", x},
           {code::unknown_name, "small.graph", x + " --tensor z", 2},
           {code::unknown_suffix, "small.graph", x + " --output y.txt", 2},
           {code::file_is_there, "small.graph", x + " --output " + path("there.npy")},
           {code::unknown_number_type, "classes.graph", x8 + " --labels " + path("nan.npy")},
           {code::option_needs, "small.graph", x + " --mean 0.5", 2},
           {code::option_needs, "classes.graph", x8 + " --tensor x --labels " + path("labels.npy"),
            2},
           {code::option_needs, "small.graph", x + " --as float --expect " + path("x.npy"), 2}}) {
    const auto text = said(c.network, c.more, c.status);
    EXPECT_THAT(text, HasSubstr(" [" + std::string(c.code.word()) + "]\n")) << c.more;
    all += text;
  }
  EXPECT_EQ(text("there.npy"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "y.npy"));
  expect_golden("messages/run.txt", all);
}

// A run that takes far longer than its first word on every machine: 2 * 10^12 products, one thread.
TEST_F(CliRun, CtrlCWritesNothing) {
  const auto numbers = [](int count, const std::string& number) {
    std::string all;
    for (int i = 0; i < count; ++i) all += number;
    return all;
  };
  const std::string weights = numbers(64 * 64 * 81, " 1"), zeros = numbers(64, " 0");
  const int convolutions = 8;
  std::string tensors, layers;
  for (int i = 0; i < convolutions; ++i) {
    tensors += fmt::format("tensor t{} s8 64x96x96\n", i + 1);
    layers += fmt::format(
        "conv c{} t{} -> t{} kernel 9x9 before 4x4 after 4x4\n  scales 0x1p-9\n  bias{}\n  "
        "weights{}\n",
        i, i, i + 1, zeros, weights);
  }
  write("slow.graph", fmt::format("graph slow\ntensor t0 s8 64x96x96\n{}input t0\noutput t{}\n{}",
                                  tensors, convolutions, layers));
  write("slow.npy", npy({100, 64, 96, 96}, std::vector<int>(100 * 64 * 96 * 96)));
  Running r(folder_, {"run", (folder_ / "slow.graph").string(), "--threads", "1", "--input",
                      (folder_ / "slow.npy").string(), "--output", (folder_ / "y.npy").string()});
  ASSERT_TRUE(r.wait_for("kumiki: running slow"));
  r.signal(SIGINT);
  EXPECT_EQ(r.wait(), 130);
  EXPECT_FALSE(fs::exists(folder_ / "y.npy"));
}

}  // namespace
}  // namespace kumiki::test

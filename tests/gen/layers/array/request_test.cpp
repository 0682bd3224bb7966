// SPDX-License-Identifier: Apache-2.0
// Networks as configurations say them, and what is refused.
#include "gen/layers/array/request.h"
#include "tests/support/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace kumiki::gen::array {
namespace array_request_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

config::Document parse(const std::string& array) {
  return config::parse_document(
      fmt::format(R"({{"kumiki": 1, "name": "x", "layers": [{{"type": "pe_array", {}}}]}})", array),
      "cfg.json", cost_registry());
}

std::string refusal(const std::string& array) {
  return kumiki::test::refusal<config::ConfigError>([&] { parse(array); });
}
std::string network(const std::string& layers) { return "\"network\": [" + layers + "]"; }

constexpr const char* conv =
    R"({"type": "conv", "name": "a", "in_channels": 4, "height": 9, "width": 8, "out_channels": 6, "kernel": 3)";

TEST(ArrayRequest, KeysReachTheShape) {
  const auto document = parse(
      R"("rows": 5, "columns": 7, "accumulators": 3, "bits": 6, "clock_mhz": 123.5, "fc_elements": 30,
         "batch": 2, "split": 2, "batched_fc": true, )" +
      network(std::string(conv) +
              R"(, "stride": 2, "dilation": 2, "groups": 2, "padding": [1, 3]},
                 {"type": "fc", "name": "b", "inputs": 10, "outputs": 20})"));
  const auto& r = document.layers[0].as<Request>();
  const Array a = array_of(r);
  EXPECT_EQ(a.rows, 5);
  EXPECT_EQ(a.columns, 7);
  EXPECT_EQ(a.accumulators, 3);
  EXPECT_EQ(a.bits, 6);
  EXPECT_EQ(a.clock_mhz, 123.5);
  EXPECT_EQ(a.fc_working(), 30);
  EXPECT_EQ(a.batch, 2);
  EXPECT_EQ(a.split, 2);
  EXPECT_TRUE(a.batched_fc);
  const auto shapes = shapes_of(r);
  const ConvShape& s = shapes.at(0).conv;
  EXPECT_EQ(s.in_channels, 4);
  EXPECT_EQ(s.out_channels, 6);
  EXPECT_EQ(s.out_height(), (9 + 1 + 3 - 5) / 2 + 1);
  EXPECT_EQ(s.out_width(), (8 + 1 + 3 - 5) / 2 + 1);
  EXPECT_EQ(s.groups, 2);
  EXPECT_EQ(shapes.at(1).kind, Kind::fc);
  EXPECT_EQ(shapes.at(1).fc.inputs, 10);
  EXPECT_EQ(shapes.at(1).fc.outputs, 20);
}

TEST(ArrayRequest, WhatIsWrittenIsReadAgain) {
  const auto document = parse(network(std::string(conv) + R"(, "padding": [0, 1]})"));
  const auto again = config::parse_document(config::print(document), "again.json", cost_registry());
  EXPECT_EQ(config::print(again), config::print(document));
}

TEST(ArrayRequest, BadNetworksAreRefusedAtTheirKey) {
  EXPECT_THAT(refusal(network(R"({"type": "add", "name": "a"})")),
              HasSubstr("is \"add\", which the array has no layer for; use \"graph\" with a file "
                        "of kumiki import"));
  EXPECT_THAT(refusal(network(R"({"type": "average", "name": "a", "in_channels": 1, "height": 4,
                                  "width": 12})")),
              HasSubstr("has a window of 4 x 12; must be at most 11 a side"));
  EXPECT_THAT(refusal(network(R"({"type": "average", "name": "a", "in_channels": 1, "height": 4,
                                  "width": 4, "weights": [1]})")),
              HasSubstr("is not allowed on an average layer"));
  EXPECT_THAT(
      refusal(network(std::string(conv) + R"(, "stride": [2, 1], "pool": {"kind": "max"}})")),
      HasSubstr("does not work with strides that leave results out"));
  EXPECT_THAT(refusal(network(std::string(conv) + R"(, "groups": 4})")),
              AllOf(HasSubstr("/layers/0/network/0/groups: 4 does not divide both channel counts"),
                    HasSubstr("must divide both")));
  EXPECT_THAT(
      refusal(network(std::string(conv) + R"(, "inputs": 4})")),
      HasSubstr("network/0/inputs: \"inputs\" is not allowed on a conv layer; give in_channels"));
  EXPECT_THAT(refusal(network(R"({"type": "fc", "name": "a", "inputs": 3})")),
              HasSubstr("outputs: \"outputs\" is missing"));
  EXPECT_THAT(
      refusal(network(R"({"type": "fc", "name": "a", "inputs": 3, "outputs": 3, "kernel": 3})")),
      HasSubstr("network/0/kernel: \"kernel\" is not allowed on an fc layer"));
  EXPECT_THAT(
      refusal(network(R"({"type": "fc", "name": "a", "inputs": 3, "outputs": 3, "stride": 2})")),
      HasSubstr("network/0/stride: \"stride\" is not allowed on an fc layer"));
  EXPECT_THAT(refusal(network(R"({"type": "conv", "name": "a", "in_channels": 1, "height": 2,
                                  "width": 9, "out_channels": 1, "kernel": 3})")),
              HasSubstr("network/0/kernel: 3 reaches over 3 pixels, more than the padded map has"));
  EXPECT_THAT(refusal(network(std::string(conv) + R"(, "padding": [1]})")),
              HasSubstr("network/0/padding"));
  EXPECT_THAT(refusal(network(std::string(conv) + "}," + conv + "}")),
              HasSubstr("network/1/name: \"a\" is the name of network/0 already"));
  EXPECT_THAT(refusal(network("")), HasSubstr("/layers/0/network"));
  EXPECT_THAT(refusal(R"("rows": 3)"), HasSubstr("/layers/0/network: \"network\" is missing"));
}

TEST(ArrayRequest, BadArraysSweepsAndComparisonsAreRefused) {
  const std::string rest = ", " + network(std::string(conv) + "}");
  EXPECT_THAT(refusal("\"rows\": 0" + rest), HasSubstr("an integer from 1 to 1024"));
  EXPECT_THAT(refusal("\"rows\": 2, \"columns\": 3, \"fc_elements\": 7" + rest),
              HasSubstr("fc_elements: 7 is more than the array has; must be 1 to 6"));
  EXPECT_THAT(
      refusal(R"("compare": [{"name": "x", "ms": [1, 2]}])" + rest),
      HasSubstr("does not have one entry for each convolution; must be a list of 1 [wrong-count]"));
  EXPECT_THAT(refusal(R"("sweeps": [{"name": "s", "over": "size", "from": 5, "to": 4}])" + rest),
              HasSubstr("is less than \"from\""));
  EXPECT_THAT(refusal(R"("sweeps": [{"name": "s", "over": "kernel", "from": 1, "to": 13}])" + rest),
              HasSubstr("is not the size of a kernel"));
  EXPECT_THAT(
      refusal(R"("sweeps": [{"name": "s", "over": "size", "from": 1, "to": 60000}])" + rest),
      HasSubstr("makes more than 10000 points"));
  EXPECT_THAT(refusal("\"row\": 3" + rest), HasSubstr("did you mean \"rows\"?"));
}

}  // namespace array_request_test
}  // namespace kumiki::gen::array

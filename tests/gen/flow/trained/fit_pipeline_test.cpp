// SPDX-License-Identifier: Apache-2.0
// A network that is folded until it fits a device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/device/messages.h"
#include "gen/flow/trained/subject.h"
#include "gen/graph/text.h"
#include "ir/limits.h"
#include "tests/support/golden.h"

namespace kumiki::flow {
namespace fit_pipeline_test {

gen::graph::Graph dense(int inputs, int outputs) {
  std::string text = fmt::format(
      "graph net\ntensor x s8 {}x1x1\ntensor y s8 {}x1x1 scale 0x1p-3\ninput x\noutput y\n"
      "conv fc x -> y kernel 1x1\n  scales 0x1p-5\n  bias",
      inputs, outputs);
  for (int i = 0; i < outputs; ++i) text += " 1";
  for (int i = 0; i < outputs; ++i) {
    text += "\n  weights";
    for (int k = 0; k < inputs; ++k) text += fmt::format(" {}", (i * inputs + k) * 37 % 255 - 127);
  }
  return gen::graph::parse_graph("net.graph", text + "\n");
}

TEST(FitPipeline, OnALargerDeviceAFasterOneIsFound) {
  const auto net = dense(48, 24);
  const auto on = [&](const char* name) {
    const auto& device = gen::device::device(name);
    const FittedPipeline fitted = fit_pipeline(net, "net.graph", {}, device);
    EXPECT_LE(fitted.cost.dsps, device.dsps);
    EXPECT_EQ(fitted.plan.urams, device.urams);
    EXPECT_LE(fitted.plan.interval(), fitted.clocks);
    return fitted.clocks;
  };
  EXPECT_LT(on("zu5"), on("zu2"));
}

TEST(FitPipeline, SaysWhatIsShort) {
  const auto net = dense(48, 24);
  std::string all;
  const auto refused = [&](gen::pipeline::Request request, const char* device) {
    try {
      (void)fit_pipeline(net, "net.graph", std::move(request), gen::device::device(device));
      ADD_FAILURE() << device;
    } catch (const ir::LimitError& e) {
      all += with_code(e.what(), e.code()) + "\n";
    }
  };
  refused({.clocks = 2}, "zu2");
  refused({.clocks = 2, .bytes_a_clock = 16}, "zu2");
  refused({.clocks = 1'000'000, .weights_outside = "fc", .bytes_a_clock = 0.0}, "zu2");
  refused({.clocks = 4}, "7z010");
  test::expect_golden("messages/fits.txt", all);
}

}  // namespace fit_pipeline_test
}  // namespace kumiki::flow

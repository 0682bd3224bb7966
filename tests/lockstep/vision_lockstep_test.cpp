// SPDX-License-Identifier: Apache-2.0
// Pipelines of filters in lockstep with their definitions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/vision/convolution.h"
#include "gen/vision/layer.h"
#include "tests/support/network_rig.h"

namespace kumiki::gen {
namespace {

using vision::Border;

vision::Pipeline convolution(const vision::Geometry& g, vision::Preset preset, int size,
                             Border border, bool keep = false) {
  const vision::Format pixel{.bits = 8, .is_signed = false};
  vision::Pipeline p{.name = "p", .geometry = g, .inputs = {pixel}};
  vision::Group group{.name = "p_group", .geometry = g, .inputs = {pixel}};
  group.window = vision::Window{.operation = vision::make_convolution(
                                    {.name = "f",
                                     .kernels = vision::preset_kernels(preset, size).kernels,
                                     .input = pixel,
                                     .lanes = g.pixels}),
                                .border = border,
                                .outside = 77,
                                .keep = keep};
  group.outputs = p.outputs = group.window_outputs();
  p.groups.push_back(group);
  return p;
}

TEST(VisionLockstep, first) {
  for (int pixels : {1, 2, 4})
    for (auto border : {Border::replicate, Border::reflect, Border::constant})
      for (auto preset : {vision::Preset::gaussian, vision::Preset::sobel})
        for (int size : {3, 5, 7}) {
          SCOPED_TRACE(fmt::format("{} {} {}", pixels, static_cast<int>(border), size));
          auto p = convolution({pixels, 20, 20}, preset, size, border, size == 5);
          std::vector<NamedLayer> layers;
          layers.push_back({"v", "vision", {}, vision::make_layer(p)});
          test::NetworkRig rig(std::move(layers));
          fmt::print("{} {} {}: {}\n", pixels, static_cast<int>(border), size,
                     p.groups[0].window->operation->text());
          const auto result = rig.run_native(6000);
          fmt::print("  {} comparisons\n", result.comparisons);
          if (!result.passed()) return;
        }
}

}  // namespace
}  // namespace kumiki::gen

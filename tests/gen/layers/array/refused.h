// SPDX-License-Identifier: Apache-2.0
// What a configuration with an array is refused for: what runs, not what the cost model counts.
#pragma once
#include <string>

#include "gen/layers/array/layer.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::array::test {

inline std::string refused(const std::string& keys) {
  static const config::Registry registry{{layer_type()}};
  return kumiki::test::refusal<config::ConfigError>([&] {
    (void)config::parse_document(
        R"({"kumiki": 1, "name": "x", "layers": [{"type": "pe_array", "name": "a", )" + keys +
            "}]}",
        "cfg.json", registry);
  });
}
inline std::string refused_network(const std::string& array, const std::string& layers) {
  return refused(array + (array.empty() ? "" : ", ") + R"("network": [)" + layers + "]");
}

// A layer to which keys are added, and "}".
inline constexpr const char* conv_layer =
    R"({"type": "conv", "name": "c", "in_channels": 1, "height": 4, "width": 4, "out_channels": 2,
        "kernel": 1)";

}  // namespace kumiki::gen::array::test

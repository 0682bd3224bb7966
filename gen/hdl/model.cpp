// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/model.h"

#include <stdexcept>

namespace kumiki::gen::detail {

void model_value_does_not_fit(const char* port, const std::string& value, std::uint32_t width) {
  throw std::out_of_range(
      fmt::format("the model answers {} on port {} of size {}", value, port, width));
}

}  // namespace kumiki::gen::detail

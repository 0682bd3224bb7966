// SPDX-License-Identifier: Apache-2.0
// The refusal of an array or of a layer of its network, with the key that caused it.
#pragma once
#include <fmt/format.h>

#include <string>

#include "ir/error.h"

namespace kumiki::gen::array {

struct Refusal : DesignError {
  Refusal(Code code, std::string layer_name, std::string blamed, std::string what_is,
          std::string what_would_be)
      : DesignError(
            code,
            fmt::format("{}{}{}{}", layer_name.empty() ? "" : fmt::format("layer {}: ", layer_name),
                        what_is, what_would_be.empty() ? "" : "; ", what_would_be)),
        layer(std::move(layer_name)),
        key(std::move(blamed)),
        message(std::move(what_is)),
        required(std::move(what_would_be)) {}
  std::string layer;     // "" for the array itself
  std::string key;       // of the layer, or of the array: "bias/3"; "" if no single key is the
                         // cause
  std::string message;   // a sentence: "bias of output channel 3 is 70000"
  std::string required;  // "it must be -32768 to 32767"; "" if the message includes it
};

}  // namespace kumiki::gen::array

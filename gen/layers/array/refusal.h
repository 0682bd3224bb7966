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
      : Refusal(std::move(layer_name),
                Diagnostic{code, std::move(blamed), std::move(what_is), std::move(what_would_be)}) {
  }
  Refusal(std::string layer_name, Diagnostic d)
      : DesignError(layer_name.empty()
                        ? d
                        : Diagnostic{d.code, d.key,
                                     fmt::format("layer {}: {}", layer_name, d.wrong), d.required}),
        layer(std::move(layer_name)),
        key(std::move(d.key)),
        message(std::move(d.wrong)),
        required(std::move(d.required)) {}
  std::string layer;     // "" for the array itself
  std::string key;       // of the layer, or of the array: "bias/3"; "" if no single key is the
                         // cause
  std::string message;   // a sentence: "bias of output channel 3 is 70000"
  std::string required;  // "it must be -32768 to 32767"; "" if the message includes it
};

}  // namespace kumiki::gen::array

// SPDX-License-Identifier: Apache-2.0
// A layer is refused after its keys were read: it cannot be planned for this target, or it does not
// fit the others. The caller has the text of the configuration and finds the line.
#pragma once
#include <string>
#include <utility>

#include "ir/error.h"

namespace kumiki::gen {

class LayerError : public DesignError {
 public:
  // `pointer`: "/layers/3/name".
  LayerError(Code code, std::string pointer, std::string message)
      : DesignError(code, pointer + ": " + message),
        pointer_(std::move(pointer)),
        message_(std::move(message)) {}
  const std::string& pointer() const { return pointer_; }
  const std::string& message() const { return message_; }

 private:
  std::string pointer_, message_;
};

}  // namespace kumiki::gen

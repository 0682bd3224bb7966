// SPDX-License-Identifier: Apache-2.0
// A model built in a test, changed in one place, and what its import then says.
#pragma once
#include <functional>
#include <string>

#include "gen/onnx/import.h"
#include "ir/error.h"

namespace kumiki::gen::onnx::changed {

inline Array number(float v) { return array_of({}, std::vector<float>{v}); }

inline std::string refused(Model model, const std::function<void(Model&)>& change) {
  change(model);
  try {
    import_model(model, "m.onnx");
  } catch (const DesignError& e) {
    return e.what();
  }
  return "imported";
}

}  // namespace kumiki::gen::onnx::changed

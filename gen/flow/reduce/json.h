// SPDX-License-Identifier: Apache-2.0
// A configuration as a tree that edits take parts from: order and spelling stay as they were
// written.
#pragma once
#include <string>
#include <vector>

#include "gen/flow/reduce/search.h"

namespace kumiki::reduction {

struct JsonValue {
  enum class Form { scalar, text, integer, list, object };
  Form form = Form::scalar;
  std::string key = {};   // of a member, in quotes as written
  std::string text = {};  // as written; of containers none
  std::vector<JsonValue> items = {};
  bool gone = false;  // taken away by an edit; it stays, so that paths to others stay right
};

// ConfigError when it is not JSON.
JsonValue json_value(const std::string& file, const std::string& text);
std::string to_text(const JsonValue& value);
std::size_t count(const JsonValue& value);  // scalars and containers

// Takes away what can go, level by level, then makes numbers and texts smaller, until nothing
// helps.
void shrink(JsonValue& best, Search& search);

}  // namespace kumiki::reduction

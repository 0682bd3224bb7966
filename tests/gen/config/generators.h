// SPDX-License-Identifier: Apache-2.0
// Random legal documents over the fake layer types. Called inside a property of rapidcheck.
#pragma once
#include <string>

#include "tests/gen/config/fake_layers.h"

namespace kumiki::gen::config {

Document any_document();

// `text` with a few random edits: bytes changed, pieces cut, doubled, or put in from elsewhere.
std::string damaged(const std::string& text);

}  // namespace kumiki::gen::config

// SPDX-License-Identifier: Apache-2.0
// Random legal documents over the fake layer types.
#pragma once
#include <rapidcheck.h>

#include "tests/gen/config/fake_layers.h"

namespace kumiki::gen::config {

rc::Gen<Document> any_document();

// `text` with a few random edits: bytes changed, pieces cut, doubled, or put in from elsewhere.
rc::Gen<std::string> damaged(std::string text);

}  // namespace kumiki::gen::config

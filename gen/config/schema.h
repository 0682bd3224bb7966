// SPDX-License-Identifier: Apache-2.0
// The JSON schema (draft 2020-12) of a configuration, for editors and other programs. It accepts
// whatever the reader accepts; what JSON schema cannot say (rules between keys, names that clash,
// keys given twice, 7.0 for 7) only the reader refuses.
#pragma once
#include "gen/config/document.h"

namespace kumiki::gen::config {

Json schema(const Registry& registry);

}  // namespace kumiki::gen::config

// SPDX-License-Identifier: Apache-2.0
// What tests keep between runs, trees and verilated models: one folder for all of them and for the
// programs that they start, so that nothing is searched or compiled twice. Never the user's own:
// CMakePresets.json names this one for whatever names none.
#pragma once

namespace kumiki::test {

inline constexpr const char* shared_cache = KUMIKI_TEST_TMP "/cache/kumiki";

}  // namespace kumiki::test

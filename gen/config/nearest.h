// SPDX-License-Identifier: Apache-2.0
// Guesses what a user may have meant.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

// The candidate with the fewest typing errors, the first one if several have as few. An error is a
// letter that is wrong, missing, too many or swapped; case, '-' and '_' do not count. Empty if all
// are too far away.
std::optional<std::string> nearest(std::string_view wrong,
                                   const std::vector<std::string>& candidates);

// To be appended to an unknown word: ` (did you mean "dot"?)`, or "; " and `otherwise` if no word
// is near.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

}  // namespace kumiki::gen::config

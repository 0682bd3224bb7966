// SPDX-License-Identifier: Apache-2.0
// Guesses what a user may have meant.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

// The candidate with the fewest typing errors (letters wrong, missing, too many or swapped; case,
// '-' and '_' do not count), the first of equals; empty if all are too far away.
std::optional<std::string> nearest(std::string_view wrong,
                                   const std::vector<std::string>& candidates);

// Behind an unknown word: ` (did you mean "dot"?)`, or "; " and `otherwise` where nothing is near.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

}  // namespace kumiki::gen::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kumiki::cli {

// Makes the three standard streams safe in any state: no file of ours takes the place of a closed
// stream, and unreadable messages cause no failure.
void make_streams_safe();

}  // namespace kumiki::cli

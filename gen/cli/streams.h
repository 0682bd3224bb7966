// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kumiki::cli {

// Makes the three standard streams safe, whatever they are: a file of ours never becomes one of
// them because it was closed, and messages that nobody can read are no reason to fail.
void make_streams_safe();

}  // namespace kumiki::cli

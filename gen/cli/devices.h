// SPDX-License-Identifier: Apache-2.0
// `list --devices`.
#pragma once

namespace kumiki::cli {

int list_devices(bool json);

}  // namespace kumiki::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/cli/cli.h"

namespace kumiki::cli {

int plan_on_device(const Options& options);  // `plan --device`
namespace devices_table {
int list(const Options& options);  // `list --devices`
}

}  // namespace kumiki::cli

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs VS Code's JSON service and asks it.
#   service.sh KUMIKI WORK JUDGE
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/npm.sh"
npm_packages "$editor" "$2" "$3" 'completion, hover and marks in editors'
node "$editor/service_test.mjs" "$2" "$1" "$(cd "$editor/../.." && pwd)"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed package and its users, which these tests are, by mypy --strict.
#   types.sh WORK
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
work=$1
require_wheel "$work" 'the types of the Python package'
cd "$work"
"$work/venv/bin/mypy" --strict --cache-dir "$work/mypy" -p kumiki
"$work/venv/bin/mypy" --strict --cache-dir "$work/mypy" "$here"/*_test.py

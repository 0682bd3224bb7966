#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the package does: every *_test.py of this folder, the examples of its texts and of docs/python.md.
#   behaviour.sh WORK PROGRAM
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
work=$1
require_wheel "$work" 'the Python package'
export KUMIKI_PROGRAM=$2 KUMIKI_ROOT=$root PYTHONDONTWRITEBYTECODE=1
cd "$root"
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 "$here"

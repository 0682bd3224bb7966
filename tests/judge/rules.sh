#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rules of single operators beside onnxruntime, all numbers that bytes can be, and residual networks.
# usage: rules.sh PROGRAM WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
program=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'rules of operators beside onnxruntime'
rm -rf "$work/rules"
"$work/venv/bin/python" "$here/rules.py" "$program" "$work/rules"
"$work/venv/bin/python" "$here/residual.py" "$program" "$work/rules"

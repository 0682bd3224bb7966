#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trained models out of packages, quantised and run by onnxruntime in four forms: which are imported, and that they are equal.
# usage: packages.sh KUMIKI-BENCH WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
bench=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'models out of packages beside onnxruntime'
only=(--only orientation yolov8-bodies)
[ "${KUMIKI_LONG-}" != 1 ] || only=()
rm -rf "$work/packages"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
"$work/venv/bin/python" "$here/packages/make.py" "$work/packages" "$work/wheels" "${only[@]}"
"$bench" zoo "$work/packages" --json >"$work/packages/rows.json" || true # outcomes.py says what is wrong
"$work/venv/bin/python" "$here/zoo/outcomes.py" "$work/packages/rows.json" "$here/packages/outcomes.txt"

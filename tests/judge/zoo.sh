#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ordinary topologies, quantised and run by onnxruntime in four forms: which are imported, and that they are equal.
# usage: zoo.sh KUMIKI-BENCH WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
bench=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'ordinary topologies beside onnxruntime'
only=(--only lenet lenet-tanh resnet-8 ds-cnn tcn-2d tcn-1d espcn siamese text-cnn gru-keywords autoencoder-conv
      deit-tiny keyword-transformer bert-tiny)
[ "${KUMIKI_LONG-}" != 1 ] || only=()
rm -rf "$work/zoo"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
"$work/venv/bin/python" "$here/zoo/make.py" "$work/zoo" "${only[@]}"
"$bench" zoo "$work/zoo" --json >"$work/zoo/rows.json" || true # outcomes.py says what is wrong
"$work/venv/bin/python" "$here/zoo/outcomes.py" "$work/zoo/rows.json" "$here/zoo/outcomes.txt"

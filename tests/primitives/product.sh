#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# product.sh ROOT WORK: the slices with their product as proofs describe it give the vendor's recorded answers.
set -euo pipefail
root=$1 work=$2
mkdir -p "$work"
cp "$root/primitives/replay.py" "$work"
ln -sfn "$root/tests/vectors" "$work/vectors"
{
  echo '`define KUMIKI_PROOF'
  cat "$root/templates/primitives/DSP48E2.v" "$root/templates/proof/dsp48e2_product.v"
} >"$work/DSP48E2.v"
cp "$root/templates/primitives/DSP48E1.v" "$work"
for slice in DSP48E1 DSP48E2; do python3 "$work/replay.py" --model "$work/$slice.v"; done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ordinary topologies on the netlist of an engine: every number is onnxruntime's.
# usage: engine.sh KUMIKI WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
kumiki=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'engines beside onnxruntime'
# Topology, part of its channels, pixels, rows, columns, places, ring; images at once, if not one.
rows=('mobilenet-v3-small 0.125 32 16 8 4096 256' 'lenet 1 32 16 8 4096 256 2' 'deit-tiny 0.25 32 16 8 4096 256')
[ "${KUMIKI_LONG-}" != 1 ] || rows+=(
  'shufflenet-v2 0.125 32 16 8 4096 256' 'kws-1d 0.125 64 32 16 49152 512' 'fpn-detector 0.125 64 32 16 49152 512' 'se-resnet-18 0.125 64 32 16 49152 512'
  'regnety-400 0.125 64 32 16 49152 512' 'unet-nearest 0.0625 64 32 16 49152 512' 'googlenet 0.125 64 32 16 49152 512'
  'regnetx-400 0.125 64 32 16 49152 512' 'deit-tiny 0.25 64 16 8 4096 512 2' 'vit-small 0.25 64 16 8 4096 512'
  'efficientnet-b0 0.125 48 32 16 49152 512' 'mobilenet-v2 1 224 32 16 49152 512' 'mobilenet-v2 1 224 32 16 49152 512 2' 'resnet-18 1 224 32 16 49152 512')
out=$work/engine
rm -rf "$out"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
for row in "${rows[@]}"; do
  read -r name width pixels word columns places ring batch <<<"$row"
  "$work/venv/bin/python" "$here/zoo/make.py" "$out" --only "$name" --width "$width" --pixels "$pixels" --forms qdq-u8 --images 2
  net=$out/$name.qdq-u8
  # Softmax and layer normalisation in integers.
  averages=onnxruntime
  [[ $name != *t-tiny && $name != vit-small ]] || averages=sums
  "$kumiki" import "$net.onnx" --as engine --batch "${batch:-1}" --averages "$averages" -o "$net.json" --force >/dev/null
  "$work/venv/bin/python" - "$net.json" "$word" "$columns" "$places" "$ring" <<'END'
import json, sys
file, *numbers = sys.argv[1:]
engine = json.load(open(file))
engine["layers"][0].update(zip(("rows", "columns", "places", "ring"), map(int, numbers)))
if engine["layers"][0]["columns"] == 16:
    engine["layers"][0].update(clocking="double", maps="ultra", bus=32)
json.dump(engine, open(file, "w"))
END
  "$kumiki" run "$net.json" --with native --input "$net.in.npy" --expect "$net.out.npy"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ordinary topologies as pipelines: their netlists compute onnxruntime's numbers at the planned pace.
# usage: pipelines.sh KUMIKI WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
kumiki=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'pipelines beside onnxruntime'
# Topology, part of its channels, pixels (the signal of kws-1d has its own length), clocks of a frame, options.
rows=('kws-1d 0.125 64 2048' 'espcn 0.125 64 36864' 'deit-tiny 0.125 64 20000 --averages sums')
[ "${KUMIKI_LONG-}" != 1 ] ||
  rows+=('deit-tiny 0.25 64 40000 --averages sums' 'keyword-transformer 0.75 64 40000 --averages sums'
    'mobilenet-v3-small 0.125 64 4608' 'unet-nearest 0.0625 64 16384' 'yolov5n 0.25 64 8192' 'efficientnet-b0 0.125 64 8192')
out=$work/pipelines
rm -rf "$out"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
for row in "${rows[@]}"; do
  read -r name width pixels clocks options <<<"$row"
  form=qoperator seed=${KUMIKI_SEED:-1}
  # In integers a few results of a million differ by one, so transformers have the same images every time.
  [ -z "$options" ] || form=qdq-u8 seed=1
  KUMIKI_SEED=$seed "$work/venv/bin/python" "$here/zoo/make.py" "$out" --only "$name" --width "$width" --pixels "$pixels" \
    --forms "$form" --images 4
  net=$out/$name.$form
  "$kumiki" import "$net.onnx" --as dataflow ${options:+$options} --clocks "$clocks" -o "$net.json" >/dev/null
  "$kumiki" run "$net.json" --with native --input "$net.in.npy" --expect "$net.out.npy" | tee "$net.txt"
  if ! grep -qE 'the next ones every ([0-9]+) clocks \(planned \1\)' "$net.txt"; then
    echo "$name: images must leave at the planned pace"
    exit 1
  fi
done

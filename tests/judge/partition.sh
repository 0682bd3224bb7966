#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Models whose parts run on an engine and whose rest runs under onnxruntime: together they give the numbers of
# onnxruntime alone. The parts are simulated.
# usage: partition.sh KUMIKI WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
kumiki=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'models in parts beside onnxruntime'
out=$work/partition
rm -rf "$out"
mkdir -p "$out"
export PATH=$work/venv/bin:$PATH
cat >"$out/build.json" <<'END'
{"kumiki": 1, "name": "build", "layers": [{"type": "engine", "name": "engine", "rows": 16, "columns": 8, "places": 16384,
 "ring": 512, "ports": "memory"}]}
END
# Topology, form; `native` where the netlist runs the parts, too.
rows=('deeplab qdq-u8' 'vit-tiny qoperator native' 'bert-tiny qdq-s8' 'keyword-transformer tensor'
      'siamese qdq-s8 native')
if [ "${KUMIKI_LONG-}" = 1 ]; then
  rows=()
  for name in $(awk '!/^#/ && $1 != "network" { print $1 }' "$here/zoo/outcomes.txt"); do
    for form in qdq-u8 qdq-s8 qoperator tensor; do rows+=("$name $form"); done
  done
fi
# The share of products that must be on the engine, in percent. The heads of vit-small have fewer channels here than the
# engine has rows.
least_share() {
  case $1 in
    keyword-transformer | bert-tiny | vit-tiny | deit-tiny) echo 100 ;;
    vit-small) echo 98 ;;
    *) echo 0 ;;
  esac
}
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
for row in "${rows[@]}"; do
  read -r name form machine <<<"$row"
  pixels=32 width=0.125
  [[ $(least_share "$name") = 0 ]] || width=0.25
  [[ $name != googlenet && $name != inception-v3 ]] || pixels=96  # their windows are as large
  python "$here/zoo/make.py" "$out" --only "$name" --width "$width" --pixels "$pixels" --forms "$form" --images 2
  "$kumiki" compile "$out/$name.$form.onnx" --for "$out/build.json" --partition -o "$out/$name.$form" >"$out/text" || {
    # A network of which an engine computes nothing.
    grep -qE '^(lstm|gru)-keywords' <<<"$name"
    echo "$name $form: refused"
    continue
  }
  grep -E 'on the engine:' "$out/text"
  share=$(sed -nE 's/^on the engine: ([0-9.]+) %.*/\1/p' "$out/text") least=$(least_share "$name")
  if ! awk -v share="$share" -v least="$least" 'BEGIN { exit !(share != "" && share + 0 >= least) }'; then
    echo "$name $form: ${share:-no} % of the products are on the engine; it must be at least $least %" >&2
    exit 1
  fi
  python "$here/partition.py" "$kumiki" "$out/$name.$form" "$out/$name.$form.onnx" "$out/$name.$form" ${machine:+"$machine"}
done

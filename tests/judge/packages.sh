#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trained models out of packages, quantised and run by onnxruntime in four forms: which are imported, and that they are equal.
# Then each in parts, on an engine and with onnxruntime.
# usage: packages.sh KUMIKI KUMIKI-BENCH WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
kumiki=$1 bench=$2 work=$3 out=$3/packages
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'models out of packages beside onnxruntime'
export PATH=$work/venv/bin:$PATH # `kumiki compile --partition` starts python3
only=(--only orientation yolov8-bodies voices)
[ "${KUMIKI_LONG-}" != 1 ] || only=()
rm -rf "$out"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
python "$here/packages/make.py" "$out" "$work/wheels" "${only[@]}"
"$bench" zoo "$out" --json >"$out/rows.json" || true # outcomes.py says what is wrong
python "$here/zoo/outcomes.py" "$out/rows.json" "$here/packages/outcomes.txt"
cat >"$out/build.json" <<'END'
{"kumiki": 1, "name": "build", "layers": [{"type": "engine", "name": "engine", "rows": 32, "columns": 16, "places": 49152,
 "ring": 512, "maps": "ultra", "ports": "memory"}]}
END
for model in "$out"/*.qdq-u8.onnx; do
  parts=${model%.onnx}
  "$kumiki" compile "$model" --for "$out/build.json" --partition -o "$parts" >"$out/text"
  grep -E 'on the engine:' "$out/text"
  python "$here/partition.py" "$kumiki" "$parts" "$model" "$parts"
done

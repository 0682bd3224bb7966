#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server of examples/serving with simulated engines: every answer is onnxruntime's, and N engines serve N times the
# requests.
# usage: serving.sh KUMIKI WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
kumiki=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
. "$here/venv.sh"
make_venv "$work" 'engines behind one queue, by gRPC' "$(judge_list)" "$root/examples/serving/requirements.txt"
out=$work/serving
rm -rf "$out"
mkdir -p "$out"
export PATH=$work/venv/bin:$PATH
cat >"$out/build.json" <<'END'
{"kumiki": 1, "name": "build", "layers": [{"type": "engine", "name": "engine", "rows": 16, "columns": 8, "places": 4096,
 "ring": 128, "ports": "memory"}]}
END
model=$root/examples/models/digits_mlp.onnx
"$kumiki" compile "$model" --for "$out/build.json" --partition -o "$out/parts"
echo "KUMIKI_SEED=${KUMIKI_SEED:-1}"
python "$here/serving.py" "$kumiki" "$out/parts" "$model"

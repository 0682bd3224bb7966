#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random networks, quantised and run by onnxruntime, and by us: equal, or refused with a reason.
# usage: random_models.sh PROGRAM WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
program=$1 work=$2 count=50 few=40
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seed=${KUMIKI_SEED:-1}
echo "KUMIKI_SEED=$seed"

. "$here/venv.sh"
judge_venv "$work" 'random networks beside onnxruntime'
venv=$work/venv

models=$work/models
rm -rf "$models" && mkdir "$models"
"$venv/bin/python" "$here/../gen/onnx/random_models.py" "$seed" "$count" "$models" >"$work/drawn.txt"
# QONNX: half of them with scales that are powers of two, where nothing may differ.
"$venv/bin/python" "$here/../gen/onnx/random_qonnx.py" "$seed" $((few / 2)) "$models/exact" --exact >>"$work/drawn.txt"
"$venv/bin/python" "$here/../gen/onnx/random_qonnx.py" "$seed" $((few / 2)) "$models/near" >>"$work/drawn.txt"

# And one for each operator that is seldom drawn.
"$venv/bin/python" "$here/../gen/onnx/operators.py" "$models/operators"
count=$((count + $(ls "$models"/operators/*.onnx | wc -l)))

equal=0 refused=0 explained=0 failed=0
for model in "$models"/*.onnx "$models"/*/*.onnx; do
  stem=${model%.onnx} status=0
  "$program" run "$model" --input "$stem.in.npy" --expect "$stem.out.npy" >"$stem.txt" 2>&1 || status=$?
  case $status in
    0) equal=$((equal + 1)) ;;
    3) refused=$((refused + 1)) && tail -n 3 "$stem.txt" ;;
    # A difference that import foresees and says.
    1) [[ "$model" != */exact/* && "$model" != */operators/* ]] && "$program" import "$model" | grep "^note: .*onnxruntime" && explained=$((explained + 1)) ||
      { failed=$((failed + 1)) && echo "$model:" && tail -n 3 "$stem.txt"; } ;;
    *) failed=$((failed + 1)) && echo "$model:" && tail -n 3 "$stem.txt" ;;
  esac
done
echo "$equal equal, $explained differ as import says, $refused refused, $failed failed"
all=$((count + few))
[ "$failed" -eq 0 ] && [ "$((equal + explained + refused))" -eq "$all" ] && [ "$equal" -ge $((all * 9 / 10)) ]

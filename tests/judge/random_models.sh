#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random networks, quantised and run by onnxruntime, and by us: equal, or refused with a reason.
# usage: random_models.sh PROGRAM WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
program=$1 work=$2 count=50 few=40
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seed=${KUMIKI_SEED:-$(($(date +%s) / 86400))}
echo "KUMIKI_SEED=$seed"

skip() {
  echo "NOT TESTED: random networks beside onnxruntime: $*"
  exit 77
}
grep -Eq '\bavx(512)?_vnni\b' /proc/cpuinfo ||
  skip 'this processor has no VNNI, and without it onnxruntime saturates sums of u8 times s8'

# Made once; the list is kept beside it, so that another list makes it again.
mkdir -p "$work"
venv=$work/venv
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv" || skip 'python3 -m venv failed: package python3-venv'
  "$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 -r "$here/requirements.txt" ||
    skip 'PyPI was not reached, or has no wheels for this machine'
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi

models=$work/models
rm -rf "$models" && mkdir "$models"
"$venv/bin/python" "$here/../gen/onnx/random_models.py" "$seed" "$count" "$models" >"$work/drawn.txt"
# QONNX: half of them with scales that are powers of two, where nothing may differ.
"$venv/bin/python" "$here/../gen/onnx/random_qonnx.py" "$seed" $((few / 2)) "$models/exact" --exact >>"$work/drawn.txt"
"$venv/bin/python" "$here/../gen/onnx/random_qonnx.py" "$seed" $((few / 2)) "$models/near" >>"$work/drawn.txt"

equal=0 refused=0 explained=0 failed=0
for model in "$models"/*.onnx "$models"/*/*.onnx; do
  stem=${model%.onnx} status=0
  "$program" run "$model" --input "$stem.in.npy" --expect "$stem.out.npy" >"$stem.txt" 2>&1 || status=$?
  case $status in
    0) equal=$((equal + 1)) ;;
    3) refused=$((refused + 1)) && tail -n 3 "$stem.txt" ;;
    # A difference that import foresees and says.
    1) [ "$(basename "$(dirname "$model")")" != exact ] && "$program" import "$model" | grep "^note: .*onnxruntime" && explained=$((explained + 1)) ||
      { failed=$((failed + 1)) && echo "$model:" && tail -n 3 "$stem.txt"; } ;;
    *) failed=$((failed + 1)) && echo "$model:" && tail -n 3 "$stem.txt" ;;
  esac
done
echo "$equal equal, $explained differ as import says, $refused refused, $failed failed"
all=$((count + few))
[ "$failed" -eq 0 ] && [ "$((equal + explained + refused))" -eq "$all" ] && [ "$equal" -ge $((all * 9 / 10)) ]

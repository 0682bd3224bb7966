#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every tensor of transformers with all their channels beside onnxruntime.
# usage: tensors.sh PROGRAM WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1  # one script imports another
program=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'tensors of transformers beside onnxruntime'
rm -rf "$work/tensors"
compare() { "$work/venv/bin/python" "$here/tensors.py" "$program" "$work/tensors" "$@"; }
if [ "${KUMIKI_LONG-}" = 1 ]; then
  compare --only keyword-transformer bert-tiny --images 1000
  compare --only vit-tiny deit-tiny --images 100
  compare --only vit-small --images 10
  compare --only deit-tiny --pixels 224 --images 2
else
  compare --only keyword-transformer bert-tiny --images 8
  compare --only vit-tiny deit-tiny --forms qdq-u8 qoperator --images 2
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Python on top of the C driver: written by `kumiki gen`, by mypy --strict, and on a board that is a program.
#   host.sh PROGRAM BOARD ENVIRONMENT WORK
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../judge/venv.sh"
make_venv "$3" 'Python on top of the C driver' "$(judge_list)" "$here/../python/requirements.txt"
rm -rf "$4"
mkdir -p "$4"
export PATH=$3/venv/bin:$PATH KUMIKI_PROGRAM=$1 KUMIKI_BOARD=$2 KUMIKI_WORK=$4 PYTHONDONTWRITEBYTECODE=1
"$3/venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 "$here"
# What the program has written, and these tests.
cd "$4"
"$3/venv/bin/mypy" --strict --cache-dir "$3/mypy" n/n_host.py build/kumiki_engine.py half/kumiki_session.py
MYPYPATH=$4/n:$4/build "$3/venv/bin/mypy" --strict --cache-dir "$3/mypy" "$here/host_test.py" "$here/engine_host_test.py"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Written testbenches under cocotb: every *_test.py of this folder.
#   behaviour.sh WORK PROGRAM
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../judge/venv.sh"
work=$1
make_venv "$work" 'testbenches for cocotb, with Icarus' "$(judge_list)" "$here/requirements.txt"
echo 'NOT TESTED: these testbenches under Verilator: cocotb 2 asks for 5.036, Debian 12 has 5.006'
export KUMIKI_PROGRAM=$2 KUMIKI_ROOT=$here/../.. PYTHONDONTWRITEBYTECODE=1
export PATH=$work/venv/bin:$PATH PYTHONPATH=$here/../support
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 "$here"

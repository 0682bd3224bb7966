#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Our cores and the installed generator under FuseSoC itself: every *_test.py of this folder.
#   behaviour.sh WORK PREFIX
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../judge/venv.sh"
work=$1
make_venv "$work" 'cores and generator under FuseSoC, with Icarus and Verilator' "$(judge_list)" "$here/requirements.txt"
export KUMIKI_PREFIX=$2 KUMIKI_PROGRAM=$2/bin/kumiki KUMIKI_ROOT=$here/../.. PYTHONDONTWRITEBYTECODE=1
export PATH=$work/venv/bin:$PATH PYTHONPATH=$here/../support
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 "$here"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# component.xml of netlists of every kind, by the standard's schema and by a reader of others.
#   component.sh PROGRAM ENVIRONMENT WORK
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../judge/venv.sh"
make_venv "$2" 'component.xml by the schema of IP-XACT' "$(judge_list)" "$here/requirements.txt"
"$2/venv/bin/python" "$here/component.py" "$1" "$3"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command of docs/walkthrough.md, in its order, and what it prints.
# usage: walkthrough.sh PROGRAM WORK
set -euo pipefail
program=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/venv.sh"
judge_venv "$work" 'the commands of docs/walkthrough.md'
exec python3 "$here/walkthrough.py" "$program" "$here/../.." "$work/walkthrough" "$work/venv"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# turn.sh TURNS TURN COMMAND...: runs a test of what is handed to other programs, slow and seldom touched, when it is its turn:
# one of TURNS by the seed (KUMIKI_SEED, which ./test takes from the commit). Else ctest lists it as skipped. With KUMIKI_LONG
# it is always its turn.
set -euo pipefail
turns=$1 turn=$2
shift 2
seed=${KUMIKI_SEED:-$turn}
if [ -z "${KUMIKI_LONG-}" ] && [ $((seed % turns)) != "$turn" ]; then
  echo "not its turn: $turn of $turns with KUMIKI_SEED=$seed (KUMIKI_SEED=$turn or KUMIKI_LONG=1 runs it)"
  exit 77
fi
exec "$@"

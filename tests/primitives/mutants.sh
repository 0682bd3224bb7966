#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong models must be refused: every line of mutants.txt breaks one. prove.sh has to find it, or replay.py in a model
# whose judge are the vendor's answers.
#   mutants.sh MODELS_DIR WORK_DIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
models=$1 work=$2
rm -rf "$work"
mkdir -p "$work/models"
cp "$here/../../primitives/replay.py" "$work"
ln -sfn "$here/../vectors" "$work/vectors"

replayed() { python3 "$work/replay.py" --model "$work/models/$1.v"; }
within() { cp "$models/$1.v" "$work/models"; } # a right model that holds the changed one or is held by it

judged() { # primitive: 1 if its model is refused
  case $1 in
    URAM288) replayed URAM288 ;;
    DSP48E1) within DSP48E2 && replayed DSP48E1 ;;
    DSP48E2) within DSP48E1 && replayed DSP48E2 && replayed DSP48E1 ;;
    RAMB18E1) within RAMB36E1 && replayed RAMB18E1 ;;
    RAMB36E1) within RAMB18E1 && replayed RAMB36E1 && replayed RAMB18E1 ;;
    *) "$here/prove.sh" "$work/models" "$work/proofs" "$1" ;;
  esac
}

count=0 survivors=0 line=0 left=0 before=
while read -r name break; do
  case $name in '' | '#'*) continue ;; esac
  line=$((line + 1))
  # The first of every model, and a third of the others; all of them in the long form.
  if [ -z "${KUMIKI_LONG-}" ] && [ "$name" = "$before" ] && [ $((line % 3)) -ne 1 ]; then
    left=$((left + 1))
    continue
  fi
  before=$name
  count=$((count + 1))
  sed "$break" "$models/$name.v" >"$work/models/$name.v"
  status=0
  if cmp -s "$models/$name.v" "$work/models/$name.v"; then
    verdict='CHANGES NOTHING'
  else
    judged "$name" >"$work/log" 2>&1 </dev/null || status=$?
    case $status in
      1) verdict=refused ;;
      0) verdict=SURVIVED ;;
      *) verdict="NO PROOF: $(tail -n 1 "$work/log")" ;;
    esac
  fi
  [ "$verdict" = refused ] || survivors=$((survivors + 1))
  printf '%-8s %-70s %s\n' "$name" "$break" "$verdict"
done <"$here/mutants.txt"

[ "$left" = 0 ] || printf '%d are left to ./test long\n' "$left"
printf '%d of %d wrong models refused\n' $((count - survivors)) "$count"
[ "$count" -gt 0 ] && [ "$survivors" -eq 0 ]

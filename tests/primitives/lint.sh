#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every model of templates/primitives is Verilog-2001 without a word from Verilator -Wall, Icarus -Wall or
# Yosys, in its form for Verilator and in the other one, with its inversions off and on.
#   lint.sh MODELS_DIR
set -euo pipefail
models=$1
failures=0
# Not /dev/null: Icarus makes its output executable, and root would do that to the device.
output=$(mktemp)
trap 'rm -f "$output"' EXIT

quiet() { # what, command...: succeeds and says nothing
  local what=$1 said status=0
  shift
  said=$("$@" 2>&1) || status=$?
  if [ "$status" -ne 0 ] || [ -n "$said" ]; then
    printf '%s: %s (exit %d)\n%s\n' "$name" "$what" "$status" "$said"
    failures=$((failures + 1))
  fi
}

count=0
for file in "$models"/*.v; do
  name=$(basename "$file" .v)
  count=$((count + 1))
  verilator=() icarus=() yosys=
  while read -r msb parameter; do # every inversion at all ones, in its declared width
    ones="$((msb + 1))'h$(printf '%x' $(((1 << (msb + 1)) - 1)))"
    verilator+=("-G$parameter=$ones") icarus+=("-P$name.$parameter=$ones") yosys+=" -set $parameter $ones"
  done < <(sed -nE 's/.*parameter *\[([0-9]+):0\] *(IS_[A-Z0-9]+_INVERTED) *=.*/\1 \2/p' "$file")
  for language in 1364-2001 1364-2005; do
    quiet "Verilator $language" verilator --lint-only -Wall --language $language -y "$models" "$file"
  done
  for form in '' -DVERILATOR; do
    # shellcheck disable=SC2086  # an empty form is no argument
    quiet "Icarus 2001 $form" iverilog -g2001 -Wall $form -y "$models" -o "$output" "$file"
    # shellcheck disable=SC2086
    quiet "Icarus 2005 $form" iverilog -g2005 -Wall $form -y "$models" -o "$output" "$file"
    quiet "Yosys $form" yosys -q -p "read_verilog $form $file; hierarchy -check -top $name -libdir $models; proc; check -assert"
  done
  if [ ${#verilator[@]} -gt 0 ]; then
    quiet 'Verilator, inverted' verilator --lint-only -Wall "${verilator[@]}" -y "$models" "$file"
    quiet 'Icarus, inverted' iverilog -g2005 -Wall "${icarus[@]}" -y "$models" -o "$output" "$file"
    quiet 'Yosys, inverted' yosys -q -p "read_verilog $file; chparam$yosys $name; hierarchy -check -top $name -libdir $models; proc; check -assert"
  fi
done
printf '%d models, %d findings\n' "$count" "$failures"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]

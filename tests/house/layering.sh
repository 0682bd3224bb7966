#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may include whom: ir nothing but ir; backends ir and templates, never gen; gen ir, and only gen/cli
# backends; nobody the command line or the tests.
#   layering.sh ROOT
set -euo pipefail
cd "$1"
count=0 broken=0

# `allowed` is an extended regular expression over the included path; only paths of this tree are looked at.
rule() { # folder, allowed, sentence, paths left out...
  local folder=$1 allowed=$2 sentence=$3 files file number text included
  local include='#[[:space:]]*include[[:space:]]*["<]([^">]*)[">]'
  shift 3
  mapfile -d '' -t files < <(find "$folder" "$@" -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z)
  count=$((count + ${#files[@]}))
  while IFS=: read -r file number text; do
    [[ $text =~ $include ]] || continue
    included=${BASH_REMATCH[1]}
    [[ $included =~ ^(ir|gen|backends|templates|tests|examples)/ || $included == *../* ]] || continue
    [[ $included =~ ^($allowed) && $included != *../* ]] && continue
    printf '%s:%s: includes "%s", but %s\n' "$file" "$number" "$included" "$sentence"
    broken=$((broken + 1))
  done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include' /dev/null "${files[@]}" || true)
}

rule ir 'ir/' 'ir knows nothing but ir'
rule backends 'backends/|ir/|templates/' 'backends know ir and templates, never gen'
rule gen 'gen/([^c]|c[^l]|cl[^i]|cli[^/])|ir/' 'generators know gen and ir; only gen/cli knows backends' \
  -path gen/cli -prune -o
rule gen/cli 'gen/|ir/|backends/|templates/' 'the command line knows the program, not its tests'
printf '%d files, %d includes against the layers\n' "$count" "$broken"
[ "$count" -gt 0 ] && [ "$broken" -eq 0 ]

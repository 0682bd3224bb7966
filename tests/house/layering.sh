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
  local folder=$1 allowed=$2 sentence=$3 file number text included
  shift 3
  while IFS= read -r -d '' file; do
    count=$((count + 1))
    while IFS=: read -r number text; do
      included=$(sed -E 's/^[^"<]*["<]([^">]*)[">].*/\1/' <<<"$text")
      [[ $included =~ ^(ir|gen|backends|templates|tests|examples)/ || $included == *../* ]] || continue
      [[ $included =~ ^($allowed) && $included != *../* ]] && continue
      printf '%s:%s: includes "%s", but %s\n' "$file" "$number" "$included" "$sentence"
      broken=$((broken + 1))
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" || true)
  done < <(find "$folder" "$@" -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z)
}

rule ir 'ir/' 'ir knows nothing but ir'
rule backends 'backends/|ir/|templates/' 'backends know ir and templates, never gen'
rule gen 'gen/([^c]|c[^l]|cl[^i]|cli[^/])|ir/' 'generators know gen and ir; only gen/cli knows backends' \
  -path gen/cli -prune -o
rule gen/cli 'gen/|ir/|backends/|templates/' 'the command line knows the program, not its tests'
printf '%d files, %d includes against the layers\n' "$count" "$broken"
[ "$count" -gt 0 ] && [ "$broken" -eq 0 ]

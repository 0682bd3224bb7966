#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file of the tree says its licence in its first line (scripts: the second).
#   spdx.sh ROOT
set -euo pipefail
cd "$1"
readonly line='SPDX-License-Identifier: Apache-2.0'
count=0 missing=0
while IFS= read -r -d '' file; do
  first='' second=''
  { IFS= read -r first && IFS= read -r second; } <"$file" || true
  case $file in
    *.cpp | *.h | *.v | *.vh | *.cmake | *.cmake.in | *.sh | *.py | *.tcl | *.xdc | */CMakeLists.txt) ;;
    *) [[ $first == '#!'* ]] || continue ;;
  esac
  count=$((count + 1))
  if [[ $first == '#!'* ]]; then first=$second; fi
  if [[ $first != *"$line" ]]; then
    printf '%s: the first line of a source file must end in "%s"\n' "${file#./}" "$line"
    missing=$((missing + 1))
  fi
done < <(find . \( -path ./build -o -path ./out -o -path ./.git -o -path ./.cache -o -path ./tests/vectors -o \
  -path ./tests/golden \) -prune -o -type f -print0 | sort -z)
printf '%d source files, %d without the line\n' "$count" "$missing"
[ "$count" -gt 0 ] && [ "$missing" -eq 0 ]

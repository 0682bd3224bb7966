#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file is as clang-format would write it.
#   format.sh ROOT CLANG_FORMAT
set -euo pipefail
cd "$1"
mapfile -d '' -t files < <(find ir gen backends templates tests examples -path tests/vectors -prune -o \
  -path tests/golden -prune -o -type f \( -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z)
[ ${#files[@]} -gt 0 ]
untidy=0
for file in "${files[@]}"; do
  if ! "$2" "$file" | cmp -s - "$file"; then
    printf '%s: run clang-format -i on it\n' "$file"
    untidy=$((untidy + 1))
  fi
done
printf '%d files, %d to format\n' "${#files[@]}" "$untidy"
[ "$untidy" -eq 0 ]

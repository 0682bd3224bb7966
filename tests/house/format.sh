#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file is as clang-format would write it.
#   format.sh ROOT CLANG_FORMAT
set -euo pipefail
cd "$1"
mapfile -d '' -t files < <(find ir gen backends templates tests examples -path tests/vectors -prune -o \
  -path tests/golden -prune -o -type f \( -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z)
[ ${#files[@]} -gt 0 ]
# One process for all of them: starting it takes longer than the work.
if said=$("$2" --dry-run -Werror "${files[@]}" 2>&1); then
  printf '%d files, none to format\n' "${#files[@]}"
  exit
fi
sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: code should.*/\1: run clang-format -i on it/p' <<<"$said" | sort -u
grep -v 'code should be' <<<"$said" | grep ': error:' || true
exit 1

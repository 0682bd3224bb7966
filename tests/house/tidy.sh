#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy 14 with the checks of .clang-tidy on our sources: all of them, or those that are named.
#   tidy.sh BUILD [FILE...]      BUILD: configured by the preset tidy
# All of them folder by folder as the unity build has them, which parses the headers once a folder.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '3,4s/^# //p' "$0" >&2 && exit 2; }
build=$1 && shift
list=$build/compile_commands.json
[ -s "$list" ] || { echo "$list is missing: cmake --preset tidy makes it" >&2 && exit 2; }
if [ $# -eq 0 ]; then
  # What is generated there is not looked at, but what it includes.
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$list" | grep -v '/embedded[a-z_]*\.cpp$')
else
  files=("$@")
fi
[ ${#files[@]} -gt 0 ] || { echo "$list names no file" >&2 && exit 2; }
# A header is looked at through the sources that include it.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p "$build" --quiet \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
  --extra-arg=-Wno-unused-command-line-argument 2> >(grep -v 'warnings\? generated\|^Suppressed\|^Use -header\|treated as error' >&2)
echo "${#files[@]} looked at, nothing found"

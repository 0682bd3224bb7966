#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every folder of gen/ explains itself in a README.md; the command line has --help, and what devices are and how
# references are written stands in the headers.
#   readmes.sh ROOT
set -euo pipefail
cd "$1"
count=0 missing=0
for folder in gen/*/; do
  case ${folder%/} in
    gen/cli | gen/device | gen/proof) continue ;;
  esac
  count=$((count + 1))
  [ -s "${folder}README.md" ] && continue
  printf '%s: a generator explains itself in a README.md\n' "${folder%/}"
  missing=$((missing + 1))
done
printf '%d folders, %d without a README\n' "$count" "$missing"
[ "$count" -gt 0 ] && [ "$missing" -eq 0 ]

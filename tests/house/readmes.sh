#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every room of gen/ explains itself in a README.md; the command line has --help, and what devices are stands in the
# header.
#   readmes.sh ROOT
set -euo pipefail
cd "$1"
count=0 missing=0
for folder in gen/*/ gen/blocks/*/ gen/layers/*/; do
  case ${folder%/} in
    gen/cli | gen/device | 'gen/blocks/*' | 'gen/layers/*') continue ;;
  esac
  count=$((count + 1))
  [ -s "${folder}README.md" ] && continue
  printf '%s: a generator explains itself in a README.md\n' "${folder%/}"
  missing=$((missing + 1))
done
printf '%d folders, %d without a README\n' "$count" "$missing"
[ "$count" -gt 0 ] && [ "$missing" -eq 0 ]

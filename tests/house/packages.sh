#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of third_party/README.md and the list of third_party/packages.txt are the same rows.
#   packages.sh ROOT
set -euo pipefail
list=$(sed -nE '/^#/d; s/^(.*)$/| \1 |/p' "$1/third_party/packages.txt")
table=$(sed -nE '/^\| package /d; /^\| .* \| .* \| .* \| .* \|$/p' "$1/third_party/README.md")
malformed=$(grep -vE '^\| [a-z0-9.+-]+ \| [^|]+ \| [^|]+ \| [^|]+ \|$' <<<"$list" || true)
[ -z "$malformed" ] || { printf 'not "package | version | licence | what for":\n%s\n' "$malformed" && exit 1; }
diff <(printf '%s\n' "$list") <(printf '%s\n' "$table") ||
  { echo 'third_party: packages.txt (<) and the table of README.md (>) differ' && exit 1; }
printf '%d packages\n' "$(wc -l <<<"$list")"

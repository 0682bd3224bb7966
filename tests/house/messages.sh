#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh ROOT: no code looks for words in the text of a message, or cuts it. What a mistake is about stands in its
# Diagnostic (ir/error.h). Two places may: the text of the JSON library, and the first line of a message for a table.
# And a message says what must be, or what to do, not what "is legal".
set -euo pipefail
cd "$1"
cuts='\.(find|rfind|substr|starts_with|ends_with|erase|resize|compare)\('
found=$(grep -rnE --include='*.cpp' --include='*.h' "what\(\)\)?$cuts|\b(what|wrong|message|legal|required|said_by)$cuts" gen backends ir |
  grep -vE '^gen/config/parse\.cpp:|^gen/cli/sweep\.cpp:.*result->message\.(substr|find)|^gen/config/nearest\.cpp:' || true)
[ -z "$found" ] || {
  sed 's/^\([^:]*:[0-9]*\):.*/\1: reads the text of a message; use its Diagnostic (ir\/error.h)/' <<<"$found" >&2
  exit 1
}

found=$(grep -rnE '\b(is|are) legal\b|\blegal:|\blegal (is|are)\b' gen backends ir templates docs README.md examples \
  --include='*.cpp' --include='*.h' --include='*.def' --include='*.in' --include='*.py' --include='*.md' \
  --include='*.ipynb' || true)
[ -z "$found" ] || {
  sed 's/^\([^:]*:[0-9]*\):.*/\1: say what must be, or what to do, in place of "legal"/' <<<"$found" >&2
  exit 1
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh ROOT: no code looks for words in the text of a message, or cuts it. What a mistake is about stands in its
# Diagnostic (ir/error.h). Two places may: the text of the JSON library, and the first line of a message for a table.
set -euo pipefail
cd "$1"
cuts='\.(find|rfind|substr|starts_with|ends_with|erase|resize|compare)\('
found=$(grep -rnE --include='*.cpp' --include='*.h' "what\(\)\)?$cuts|\b(what|wrong|message|legal|required|said_by)$cuts" gen backends ir |
  grep -vE '^gen/config/parse\.cpp:|^gen/cli/sweep\.cpp:.*result->message\.(substr|find)|^gen/config/nearest\.cpp:' || true)
[ -z "$found" ] || {
  sed 's/^\([^:]*:[0-9]*\):.*/\1: reads the text of a message; use its Diagnostic (ir\/error.h)/' <<<"$found" >&2
  exit 1
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# reference.sh ROOT WORK: the API reference is made without a warning, and says what a header says.
set -euo pipefail
cd "$1"
rm -rf "$2"
mkdir -p "$2"
{ cat docs/Doxyfile && printf 'OUTPUT_DIRECTORY = "%s"\n' "$2"; } | doxygen -
page=$(grep -rl 'class="title">kumiki::flow::Context' "$2/html" | head -1)
[ -n "$page" ] || { echo 'the reference has no page of flow::Context' && exit 1; }
grep -q 'The part that generators use' "$page" || { echo "$page: without the comments of the header" && exit 1; }
printf '%s pages\n' "$(find "$2/html" -name '*.html' | wc -l)"

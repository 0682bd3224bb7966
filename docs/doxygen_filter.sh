#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our comments as Doxygen reads them: those before a declaration, those behind one, and the file's own at its top. What
# it would take for a command or a tag is text.
exec awk '
function text(s) {
  gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
  gsub(/@/, "\\&#64;", s); gsub(/\\/, "\\&#92;", s); gsub(/#/, "\\&#35;", s)
  gsub(/&&#35;/, "\\&#", s); gsub(/%/, "\\&#37;", s)
  return s
}
NR == 1 && /SPDX/ { print "/// \\file"; next }
/^ *\/\/( |$)/ { at = index($0, "//"); print substr($0, 1, at - 1) "///" text(substr($0, at + 2)); next }
match($0, /[;,{})] +\/\/ /) { at = RSTART + RLENGTH - 3; print substr($0, 1, at - 1) "///<" text(substr($0, at + 2)); next }
{ print }
' "$1"

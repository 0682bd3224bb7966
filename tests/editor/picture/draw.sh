#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The picture of docs/editors.md: Monaco, VS Code's editor, with the schema of kumiki, as headless Chromium shows it, light and
# dark in one file.
#   draw.sh KUMIKI OUT.svg
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../npm.sh"
work=$(mktemp -d) width=860 height=440
# shellcheck disable=SC2154  # server: below
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
npm_packages "$here" "$work" "$work" 'the picture of an editor'
cp "$here/page.html" "$work"
"$1" schema >"$work/kumiki.schema.json"
# Workers of a page are not loaded from files.
python3 -u -c 'import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()' "$work" >"$work/port" 2>/dev/null &
server=$!
until [ -s "$work/port" ]; do sleep 0.1; done
for theme in vs vs-dark; do
  chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --force-device-scale-factor=1.5 \
    --window-size=$width,$height --virtual-time-budget=60000 --screenshot="$work/$theme.png" \
    "http://127.0.0.1:$(cat "$work/port")/page.html?theme=$theme" >"$work/log" 2>&1
  [ -s "$work/$theme.png" ] || { cat "$work/log" && exit 1; }
done
picture() { printf '<image class="%s" width="%d" height="%d" href="data:image/png;base64,%s"/>\n' "$1" $width $height "$(base64 -w0 "$2")"; }
{
  printf '<svg xmlns="http://www.w3.org/2000/svg" width="100%%" style="max-width: %dpx" viewBox="0 0 %d %d">\n' $width $width $height
  printf '<style>.dark { display: none } @media (prefers-color-scheme: dark) { .dark { display: inline } .light { display: none } }</style>\n'
  picture light "$work/vs.png"
  picture dark "$work/vs-dark.png"
  printf '</svg>\n'
} >"$work/picture.svg"
cp "$work/picture.svg" "$2"

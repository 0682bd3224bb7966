# SPDX-License-Identifier: Apache-2.0
# For scripts: packages of npm, pinned by the lock file beside their list.
. "$(dirname "${BASH_SOURCE[0]}")/../judge/venv.sh"
editor=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# npm_packages LIST_FOLDER INTO JUDGE WHAT: INTO/node_modules with what LIST_FOLDER/package.json names.
npm_packages() {
  if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    make_venv "$3" "$4" "$(judge_list)" "$editor/requirements.txt"
    PATH=$3/venv/bin:$PATH
  fi
  mkdir -p "$2"
  cmp -s "$1/package-lock.json" "$2/installed" && return
  cp "$1/package.json" "$1/package-lock.json" "$2"
  (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 >npm.log 2>&1) || {
    tail -5 "$2/npm.log"
    skip "$4: npm's registry was not reached"
  }
  cp "$1/package-lock.json" "$2/installed"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the targets of libFuzzer (preset fuzz) and runs each for a number of executions, beginning with the
# corpus of the tree. What is new stays in build/fuzz/corpus; a finding is written to build/fuzz/findings.
#   run.sh [EXECUTIONS] [TARGET...]     exit: 0 nothing found
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
runs=${1:-100000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- configuration text numbers model
command -v clang++ >/dev/null || { echo 'run.sh: clang++ is not installed (apt-get install clang)' >&2 && exit 2; }
cmake --preset fuzz --log-level=NOTICE
cmake --build --preset fuzz --target "${@/#/fuzz_}" -j "$(nproc)"
status=0
for target; do
  longest=4096 && [ "$target" != model ] || longest=16384
  mkdir -p "build/fuzz/corpus/$target" build/fuzz/findings
  log=build/fuzz/$target.log
  if build/fuzz/tests/fuzz/targets/fuzz_"$target" -runs="$runs" -seed=1 -max_len="$longest" -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/findings/$target-" "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" \
    >"$log" 2>&1; then
    printf '%-14s %9s executions, nothing found\n' "$target" "$runs"
  else
    printf '%-14s a finding, see %s\n' "$target" "$log"
    status=1
  fi
done
exit $status

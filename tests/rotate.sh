#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rotate.sh PARTS PROGRAM ARGUMENT...: runs one of the PARTS of a test program's cases, another one with every seed
# (KUMIKI_SEED, which ./test takes from the commit); all of them with KUMIKI_LONG.
set -euo pipefail
parts=$1
shift
if [ -z "${KUMIKI_LONG-}" ]; then
  export GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$((${KUMIKI_SEED:-1} % parts))
  echo "part $GTEST_SHARD_INDEX of $parts, KUMIKI_SEED=${KUMIKI_SEED:-1}"
fi
exec "$@"

#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the tests: scripts/test.sh [ctest's arguments]
# What takes longer is in .ci/run and, by far the most, in scripts/verify.sh.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"

scripts/install.sh test
scripts/web-assets.sh || echo "without the charting library, tests of pages are skipped"
build_all
# Random tests draw some of their cases from the commit, so that each landing looks somewhere else.
export TESSERA_SEED=${TESSERA_SEED:-$(seed_of_commit)}
echo "random cases: TESSERA_SEED=$TESSERA_SEED"
record=$build/tests/record.tsv
rm -f "$record"
status=0
TESSERA_TEST_RECORD=$record ctest --preset release -j "$(nproc)" "$@" || status=$?
[[ ! -f $record ]] || awk -F '\t' -f scripts/test-summary.awk "$record"
exit $status

#!/usr/bin/env bash
# Puts what the steps of a run of .ci/run took into CONTRIBUTING.md: scripts/keep-steps.sh CLONE
# CLONE is where it ran; its commit is named.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
clone=${1:?the clone in which .ci/run has run}
page=$top/CONTRIBUTING.md
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
commit=$(git -C "$clone" rev-parse --short=12 HEAD)
{
  sed '/^<!-- steps -->$/q' "$page"
  awk -v markdown=1 -f "$top/scripts/step-table.awk" "$clone/build/steps.tsv"
  printf '\nCommit `%s`, %s, %s processors (%s).\n' "$commit" "$(date -r "$clone/build/steps.tsv" +%F)" "$(nproc)" "$machine"
  sed -n '/^<!-- end of steps -->$/,$p' "$page"
} >"$page.part"
mv "$page.part" "$page"

#!/usr/bin/env bash
# What a change touches, before it is committed: formats it, lints it, runs the tests that can see it.
# scripts/check.sh [BASE] (default HEAD: what is not committed yet). RTL changes: lint and a short run
# on the RTL; everything else is scripts/test.sh.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
base=${1:-HEAD}

mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base"
  git ls-files --others --exclude-standard; } | sort -u)
matching() { printf '%s\n' "${changed[@]}" | grep -E "$1" || true; }

mapfile -t cpp < <(matching '\.(cpp|hpp)$' | grep -v generated || true)
((${#cpp[@]} == 0)) || clang-format -i "${cpp[@]}"
python3 scripts/check-rooms.py

# Tests build what they need; those of the host take seconds all together.
built cosim host_tests
if ((${#cpp[@]})); then
  scripts/install.sh lint
  scripts/tidy.py --since "$base"
fi

if [ -n "$(matching '^rtl/')" ]; then
  scripts/lint-rtl.sh small
  "$build/cosim" --config configs/npu.yaml --set hardware=tiny --quiet
  "$build/cosim" validate --config configs/npu.yaml --set hardware=tiny --quiet
fi
ctest --preset release -L host -j "$(nproc)" --quiet --output-on-failure
echo "checked: ${#changed[@]} files changed since $base"

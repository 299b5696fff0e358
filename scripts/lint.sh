#!/usr/bin/env bash
# Formatting, Verilator lint of every preset, clang-tidy of every source.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh ci
echo "clang-format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
[ -f build/lint/build.ninja ] || cmake --preset lint >/dev/null
ninja -C build/lint --quiet variant
for preset in tiny small medium large; do
  echo "verilator lint: $preset"
  mapfile -t parameters < <(build/lint/variant parameters "$preset")
  (cd rtl && verilator --lint-only -Wall --no-timing --top-module tessera_npu \
    "${parameters[@]/#/-G}" lint.vlt -f files.f)
done
echo "clang-tidy"
ninja -C build/lint

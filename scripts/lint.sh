#!/usr/bin/env bash
# Formatting, Verilator lint of every preset, clang-tidy of every source.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh ci
echo "clang-format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
ninja -C build/release --quiet variant generated/tflite_generated.h
boot=()
while read -r file; do boot+=("boot/$file"); done < rtl/boot/files.f
for preset in tiny small medium large; do
  echo "verilator lint: $preset"
  mapfile -t parameters < <(build/release/variant parameters "$preset")
  (cd rtl
    verilator --lint-only -Wall --no-timing --top-module tessera_npu \
      "${parameters[@]/#/-G}" lint.vlt -f files.f
    verilator --lint-only -Wall --no-timing --top-module tessera_boot \
      "${parameters[@]/#/-G}" lint.vlt -f files.f "${boot[@]}")
done
echo "clang-tidy"
# Fuzzers and what is compiled with a Verilated model are not in the compilation database.
tidy() {
  clang-tidy --quiet --warnings-as-errors='*' -p build/release "$1" 2>/dev/null || { echo "$1"; return 1; }
}
export -f tidy
git ls-files '*.cpp' | grep -v -e '^tests/fuzz/' -e '^sim/rtl/model.cpp' -e '^sim/rtl/system_model.cpp' |
  xargs -P "$(nproc)" -I{} bash -c 'tidy {}'

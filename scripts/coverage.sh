#!/usr/bin/env bash
# What the tests reach: scripts/coverage.sh [rtl|cpp] (default both). Reports in build/coverage.
#   rtl: lines and toggles of the Verilated accelerator, over the tests of faults and commands and random networks
#   cpp: lines of C++ (gcov), over the host tests and random networks
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
what=${1:-both}
out=$top/build/coverage
mkdir -p "$out"

if [[ $what != cpp ]]; then
  ninja -C build/release --quiet soak faults_test illegal_words_test features_test
  rm -rf "$out/rtl"
  mkdir -p "$out/rtl"
  export TESSERA_RTL_COVERAGE=$out/rtl
  for preset in nano tiny small; do
    build/release/tests/soak --engine rtl --preset $preset --cases "${TESSERA_COVERAGE_CASES:-150}" 2>/dev/null
  done
  build/release/tests/faults_test --gtest_brief=1
  build/release/tests/illegal_words_test --gtest_brief=1
  scripts/rtl-coverage.py "$out/rtl" "$out/rtl.txt"
  unset TESSERA_RTL_COVERAGE
fi

if [[ $what != rtl ]]; then
  command -v gcovr >/dev/null || { echo "gcovr is needed (Debian's package gcovr)" >&2; exit 1; }
  cmake -S . -B "$out/cpp" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="--coverage -O1" >/dev/null
  ninja -C "$out/cpp" --quiet host_tests soak cosim
  find "$out/cpp" -name '*.gcda' -delete
  (cd "$out/cpp" && ctest -L host -j "$(nproc)" --quiet || true)
  "$out/cpp/tests/soak" --engine tlm --cases 1500 2>/dev/null
  gcovr --root . --object-directory "$out/cpp" --exclude 'tests/.*' --exclude 'build/.*' --exclude '.*generated.*' \
    --print-summary --txt "$out/cpp.txt" | tail -n 3
fi

#!/usr/bin/env bash
# What the tests reach: scripts/coverage.sh [rtl|cpp] (default both). Reports in build/coverage.
#   rtl: lines and toggles of the Verilated accelerator, over drawn streams and networks and the tests of faults and commands
#   cpp: lines of C++ (gcov), over the tests
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
what=${1:-both}
out=$top/build/coverage
mkdir -p "$out"

if [[ $what != cpp ]]; then
  configured release
  ninja -C build/release --quiet soak rtl_test
  rm -rf "$out/rtl"
  mkdir -p "$out/rtl/presets" "$out/rtl/drawn"
  # Bits are counted in these four: in a wider design the same lines have more of them.
  export TESSERA_RTL_COVERAGE=$out/rtl/presets
  TESSERA_CASES=4 build/release/tests/rtl_test --gtest_brief=1 \
    --gtest_filter='Presets/Streams.*:*Faults*:Registers*:Presets/*:IllegalWords*:Features.RegistersSay*:Features.Without*-Presets/StreamChecksum.*/2:Presets/RandomOperators*:Presets/RandomChains*'
  for preset in nano tiny small medium; do
    build/release/tests/soak --engine rtl --preset $preset --cases "${TESSERA_COVERAGE_CASES:-150}" 2>/dev/null
  done
  # Lines that only other shapes have.
  TESSERA_RTL_COVERAGE=$out/rtl/drawn TESSERA_RANDOM_HARDWARE=1,4,64 build/release/tests/rtl_test --gtest_brief=1 --gtest_filter='Seeds/*'
  scripts/rtl-coverage.py "$out/rtl/presets" "$out/rtl.txt" --lines "$out/rtl/drawn"
  unset TESSERA_RTL_COVERAGE
  rm -rf "$out/rtl"  # gigabytes
fi

# Not counted: benchmarks, and the Python package's engine, which is another build's.
if [[ $what != rtl ]]; then
  command -v gcovr >/dev/null || { echo "gcovr is needed (Debian's package gcovr)" >&2; exit 1; }
  cmake -S . -B "$out/cpp" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="--coverage -O1" >/dev/null
  ninja -C "$out/cpp" --quiet
  find "$out/cpp" -name '*.gcda' -delete
  # Without what takes hours when every line is counted.
  (cd "$out/cpp" && ctest -LE '^(verify-.*|ci-.*)$' -E 'RandomRtl' -j "$(nproc)" --quiet || true)
  gcovr --root . --object-directory "$out/cpp" --exclude 'tests/.*' --exclude 'bench/.*' --exclude 'python/.*' \
    --exclude 'build/.*' --exclude '.*generated.*' --print-summary --txt "$out/cpp.txt" | tail -n 3
fi

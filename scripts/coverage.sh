#!/usr/bin/env bash
# What the tests reach: scripts/coverage.sh [rtl|cpp] (default both). Reports in build/coverage.
#   rtl: lines and toggles of the Verilated accelerator, over drawn streams and networks and the tests of faults and commands
#   cpp: lines of C++ (gcov), over the tests
# Each in three steps as well, for who has little time: rtl-presets, rtl-networks, rtl-report; cpp-1, cpp-2, cpp-report.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
what=${1:-both}
out=$top/build/coverage
mkdir -p "$out"

# Bits are counted in these four presets: in a wider design the same lines have more of them.
presets_of_rtl() {
  export TESSERA_RTL_COVERAGE=$out/rtl/presets
  TESSERA_CASES=4 build/release/tests/rtl_test --gtest_brief=1 \
    --gtest_filter='Presets/Streams.*:*Faults*:Registers*:Presets/*:IllegalWords*:Features.RegistersSay*:Features.Without*-Presets/StreamChecksum.*/2:Presets/RandomOperators*:Presets/RandomChains*'
}

networks_of_rtl() {
  export TESSERA_RTL_COVERAGE=$out/rtl/presets
  for preset in nano tiny small medium; do
    build/release/tests/soak --engine rtl --preset $preset --cases "${TESSERA_COVERAGE_CASES:-150}" 2>/dev/null
  done
}

# Lines that only other shapes have.
report_of_rtl() {
  TESSERA_RTL_COVERAGE=$out/rtl/drawn TESSERA_RANDOM_HARDWARE=1,4,64 build/release/tests/rtl_test --gtest_brief=1 --gtest_filter='Seeds/*'
  scripts/rtl-coverage.py "$out/rtl/presets" "$out/rtl.txt" --lines "$out/rtl/drawn"
  rm -rf "$out/rtl"  # gigabytes
}

if [[ $what != cpp* ]]; then
  configured release
  ninja -C build/release --quiet soak rtl_test
  if [[ $what != rtl-networks && $what != rtl-report ]]; then
    rm -rf "$out/rtl"
  fi
  mkdir -p "$out/rtl/presets" "$out/rtl/drawn"
  case $what in
    rtl-presets) (presets_of_rtl) ;;
    rtl-networks) (networks_of_rtl) ;;
    rtl-report) report_of_rtl ;;
    *)
      (presets_of_rtl)
      (networks_of_rtl)
      report_of_rtl
      ;;
  esac
fi

# Every second test, from the first or from the second on. Without what takes hours when every line is counted.
half_of_cpp() {
  cmake -S . -B "$out/cpp" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS="--coverage -O1" >/dev/null
  ninja -C "$out/cpp" --quiet
  if [[ $1 == 1 ]]; then
    find "$out/cpp" -name '*.gcda' -delete
  fi
  (cd "$out/cpp" && ctest -LE '^(verify-.*|ci-.*)$' -E 'RandomRtl' -I "$1,,2" -j "$(nproc)" --quiet || true)
}

# Not counted: benchmarks, and the Python package's engine, which is another build's.
report_of_cpp() {
  gcovr --root . --object-directory "$out/cpp" --exclude 'tests/.*' --exclude 'bench/.*' --exclude 'python/.*' \
    --exclude 'build/.*' --exclude '.*generated.*' --print-summary --txt "$out/cpp.txt" | tail -n 3
}

if [[ $what != rtl* ]]; then
  command -v gcovr >/dev/null || { echo "gcovr is needed (Debian's package gcovr)" >&2; exit 1; }
  case $what in
    cpp-[12]) half_of_cpp "${what#cpp-}" ;;
    cpp-report) report_of_cpp ;;
    *)
      half_of_cpp 1
      half_of_cpp 2
      report_of_cpp
      ;;
  esac
fi

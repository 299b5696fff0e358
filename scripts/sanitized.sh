#!/usr/bin/env bash
# Tests with clang's address and undefined-behaviour sanitizers: scripts/sanitized.sh host|more|rtl
#   host  all of the host's, but what searches for long
#   more  what of the host's is too much for each landing: the command line, a long test
#   rtl   what drives the RTL, SystemC and the cost model: faults, registers, drawn streams, random operators
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
log=$top/build/sanitizers-$1.log
configured sanitizers
case $1 in
  host)
    ninja -C build/sanitizers --quiet host_tests
    ctest --preset sanitizers -j "$(nproc)" >"$log" 2>&1 || { cat "$log"; exit 1; }
    tail -n 1 "$log"
    ;;
  more)
    ninja -C build/sanitizers --quiet docs_test pages scheduler_test
    ctest --test-dir build/sanitizers -L '^(command-line|long)$' --no-tests=error --output-on-failure
    ;;
  rtl)
    built variant
    "$build/variant" build nano tiny small
    # SystemC's threads have stacks of their own: an exception there has the sanitizer clean up another one. Without its look at stacks.
    cmake --preset sanitizers -B build/sanitizers-rtl -DTESSERA_FUZZ=OFF -DCMAKE_CXX_FLAGS="-mllvm -asan-stack=0" >/dev/null
    ninja -C build/sanitizers-rtl --quiet rtl_test
    TESSERA_DATA_DIR=$build/share/tessera build/sanitizers-rtl/tests/rtl_test --gtest_brief=1 \
      --gtest_filter='*Faults*:Registers*:Presets/Streams.Drawn*on_nano:Presets/Streams.Drawn*on_tiny:*RandomOperators*nano*:*RandomChains*tiny*:RandomHardware*'
    ;;
  *)
    echo "sanitized.sh: $1?" >&2
    exit 2
    ;;
esac

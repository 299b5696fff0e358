#!/usr/bin/env bash
# Fuzzes every reader with sanitizers: scripts/fuzz.sh [SECONDS] (default 60 each). New inputs that reach
# new code stay in build/sanitizers/fuzz/found; one that crashes ends the run with its path.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
seconds=${1:-60}

scripts/install.sh ci
configured sanitizers
ninja -C build/sanitizers --quiet fuzz_tflite fuzz_onnx fuzz_yaml fuzz_csv fuzz_config fuzz_commands fuzz_small_tflite fuzz_small_onnx

# What other people's tools wrote, besides our own small files.
for kind in tflite onnx; do
  mkdir -p "build/sanitizers/fuzz/zoo/$kind"
  cp tests/zoo/small/*."$kind" "build/sanitizers/fuzz/zoo/$kind"
done

fuzz() {
  local target=$1 log=build/sanitizers/fuzz/$1.log
  local seeds=("build/sanitizers/fuzz/found/$target" "build/sanitizers/fuzz/zoo/$target")
  local length=() seconds=$seconds
  # All of a model's choices from the beginning on; what compiles takes longer.
  if [[ $target == small_* ]]; then
    length=(-max_len=400 -len_control=0)
    seconds=$((3 * seconds))
  fi
  mkdir -p "${seeds[@]}"
  # Those that make models of the fuzzer's choices begin with nothing.
  if [[ -d tests/fuzz/corpus/$target ]]; then
    seeds+=("tests/fuzz/corpus/$target")
  fi
  if ! "build/sanitizers/tests/fuzz/fuzz_$target" -seed=1 -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -max_len=65536 ${length[@]+"${length[@]}"} -print_final_stats=1 -artifact_prefix="build/sanitizers/fuzz/$target-" \
    "${seeds[@]}" >"$log" 2>&1; then
    tail -40 "$log"
    echo "$target: FAILED"
    return 1
  fi
  echo "$target: $(grep -o 'number_of_executed_units: *[0-9]*' "$log" | grep -o '[0-9]*$') inputs," \
    "$(grep -o 'cov: [0-9]*' "$log" | tail -1)"
}
export -f fuzz
export seconds
printf '%s\n' tflite onnx yaml csv config commands small_tflite small_onnx | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'

#!/usr/bin/env bash
# Runs all three engines and writes how far they are from the RTL into docs/results/engine-errors.json and the page of it;
# --check: runs a few of the table's lines again and compares, with `all` every one. Needs the published models and tables
# (TESSERA_SHARED, or `shared` beside the project); exit code 77 without them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
cosim=${COSIM:-$build/cosim}
table=engine-errors/errors
header='| network | hardware | cbuf KiB | memory | RTL cycles | tlm, layers | tlm, total | model, layers | model, total | bytes |'
# The rows that come in as a table.
as_table() {
  printf '%s\n| --- |\n' "$header"
  cat
}

needs_shared

model() { echo "$shared/models/$1/model.tflite"; }
topology() { echo "$shared/benchmarks/topologies/$1.csv"; }
ideal=ideal
plain='{bytes_per_cycle: 8, latency: 100}'
ddr4=ddr4

row() { # network hardware cbuf memory
  local name=${1##*/}
  [[ $name == model.tflite ]] && name=$(basename "$(dirname "$1")")
  "$cosim" validate --config configs/npu.yaml --network "$1" --set "hardware=$2" \
    --set "hardware.cbuf.size=$3KiB" --set "memory=$4" --quiet --markdown |
    sed "s#^|[^|]*|#| $name |#"
}
export -f row
export cosim

# One job per line: four fields, separated by tabs.
each() { tr '\t\n' '\0\0' | xargs -0 -n 4 -P "$(nproc)" bash -c 'row "$@"' row; }

# All lines of the table as jobs, the long ones first.
all_rows() {
  for network in "$(topology Resnet18)" "$(topology mobilenet)" "$(model ssd_slim)" \
    "$(model person_detect)" "$(model ic_resnet8)" "$(model kws_dscnn)"; do
    for hardware in small medium; do
      for cbuf in 32 128 256; do
        for memory in "$ideal" "$plain" "$ddr4"; do
          printf '%s\t%s\t%s\t%s\n' "$network" "$hardware" "$cbuf" "$memory"
        done
      done
    done
  done
}

if [[ ${1:-} == --check ]]; then
  if [[ ${2:-} == all ]]; then
    all_rows
  else
    printf '%s\t%s\t%s\t%s\n' "$(model ic_resnet8)" medium 32 "$ddr4"
    printf '%s\t%s\t%s\t%s\n' "$(model ic_resnet8)" small 128 "$plain"
    printf '%s\t%s\t%s\t%s\n' "$(model kws_dscnn)" medium 128 "$ideal"
    printf '%s\t%s\t%s\t%s\n' "$(model kws_dscnn)" small 32 "$ddr4"
    printf '%s\t%s\t%s\t%s\n' "$(model person_detect)" medium 256 "$plain"
    printf '%s\t%s\t%s\t%s\n' "$(model ssd_slim)" medium 32 "$ddr4"
  fi | each | as_table | scripts/results.py --same "$table"
  exit
fi

all_rows | each | sort -t'|' -k2,3 -k4,4n -k5,5 | as_table | scripts/results.py --take "$table" --whole
scripts/results.py --write

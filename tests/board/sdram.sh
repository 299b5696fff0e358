#!/usr/bin/env bash
# The memory controller against the memory's model: buses and chips of all kinds with random traffic; and each time that is
# set too short, and an interval too long, is noticed by the model.
# sdram.sh BUILD-FOLDER some|all
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
work=$(realpath "$1")/board/sdram-$2
rm -rf "$work"
mkdir -p "$work"
cycles=100000
what=$2

# built NAME BUS-BYTES CONTROLLER PARAMETER...: the bench, as a program.
built() {
  local name=$1 bus=$2 controller=$3
  shift 3
  (cd "$top/rtl" && verilator --cc --exe --build -O3 --no-timing -Wno-fatal -Wno-lint --Mdir "$work/$name" \
    --top-module sdram_bench "$@" "-GBusBytes=$bus" -MAKEFLAGS OPT_GLOBAL=-O0 -CFLAGS "-O1 -std=c++17 -DBUS_BYTES=$bus" cells/ram_1r1w.sv \
    cells/sync_fifo.sv "$controller" board/sdram_port.sv "$top/sim/board/sdram_model.sv" "$here/sdram_bench.sv" \
    "$here/sdram_main.cpp") >"$work/$name.log" 2>&1 || { tail -n 20 "$work/$name.log"; exit 1; }
}

# good NAME BUS-BYTES PARAMETER...
good() {
  local name=$1 bus=$2
  shift 2
  built "$name" "$bus" board/sdram_controller.sv "$@"
  echo "$name: $("$work/$name/Vsdram_bench" 2 $((3 * cycles)) | tee "$work/$name.said" | paste -sd' ')"
  if grep -qE "^(wrong|rule)" "$work/$name.said"; then exit 1; fi
}

# Of short bursts that are written, in beats per cycle.
rate_of() {
  sed -n 's/^writes \(.*\) beats per cycle.*/\1/p' "$work/$1.said"
}

# broken RULE PARAMETER...: on a chip and a clock where all times count.
fast=(-GDataBytes=4 -GCasLatency=3 -GClockPs=6000 -GInitCycles=17000 -GActivateCycles=4 -GPrechargeCycles=4 -GActiveCycles=8
  -GRefreshCycles=11 -GRecoveryCycles=3 -GRefreshInterval=1200)
broken() {
  local rule=$1
  shift
  built "broken$rule" 8 "${controller:-board/sdram_controller.sv}" "${fast[@]}" "$@"
  local said
  said=$("$work/broken$rule/Vsdram_bench" 1 $cycles || true)
  grep -q "^rule $rule broken" <<<"$said" || { echo "rule $rule is not noticed with $*: $said"; exit 1; }
}

eager() {
  sed 's/ReadToWrite = CasLatency + 2/ReadToWrite = 1/' "$top/rtl/board/sdram_controller.sv" >"$work/eager.sv"
  controller=$work/eager.sv broken 15
}

if [[ $what == some ]]; then
  good fast 8 "${fast[@]}"
  broken 4 -GPrechargeCycles=2
  eager
  echo "the controller keeps every rule on one kind of chip; 2 broken ones are noticed"
  exit
fi

good fast 8 "${fast[@]}"
good ulx3s 4
good colorlight 4 -GDataBytes=4 -GHasMasks=0
good wide 16
good unmasked 8 -GHasMasks=0
good equal 2

{
  printf '| controller | beats per cycle |\n| --- | ---: |\n'
  printf '| ulx3s: the memory takes half a beat per cycle | %s |\n' "$(rate_of ulx3s)"
  printf '| colorlight: the memory takes one beat per cycle | %s |\n' "$(rate_of colorlight)"
} | "$top/scripts/results.py" --same boards/memory-bandwidth

broken 1 -GInitCycles=9000
broken 4 -GPrechargeCycles=2
broken 7 -GRefreshCycles=5
broken 8 -GActivateCycles=2
broken 10 -GActiveCycles=4
broken 11 -GRecoveryCycles=0
broken 13 -GRefreshInterval=12000
broken 14 -GCasLatency=2
eager
echo "the controller keeps every rule; 9 broken ones are noticed"

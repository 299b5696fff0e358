#!/usr/bin/env bash
# Runs one of the checks with other people's tools: verify.sh COSIM BUILD-FOLDER SHARED-FOLDER WHAT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cosim=$1
out=$2/verify/$4
shared=$3
python=$here/../build/verify/venv/bin/python
if [[ ! -x $python ]]; then
  echo "skipped: no Python with cocotb, Bitwuzla and tflite-micro (scripts/install.sh verify gets them)"
  exit 77
fi
case $4 in
  bus_models) exec "$python" "$here/cocotb/run.py" "$cosim" "$out" "$shared" ;;
  tflite_micro) exec "$python" "$here/tflite_micro/run.py" "$cosim" "$out" "$shared" "$2/zoo/models" --small ;;
  upsets) exec "$python" "$here/upsets/run.py" "$cosim" "$out" "$shared" --count 60 ;;
  *) echo "verify.sh: $4?" >&2; exit 2 ;;
esac

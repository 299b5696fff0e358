#!/usr/bin/env bash
# The zoo: made, run, compared, and the page about it checked. zoo.sh COSIM BUILD-FOLDER [SHARED-FOLDER [--all]]
# Without --all policy best runs a few of the largest models, which TESSERA_DRAW chooses.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cosim=$1
zoo=$2/zoo
shared=${3:-}
python=${TESSERA_ZOO_PYTHON:-$here/../../build/zoo/venv/bin/python}
if [[ ! -x $python ]]; then
  echo "skipped: no Python with TensorFlow and ONNX Runtime (scripts/zoo-python.sh makes one)"
  exit 77
fi
mkdir -p "$zoo"
export PYTHONHASHSEED=0  # the order of sets decides names in ONNX files
# Models are made anew when what makes them has changed.
if ! cat "$here/make.py" "$here/requirements.txt" | cmp -s - "$zoo/made-by"; then
  rm -rf "$zoo/models"
  "$python" "$here/make.py" "$zoo/models" 2>"$zoo/make.log" || { tail -20 "$zoo/make.log"; exit 1; }
  cat "$here/make.py" "$here/requirements.txt" >"$zoo/made-by"
fi
if [[ -d $shared/models/public ]]; then
  for kind in tflite onnx; do
    "$python" "$here/make.py" "$zoo/public-$kind" --given "$shared"/models/public/*.$kind 2>"$zoo/public.log"
  done
  "$python" "$here/run.py" "$cosim" "$zoo/public-tflite" --set engine=tlm --json "$zoo/public.json"
  "$python" "$here/run.py" "$cosim" "$zoo/public-onnx" --set engine=tlm --json "$zoo/public-onnx.json"
else
  rm -f "$zoo"/public*.json
  echo "skipped: the public models are not on this machine (TESSERA_SHARED)"
fi
with() { # a policy
  local policy=$1
  shift
  "$python" "$here/run.py" "$cosim" "$zoo/models" --set engine=tlm --set policy="$policy" --json "$zoo/tlm-$policy.json" "$@"
  "$python" "$here/run.py" "$cosim" "$zoo/models" --set engine=rtl --set policy="$policy" \
    --only "$("$python" "$here/page.py" --rtl)" --json "$zoo/rtl-$policy.json"
}
with first-fit
few=(--few "$zoo/tlm-first-fit.json" --seed "${TESSERA_DRAW:-1}")
[[ ${4:-} != --all ]] || few=()
with best "${few[@]}"
drawn=(--count 500 --seed "${TESSERA_SEED:-1}")
for more in "" --finer; do
  "$python" "$here/drawn_onnx.py" "$cosim" "${drawn[@]}" $more 2>"$zoo/drawn.log"
done
for runtime in litert xnnpack tflm; do
  "$python" "$here/drawn_tflite.py" "$cosim" "${drawn[@]}" --runtime "$runtime" 2>"$zoo/drawn.log"
done
"$python" "$here/drawn_states.py" "$cosim" --count 150 --seed "${TESSERA_SEED:-1}" 2>"$zoo/drawn.log"
streaming=()
if [[ -d $shared/models/streaming ]]; then
  streaming=(--shared "$shared")
fi
"$python" "$here/streaming.py" "$cosim" "${streaming[@]}" --seed "${TESSERA_SEED:-1}" 2>"$zoo/streaming.log"
public=()
for folder in public transformers; do
  if [[ -d $shared/models/$folder ]]; then
    public+=("$shared/models/$folder")
  fi
done
"$python" "$here/compare.py" "$cosim" "$python" "$zoo/compared.json" "$zoo/models" "${public[@]}"
"$python" "$here/page.py" "$zoo" --check

#!/usr/bin/env bash
# The zoo: made, run, compared, and the page about it checked. zoo.sh COSIM BUILD-FOLDER [SHARED-FOLDER [--all]]
# Without --all TESSERA_DRAW chooses the models that policy best runs (landing.py) and the runtime with which each is compared,
# and half as many small models are drawn.
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
with() { # a policy, and which models on which engine
  "$python" "$here/run.py" "$cosim" "$zoo/models" --set engine=tlm --set policy="$1" --only "$2" --json "$zoo/tlm-$1.json"
  "$python" "$here/run.py" "$cosim" "$zoo/models" --set engine=rtl --set policy="$1" --only "$3" --json "$zoo/rtl-$1.json"
}
on_rtl=$("$python" "$here/page.py" --rtl)
with first-fit "" "$on_rtl"
seed=${TESSERA_DRAW:-1}
if [[ ${4:-} == --all ]]; then
  best=("" "$on_rtl") cases=500 states=150 one_runtime=()
else
  mapfile -t best < <("$python" "$here/landing.py" "$zoo/tlm-first-fit.json" --seed "$seed")
  cases=250 states=75 one_runtime=(--seed "$seed")
fi
with best "${best[@]}"

drawn() { # a program, how many cases, and what else it is to know
  "$python" "$here/$1.py" "$cosim" --count "$2" --seed "${TESSERA_SEED:-1}" "${@:3}" 2>"$zoo/$1.log"
}
of_tflite() {
  for runtime in litert xnnpack tflm; do
    drawn drawn_tflite $cases --runtime $runtime
  done
}
of_others() {
  drawn drawn_onnx $cases
  drawn drawn_onnx $cases --finer
  drawn drawn_states $states
  streaming=()
  if [[ -d $shared/models/streaming ]]; then
    streaming=(--shared "$shared")
  fi
  "$python" "$here/streaming.py" "$cosim" "${streaming[@]}" --seed "${TESSERA_SEED:-1}" 2>"$zoo/streaming.log"
}
# Each takes one processor.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
of_tflite &
of_others
wait $!
public=()
for folder in public transformers; do
  if [[ -d $shared/models/$folder ]]; then
    public+=("$shared/models/$folder")
  fi
done
"$python" "$here/compare.py" "$cosim" "$python" "$zoo/compared.json" "${one_runtime[@]}" "$zoo/models" "${public[@]}"
"$python" "$here/page.py" "$zoo" --check

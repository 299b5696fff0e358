#!/usr/bin/env bash
# Writes what networks cost on all presets into docs/results/networks.json and the page of it: changes show in review.
# Needs the published models and tables (TESSERA_SHARED, or `shared` beside the project).
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
needs_shared
built bench_networks
networks=()
for model in ic_resnet8 kws_dscnn person_detect ad_autoencoder; do
  networks+=("$shared/models/$model/model.tflite")
done
large=(configs/networks/mobilenet_v2.yaml configs/networks/resnet50.yaml configs/networks/vgg16.yaml)
for table in Resnet18 alexnet mobilenet; do
  large+=("$shared/benchmarks/topologies/$table.csv")
done
for preset in tiny small medium large; do
  all=("${networks[@]}")
  [[ $preset == tiny ]] || all+=("${large[@]}")
  "$build/bench/bench_networks" "$preset" "${all[@]}" | scripts/results.py --take "networks/$preset" --whole
done
scripts/results.py --write

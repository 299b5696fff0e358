#!/usr/bin/env bash
# Writes what networks cost on all presets into docs/results/networks.md, with the date and the machine:
# changes show in review. Needs the published models and tables (TESSERA_SHARED, or `shared` beside
# the project).
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
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
{
  cat <<'TEXT'
# Whole networks

Cycles of the accelerator and bytes on the bus, by the [cost model](../explanation/engines.md) (which is exact), external memory with 8
bytes per cycle and latency 64. *Bound*: for each layer the larger of its multiplications on a full array and its bytes on
a full bus, summed. *Best tiling*: bytes of each layer by itself, its feature from external memory and its output back, with the
best tiles of any size (`scheduler/decide/best_tiling.hpp`); programs that keep activations need less. *Compulsory*: inputs, outputs and
constants of the model, each once; activations need not move.
*Array, wait load, wait store, weights*: what the array did ([counters](../reference/reports.md#json)). *Schedule*: one core.
The tables of single layers (`Resnet18`, `alexnet`, `mobilenet`) have no data between their layers.

TEXT
  echo "Made by \`scripts/benchmark-networks.sh\` on $(date +%Y-%m-%d), $machine."
  for preset in tiny small medium large; do
    printf '\n## %s\n\n' "$preset"
    all=("${networks[@]}")
    [[ $preset == tiny ]] || all+=("${large[@]}")
    "$build/bench/bench_networks" "$preset" "${all[@]}"
  done
  cat <<'TEXT'

## What limits each preset

- `tiny` (4 x 4, 4 bytes per beat): the array is at work for nine tenths and more of convolutions; depthwise layers walk
  4 channels at a time and wait for one requantised value per cycle; fully connected layers wait for weight tiles.
- `small` (8 x 8): the array; where it is not, the edge of tiles and of kernel groups (channels that are no multiple of 8), and
  for fully connected layers the bus.
- `medium` (16 x 16): the bus of 8 bytes per cycle for fully connected layers and weights of late layers, depthwise layers
  with strides (each input pixel is walked), and the rows above each band that they walk again.
- `large` (32 x 32, 16 bytes per beat, memory of 8 bytes per cycle): the memory. A layer needs 128 multiplications per byte to
  keep the array at work, four times as many as on `medium`; small pictures also end before weight tiles of 32 kernels are
  loaded.
TEXT
} >docs/results/networks.md

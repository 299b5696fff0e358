#!/usr/bin/env bash
# Installs what is missing, builds, and simulates: scripts/run.sh [cosim's arguments]
# Without arguments: the default configuration.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$top/scripts/install.sh" build
configured release
# The hardware of the default configuration is Verilated by the first run, others when they are asked for.
NINJA_STATUS="building cosim [%f/%t, %e s] " ninja -C "$build" cosim
(($#)) || set -- --config "$top/configs/npu.yaml"
exec "$build/cosim" "$@"

#!/usr/bin/env bash
# Installs what is missing, builds, and simulates: scripts/run.sh [cosim's arguments]
# Without arguments: the default configuration.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$top/scripts/install.sh" build
configured release
NINJA_STATUS="building [%f/%t] " ninja -C "$build" cosim rtl_presets
(($#)) || set -- --config "$top/configs/npu.yaml"
exec "$build/cosim" "$@"

#!/usr/bin/env bash
# Installs what is missing, builds, and simulates: scripts/run.sh [cosim's arguments]
# Without arguments: the default configuration.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

"$top/scripts/install.sh" build
[ -f "$top/build/release/build.ninja" ] || (cd "$top" && cmake --preset release >/dev/null)
NINJA_STATUS="building [%f/%t] " ninja -C "$top/build/release" cosim rtl_presets
(($#)) || set -- --config "$top/configs/npu.yaml"
exec "$top/build/release/cosim" "$@"

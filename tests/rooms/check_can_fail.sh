#!/usr/bin/env bash
# The check of the rooms finds what it is there for: each break below, alone, in a copy of the tree.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Once, as other tests may write beside the sources meanwhile; what vanishes is none of them, or the check says so.
mkdir "$work/whole"
(cd "$top" && find . \( -path ./build -o -path './build-*' -o -path ./.git -o -path ./tests -o -name __pycache__ \) \
  -prune -o -type f -print0 | xargs -0 cp --parents -t "$work/whole") || true
copy() {
  rm -rf "$work/tree"
  cp -r "$work/whole" "$work/tree"
}
finds() { # what the check must say
  if "$top/scripts/check-rooms.py" "$work/tree" 2>"$work/said"; then
    echo "not found: $1" >&2
    exit 1
  fi
  grep -qF "$1" "$work/said" || { echo "said another thing than: $1" >&2; cat "$work/said" >&2; exit 1; }
}

copy
"$top/scripts/check-rooms.py" "$work/tree" >/dev/null
sed -i '/^| `scheduler\/check` |/d' "$work/tree/docs/explanation/architecture.md"
finds 'scheduler/check: docs/explanation/architecture.md lists no such room'

copy
sed -i '1i #include "scheduler/tile_loops/pass_planner.hpp"' "$work/tree/planner/offsets/greedy.cpp"
finds 'an arrow climbs from planner/offsets to scheduler/tile_loops'

copy
sed -i '1i #include "network/builder.hpp"' "$work/tree/include/tessera/network.hpp"
finds 'an arrow climbs from include/tessera to network'

copy
sed -i 's/tessera_room(tile_loops tessera::operations)/tessera_room(tile_loops tessera::operations tessera::sim)/' \
  "$work/tree/scheduler/tile_loops/CMakeLists.txt"
finds 'scheduler/tile_loops: links sim, which stands higher'

copy
sed -i 's/tessera_room(tile_loops tessera::operations)/tessera_room(tile_loops)/' \
  "$work/tree/scheduler/tile_loops/CMakeLists.txt"
finds 'without linking tessera::operations'

copy
echo '  load_unit u_load ();' >>"$work/tree/rtl/cells/sync_fifo.sv"
finds 'an arrow climbs from rtl/cells to rtl/load'

copy
echo 'See `scheduler/nowhere.cpp`.' >>"$work/tree/docs/explanation/engines.md"
finds 'docs/explanation/engines.md: names scheduler/nowhere.cpp, which does not exist'

copy
echo 'static int words() { return kParamWord; }' >>"$work/tree/timing/data_path/data_path_cycle.cpp"
finds 'data_path_cycle.cpp: uses kParamWord, which another source declares for itself'

copy
echo 'struct PixelWalk {};' >>"$work/tree/scheduler/tiling/modes.cpp"
finds 'modes.cpp: `PixelWalk`: say loop order, not walk'

copy
touch "$work/tree/scheduler/tiling/keepable.hpp"
finds 'scheduler/tiling/keepable.hpp: say residency candidate, not keepable'
echo "ten breaks, all found"

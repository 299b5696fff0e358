# What the scripts share: where things are, and builds made when they are missing. Sourced.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build/release
# Published models and tables, when this machine has them.
shared=${TESSERA_SHARED:-$top/../shared}

# configured PRESET: its build tree is there.
configured() {
  [ -f "$top/build/$1/build.ninja" ] || (cd "$top" && cmake --preset "$1" >/dev/null)
}

# built TARGETS: in the release tree.
built() {
  configured release
  ninja -C "$build" --quiet "$@"
}

build_all() {
  configured release
  NINJA_STATUS="building [%f/%t] " ninja -C "$build"
}

# A number made of the commit, for what tests draw; 1 where there is none.
seed_of_commit() {
  local commit
  commit=$(git -C "$top" rev-parse HEAD 2>/dev/null || echo 1)
  echo $((16#${commit:0:8} + 1))
}

# needs_shared WHAT: ends the script with 77, which tests take for skipped.
needs_shared() {
  [[ -d $shared/models && -d $shared/benchmarks/topologies ]] || {
    echo "skipped: no models in $shared" >&2
    exit 77
  }
}

# rtl_parameters PRESET: into the array `parameters`, NAME=VALUE each, and `sources`, files in the folder rtl.
rtl_parameters() {
  built variant
  mapfile -t parameters < <("$build/variant" parameters "$1")
  list=$("$build/variant" sources "$1")
  mapfile -t sources < <(sed "s#^#$(dirname "$list")/#" "$top/rtl/$list")
}

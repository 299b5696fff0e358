#!/usr/bin/env bash
# Verilates the accelerator of a ROM's folder with its state in reach: build.sh ROM OUT. OUT/upsets is the program.
set -euo pipefail
rom=$1
out=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "$out"
mapfile -t sources < <(sed "s#^#$top/rtl/#" "$top/rtl/files.f")
mapfile -t known < <(sed -n '/^module tessera_npu/,/^) (/s/.*parameter int unsigned \(\w*\) .*/\1/p' "$top/rtl/tessera_npu.sv")
parameters=()
for name in "${known[@]}"; do
  value=$(sed -n "s/^ *\.$name(\([0-9]*\)),*$/\1/p" "$rom/tessera_system.sv" | head -n 1)
  [[ -z $value ]] || parameters+=("-G$name=$value")
done
flags=(--cc --exe --build -j 2 --no-timing -O3 --noassert -Wno-fatal -Wno-lint --public-flat-rw --top-module tessera_npu)
verilator "${flags[@]}" "${parameters[@]}" -Mdir "$out" -o upsets \
  -CFLAGS "-std=c++17 -O2 -w -I$top -I$top/include" -LDFLAGS "-lfmt" "${sources[@]}" "$here/main.cpp" \
  -MAKEFLAGS "OPT_FAST=-O2" >"$out/build.log" 2>&1 || { tail -n 30 "$out/build.log"; exit 1; }
# Name, highest bit, and words of each register and memory, from the model's declarations.
sed -nE 's#.*/\*([0-9]+):0\*/(, ([0-9]+)>)? (\S+);#\4 \1 \3#p' "$out"/Vtessera_npu*.h |
  grep -E '^tessera_npu__DOT__\S*(_q|__DOT__mem) ' | LC_ALL=C sort -u >"$out/places.txt"

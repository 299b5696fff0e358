#!/usr/bin/env bash
# The installed tree works wherever it is moved to: check.sh BUILD_DIR
# Its quick start on the RTL, find_package from a project of somebody else's, pages of the command
# line; and no file in it knows where it was built.
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
tree=$work/moved
if grep -rlF -e "$source" -e "$work/first" "$tree"; then
  fail "these files know where they were built or installed"
fi

clean() { env -i PATH="$tree/bin:/usr/bin:/bin" HOME="$work/home" "$@"; }
mkdir "$work/home" "$work/elsewhere"
cd "$work/elsewhere"
clean cosim --version
clean cosim --config "$tree/share/tessera/configs/npu.yaml" --set hardware=tiny --quiet --json run.json
grep -q '"verified": *true' run.json || fail "the quick start was not verified"
[ -n "$(ls "$work/home/.cache/tessera")" ] || fail "Verilated hardware is not in the user's cache"
clean cosim rom --config "$tree/share/tessera/configs/npu.yaml" --out rom --quiet >/dev/null
[ -s rom/tessera_rom.bin ] || fail "no ROM"
gcc -std=c99 -c rom/tessera_host.c -o host.o || fail "the host's C does not compile"

cmake -S "$source/tests/install/consumer" -B consumer -DCMAKE_PREFIX_PATH="$tree" >/dev/null
cmake --build consumer >/dev/null
mine=$(env -i PATH=/usr/bin:/bin HOME="$work/home" consumer/consumer)
clean cosim --config "$tree/share/tessera/configs/npu.yaml" --set memory='{}' --engine tlm --quiet \
  --json tlm.json
theirs=$(python3 -c 'import json; print(json.load(open("tlm.json"))["totals"]["cycles"])')
[ "$mine" = "$theirs" ] || fail "the library counts $mine cycles, cosim $theirs"

complete=$(bash -c '
  source "$1"; COMP_WORDS=(cosim sweep sub); COMP_CWORD=2; _cosim; echo "${COMPREPLY[@]}"
' bash "$tree/share/bash-completion/completions/cosim")
[[ " $complete " == *" submit "* ]] || fail "bash completes \`cosim sweep sub\` to: $complete"
zsh -n "$tree/share/zsh/site-functions/_cosim"
groff -man -ww -z "$tree/share/man/man1/cosim.1" 2>man.log || fail "groff: $(cat man.log)"
[ ! -s man.log ] || fail "groff: $(cat man.log)"
echo "installed, moved, run, linked against"

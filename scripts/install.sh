#!/usr/bin/env bash
# Installs the Debian packages that are missing: scripts/install.sh [build|web|test|ci|lint|fpga|verify|python|package|coverage].
# `lint` also gets a clang-tidy newer than Debian's, `fpga` the open FPGA tools, `verify` other people's bus models,
# solvers and interpreters, `python` what the package is built and tested with, each into a Python environment of
# its own: build/lint, build/fpga, build/verify, build/python.
set -euo pipefail

build=(g++ make cmake ninja-build verilator zlib1g-dev libyaml-cpp-dev libcli11-dev libfmt-dev libcpp-httplib-dev libbrotli-dev pkg-config
  nlohmann-json3-dev flatbuffers-compiler libflatbuffers-dev libgtest-dev librapidcheck-dev
  libbenchmark-dev libsqlite3-dev libsystemc-dev libssl-dev libonnx-dev libprotobuf-dev
  libpng-dev libjpeg-dev)
web=()
command -v npm >/dev/null || web+=(nodejs npm)
# Viewers, clusters and compilers that results are tried with.
test=("${build[@]}" "${web[@]}" gtkwave libonnx-testdata chromium slurm-wlm munge procps
  clang gcc-arm-none-eabi gcc-riscv64-unknown-elf python3 zsh groff-base)
fpga=("${build[@]}" python3-venv)
verify=("${build[@]}" python3-venv python3-dev berkeley-abc gcc-arm-none-eabi gcc-riscv64-unknown-elf qemu-system-arm qemu-system-misc)
python=("${build[@]}" "${web[@]}" python3-venv python3-dev procps)
ci=("${test[@]}" clang-format libclang-rt-dev lld python3-venv ccache)
lint=("${ci[@]}")
package=("${build[@]}" debootstrap dpkg-dev file)
coverage=("${test[@]}" gcovr)

level=${1:-build}
declare -n packages=$level
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
if ((${#missing[@]})); then
  echo "installing: ${missing[*]}"
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get -q update
  "${as_root[@]}" apt-get -q install -y --no-install-recommends "${missing[@]}"
fi

if [[ $level == lint || $level == fpga || $level == verify || $level == python ]]; then
  top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  venv=$top/build/$level/venv
  wanted=$top/scripts/$level-requirements.txt
  if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$venv/requirements.txt"
  fi
fi

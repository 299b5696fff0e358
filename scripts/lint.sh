#!/usr/bin/env bash
# Formatting, the order of the rooms, Verilator lint of every preset, clang-tidy of every source.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"

scripts/install.sh lint
echo "clang-format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
scripts/check-rooms.py
built variant tflite_reader
scripts/lint-rtl.sh micro nano tiny small medium large
# Fuzzers and what is compiled with a Verilated model are not in the compilation database.
scripts/tidy.py

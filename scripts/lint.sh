#!/usr/bin/env bash
# Formatting, the order of the rooms, pages and their figures, Verilator lint of every preset, clang-tidy of every source: scripts/lint.sh [--since-verified]
# --since-verified: clang-tidy only of what has changed since `scripts/verify.sh lint` last passed over all.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"

scripts/install.sh lint
echo "clang-format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
scripts/check-rooms.py
scripts/results.py --check
scripts/results.py --repeated
build/lint/venv/bin/python scripts/prose.py
built variant tflite_reader benchmarks
scripts/lint-rtl.sh micro nano tiny small medium large
# Fuzzers and what is compiled with a Verilated model are not in the compilation database.
if [[ ${1:-} == --since-verified ]] && commit=$(scripts/verify.py --last lint); then
  echo "clang-tidy of what has changed since ${commit:0:12}"
  scripts/tidy.py --since "$commit"
else
  scripts/tidy.py
fi

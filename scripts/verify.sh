#!/usr/bin/env bash
# What takes too long for scripts/test.sh and .ci/run, in parts of minutes: scripts/verify.sh [PART...] [--since COMMIT] [--list] [--help]
# The parts are in scripts/verify.toml, what they said last in docs/results/verified.md. What was stopped goes on where it was.
exec python3 "$(dirname "$0")/verify.py" "$@"

#!/usr/bin/env bash
# Runs what docs/howto/quantise.md shows: walkthrough.sh COSIM
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cosim=$1
python=${TESSERA_ZOO_PYTHON:-$here/../../build/zoo/venv/bin/python}
if [[ ! -x $python ]]; then
  echo "skipped: no Python with TensorFlow and ONNX Runtime (scripts/zoo-python.sh makes one)"
  exit 77
fi
python=$(realpath -s "$python")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" - "$here/../../docs/howto/quantise.md" <<'EOF'
import re, sys
text = open(sys.argv[1]).read()
blocks = re.findall(r"```(python|sh)\n(.*?)```", text, re.S)
assert [kind for kind, _ in blocks] == ["python", "python", "sh"], "blocks of the page"
for i, (kind, body) in enumerate(blocks):
    open(f"block{i}.{kind}", "w").write(body)
EOF
"$python" block0.python >/dev/null 2>block0.log || { tail -5 block0.log; exit 1; }
"$python" block1.python >/dev/null 2>block1.log || { tail -5 block1.log; exit 1; }
printf 'hardware: medium\n' >npu.yaml
cosim() { "$cosim" "$@"; }
. ./block2.sh >out.txt
cat out.txt
[[ $(grep -c "^verified: " out.txt) == 2 ]] && grep -q "^not verified" out.txt && [[ -s y.npy ]]

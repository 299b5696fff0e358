#!/usr/bin/env bash
# What belongs to the Python package: python.sh wheel|try|test|notebooks|site
#   wheel      build/python/wheels: a wheel that brings its libraries along
#   try        a fresh environment with that wheel alone, build/python/try
#   test       the package's tests and mypy there
#   notebooks  runs docs/tutorial/notebooks there (--write keeps the outputs; --few runs two)
#   site       the documentation, build/site
# The tools are in an environment of their own, which `scripts/install.sh python` makes.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"
tools=$top/build/python/venv/bin
fresh=$top/build/python/try
wheels=$top/build/python/wheels
[[ -x $tools/python ]] || { echo "no tools: scripts/install.sh python" >&2; exit 3; }

# Libraries that every Linux has; all others are to be inside.
common='linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|libz'

wheel() {
  rm -rf "$wheels"
  scripts/web-assets.sh || echo "without the charting library: no --report, no explore"
  # The build folder stays: only what has changed is compiled again. The compiler has the name that it has for programs, whose
  # objects a cache may hold.
  CXX=c++ PATH=$tools:$PATH "$tools/pip" wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w "$wheels/plain" .
  PATH=$tools:$PATH "$tools/auditwheel" repair "$wheels"/plain/*.whl -w "$wheels" >"$wheels/auditwheel.log" 2>&1 ||
    { cat "$wheels/auditwheel.log"; exit 1; }
  ls "$wheels"/*.whl
}

try() {
  python3 -m venv --clear "$fresh"
  "$fresh/bin/pip" install --quiet --disable-pip-version-check "$wheels"/*.whl
  local packages strange
  packages=$("$fresh/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  strange=$(ldd "$packages"/tessera/_engine*.so "$packages/tessera/bin/cosim" |
    grep -oE '^\s+[^ ]+ => [^ ]+' | grep -v "$packages" | grep -vE "^\s+($common)[-.0-9]" || true)
  [[ -z $strange ]] || { echo "the wheel needs libraries from outside:"; echo "$strange"; exit 1; }
  "$fresh/bin/cosim" --version
  "$fresh/bin/python" -c 'import tessera; print(tessera.simulate("first_light", hardware="tiny"))'
}

with_tools() {
  "$fresh/bin/pip" install --quiet --disable-pip-version-check pytest mypy nbclient nbformat ipykernel matplotlib \
    pandas-stubs types-tqdm -c "$top/scripts/python-requirements.txt"
}

case ${1:?wheel, try, test, notebooks or site} in
  wheel | try) "$1" ;;
  test)
    with_tools
    cd "$top/build/python" # away from the sources: the installed package is meant
    "$fresh/bin/python" -m mypy --config-file "$top/pyproject.toml" "$top/python/tessera"
    exec "$fresh/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$top/python" "$top/python/tests"
    ;;
  notebooks)
    with_tools
    exec "$fresh/bin/python" "$top/scripts/notebooks.py" "${@:2}"
    ;;
  site)
    NO_MKDOCS_2_WARNING=1 PATH=$tools:$PATH "$tools/mkdocs" --quiet build
    # It must show without a network.
    if grep -rlE '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' build/site --include='*.html'; then
      echo "these pages fetch something from elsewhere"
      exit 1
    fi
    echo "build/site: $(find build/site -name '*.html' | wc -l) pages"
    ;;
  *)
    echo "python.sh: $1?" >&2
    exit 2
    ;;
esac

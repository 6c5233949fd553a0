# For all.sh and more.sh: `run` starts a benchmark, and prints how many minutes it took, and all so far.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}
started=$SECONDS

run() {
  local began=$SECONDS
  echo "== $*" >&2
  "$python" "benchmarks/$@"
  echo "== $(((SECONDS - began + 30) / 60)) minutes, $(((SECONDS - started + 30) / 60)) so far: $1" >&2
}

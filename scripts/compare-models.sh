#!/usr/bin/env bash
# Compares trained models with the answers that ONNX Runtime gave for them
# (internal/golden). usage: compare-models.sh [SET]
#
# The models are fetched by the test data's own script, which checks their
# checksums; SET is small (default), git or full. They stay in $GORT_MODELS_CACHE.
# Without a network nothing can be fetched: then what is there already is compared,
# and when that is nothing, the script says so loudly and succeeds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
set_name=${1:-small}
limit=${GORT_FETCH_SECONDS:-300}
cache=${GORT_MODELS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gort-models}
shared=${GORT_SHARED:-../shared}
fetch=$shared/models/get-models.sh
[ -f "$fetch" ] || { echo "no test data: $fetch is missing" >&2; exit 1; }
mkdir -p "$cache"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
fetched=yes
timeout "$limit" bash "$fetch" "$cache" --set "$set_name" 2>&1 | tee "$log" || fetched=no
if grep -q '^WRONG CHECKSUM' "$log"; then
  echo "a fetched model is not the one that was pinned" >&2
  exit 1
fi
count=$(find "$cache" -maxdepth 1 -name '*.onnx' | wc -l)
if [ "$fetched" = no ]; then
  if command -v npm >/dev/null && npm ping --fetch-timeout=10000 >/dev/null 2>&1; then
    echo "fetching failed or took more than $limit s though the registry answers" >&2
    exit 1
  fi
  echo "############################################################"
  echo "# MODELS NOT FETCHED: no network, or no npm."
  echo "# $count models of earlier runs are compared instead."
  echo "############################################################"
  [ "$count" -gt 0 ] || exit 0
fi
echo "comparing the models in $cache ($count)"
GORT_SHARED=$(cd "$shared" && pwd) GORT_MODELS=$(cd "$cache" && pwd) go test ./internal/golden -count=1 -v |
  grep -E '^ *(---|ok|FAIL|PASS|panic)|golden_test' 

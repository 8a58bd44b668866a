#!/usr/bin/env bash
# Compares gort's outputs with those of ONNX Runtime on this machine.
#
#   compare-ort.sh DIR_MODELS [NAME…]
#
# For each DIR_MODELS/NAME.onnx (default: all), inputs are made up, run under ONNX
# Runtime, and the model is then run by "gort test" on the same inputs, within
# rtol 1e-3 and atol 1e-5. What differs is listed, and makes the script fail.
#
# ONNX Runtime and the tool that runs it (ortbench) come from the test data's
# tools/ort.sh, which downloads and builds them into $ORT_DIR; a machine that has
# them sets ORT_LIB and ORTBENCH instead. The tool's flags for a model's inputs are
# taken from the test data's models.json where it has the model (needs node).
#
# On a processor with AVX2 but without VNNI, ONNX Runtime's products of unsigned by
# signed bytes saturate in 16 bits, so that a model quantised to the full range of
# int8 (kjv-lm-int8) differs there, from ONNX Runtime's own answers elsewhere too.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,14p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
models=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shared=${GORT_SHARED:-../shared}
rtol=${RTOL:-1e-3} atol=${ATOL:-1e-5}

if [ -z "${ORT_LIB:-}" ] || [ -z "${ORTBENCH:-}" ]; then
  ort_sh=${ORT_SH:-$shared/tools/ort.sh}
  eval "$(bash "$ort_sh" "${ORT_DIR:?set ORT_DIR to a directory for ONNX Runtime, or ORT_LIB and ORTBENCH}")"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/gort" ./cmd/gort

# flags NAME prints the tool's flags for a model's inputs, one a line.
flags() {
  command -v node >/dev/null && [ -f "$shared/models/models.json" ] || return 0
  node - "$shared/models/models.json" "$1" <<'JS'
const [file, name] = process.argv.slice(2);
const m = JSON.parse(require("fs").readFileSync(file, "utf8")).find((m) => m.name === name);
for (const [k, v] of Object.entries(m?.bench?.[0] ?? {}))
  if (typeof v === "string" && ["shapes", "dims", "range", "int_range", "int-range", "fill"].includes(k)) console.log(`--${k.replace("_", "-")}\n${v}`);
JS
}

names=("$@")
if [ $# = 0 ]; then
  for f in "$models"/*.onnx; do names+=("$(basename "$f" .onnx)"); done
fi
agree=0 differ=() refused=()
for name in "${names[@]}"; do
  dir=$work/models/$name data=$work/models/$name/test_data_set_0
  mkdir -p "$data"
  ln -s "$models/$name.onnx" "$dir/model.onnx"
  mapfile -t options < <(flags "$name")
  if ! { "$ORTBENCH" gen "$dir/model.onnx" --outputs "$data" "${options[@]}" &&
    "$ORTBENCH" run "$dir/model.onnx" --inputs "$data" --outputs "$data"; } >"$work/ort" 2>&1; then
    echo "REFUSED $name by ONNX Runtime: $(tail -n 1 "$work/ort")"
    refused+=("$name")
  elif "$work/gort" test "$dir" --rtol "$rtol" --atol "$atol" --expected none >"$work/out" 2>&1; then
    echo "AGREES  $name"
    agree=$((agree + 1))
  else
    echo "DIFFERS $name"
    sed 's/^/        /' "$work/out"
    differ+=("$name")
  fi
  rm -rf "$dir"
done
echo "$agree of ${#names[@]} models agree; ${#differ[@]} differ (${differ[*]:-none}); ONNX Runtime refused ${#refused[@]} (${refused[*]:-none})"
[ ${#differ[@]} = 0 ]

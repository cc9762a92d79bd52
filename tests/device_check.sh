#!/usr/bin/env bash
# Checks the GPU part of this tree on the one real GPU of this machine: builds for it, runs the device tests and all
# cases for a single GPU, and prints one table against what the catalogue knows of the card. Takes less than 6 minutes
# (the build apart: about one on 16 cores).
#   tests/device_check.sh [OUTPUT_FOLDER]     default: build/device/check; BUILD=folder changes the build
# Exit code: 0 measured, 1 a test or series failed, 2 it does not build, 4 there is no GPU to check.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-$root/build/device}
out=${1:-$build/check}

no_gpu() {
  echo "device_check: $1: nothing was checked"
  exit 4
}
command -v nvidia-smi >/dev/null || no_gpu "nvidia-smi is not there"
first=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -1)
[[ $first == *,*,* ]] || no_gpu "nvidia-smi shows no GPU"
IFS=',' read -r name capability driver <<<"$first"
architecture=$(tr -d '. ' <<<"$capability")
echo "device_check: $name, compute capability$capability, driver$driver"

mkdir -p "$out"
build_it() {
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DASSAY_CUDA=ON \
    -DASSAY_CUDA_ARCHITECTURES="$architecture" && cmake --build "$build" --target assay assay_cuda cuda_device_tests
}
if ! build_it >"$out/build.log" 2>&1; then
  tail -20 "$out/build.log"
  echo "device_check: it does not build here; $out/build.log has it all"
  exit 2
fi

failed=0
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
step() {  # step SECONDS LOG COMMAND...
  local limit=$1 log=$out/$2 code=0
  shift 2
  echo "device_check: $*"
  timeout "$limit" "$@" >"$log" 2>&1 || code=$?
  ((code == 0)) && return
  tail -15 "$log"
  echo "device_check: that ended with code $code; $log has it all"
  failed=1
}
rm -f "$out"/*.h5 "$out"/*.json
step 60 device_tests.log "$build/bin/cuda_device_tests"
step 170 run.log "$build/bin/assay" run --gpu require --suite standard --filter '^gpu[.]' --epochs 3 --budget 120s \
  --out "$out/run.h5"
step 60 burn_in.log "$build/bin/assay" run --gpu require --suite full --filter '^gpu[.]burn_in/dtype:(bf16|f64)' \
  --epochs 1 --budget 30s --out "$out/burn_in.h5"
for run in run burn_in; do
  step 20 "$run.json" "$build/bin/assay" show --json "$out/$run.h5"
done
"$root/tests/device_table.py" "$root/analysis/catalogue/gpus.toml" "$name" "$out/run.json" "$out/burn_in.json" |
  tee "$out/table.txt" || failed=1
echo "device_check: the table is in $out/table.txt; docs/measured.md is the place to keep it"
exit $failed

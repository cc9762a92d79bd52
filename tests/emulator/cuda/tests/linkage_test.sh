#!/usr/bin/env bash
# linkage_test.sh PROGRAM: the program takes its CUDA libraries from where LD_LIBRARY_PATH says. DT_RPATH would win over
# it, DT_RUNPATH does not.
set -euo pipefail
dynamic=$(readelf --dynamic --wide "$1")
grep -q 'NEEDED.*\[libcudart\.so\.13\]' <<<"$dynamic" || { echo "$1 does not need libcudart.so.13"; exit 1; }
if grep -q '(RPATH)' <<<"$dynamic"; then echo "$1 has a DT_RPATH"; exit 1; fi
for library in "${@:2}"; do
  dynamic=$(readelf --dynamic --wide "$library")
  name=$(basename "$library")
  grep -q "SONAME.*\[$name\]" <<<"$dynamic" || { echo "$library has another SONAME"; exit 1; }
  grep -q 'BIND_NOW' <<<"$dynamic" || { echo "$library binds lazily"; exit 1; }
done

#!/usr/bin/env bash
# How the plug-in and the program are linked: plugin_form_test.sh PLUGIN PROGRAM
set -euo pipefail
plugin=$1 program=$2
failed=0
expect() {  # expect WHAT COMMAND...
  local what=$1
  shift
  "$@" || { echo "not so: $what"; failed=1; }
}
dynamic=$(readelf -d "$plugin")
needed=$(grep -oE 'NEEDED.*\[[^]]*' <<<"$dynamic" | sed 's/.*\[//')
exported=$(nm -D --defined-only "$plugin" | awk '{print $3}')
expect "only the entry is exported ($exported)" test "$exported" = assay_plugin
expect "the CUDA runtime is linked as a shared library" grep -q '^libcudart\.so\.' <<<"$needed"
expect "cuBLASLt and NCCL are opened at run time" test -z "$(grep -E 'cublas|nccl' <<<"$needed")"
expect "no RPATH, which would be stronger than LD_LIBRARY_PATH" test -z "$(grep '(RPATH)' <<<"$dynamic")"
expect "all names are bound when it is loaded" grep -qE 'BIND_NOW|NOW' <<<"$dynamic"
expect "the program itself needs no CUDA" test -z "$(readelf -d "$program" | grep -E 'NEEDED.*(cuda|cublas|nccl)')"
exit $failed

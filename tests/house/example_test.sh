#!/usr/bin/env bash
# The example of CONTRIBUTING.md is known to the list, measured, verified and stored. example_test.sh PROGRAM
set -euo pipefail
assay=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$assay" list | tee "$work/list"
grep -q '^ *host\.fill\b' "$work/list"
"$assay" run --filter 'host.fill/bytes:65536' --budget 2s --out "$work/run.h5"
"$assay" show "$work/run.h5" | tee "$work/show"
grep -q 'host\.fill' "$work/show"
[[ $("$assay" show --status "$work/run.h5") == done* ]]

#!/usr/bin/env bash
# The package works where it is unpacked. package_test.sh BUILD_FOLDER
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/log" || { cat "$work/log"; exit 1; }
mkdir "$work/unpacked"
tar -xzf "$work/made"/assay-*.tar.gz -C "$work/unpacked"
cd "$work/unpacked"/assay-*
bin/assay --version | tee "$work/version"
grep -q '^assay [0-9.]* (git ' "$work/version"
bin/assay list | grep 'mpi.all_reduce'
bin/assay offer check share/assay/offers/example-host.toml
test -f share/assay/docs/offer.md -a -f share/doc/assay/LICENSE

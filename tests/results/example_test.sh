#!/bin/sh
# example_test.sh MAKE_EXAMPLE READ_RESULTS: the example of docs/results.md reads a file made by the product.
# Exit 77: skipped, with the reason.
set -eu
make_example=$1
read_results=$2
python=/usr/bin/python3

if ! reason=$("$python" -c 'import h5py, pandas' 2>&1); then
  echo "skipped: $python cannot import h5py and pandas: $reason"
  exit 77
fi

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$make_example" "$directory/run.h5"
output=$("$python" "$read_results" "$directory/run.h5")
echo "$output"

expect() {
  if ! echo "$output" | tr -s ' ' | sed 's/ *$//' | grep -qxF "$1"; then
    echo "missing line: $1"
    exit 1
  fi
}
expect "run 00000000000000ab is done, 2 ranks"
expect "host.latency bytes:8 1 latency 5 0.5"
expect "host.memory bytes:8 1 bytes 1.5 8"
expect "mpi.all_reduce bytes:8 2 bytes 3 6"

#!/usr/bin/env bash
# scripts/setup.sh on machines made of stand-in commands: what it installs, and when it keeps its hands off.
# setup_test.sh ROOT
# shellcheck disable=SC2016  # the stand-ins' text is expanded when they run
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 checks=0

# A machine: commands in $work/bin, and nothing else than the basic tools of this one.
new_machine() {
  rm -rf "${work:?}/bin"
  mkdir -p "$work/bin"
  : >"$work/calls"
  local tool
  for tool in bash cat awk grep sed env nproc true; do ln -s "$(type -P "$tool")" "$work/bin/$tool"; done
  fake id 'echo 1000'
  fake sudo 'exit 1'
  fake apt-get 'echo "apt-get $*" >>"$CALLS"'
}
fake() {
  printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# dpkg knows all packages except "$@".
dpkg_lacks() {
  local all
  all=$(awk '!/^#/ {print $2 " installed"}' "$root/scripts/packages-debian.txt")
  local package
  for package in "$@"; do all=$(grep -v "^$package " <<<"$all"); done
  printf '%s\n' "$all" >"$work/dpkg"
  fake dpkg-query "cat $work/dpkg"
}
# setup COMMAND...: runs it on the machine; leaves $status and $output.
setup() {
  status=0
  output=$(env -i PATH="$work/bin" CALLS="$work/calls" root="$root" HPCX_DIR="${hpcx:-}" \
    bash -euo pipefail -c 'source "$root/scripts/setup.sh"; "$@"' setup "$@" 2>&1) || status=$?
}
expect() {  # expect WHAT CONDITION...
  checks=$((checks + 1))
  local what=$1
  shift
  if ! "$@"; then
    failures=$((failures + 1))
    printf 'FAILED: %s\nstatus %s, calls: %s\n%s\n' "$what" "$status" "$(cat "$work/calls")" "$output"
  fi
}
says() { grep -qF -- "$1" <<<"$output"; }
called() { grep -qF -- "$1" "$work/calls"; }
calls_nothing() { [[ ! -s $work/calls ]]; }
exits() { [[ $status == "$1" ]]; }

new_machine
dpkg_lacks
setup ensure_packages build test
expect "nothing missing: done" exits 0
expect "nothing missing: apt-get is not called" calls_nothing

new_machine
dpkg_lacks libfmt-dev libhdf5-dev
fake id 'echo 0'
setup ensure_packages build
expect "root: done" exits 0
expect "root: updates first" called "apt-get update"
expect "root: installs what is missing" called "--no-install-recommends libhdf5-dev libfmt-dev"

new_machine
dpkg_lacks libfmt-dev
fake sudo 'shift; exec "$@"'
setup ensure_packages build
expect "passwordless sudo: done" exits 0
expect "passwordless sudo: installs" called "--no-install-recommends libfmt-dev"

new_machine
dpkg_lacks libfmt-dev libgtest-dev
setup ensure_packages build
expect "not permitted: exit 1" exits 1
expect "not permitted: names the package" says "Missing packages: libfmt-dev"
expect "not permitted: only of the groups asked for" [ "${output/libgtest/}" = "$output" ]
expect "not permitted: gives the command" says "sudo apt-get update && sudo apt-get install -y"
expect "not permitted: calls nothing" calls_nothing

new_machine
dpkg_lacks libfmt-dev
fake id 'echo 0'
fake apt-get 'exit 100'
setup ensure_packages build
expect "apt without a network: exit 1" exits 1
expect "apt without a network: gives the command" says "apt-get install -y --no-install-recommends libfmt-dev"

new_machine
dpkg_lacks libopenmpi-dev openmpi-bin libfmt-dev cmake
fake id 'echo 0'
fake mpicc 'exit 0'
setup ensure_packages build
expect "own MPI: exit 1" exits 1
expect "own MPI: installs nothing" calls_nothing
expect "own MPI: lists what is missing" says "  libfmt-dev"
expect "own MPI: does not list Open MPI" [ "${output/libopenmpi/}" = "$output" ]
expect "own MPI: gives the CMake line" says "cmake --preset release -DMPI_C_COMPILER=$work/bin/mpicc"

for tool in g++ cmake ninja pkg-config; do fake "$tool" 'echo "'"$tool"' $*" >>"$CALLS"'; done
setup ensure_packages build
expect "own MPI and tools: CMake finds out about the rest" exits 0
setup configure no-such-preset OFF build
expect "own MPI: CMake is pointed at it" called "cmake --preset no-such-preset -DASSAY_TESTS=OFF -DMPI_C_COMPILER=$work/bin/mpicc"
fake cmake 'exit 1'
setup configure no-such-preset OFF build
expect "own MPI, CMake misses something: exit 1" exits 1
expect "own MPI, CMake misses something: gives the line" says "cmake --preset release -DMPI_C_COMPILER=$work/bin/mpicc"

for sign in ofed_info hpcx; do
  new_machine
  dpkg_lacks libfmt-dev g++ build-essential
  fake id 'echo 0'
  hpcx=''
  if [[ $sign == hpcx ]]; then hpcx=/somewhere/hpcx; else fake ofed_info 'echo OFED'; fi
  setup ensure_packages build
  expect "$sign: installs nothing" calls_nothing
  expect "$sign: exit 1" exits 1
done

echo "$checks checks, $failures failed"
[[ $failures == 0 ]]

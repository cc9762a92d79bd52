# shellcheck shell=bash
# Shared by ./quickstart and ./run-tests: packages, configuration, build. Sourced with `root` set to the tree's top.

say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$1" >&2; exit "${2:-1}"; }

# Packages of the group(s) "$@" that are missing, one a line. Where dpkg does not know a package, its command counts.
missing_packages() {
  local groups=" $* " group package command installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" {print $1}')
  while read -r group package command _; do
    [[ $groups == *" $group "* ]] || continue
    grep -qxF "$package" <<<"$installed" && continue
    [[ $command != - ]] && command -v "$command" >/dev/null && continue
    say "$package"
  done < <(grep -v '^#' "${root:?}/scripts/packages-debian.txt")
}

# Why this host's software is not ours to change; prints nothing on a plain Debian or Ubuntu machine.
hands_off_reason() {
  local mpicc
  mpicc=$(command -v mpicc || true)
  if [[ -n $mpicc && $mpicc != /usr/bin/* && $mpicc != /bin/* ]]; then
    say "it has its own MPI ($mpicc)"
  elif [[ -n ${HPCX_DIR:-} || -d /opt/hpcx ]]; then
    say "it has HPC-X (${HPCX_DIR:-/opt/hpcx})"
  elif command -v ofed_info >/dev/null; then
    say "it has its own OFED/DOCA ($(command -v ofed_info))"
  elif [[ -d /opt/mellanox ]]; then
    say "it has its own OFED/DOCA (/opt/mellanox)"
  elif ! command -v apt-get >/dev/null; then
    say "it is no Debian or Ubuntu machine (no apt-get)"
  fi
}

# The CMake arguments that make use of an MPI outside the system's folders.
own_mpi_arguments() {
  local mpicc
  mpicc=$(command -v mpicc || true)
  [[ -z $mpicc || $mpicc == /usr/bin/* || $mpicc == /bin/* ]] || say "-DMPI_C_COMPILER=$mpicc"
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# Installs the named packages, or says exactly what to install and ends the script.
install_packages() {
  local command="apt-get install -y --no-install-recommends $*"
  say "Missing packages: $*"
  if as_root true 2>/dev/null; then
    say "Installing them (apt-get) ..."
    # shellcheck disable=SC2086
    as_root apt-get update -q && as_root env DEBIAN_FRONTEND=noninteractive $command && return
    say "The packages could not be installed from here."
  else
    say "Installing them needs root, and sudo asks for a password here."
  fi
  say "Run this, then start again:"
  say "  sudo apt-get update && sudo $command"
  exit 1
}

# Makes sure that the packages of the groups "$@" are there. On a host with its own MPI nothing is installed: what is
# needed to configure is listed, and CMake finds out about the rest.
ensure_packages() {
  local reason missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  reason=$(hands_off_reason)
  [[ -n $reason ]] || { install_packages "${missing[@]}"; return 0; }
  say "Nothing is installed on this host: $reason."
  local tool
  for tool in g++ cmake ninja pkg-config; do
    command -v "$tool" >/dev/null || explain_own_host "$@"
  done
}

# Ends the script with the list and the CMake line for a host whose software is its own.
explain_own_host() {
  local mpi
  mpi=$(own_mpi_arguments)
  say "Missing, by the names of Debian's packages (load modules or install them your way):"
  missing_packages "$@" | grep -v openmpi | sed 's/^/  /'
  say "With them in place, this uses what is there (append -DHDF5_ROOT=DIR and the like for other places):"
  say "  cmake --preset release ${mpi:--DMPI_C_COMPILER=/path/bin/mpicc} && cmake --build build/release"
  exit 1
}

# configure PRESET TESTS(ON|OFF) GROUP...: configures once; afterwards ninja itself notices changed CMake files.
configure() {
  local preset=$1 tests=$2 build=$root/build/$1
  shift 2
  [[ -f $build/build.ninja ]] && grep -qE "^ASSAY_TESTS:BOOL=(ON|$tests)$" "$build/CMakeCache.txt" && return
  local arguments
  mapfile -t arguments < <(own_mpi_arguments)
  (cd "$root" && cmake --preset "$preset" "-DASSAY_TESTS=$tests" "${arguments[@]}") && return
  [[ -z $(hands_off_reason) ]] || explain_own_host "$@"
  die "CMake could not configure $build: see its message above."
}

# Ranks as root are refused by Open MPI unless its two variables say otherwise; meant for containers and CI.
allow_mpi_as_root() {
  [[ $(id -u) == 0 ]] || return 0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# mpirun's arguments for "$1" ranks on this machine.
mpirun_arguments() {
  say -np
  say "$1"
  if (($1 > $(nproc))) && mpirun --version 2>/dev/null | grep -q 'Open MPI'; then say --oversubscribe; fi
}

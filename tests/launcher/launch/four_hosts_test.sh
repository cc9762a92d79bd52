#!/usr/bin/env bash
# `assay launch` on four hosts through an agent called like ssh: four_hosts_test.sh ASSAY
set -euo pipefail
assay=$(readlink -f "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cluster=$root/tests/cluster
work=$(mktemp -d)
export ASSAY_CLUSTER=$work/cluster
cleanup() {
  "$cluster/down"
  rm -rf "$work"
}
trap cleanup EXIT

# Ranks of the test run as root, and four hosts share the cores of this machine.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
# The agent passes no environment on; a build with sanitizers needs this one in the ranks.
[[ -z ${LSAN_OPTIONS:-} ]] || export OMPI_MCA_mca_base_env_list=LSAN_OPTIONS
"$cluster/up" 4

failures=0
fail() {
  echo "FAILED: $1"
  sed 's/^/  | /' "$work/out"
  failures=$((failures + 1))
}

# launch CODE [ENVIRONMENT...] -- OPTIONS...: runs it on head; its output is in $work/out.
launch() {
  local expected=$1 code=0 settings=()
  shift
  while [[ $1 != -- ]]; do settings+=("$1"); shift; done
  shift
  "$cluster/exec" head env "${settings[@]}" timeout 60 "$assay" launch "$@" >"$work/out" 2>&1 || code=$?
  ((code == expected)) || fail "exit code $code, not $expected, of: launch $*"
}

says() { grep -qF -- "$1" "$work/out" || fail "does not say: $1"; }
says_not() { ! grep -qF -- "$1" "$work/out" || fail "says: $1"; }
on() { "$cluster/exec" "$@"; }

printf 'node%s\n' 1 2 3 4 >"$work/hosts"
with=(--hosts "$work/hosts" --agent "$cluster/fake-ssh" --bind-to none)

echo "-- four sound hosts: the table and the command"
launch 0 -- "${with[@]}" -N 2 -- --suite quick --filter 'a|b c'
says "node3      2"
says "eth0 10.77.0.13/24, eth1 10.77.1.13/24"
says "subnets used: 10.77.0.0/24 10.77.1.0/24"
says "$(command -v mpirun) -np 8 -H node1:2,node2:2,node3:2,node4:2 --bind-to none --mca plm rsh --mca plm_rsh_agent \
$cluster/fake-ssh --mca oob_tcp_if_include 10.77.0.0/24,10.77.1.0/24 --mca btl_tcp_if_include 10.77.0.0/24,10.77.1.0/24"
says "$assay run --suite quick --filter 'a|b c'"
[[ $(tail -n 1 "$work/out") == *mpirun* ]] || fail "the command is not the last line"

echo "-- --run: the ranks are on four hosts, and the exit code is passed on"
launch 0 -- "${with[@]}" --run -- --filter mpi.ping_pong/bytes:8 --epochs 1 --budget 2s --out "$work/run.h5"
[[ $("$assay" show --status "$work/run.h5") == "done" ]] || fail "the result is not done"
"$assay" show "$work/run.h5" >"$work/out"
for k in 1 2 3 4; do says "node$k"; done
launch 2 -- "${with[@]}" --run -- --filter mpi.no_such_case --out "$work/none.h5"
says "mpi.no_such_case"

echo "-- --interface restricts, and a rail that one host lacks is not used"
launch 0 -- "${with[@]}" --interface eth1
says "--mca oob_tcp_if_include 10.77.1.0/24 --mca btl_tcp_if_include 10.77.1.0/24 "
launch 0 -- "${with[@]}" --interface 10.77.0.0/24
says "subnets used: 10.77.0.0/24"
says_not "btl_tcp_if_include 10.77.0.0/24,"
launch 4 -- "${with[@]}" --interface ib0
says "--interface ib0: no subnet that all hosts have in common"
on node4 ip link set eth1 down
launch 0 -- "${with[@]}"
says "btl_tcp_if_include 10.77.0.0/24 "
on node4 ip link set eth0 down
launch 4 -- "${with[@]}"
says "no IPv4 subnet in common"
on node4 ip link set eth0 up
on node4 ip link set eth1 up

echo "-- hosts that cannot be reached are named, the others are no hindrance"
printf 'node%s\n' 1 7 2 9 >"$work/some"
launch 4 -- --hosts "$work/some" --agent "$cluster/fake-ssh" --bind-to none --run
says "node7: cannot be reached through '$cluster/fake-ssh': exit code 255, exec: no host 'node7'"
says "node9: cannot be reached"
says_not "node2:"
says "2 problems on 4 hosts, nothing was started"
launch 4 -- --hosts "$work/some" --agent "$work/no-such-agent"
says "No such file or directory"

echo "-- a host that does not answer costs its timeout, once, and leaves nothing behind"
cat >"$work/slow-agent" <<END
#!/usr/bin/env bash
case \$1 in node2 | node3) sleep 987 ;; esac
exec "$cluster/fake-ssh" "\$@"
END
chmod +x "$work/slow-agent"
SECONDS=0
launch 4 -- --hosts "$work/hosts" --agent "$work/slow-agent" --bind-to none --timeout 3s
((SECONDS < 9)) || fail "took $SECONDS s"
says "node2: no answer through '$work/slow-agent' within 3 s"
says "node3: no answer"
says_not "node1:"
! on head pgrep -f 'sleep 987' >/dev/null || fail "the agent is still there"

echo "-- another version, no binary, the same machine twice, too many ranks"
printf '#!/bin/sh\necho "assay 9.9.9 (git other)"\n' >"$work/other"
chmod +x "$work/other"
on node2 mount --bind "$work/other" "$assay"
on node3 mount --bind /dev/null "$assay"
launch 4 -- "${with[@]}"
says "node2: $assay says 'assay 9.9.9 (git other)', here it says 'assay "
says "node3: no executable $assay"
says_not "node1:"
on node2 umount "$assay"
on node3 umount "$assay"
on head cp /run/assay-cluster/node1.pid /run/assay-cluster/alias.pid
printf 'node1\nalias\n' >"$work/some"
launch 4 -- --hosts "$work/some" --agent "$cluster/fake-ssh" --bind-to none
says "alias: is the same machine as node1 (node1)"
echo "node1 slots=4096" >"$work/some"
launch 4 -- --hosts "$work/some" --agent "$cluster/fake-ssh"
says "node1: 4096 ranks for $(nproc) CPUs cannot be bound"
launch 0 -- --hosts "$work/some" --agent "$cluster/fake-ssh" --bind-to none
says "-np 4096 -H node1:4096 --bind-to none"

echo "-- bad input"
printf 'node1\nnode2 slots=x\n' >"$work/some"
launch 2 -- --hosts "$work/some"
says "$work/some:2: 'x' slots: not a whole number"
launch 2 -- --hosts "$work/absent"
says "$work/absent: cannot open the hosts file: No such file or directory"
launch 2 -- --hosts "$work"
launch 2 --
says "launch needs --hosts FILE or --slurm"
launch 2 -- --hosts "$work/hosts" --bind-to knot
launch 2 -- --hosts "$work/hosts" --suite quick
printf 'node1 slots=2\n' >"$work/some"
launch 2 -- --hosts "$work/some" -N 3
says "node1: slots=2 in the hosts file, fewer than --ranks-per-node 3"

echo "-- --slurm: within an allocation only"
mkdir "$work/bin"
cat >"$work/bin/scontrol" <<'END'
#!/usr/bin/env bash
[[ $* == "show hostnames node[1-3]" ]] && printf 'node%s\n' 1 2 3
END
cat >"$work/bin/srun" <<END
#!/usr/bin/env bash
for word; do [[ \$word != --nodelist=* ]] || host=\${word#*=}; done
while [[ \$1 == --* ]]; do shift; done
exec "$cluster/exec" "\$host" "\$@"
END
chmod +x "$work"/bin/*
slurm=(PATH="$work/bin:$PATH" SLURM_JOB_ID=1 SLURM_JOB_NODELIST="node[1-3]")
launch 2 PATH="$work/bin:$PATH" -- --slurm
says "this is no Slurm job"
launch 0 "${slurm[@]}" -- --slurm -N 2 -- --budget 5m
says "env OMPI_MCA_btl_tcp_if_include=10.77.0.0/24,10.77.1.0/24 srun --mpi=pmix --nodes=3 --ntasks=6 --ntasks-per-node=2 \
--cpu-bind=cores --kill-on-bad-exit=1 $assay run --budget 5m"

echo "$failures failures"
((failures == 0))

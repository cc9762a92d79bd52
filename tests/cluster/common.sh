# shellcheck shell=bash
# What up, down and exec share. See README.md.

# Outside: one directory per cluster, so that several tests can have their own.
state=${ASSAY_CLUSTER:-/tmp/assay-cluster.$UID}
# Inside: a tmpfs of the room, which all its hosts see and the machine does not.
# shellcheck disable=SC2034
room=/run/assay-cluster

# The process whose end is the end of everything; nothing when no cluster is up. Its command line names the directory:
# a number that now belongs to another process is not taken for it.
room_keeper() {
  local pid
  pid=$(cat "$state/keeper.pid" 2>/dev/null) || return 1
  tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "room.sh $state " && echo "$pid"
}

# Process 1 of the room, as seen from outside.
room_init() {
  local keeper
  keeper=$(room_keeper) || return 1
  pgrep -P "$keeper" | head -n 1
}

# Why this machine cannot hold a cluster; nothing when it can.
cluster_unsupported() {
  local tool
  ((UID == 0)) || { echo "hosts in namespaces need root"; return; }
  for tool in unshare nsenter ip pgrep setsid; do
    command -v "$tool" >/dev/null || { echo "no program '$tool'"; return; }
  done
  unshare --pid --fork --mount --mount-proc --net --uts --ipc \
    sh -c 'mount -t sysfs sysfs /sys && ip link add assay0 type veth peer name assay1 && ip link add assay2 type bridge' \
    >/dev/null 2>&1 || echo "the kernel or the container allows no namespaces, veth or bridge"
}

#!/usr/bin/env bash
# Process 1 of the room, which is the host "head": room.sh STATE HOSTS. Started by up.
# The room has no way out: no packet leaves the machine. When this process ends, the kernel ends every process in the
# room and frees its interfaces and mounts.
set -euo pipefail
state=$1 hosts=$2
room=/run/assay-cluster

# What a machine has of its own, in the namespaces of the caller. /sys/class/net would else show the interfaces of
# another host, and /dev/shm its memory; /run/local is its TMPDIR.
become_host() {
  hostname "$1"
  mount -t sysfs sysfs /sys
  mount -t tmpfs -o mode=1777 tmpfs /dev/shm
  mount -t tmpfs -o mode=1777 tmpfs /run/local
  ip link set lo up
  sysctl -qw net.ipv6.conf.all.disable_ipv6=1
}

export -f become_host

start_host() {
  local k=$1 holder rail
  # shellcheck disable=SC2016
  setsid unshare --net --uts --ipc --mount bash -euc '
    become_host "$1"
    touch "$2/$1.up"
    exec sleep infinity' host "node$k" "$room" </dev/null &
  holder=$!
  echo "$holder" >"$room/node$k.pid"
  until [[ -e $room/node$k.up ]]; do sleep 0.01; done
  for rail in 0 1; do
    ip link add "n${k}r$rail" type veth peer name "eth$rail" netns "$holder"
    ip link set "n${k}r$rail" master "br$rail" up
    nsenter -t "$holder" -n ip addr add "10.77.$rail.$((10 + k))/24" dev "eth$rail"
    nsenter -t "$holder" -n ip link set "eth$rail" up
  done
}

mount -t tmpfs -o mode=755 tmpfs /run
mkdir "$room" /run/local
become_host head
echo $$ >"$room/head.pid"
{
  echo "127.0.0.1 localhost"
  echo "10.77.0.1 head"
  for ((k = 1; k <= hosts; ++k)); do echo "10.77.0.$((10 + k)) node$k"; done
} >"$room/hosts"
mount --bind "$room/hosts" /etc/hosts
for rail in 0 1; do
  ip link add "br$rail" type bridge
  ip addr add "10.77.$rail.1/24" dev "br$rail"
  ip link set "br$rail" up
done
for ((k = 1; k <= hosts; ++k)); do start_host "$k"; done
touch "$state/ready"
# A shell waiting for its children also takes those that others left behind.
while :; do sleep 3600 & wait $!; done

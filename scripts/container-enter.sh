#!/usr/bin/env bash
# Becomes the first process of a container, as strict as deploy/ asks for: a root file system that cannot be written,
# /tmp in memory, no capability, no new privileges, no network but its own loopback. Run it as root with namespaces of
# its own, and the image's variables alone in the environment:
#   unshare --mount --net --pid --fork --kill-child scripts/container-enter.sh ROOT STORE[:ro] INBOX UID:GID COMMAND…
set -euo pipefail
root=$1 store=$2 inbox=$3 user=$4
shift 4

mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,mode=755 dev "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t tmpfs -o nosuid,nodev,mode=1777 tmp "$root/tmp"
mount --bind "${store%:ro}" "$root/store"
[ "$store" = "${store%:ro}" ] || mount -o remount,bind,ro "$root/store"
mount --bind "$inbox" "$root/mnt"
mount -o remount,bind,ro "$root/mnt"
mount -o remount,bind,ro "$root"
ip link set lo up

exec chroot "$root" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all "$@"

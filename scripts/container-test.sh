#!/usr/bin/env bash
# Builds the image of the Dockerfile, both targets, runs them and fetches a file through them, without a Docker engine:
#   scripts/container-test.sh             (as root; needs buildah, debootstrap, node_modules)
# Everything lies in temporary folders and one mount namespace, and is gone afterwards.
set -euo pipefail
repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$repo"
[ "$(id -u)" = 0 ] || { echo "container: only root can make containers without an engine" >&2; exit 1; }
# What is mounted from here on, nobody else sees, and it goes when we do.
[ "${1-}" = inside ] || exec unshare --mount --propagation private "$repo/scripts/container-test.sh" inside

work="$(mktemp -d)"
hidden="$(mktemp -d)"
keeper= # of the namespaces of the container that runs
clean() {
  local code=$?
  [ "$code" = 0 ] || echo "container: failed with exit code $code, at line $1" >&2
  if [ -n "$keeper" ]; then
    kill -KILL "$keeper" 2>/dev/null || true
    wait "$keeper" 2>/dev/null || true
  fi
  cd /
  umount --recursive /var/lib/containers /run/containers 2>/dev/null || true
  rm -rf --one-file-system "$work" "$hidden"
  exit "$code"
}
trap 'clean "$LINENO"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# buildah's storage, its locks and its caches are ours for the time.
mkdir -p "$hidden/lib" "$hidden/run" /var/lib/containers /run/containers "$work/inbox"
mount --bind "$hidden/lib" /var/lib/containers
mount --bind "$hidden/run" /run/containers
export TMPDIR="$work" BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs PATH="$PATH:/usr/sbin:/sbin"

begun=$SECONDS
say() { printf 'container: %3d s  %s\n' "$((SECONDS - begun))" "$*"; }
fail() { echo "container: $*" >&2; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 60 "$work/log" >&2; fail "failed: $*"; }; }

# image TAG TARGET: builds a target, unpacks it into $root, and reads its user, variables and command.
image() {
  # Without --layers: vfs copies the whole image for each, which takes longer than building twice what targets share.
  quietly buildah bud --format docker --pull-never --build-arg NODE_IMAGE=localhost/node-base \
    --target "$2" -t "$1" "$repo"
  local container inspected
  container="$(buildah from --pull-never "$1")"
  root="$(buildah mount "$container")"
  inspected="$(buildah inspect --type image "$1")"
  config() { node -p "const c = JSON.parse(process.argv[1]).Docker.config; $1" "$inspected"; }
  user="$(config c.User)"
  mapfile -t variables < <(config 'c.Env.join("\n")')
  mapfile -t command < <(config 'c.Cmd.join("\n")')
  mapfile -t health < <(config 'c.Healthcheck.Test.slice(1).join("\n")')
  [ "$user" = 10001:10001 ] || fail "$1 runs as ${user:-root}"
  store="$work/$2"
  mkdir "$store"
  chown --reference="$root/store" "$store"
  say "$2: built, $(du -sm "$root" | cut -f1) MB unpacked"
  # What a command goes behind to run in a new container of $root, with no capability and nothing writable but the store.
  local enter=("$repo/scripts/container-enter.sh" "$root")
  isolated=(env -i "${variables[@]}" unshare --mount --net --pid --fork --kill-child "${enter[@]}")
}

# Runs the image's own command in a container that stays; it only reads the store. $keeper is unshare's process, $first
# the container's first one.
start() {
  "${isolated[@]}" "$store:ro" "$work/inbox" "$user" "${command[@]}" >"$work/server.log" 2>&1 &
  keeper=$!
  first=
  while [ -z "$first" ]; do
    kill -0 "$keeper" 2>/dev/null || { cat "$work/server.log" >&2; fail "the container ended at once"; }
    first="$(ps -o pid= --ppid "$keeper" | tr -d ' ' || true)" # none yet, right after the start
  done
}

# ended CODE: waits until the container that was started has ended, and says whether as it should.
ended() {
  local code=0
  wait "$keeper" || code=$?
  keeper=
  [ "$code" = "$1" ] || { tail -n 20 "$work/server.log" >&2; fail "the container ended with $code, not $1"; }
}

within() { nsenter --net="/proc/$first/ns/net" "$@"; }
check() {
  within node --import tsx "$repo/scripts/container-check.ts" "$@" ||
    { tail -n 20 "$work/server.log" >&2; fail "checks failed"; }
}
healthy() { nsenter --net="/proc/$first/ns/net" env -i "${variables[@]}" chroot "$root" "${health[@]}"; }

try() {
  local target=$1 sender=$2
  image "engine-ferry-test-$target" "$target"
  for absent in npm npx curl wget; do
    [ -z "$(find "$root/usr/local/bin" "$root/usr/bin" -name "$absent")" ] || fail "$target holds $absent"
  done
  start
  check empty http://127.0.0.1:8080
  "${isolated[@]}" "$store" "$work/inbox" "$user" ferry import /mnt/bundle.tar --key /mnt/ferry.pub
  check full http://127.0.0.1:8080 "$sender"
  healthy
  kill -TERM "$first"
  ended 0
  say "$target: serves, imports, is healthy, stops when told"
}

nginx_dies() {
  start
  check full http://127.0.0.1:8080 nginx
  kill -KILL "$(ps -o pid=,args= --ppid "$first" | awk '/nginx: master/ { print $1 }')"
  ended 1
  say "nginx: where nginx dies, the container ends"
}

npm run -s demo -- --out "$work/demo" >"$work/demo.log" 2>&1 &
demo=$!
say "$(scripts/container-base.sh localhost/node-base)"
wait "$demo" || { tail -n 40 "$work/demo.log" >&2; fail "the demo made no bundle"; }
cp "$work/demo/bundle.tar" "$work/demo/ferry.pub" "$work/inbox"
chmod -R a+rX "$work/inbox"
say "the practice upstream's bundle is there"
try mirror mirror
try nginx nginx
nginx_dies
say "both images were built and run"

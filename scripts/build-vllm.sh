#!/usr/bin/env bash
# Builds the whole vLLM bundle from the real upstreams and takes it through a mirror: some 8 GB to download, twice that on
# the disk. For a schedule (weekly, say), not for every change: bash scripts/build-vllm.sh FOLDER
# FOLDER keeps the store, so that a second run fetches only what is new. Needs GitHub and the package index, or what
# FERRY_GITHUB_URL, FERRY_UV, UV_DEFAULT_INDEX and FERRY_TORCH_INDEX_URL put in their place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:?usage: build-vllm.sh FOLDER}
mkdir -p "$out"
ferry() { node bin/ferry.mjs "$@"; }
export FERRY_STORE="$out/store"

ferry plan bundles/vllm.yaml --write-lock "$out/vllm.lock.json"
[ -f "$out/site.key" ] || ferry keys new --out "$out/site"
ferry build bundles/vllm.yaml --locked "$out/vllm.lock.json" -o "$out/vllm.tar" --sign-key "$out/site.key"
ferry verify "$out/vllm.tar" --key "$out/site.pub"
ferry import "$out/vllm.tar" --key "$out/site.pub" --store "$out/mirror"
ferry scrub --store "$out/mirror"
ferry inspect "$out/vllm.tar" --key "$out/site.pub"

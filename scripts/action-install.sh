#!/usr/bin/env bash
# The action's first step: makes `ferry` ready and says where it is (output `ferry`).
#   ACTION_ROOT      checkout of this repository
#   INPUT_VERSION    what npm is to install instead of that checkout
#   GITHUB_OUTPUT, RUNNER_TEMP   given by the runner
set -euo pipefail
: "${ACTION_ROOT:?}" "${GITHUB_OUTPUT:?}"

if [ -n "${INPUT_VERSION-}" ]; then
  # A version alone is one of ours.
  case $INPUT_VERSION in
    [0-9]*) package="engine-ferry@$INPUT_VERSION" ;;
    *) package=$INPUT_VERSION ;;
  esac
  home="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/engine-ferry.XXXXXX")"
  npm install --prefix "$home" --no-audit --no-fund --ignore-scripts "$package"
  ferry="$home/node_modules/.bin/ferry"
else
  (cd "$ACTION_ROOT" && npm ci && npm run build)
  ferry="$ACTION_ROOT/bin/ferry.mjs"
fi
"$ferry" --version
echo "ferry=$ferry" >>"$GITHUB_OUTPUT"

#!/usr/bin/env bash
# Runs shellcheck over every shell script of the repository, and fails where it found none.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(
  find . \( -name node_modules -o -name .git -o -name dist -o -name coverage \) -prune -o -type f -name '*.sh' -print
)
files+=(.ci/run)
[ "${#files[@]}" -ge 3 ] || { echo "shell: only ${#files[@]} scripts found" >&2; exit 1; }
shellcheck "${files[@]}"
echo "shell: ${#files[@]} scripts checked"

#!/usr/bin/env bash
# The action's main step, and usable in any other CI: spec and key in, a signed and verified bundle out.
#   FERRY             the program
#   INPUT_SPEC        the spec
#   INPUT_KEY         the private key itself, PEM; INPUT_PASSPHRASE its passphrase
#   INPUT_OUTPUT      the bundle to write; default the spec's name with .tar
#   INPUT_LOCK        a lock to hold to; default: the plan made here, kept as OUTPUT.lock.json
#   INPUT_TOKEN       for the release API and the upload
#   INPUT_ATTACH      true: upload to the release INPUT_TAG with `gh`
#   RUNNER_TEMP, GITHUB_REPOSITORY, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY   a runner's own, where there is one
set -euo pipefail
umask 022

# GitHub's own, of every file of a release (docs.github.com, "About releases": each file must be under 2 GiB).
ASSET_LIMIT=2147483648

refuse() {
  echo "engine-ferry: $1" >&2
  exit 2
}

spec=${INPUT_SPEC-}
attach=${INPUT_ATTACH:-false}
tag=${INPUT_TAG-}
[ -n "${FERRY-}" ] || refuse "FERRY does not name the program"
[ -n "$spec" ] || refuse "the input spec is empty: it names the spec file"
[ -n "${INPUT_KEY-}" ] ||
  refuse "the input key is empty: a mirror refuses unsigned bundles. Is the secret set, and may this run read it (forks may not)?"
case $attach in
  true) [ -n "$tag" ] || refuse "attach is true, and the input tag is empty: to which release?" ;;
  false) ;;
  *) refuse "the input attach must be true or false, not $attach" ;;
esac

name="$(basename "$spec")"
output=${INPUT_OUTPUT:-${name%.*}.tar}
case $output in
  *.tar) ;;
  *) refuse "the input output must end in .tar, not $output: a folder cannot be attached" ;;
esac
lock=${INPUT_LOCK:-$output.lock.json}
sbom=$output.cdx.json
checksums=$output.sha256

# The key touches the disk in a folder that nobody else reads, and is gone afterwards.
secret="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/engine-ferry.XXXXXX")"
trap 'rm -rf "$secret"' EXIT
(umask 077 && printf '%s\n' "$INPUT_KEY" >"$secret/sign.key")
export FERRY_KEY_PASSPHRASE=${INPUT_PASSPHRASE-}
export GITHUB_TOKEN=${INPUT_TOKEN-}
unset INPUT_KEY INPUT_PASSPHRASE INPUT_TOKEN

# What the bundle is verified with afterwards: the key's public half, made without our own code. A wrong passphrase
# shows here, before anything is downloaded.
openssl pkey -in "$secret/sign.key" -passin env:FERRY_KEY_PASSPHRASE -pubout -out "$secret/sign.pub" ||
  refuse "the input key is no private key in PEM, or the input passphrase does not open it"

if [ -z "${INPUT_LOCK-}" ]; then
  "$FERRY" plan "$spec" --write-lock "$lock"
else
  "$FERRY" plan "$spec"
fi
"$FERRY" build "$spec" --locked "$lock" -o "$output" --sign-key "$secret/sign.key"
rm "$secret/sign.key"
unset FERRY_KEY_PASSPHRASE
"$FERRY" verify "$output" --key "$secret/sign.pub"
"$FERRY" sbom "$output" >"$sbom"
# Names without folders, so that `sha256sum -c` works beside the downloads.
for file in "$output" "$sbom" "$lock"; do
  printf '%s  %s\n' "$(sha256sum <"$file" | cut -d ' ' -f 1)" "$(basename "$file")"
done >"$checksums"
digest="$(head -n 1 "$checksums" | cut -d ' ' -f 1)"

if [ "$attach" = true ]; then
  size="$(stat -c %s "$output")"
  [ "$size" -lt "$ASSET_LIMIT" ] ||
    refuse "$output has $size bytes, and a release takes files below $ASSET_LIMIT: it is built, attach it elsewhere"
  GH_TOKEN=$GITHUB_TOKEN gh release upload "$tag" --clobber ${GITHUB_REPOSITORY:+--repo "$GITHUB_REPOSITORY"} \
    "$output" "$lock" "$sbom" "$checksums"
fi

if [ -n "${GITHUB_OUTPUT-}" ]; then
  printf '%s=%s\n' bundle "$output" digest "$digest" lock "$lock" sbom "$sbom" checksums "$checksums" >>"$GITHUB_OUTPUT"
fi
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
  # shellcheck disable=SC2016 # the backticks are Markdown's
  {
    printf '### %s\n\n`sha256:%s`\n\n```\n' "$(basename "$output")" "$digest"
    "$FERRY" inspect "$output"
    printf '```\n'
  } >>"$GITHUB_STEP_SUMMARY"
fi
echo "engine-ferry: $output, sha256:$digest"

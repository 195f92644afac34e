#!/bin/sh
# Verifies a bundle of engine-ferry with openssl and tar alone, where neither ferry nor cosign is at hand.
#
#   verify-with-openssl.sh BUNDLE PUB.pem
#
# BUNDLE is the tar or the folder that "ferry build" wrote, PUB.pem the builder's public key (Ed25519 or ECDSA P-256).
# Checked, in this order: the signature over the manifest's digest; the manifest and the document; that every file which
# the manifest lists is there with its size and digest; that there is no other file. The first failure ends it.
#
# Prints "verified: ..." and exits with 0 only when all of that holds; 1: not verified; 2: wrong use.
# Needs: a POSIX shell and utilities, openssl 3 (1.1.1 for P-256 keys). A tar is unpacked under TMPDIR, which needs as much
# free space as the bundle takes; a folder is read where it lies. Nothing is written anywhere else, nothing is asked of
# any network. The format that is read here: docs/bundle-format.md.
set -eu
LC_ALL=C
export LC_ALL
umask 077

fail() {
  printf 'NOT verified: %s\n' "$*" >&2
  exit 1
}

usage() {
  printf 'usage: %s BUNDLE PUB.pem\n' "$0" >&2
  exit 2
}

[ $# -eq 2 ] || usage
bundle=$1
pub=$2
[ -e "$bundle" ] || { printf 'there is no %s\n' "$bundle" >&2; exit 2; }
[ -f "$pub" ] || { printf 'there is no key %s\n' "$pub" >&2; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/ferry-verify.XXXXXX") || fail "cannot make a folder under ${TMPDIR:-/tmp}"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

hex='[0-9a-f]\{64\}'
hexes='[0-9a-f]{64}'

# ---- the files: names first, for nothing of an unknown tar is unpacked before its names are known to be harmless
if [ -d "$bundle" ]; then
  root=$bundle
else
  tar -tf - <"$bundle" >"$work/names" 2>"$work/tar-errors" ||
    fail "$bundle cannot be read as a tar: $(cat "$work/tar-errors")"
  sed 's#^\./##' "$work/names" | grep -v -E '^(blobs/|blobs/sha256/|)$' >"$work/files" || fail "$bundle is empty"
  if grep -v -E "^(oci-layout|index\.json|blobs/sha256/$hexes)\$" "$work/files" >"$work/strange"; then
    fail "$bundle holds files that are no part of a bundle: $(head -n 3 "$work/strange" | tr '\n' ' ')"
  fi
  [ -z "$(sort "$work/files" | uniq -d)" ] ||
    fail "$bundle holds a name twice: $(sort "$work/files" | uniq -d | head -n 1)"
  tar -tvf - <"$bundle" >"$work/long" 2>"$work/tar-errors" || fail "$bundle cannot be read as a tar"
  if grep -v '^[-d]' "$work/long" >"$work/strange"; then
    fail "$bundle holds a link or a device: $(head -n 1 "$work/strange")"
  fi
  mkdir "$work/bundle"
  tar -xf - -C "$work/bundle" <"$bundle" 2>"$work/tar-errors" ||
    fail "$bundle cannot be unpacked (cut short, or no space left?): $(head -n 3 "$work/tar-errors")"
  root=$work/bundle
fi

(cd "$root" && find . ! -type d) | sed 's#^\./##' | sort >"$work/present"
(cd "$root" && find . ! -type d ! -type f) >"$work/strange"
[ ! -s "$work/strange" ] || fail "$bundle holds a link or a device: $(head -n 1 "$work/strange")"

blob() { printf '%s/blobs/sha256/%s' "$root" "$1"; }

digest_of() { openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1; }

# One JSON object a line, near enough: braces set objects apart, and a quote in a value is always escaped.
objects_of() {
  tr '{' '\n' <"$1"
  echo
}

size_of() { wc -c <"$1" | tr -d ' '; }

# check_blob HEX SIZE WHAT: the blob is there, of that size, and its bytes have that digest.
check_blob() {
  file=$(blob "$1")
  [ -f "$file" ] || fail "$3 is absent (blobs/sha256/$1)"
  found=$(size_of "$file")
  [ "$found" = "$2" ] || fail "$3 has $found bytes, expected $2 (blobs/sha256/$1)"
  found=$(digest_of "$file")
  [ "$found" = "$1" ] || fail "$3 is damaged: expected sha256:$1, found sha256:$found"
  printf 'blobs/sha256/%s\n' "$1" >>"$work/listed"
}

# ---- index.json: exactly what ferry writes, so that it can be read without a JSON parser
printf '%s' '{"imageLayoutVersion":"1.0.0"}' >"$work/layout"
cmp -s "$work/layout" "$root/oci-layout" || fail "oci-layout is absent or not the one of a bundle"
[ -f "$root/index.json" ] || fail "index.json is absent"
printf 'oci-layout\nindex.json\n' >"$work/listed"

manifest_type='application/vnd\.oci\.image\.manifest\.v1+json'
image='{"annotations":{"kind":"dev\.cosignproject\.cosign/image","org\.opencontainers\.image\.ref\.name":"[a-z0-9._-]*"},"artifactType":"application/vnd\.engine-ferry\.bundle\.v1","digest":"sha256:\('$hex'\)","mediaType":"'$manifest_type'","size":\([0-9]*\)}'
sigs='{"annotations":{"kind":"dev\.cosignproject\.cosign/sigs","org\.opencontainers\.image\.ref\.name":"sha256-\('$hex'\)\.sig"},"digest":"sha256:\('$hex'\)","mediaType":"'$manifest_type'","size":\([0-9]*\)}'
tail=',"mediaType":"application/vnd\.oci\.image\.index\.v1+json","schemaVersion":2}'
[ "$(wc -l <"$root/index.json" | tr -d ' ')" = 0 ] || fail "index.json is not the one of a bundle"
if sed 's#^{"manifests":\['"$image"'\]'"$tail"'$#unsigned#' "$root/index.json" | grep -q '^unsigned$'; then
  fail "$bundle is not signed"
fi
# Without its final newline sed reads the line all the same; grep then sees whether the whole of it matched.
sed 's#^{"manifests":\['"$image,$sigs"'\]'"$tail"'$#index \1 \2 \3 \4 \5#' "$root/index.json" >"$work/index"
read -r word manifest manifest_size signed signature signature_size <<END
$(cat "$work/index")
END
[ "$word" = index ] || fail "index.json is not the one of a bundle"
[ "$manifest" = "$signed" ] || fail "index.json names the signature of another manifest"

# ---- the signature: by this key, over the digest that index.json gives for the manifest
fingerprint=$(openssl pkey -pubin -in "$pub" -outform DER 2>"$work/key-errors" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
openssl pkey -pubin -in "$pub" -noout -text >"$work/key" 2>"$work/key-errors" || fail "$pub is no public key: $(head -n 1 "$work/key-errors")"
check_blob "$signature" "$signature_size" "the signature"
objects_of "$(blob "$signature")" >"$work/signature"
layer='"dev\.cosignproject\.cosign/signature":"\([A-Za-z0-9+/=]*\)","engine-ferry\.key-fingerprint":"sha256:'$fingerprint'"},"digest":"sha256:\('$hex'\)","mediaType":"application/vnd\.dev\.cosign\.simplesigning\.v1+json","size":\([0-9]*\)}.*'
sed -n 's#^'"$layer"'$#\1 \2 \3#p' "$work/signature" >"$work/ours"
[ "$(wc -l <"$work/ours" | tr -d ' ')" = 1 ] ||
  fail "$bundle is not signed by $pub (key $(printf '%.16s' "$fingerprint")), but by: $(sed -n 's/.*"engine-ferry\.key-fingerprint":"sha256:\([0-9a-f]\{16\}\).*/\1/p' "$work/signature" | tr '\n' ' ')"
read -r base64 payload payload_size <"$work/ours"
config_line=$(sed -n 's#^"digest":"sha256:\('"$hex"'\)","mediaType":"application/vnd\.oci\.image\.config\.v1+json","size":\([0-9]*\)},"layers":.*$#\1 \2#p' "$work/signature")
[ -n "$config_line" ] || fail "the signature's manifest is malformed"
check_blob "${config_line% *}" "${config_line#* }" "the signature's config"
check_blob "$payload" "$payload_size" "the signed statement"
printf '{"critical":{"identity":{"docker-reference":""},"image":{"docker-manifest-digest":"sha256:%s"},"type":"cosign container image signature"},"optional":null}' "$manifest" >"$work/payload"
cmp -s "$work/payload" "$(blob "$payload")" || fail "the signature is over another manifest"
printf '%s' "$base64" | openssl base64 -d -A >"$work/sig" || fail "the signature is not base64"
if grep -q -i '^ED25519 ' "$work/key"; then
  openssl pkeyutl -verify -pubin -inkey "$pub" -rawin -in "$work/payload" -sigfile "$work/sig" >"$work/out" 2>&1 ||
    fail "the signature does not fit the manifest"
elif grep -q 'prime256v1' "$work/key"; then
  openssl dgst -sha256 -verify "$pub" -signature "$work/sig" "$work/payload" >"$work/out" 2>&1 ||
    fail "the signature does not fit the manifest"
else
  fail "$pub is neither an Ed25519 nor an ECDSA P-256 key"
fi

# ---- what the manifest lists: the document and every file, each with size and digest
check_blob "$manifest" "$manifest_size" "the manifest"
objects_of "$(blob "$manifest")" >"$work/manifest"
sed -n 's#^.*"digest":"sha256:\('"$hex"'\)","mediaType":"[^"]*","size":\([0-9]*\)}.*$#\1 \2#p' "$work/manifest" >"$work/contents"
objects=$(grep -c '"mediaType":"[^"]*","size":[0-9]*}' "$work/manifest") || fail "the manifest is malformed"
[ "$(wc -l <"$work/contents" | tr -d ' ')" = "$objects" ] || fail "the manifest is malformed"
bytes=0
while read -r digest size; do
  check_blob "$digest" "$size" "a listed file"
  bytes=$((bytes + size))
done <"$work/contents"

# ---- and nothing else
sort "$work/listed" >"$work/expected"
if ! cmp -s "$work/expected" "$work/present"; then
  fail "$bundle holds a file that its manifest does not list: $(comm -13 "$work/expected" "$work/present" | head -n 1)"
fi

printf 'verified: %s\n  signed by: %s\n  manifest:  sha256:%s\n  content:   %s files, %s bytes\n' \
  "$bundle" "$fingerprint" "$manifest" "$((objects - 1))" "$((bytes - $(sed -n 1p "$work/contents" | cut -d ' ' -f 2)))"

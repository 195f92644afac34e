# --key: believing what a key signed, and not the mirror. The chain: the key signed a statement; the statement names the
# digest of the bundle's manifest; the manifest names the document and every file; the document says which files are
# which build. The format: docs/bundle-format.md.
# shellcheck shell=sh disable=SC2034,SC2154

find_key() {
  [ -n "$key" ] || return 0
  openssl pkey -pubin -in "$key" -noout -text >"$tmp/key" 2>"$tmp/errors" ||
    fail "$USAGE" "$key is no public key: $(plain <"$tmp/errors" | head -n 1)"
  fingerprint=$(openssl pkey -pubin -in "$key" -outform DER 2>/dev/null | openssl dgst -sha256 -r | cut -d ' ' -f 1)
  key_id=$(printf '%.16s' "$fingerprint")
  if grep -q -i '^ED25519 ' "$tmp/key"; then
    key_kind=ed25519
  elif grep -q prime256v1 "$tmp/key"; then
    key_kind=p256
  else
    fail "$USAGE" "$key is neither an Ed25519 nor an ECDSA P-256 key"
  fi
}

not_signed() { fail "$NOT_VERIFIED" "$1" "Nothing was changed. Is $key the builder's key, and $mirror the mirror that it should be?"; }

# check_signature: everything that is about to be installed is what the key's owner signed as this build of this engine.
check_signature() {
  signed=$tmp/$bundle
  if [ ! -f "$signed.verified" ]; then
    address=$mirror/v1/bundles/$(encoded "$bundle")
    get_small "$address/payload" "$signed.payload" application/json "the signed statement of bundle $bundle"
    get_small "$address/manifest" "$signed.manifest" application/octet-stream "the manifest of bundle $bundle"
    get_small "$address/document" "$signed.document" application/octet-stream "the document of bundle $bundle"
    rm -f "$signed.signature"
    get "$address/signatures/$key_id" "$signed.signature" 65536 ||
      not_signed "bundle $bundle is not signed by $key (key $key_id): $(why_not_got)"
    check_statement
    : >"$signed.verified"
  fi
  check_files
  check_build
}

check_statement() {
  case $key_kind in
    ed25519) set -- pkeyutl -verify -pubin -inkey "$key" -rawin -in "$signed.payload" -sigfile "$signed.signature" ;;
    *) set -- dgst -sha256 -verify "$key" -signature "$signed.signature" "$signed.payload" ;;
  esac
  openssl "$@" >"$tmp/errors" 2>&1 ||
    not_signed "the signature of bundle $bundle is not one of $key: $(plain <"$tmp/errors" | tail -n 1)"
  found=$(digest_of "$signed.manifest")
  printf '{"critical":{"identity":{"docker-reference":""},"image":{"docker-manifest-digest":"sha256:%s"},"type":"cosign container image signature"},"optional":null}' \
    "$found" >"$tmp/statement"
  cmp -s "$tmp/statement" "$signed.payload" ||
    not_signed "what $key signed is another manifest than the one that the mirror gives for bundle $bundle"
  # The document is the manifest's config, and there is one config. A quote within a JSON string has a backslash before it.
  found=$(digest_of "$signed.document")
  grep -q -F "\"config\":{\"digest\":\"sha256:$found\",\"mediaType\":\"application/vnd.engine-ferry.document.v1+json\"," "$signed.manifest" ||
    not_signed "the document of bundle $bundle is not the one that its manifest names"
}

# Every file is a layer of the manifest with its size, and the document has it under this path.
check_files() {
  while read -r _ hex bytes _ path; do
    grep -q -F "\"digest\":\"sha256:$hex\",\"mediaType\":\"application/octet-stream\",\"size\":$bytes}" "$signed.manifest" ||
      not_signed "${path##*/} (sha256:$hex) is no file of the signed bundle $bundle"
    grep -q -F "{\"digest\":\"sha256:$hex\",\"path\":\"$path\",\"size\":$bytes," "$signed.document" ||
      not_signed "the signed document of bundle $bundle has $path with other bytes, or not at all"
  done <"$tmp/files"
}

# The document lists exactly these files, in this order, as this build, with this program and these arguments: else a
# mirror could hand out an older build, or another one, whose files are signed as well.
check_build() {
  paths=$(sed -n 's/^file [^ ]* [^ ]* [^ ]* \(.*\)$/"\1"/p' "$tmp/candidate" | tr '\n' ',')
  needs='{\("cc":{[^{}]*},\)\{0,1\}[^{}]*}'
  paths=$(literal "${paths%,}")
  environment=''
  if [ -n "$python" ]; then
    # Its wheels are files of it too; they are the lock's.
    paths='[^]]*' environment=',"python":{.*}'
  fi
  before='{"arch":"'$arch'","build":{.*},"engine":"'$(literal "$engine")'","files":\['$paths'\],"needs":'
  after=$environment',"variant":"'$(literal "$build_variant")'","version":"'$(literal "$build_version")'"}'
  # A build a line, and nothing behind it.
  sed 's/{"arch":"a[a-z0-9]*","build":{/\
&/g' "$signed.document" | sed -n "s#^\\($before$needs$after\\).*#\\1#p" >"$tmp/build"
  [ -s "$tmp/build" ] ||
    not_signed "bundle $bundle does not list these files as $engine $build_version $arch $build_variant"
  check_wish
  is_said binary "$binary"
  is_said assetDir "$inner"
  is_said gpuBackend "$(value backend)"
  if [ "$arguments" != --version ] || grep -q -F '"versionArgs":' "$tmp/build"; then
    said=$(tr '\n' ',' <"$tmp/arguments")
    grep -q -F "\"versionArgs\":[${said%,}]" "$tmp/build" || set -- "$arguments"
  fi
  [ $# -eq 0 ] || not_signed "bundle $bundle does not say that $binary is started with $1"
  if [ -n "$python" ]; then
    check_environment
  elif grep -q -E '"needs":.*,"python":[{]' "$tmp/build"; then
    not_signed "bundle $bundle says that $build runs in Python, and the mirror does not"
  fi
}

# The environment is made of exactly what the document says: its keys stand in their order there, and digests were
# compared before.
check_environment() {
  assets=$(role asset | sed 's/^[^ ]* [^ ]* \(.*\)$/"\1"/' | tr '\n' ',')
  is_written "its assets" "\"python\":{\"assets\":[${assets%,}],\"bytes\":$wheel_bytes,"
  is_written "its glibc, interpreter and lock" \
    "\"glibc\":\"$(value glibc)\",\"interpreter\":\"$(path_of interpreter)\",\"lock\":\"$(path_of lock)\",\"packages\":$wheel_count,"
  if [ -n "$source_dir" ]; then
    is_written "its source archive" "],\"source\":\"$(path_of source)\",\"uv\":\"$(path_of uv)\",\"version\":\"$python\""
    is_written "the folder of its source" "\"source\":{\"dir\":\"$source_dir\","
    is_written "the folder in its source archive" "\"top\":\"$source_top\","
  else
    is_written "its uv, Python and source" "],\"uv\":\"$(path_of uv)\",\"version\":\"$python\""
  fi
  if [ -n "$(value gpucheck)" ]; then
    is_written "how it is proven" '"gpuCheck":true'
  elif grep -q -F '"gpuCheck":true' "$tmp/build"; then
    not_signed "bundle $bundle says that $build is proven by a computation, and the mirror does not"
  fi
}

path_of() { role "$1" | cut -d ' ' -f 3; }

# is_written WHAT JSON
is_written() {
  grep -q -F "$2" "$tmp/build" || not_signed "bundle $bundle says something else of $build than the mirror: $1"
}

# check_wish: it is the version and variant that were asked for, or what the signed recipe puts in their place: else a mirror
# could choose among all that was ever signed.
check_wish() {
  recipe=$(sed 's/{"engine":"/\
&/g' "$signed.document" | grep -F "{\"engine\":\"$engine\",\"recipe\":{")
  if [ "$build_version" != "$version" ]; then
    say "$recipe" | grep -q -E "\"fallback\":\{\"note\":\"([^\"\\\\]|\\\\.)*\",\"version\":\"$(literal "$build_version")\"\}" ||
      not_signed "the mirror gives $engine $build_version in place of $version, which nothing that $key signed allows"
  fi
  case $build_variant in
    "${variant:-$build_variant}" | "$variant"[-.]*) ;;
    *)
      say "$recipe" | grep -q -E "\"aliases\":\{[^{}]*\"$(literal "$variant")\":\"$(literal "$build_variant")\"" ||
        not_signed "the mirror gives the variant $build_variant in place of $variant, which nothing that $key signed allows"
      ;;
  esac
}

# is_said KEY VALUE: the signed build has this value; an empty one: none.
is_said() {
  if [ -n "$2" ]; then
    grep -q -F "\"$1\":\"$2\"" "$tmp/build" || not_signed "bundle $bundle does not say that the $1 of $build is $2"
  elif grep -q -F "\"$1\":" "$tmp/build"; then
    not_signed "bundle $bundle says that $build has a $1, and the mirror does not"
  fi
}

# As a pattern that means itself: of what a word or path may hold, only dots mean more.
literal() { say "$1" | sed 's/\./[.]/g'; }

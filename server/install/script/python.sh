# Building the environment of an engine that runs in Python: uv, the carried interpreter, the wheels of the lock.
# shellcheck shell=sh disable=SC2034,SC2154

# run_uv ARGUMENTS...: uv, which hears of the mirror, and of nobody else.
run_uv() (
  scrub
  UV_NO_CONFIG=true UV_PYTHON_DOWNLOADS=never UV_CACHE_DIR=$work/uv-cache UV_HTTP_TIMEOUT='120'
  UV_CREDENTIALS_DIR=$work/uv-cache/credentials NETRC=$tmp/netrc
  export UV_NO_CONFIG UV_PYTHON_DOWNLOADS UV_CACHE_DIR UV_HTTP_TIMEOUT UV_CREDENTIALS_DIR NETRC
  if [ -n "$ca" ]; then
    unset SSL_CERT_DIR
    case $ca in /*) SSL_CERT_FILE=$ca ;; *) SSL_CERT_FILE=$(pwd)/$ca ;; esac
    export SSL_CERT_FILE
  else
    # As curl does it: by what this system trusts.
    UV_SYSTEM_CERTS=true
    export UV_SYSTEM_CERTS
  fi
  cd "$work" || exit 1
  exec "$work/uv/uv" "$@"
)

# A token must stand neither in a command line nor in an address. Clients that know only names and passwords give the name
# __token__.
write_netrc() {
  : >"$tmp/netrc"
  [ -n "${FERRY_TOKEN-}" ] || return 0
  host=${mirror#*://}
  host=${host%%/*}
  case $host in
    \[*) host=${host%%\]*} host=${host#\[} ;;
    *) host=${host%%:*} ;;
  esac
  printf 'machine %s login __token__ password %s\n' "$host" "$FERRY_TOKEN" >"$tmp/netrc"
}

# build_environment: $work/tree is the environment, whole; or returns 1 with $why.
build_environment() {
  put_interpreter || return 1
  put_uv || return 1
  say "making the environment (Python $python, $wheel_count packages, $(human "$wheel_bytes"))"
  rm -rf "$work/tree"
  run_uv venv --quiet --relocatable --no-project --python "$python_home/bin/python3" "$work/tree" >"$tmp/errors" 2>&1 ||
    no_space_or "$LOCAL" "no environment can be made: $(uv_said)"
  write_lock
  install_wheels || return 1
  simplify_programs
  hex=$(role lock | cut -d ' ' -f 1)
  cat "$work/files/$hex" >"$work/tree/pylock.toml" || no_space_or "$LOCAL" "$work/tree/pylock.toml cannot be written"
  if [ -n "$source_dir" ]; then
    role source >"$tmp/parts"
    unpack_parts "$source_dir" "$source_top"
  fi
  role asset >"$tmp/parts"
  unpack_parts "$inner" ''
  chmod -R u+rwX,go+rX,go-w "$work/tree" || fail "$LOCAL" "the modes below $work/tree cannot be set"
}

put_uv() {
  hex=$(role uv | cut -d ' ' -f 1)
  path=$(role uv | cut -d ' ' -f 3)
  read_archive "$work/files/$hex" tar.gz "${path##*/}"
  rm -rf "$work/uv"
  dest=$work/uv
  unpack "$work/files/$hex" tar.gz "${path##*/}"
  if run_uv --version >"$tmp/out" 2>&1 </dev/null; then return 0; fi
  too_old <"$tmp/out" || return 1
  why="the carried uv does not start: $(plain <"$tmp/out" | grep -v '^ *$' | tail -n 1)"
  return 1
}

# The carried lock, with this mirror's addresses. It may name nothing else: what it holds was verified, what it leads to
# has its hashes in it.
write_lock() {
  lock=$work/files/$(role lock | cut -d ' ' -f 1)
  strange=$(grep -E '(^|[ {,.])(url|vcs|directory|sdist) = ' "$lock" | plain | head -n 1)
  [ -z "$strange" ] || fail "$NOT_VERIFIED" "the carried lock names what is no carried wheel: $strange"
  sed -e "s#^path = \"#url = \"$mirror/#" -e "s#\([ {,]\)path = \"#\1url = \"$mirror/#g" "$lock" >"$work/pylock.toml" ||
    no_space_or "$LOCAL" "$work/pylock.toml cannot be written"
  grep -q 'url = "' "$work/pylock.toml" || fail "$NOT_VERIFIED" "the carried lock names no wheel"
}

# uv takes a wheel up from its beginning where a transfer was cut, and keeps those that came. So it is asked again as long
# as every attempt brings some more.
install_wheels() {
  before_bytes=-1
  set -- pip install --python "$work/tree/bin/python" --require-hashes --no-deps --no-build --no-index \
    --compile-bytecode -r "$work/pylock.toml"
  # Who watches sees its progress; what went wrong is then found out by asking once more.
  if [ -t 2 ]; then
    if run_uv "$@"; then return 0; fi
  fi
  until run_uv "$@" --quiet >"$tmp/errors" 2>&1; do
    if grep -q -i -E '(hash|size) mismatch' "$tmp/errors"; then
      fail "$NOT_VERIFIED" "a wheel is not the one that the lock names: $(uv_said)" \
        "The mirror's store is damaged or somebody changed the file on its way. On the mirror: ferry scrub"
    fi
    [ "$(free_bytes "$work")" -gt 1048576 ] || fail "$NO_SPACE" "no space is left on the file system of $prefix"
    if grep -q -i -E 'compatible|platform|no wheels|no binary distribution|unsupported' "$tmp/errors"; then
      why="the wheels do not fit this machine: $(uv_said)"
      return 1
    fi
    grep -q -i -E 'fail(ed)? to (fetch|download|extract|read)|sending request|connect|timed? ?out|http|network|body' "$tmp/errors" ||
      fail "$LOCAL" "the wheels cannot be installed: $(uv_said)"
    now=$(cache_bytes)
    [ "$now" -gt "$before_bytes" ] || fail "$NETWORK" "the wheels cannot be had from $mirror: $(uv_said)" \
      "Run the same command again: the wheels that came are kept."
    warn "uv was cut; it goes on with the wheels that are still to come"
    before_bytes=$now
  done
}

# Programs of an environment that may be moved find its Python by a realpath that small systems do not know.
# shellcheck disable=SC2016 # it is their text, not ours
simplify_programs() {
  for file in "$work"/tree/bin/*; do
    sed -n 2p "$file" 2>/dev/null | grep -q -F '"$(dirname -- "$(realpath -- "$0")")"' || continue
    sed '2s/"$(dirname -- "$(realpath -- "$0")")"/"$(dirname "$(readlink -f "$0")")"/' "$file" >"$work/next" ||
      no_space_or "$LOCAL" "$work/next cannot be written"
    chmod 755 "$work/next"
    mv -f "$work/next" "$file" || fail "$LOCAL" "$file cannot be written"
  done
}

cache_bytes() {
  kib=0
  [ ! -d "$work/uv-cache" ] || kib=$(du -s -k "$work/uv-cache" 2>/dev/null | cut -f 1)
  say "$((${kib:-0} * 1024))"
}

# What uv said last, in one line.
uv_said() {
  plain <"$tmp/errors" | grep -v '^ *$' | tail -n 4 | tr '\n' ' ' | sed -e 's/  */ /g' -e 's/^ //' -e 's/ $//'
}

# unpack_parts FOLDER TOP: the archives of $tmp/parts into that folder of the environment.
unpack_parts() {
  [ -s "$tmp/parts" ] || return 0
  write_unpacker
  while read -r hex _ path; do
    name=${path##*/}
    scrubbed "$python_home/bin/python3" -I "$tmp/unpack.py" "$work/files/$hex" "$work/tree${1:+/$1}" "$2" >"$tmp/errors" 2>&1
    code=$?
    case $code in
      0) ;;
      5) unsafe "$(plain <"$tmp/errors" | tail -n 1)" ;;
      6) fail "$NO_SPACE" "$name cannot be unpacked: $(plain <"$tmp/errors" | tail -n 1)" ;;
      *) no_space_or "$LOCAL" "$name cannot be unpacked: $(plain <"$tmp/errors" | grep -v '^ *$' | tail -n 1)" ;;
    esac
  done <"$tmp/parts"
}

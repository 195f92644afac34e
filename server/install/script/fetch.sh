# Getting files from the mirror, and telling whether they are the right ones.
# shellcheck shell=sh disable=SC2034,SC2154

find_tools() {
  if have curl; then
    getter=curl
  elif have wget; then
    case $(wget --version 2>&1) in
      *GNU*) getter=wget ;;
      *) getter=plain-wget ;;
    esac
  else
    fail "$LOCAL" "neither curl nor wget is here" "Install one of them with the system's package manager."
  fi
  case $getter-$mirror in
    plain-wget-https:*)
      fail "$LOCAL" "this wget does not check whom it talks to over https" "Install curl, or the wget of GNU."
      ;;
  esac
  have tar || fail "$LOCAL" "tar is not here" "Install it with the system's package manager."
  # openssl hashes six times as fast as most builds of sha256sum.
  if have openssl; then
    hasher=openssl
  elif have sha256sum; then
    hasher=sha256sum
  else
    fail "$LOCAL" "neither openssl nor sha256sum is here, so that nothing can be verified" \
      "Install one of them with the system's package manager."
  fi
  [ -z "$key" ] || [ "$hasher" = openssl ] || fail "$LOCAL" "--key needs openssl, which is not here"
  if [ -n "${FERRY_TOKEN-}" ]; then
    case $FERRY_TOKEN in *[!A-Za-z0-9._~+/=-]*) fail "$USAGE" "FERRY_TOKEN holds what no token holds" ;; esac
    [ "$getter" != plain-wget ] ||
      fail "$LOCAL" "this wget could send the token only where every user of this machine sees it" "Install curl."
  fi
}

# A token must not stand in a command line, which every user of the machine can read.
write_getter_config() {
  : >"$tmp/getter"
  [ -n "${FERRY_TOKEN-}" ] || return 0
  case $getter in
    curl) printf 'header = "Authorization: Bearer %s"\n' "$FERRY_TOKEN" >"$tmp/getter" ;;
    wget) printf 'header = Authorization: Bearer %s\n' "$FERRY_TOKEN" >"$tmp/getter" ;;
  esac
}

# get ADDRESS FILE BYTES [TYPE]: continues FILE where it exists. No answer makes it larger than BYTES and a little.
# What the program says is in $tmp/errors.
get() {
  (
    ulimit -f "$(($3 / 512 + 2))" 2>/dev/null
    type=${4:-application/octet-stream}
    case $getter in
      curl)
        set -- --config "$tmp/getter" --fail --location --proto =http,https --connect-timeout 30 --speed-limit 1 \
          --speed-time 120 --header "Accept: $type" --continue-at - --output "$2" "$1"
        [ -z "$ca" ] || set -- --cacert "$ca" "$@"
        if [ -t 2 ] && [ "$type" = application/octet-stream ]; then
          exec curl --progress-bar "$@"
        else
          exec curl --silent --show-error "$@" 2>"$tmp/errors"
        fi
        ;;
      wget)
        set -- --config="$tmp/getter" --no-verbose --continue --tries=1 --timeout=120 --header="Accept: $type" -O "$2" "$1"
        [ -z "$ca" ] || set -- --ca-certificate="$ca" "$@"
        if [ -t 2 ] && [ "$type" = application/octet-stream ]; then
          exec wget --show-progress "$@"
        else
          exec wget "$@" 2>"$tmp/errors"
        fi
        ;;
      *) exec wget -q -c --header "Accept: $type" -O "$2" "$1" 2>"$tmp/errors" ;;
    esac
  )
}

# get_small ADDRESS FILE TYPE WHAT: a text of at most 16 MiB, or the end.
get_small() {
  rm -f "$2"
  : >"$tmp/errors"
  get "$1" "$2" 16777216 "$3" || fail "$NETWORK" "$4 cannot be had from $1: $(why_not_got)" \
    "Is $mirror an engine-ferry mirror, and can this machine reach it?"
}

why_not_got() {
  errors=$(plain <"$tmp/errors" | grep -v '^ *$' | tail -n 1)
  case $errors in
    *401* | *Unauthorized* | *Authentication*)
      if [ -n "${FERRY_TOKEN-}" ]; then
        errors="the mirror does not know the token in FERRY_TOKEN ($errors)"
      else
        errors="the mirror asks for a token, and FERRY_TOKEN is not set ($errors)"
      fi
      ;;
  esac
  say "${errors:-see what ${getter#plain-} said above}"
}

digest_of() {
  case $hasher in
    openssl) openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1 ;;
    *) sha256sum <"$1" | cut -d ' ' -f 1 ;;
  esac
}

# Path on the mirror as an address has it: object stores read a bare + as a space.
encoded() { say "$1" | sed 's/+/%2B/g'; }

# fetch_file HEX BYTES PATH: the file is in $work/files/HEX afterwards, verified. What came before an interruption counts.
fetch_file() {
  file=$work/files/$1
  part=$file.part
  name=${3##*/}
  if [ -f "$file" ]; then
    [ "$(digest_of "$file")" != "$1" ] || return 0
    rm -f "$file"
  fi
  fresh=no
  while :; do
    [ -f "$part" ] || fresh=yes
    receive "$part" "$2" "$mirror/$(encoded "$3")"
    found=$(digest_of "$part")
    [ "$found" != "$1" ] || break
    rm -f "$part"
    [ "$fresh" = no ] || fail "$NOT_VERIFIED" "$name is not the file that it should be: expected sha256:$1, found sha256:$found" \
      "The mirror's store is damaged or somebody changed the file on its way. On the mirror: ferry scrub"
    warn "$name is not what was begun earlier; it is fetched anew"
  done
  mv -f "$part" "$file" || no_space_or "$LOCAL" "$file cannot be written"
}

# receive PART BYTES ADDRESS: until it is as long as it should be. A transfer that was cut is continued as long as
# every attempt brings some more; what does not move is no use trying again.
receive() {
  have_bytes=0
  [ ! -f "$1" ] || have_bytes=$(size_of "$1")
  if [ "$have_bytes" -gt "$2" ]; then
    rm -f "$1"
    have_bytes=0 fresh=yes
  fi
  [ "$2" -gt 0 ] || : >"$1"
  while [ "$have_bytes" -lt "$2" ]; do
    : >"$tmp/errors"
    get "$3" "$1" "$2"
    code=$?
    now=0
    [ ! -f "$1" ] || now=$(size_of "$1")
    if [ "$now" -gt "$2" ]; then
      rm -f "$1"
      fail "$NOT_VERIFIED" "$name is larger than it should be ($2 bytes)" "The mirror's store is damaged, or this is another file."
    fi
    if [ "$code" = 0 ] && [ "$now" -lt "$2" ]; then
      rm -f "$1"
      fail "$NOT_VERIFIED" "$name ends after $now bytes; it should have $2" "The mirror's store is damaged, or this is another file."
    fi
    if [ "$getter-$code" = curl-33 ] && [ "$fresh" = no ]; then
      # Something between here and the mirror gives no parts of files.
      rm -f "$1"
      have_bytes=0 fresh=yes
      continue
    fi
    if [ "$now" -le "$have_bytes" ]; then
      [ "$(free_bytes "$work")" -gt 1048576 ] || fail "$NO_SPACE" "no space is left on the file system of $prefix"
      fail "$NETWORK" "$name cannot be had from $3: $(why_not_got)" \
        "Run the same command again: the $(human "$now") that came are kept."
    fi
    [ "$now" = "$2" ] || warn "$name was cut after $(human "$now") of $(human "$2"); it goes on from there"
    have_bytes=$now
  done
}

# Free bytes on the file system of a path that exists; a number that is never too small where df does not say.
free_bytes() {
  free_kib=$(df -P -k "$1" 2>/dev/null | sed -n '2s/^.* \([0-9][0-9]*\)  *[0-9][0-9]*% .*$/\1/p')
  say "$((${free_kib:-1000000000000} * 1024))"
}

# The file system is full, or something else is the matter: two things with two codes.
no_space_or() {
  [ "$(free_bytes "$work")" -gt 1048576 ] || fail "$NO_SPACE" "no space is left on the file system of $prefix"
  fail "$1" "$2"
}

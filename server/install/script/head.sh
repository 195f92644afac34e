#!/bin/sh
# engine-ferry install script 1
#
#   curl -fsSL http://MIRROR/install.sh | sh -s -- ENGINE VERSION [options]
#   ferry-install status | rollback ENGINE | remove ENGINE [VERSION-VARIANT]
#
# Installs an engine from an engine-ferry mirror and asks no other machine for anything. Needs a POSIX shell and
# utilities, curl or wget, tar with gzip, and openssl or sha256sum. What every option and exit code means: docs/install.md.
#
# Nothing that a mirror sends is evaluated by the shell. Every file is checked against its digest, and every archive's
# names before it is unpacked. What is installed is built beside its target, seen to run, and put in place by one rename.
# shellcheck shell=sh disable=SC2034
set -u
LC_ALL=C
export LC_ALL
umask 077

# The mirror writes its own address here when it serves this script; an installed copy also knows its prefix.
default_mirror=''
default_prefix=''

readonly OK=0 USAGE=2 NOT_CARRIED=3 NETWORK=4 NOT_VERIFIED=5 NO_SPACE=6 LOCAL=7 NOT_FIT=8 NOTHING_RUNS=10

say() { printf '%s\n' "$*"; }
warn() { printf 'ferry-install: %s\n' "$*" >&2; }

# fail CODE WORDS [HINT]: ends the script.
fail() {
  warn "$2"
  [ $# -lt 3 ] || printf '  %s\n' "$3" >&2
  exit "$1"
}

# Text from elsewhere, harmless on a terminal: no control characters, at most 200 lines of 500 characters.
plain() { tr -cd '\12\40-\176' | cut -c 1-500 | head -n 200; }

have() { command -v "$1" >/dev/null 2>&1; }

size_of() { wc -c <"$1" | tr -d ' '; }

# Bytes for people.
human() {
  if [ "$1" -ge 10000000000 ]; then say "$(($1 / 1000000000)) GB"
  elif [ "$1" -ge 10000000 ]; then say "$(($1 / 1000000)) MB"
  elif [ "$1" -ge 10000 ]; then say "$(($1 / 1000)) kB"
  else say "$1 B"; fi
}

# one_word TEXT: a name that may be part of a path or an address as it is.
one_word() {
  case $1 in
    '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._+-]*) return 1 ;;
  esac
}

# The folder that is installed into: who may change it now, and where work is done.
#
#   PREFIX/bin/ferry-install, PREFIX/bin/PROGRAM     this script; a script that starts what is in use
#   PREFIX/engines/ENGINE/VERSION-VARIANT/           an installation; its marker, .ferry-installed, was written last
#   PREFIX/engines/ENGINE/current, previous          links to the one in use, and to the one before
#   PREFIX/engines/ENGINE/.work/                     downloads and what is being built; not part of anything
#   PREFIX/engines/.python/VERSION-DIGEST/           a Python, for all environments that were made with it
#   PREFIX/.lock                                     a link that names who is changing something now
# shellcheck shell=sh disable=SC2034,SC2154

MARKER=.ferry-installed
# Within an installation: starts its program.
STARTER=.ferry-start

# Temporary texts. Programs are never run from here: /tmp may be mounted noexec.
make_tmp() {
  tmp=$(mktemp -d "${TMPDIR:-/tmp}/ferry-install.XXXXXX") ||
    fail "$LOCAL" "no folder can be made in ${TMPDIR:-/tmp}" "Set TMPDIR to a folder that can be written."
}

# shellcheck disable=SC2317 # a trap calls it
leave() {
  code=$?
  trap '' HUP INT TERM
  trap - EXIT
  [ -z "$tmp" ] || rm -rf "$tmp"
  [ -z "$locked" ] || [ "$(readlink "$prefix/.lock")" != "$locked" ] || rm -f "$prefix/.lock"
  exit "$code"
}

# A process that began when it says, since this machine started; another one with its number is not it.
mark_of() {
  began=$(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20)
  [ -z "$began" ] || say "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) $began"
}

# One change at a time. A link is made in one step together with what it says; what a killed run left counts for nothing.
lock_prefix() {
  (umask 022 && mkdir -p "$prefix") 2>/dev/null || fail "$LOCAL" "$prefix cannot be made" "Choose another folder with --prefix, or run this as root."
  [ -w "$prefix" ] || fail "$LOCAL" "$prefix cannot be written" "Choose another folder with --prefix, or run this as root."
  own="$$ $(mark_of $$)"
  attempts=0
  until ln -s "$own" "$prefix/.lock" 2>/dev/null; do
    attempts=$((attempts + 1))
    [ "$attempts" -le 10 ] ||
      fail "$LOCAL" "$prefix/.lock cannot be made" "Where no ferry-install is running, remove it: rm $prefix/.lock"
    holder=$(readlink "$prefix/.lock" 2>/dev/null)
    [ -n "$holder" ] || continue
    ! is_at_work "$holder" || busy
    mv "$prefix/.lock" "$prefix/.lock.$$" 2>/dev/null || continue
    if [ "$(readlink "$prefix/.lock.$$")" != "$holder" ]; then
      # Somebody else was faster, and it is that one's lock.
      mv "$prefix/.lock.$$" "$prefix/.lock"
      busy
    fi
    rm -f "$prefix/.lock.$$"
  done
  locked=$own
}

is_at_work() {
  holder_pid=${1%% *}
  case $holder_pid in '' | *[!0-9]*) return 1 ;; esac
  [ "$holder_pid" != $$ ] && kill -0 "$holder_pid" 2>/dev/null && [ "$(mark_of "$holder_pid")" = "${1#* }" ]
}

busy() {
  fail "$LOCAL" "another ferry-install (process ${holder%% *}) is at work in $prefix" "Wait until it has ended."
}

# Makes the folders that everybody may read, and a work folder of this engine that nobody else may.
prepare_prefix() {
  home=$prefix/engines/$engine
  work=$home/.work
  for folder in "$prefix/engines" "$home" "$prefix/bin"; do
    if [ ! -d "$folder" ]; then
      mkdir "$folder" || fail "$LOCAL" "$folder cannot be made"
      chmod 755 "$folder" || fail "$LOCAL" "the mode of $folder cannot be set"
    fi
  done
  mkdir -p "$work/files" || fail "$LOCAL" "$work cannot be made"
  rm -rf "$work/tree" "$work/unpacked" "$work/interpreter" "$work/old" "$work/next"
  printf '#!/bin/sh\nexit 0\n' >"$work/next" || no_space_or "$LOCAL" "$work/next cannot be written"
  chmod 755 "$work/next"
  "$work/next" 2>/dev/null ||
    fail "$LOCAL" "no program may be run below $prefix" "Its file system is mounted noexec; choose another one with --prefix."
  rm -f "$work/next"
}

# in_one_step NEW NAME: the link or file NEW becomes NAME; whoever looks sees the old one or the new one.
in_one_step() {
  mv -T -f "$1" "$2" 2>/dev/null && return 0
  # Some small systems' mv knows no -T, and without it a link to a folder is followed.
  [ ! -L "$1" ] || { ln -sfn "$(readlink "$1")" "$2" && rm -f "$1" && return 0; }
  [ ! -f "$1" ] || [ -d "$2" ] || { mv -f "$1" "$2" && return 0; }
  fail "$LOCAL" "$2 cannot be replaced"
}

# is_ours FILE: nothing is there, or something that this script made.
is_ours() {
  [ -e "$1" ] || [ -L "$1" ] || return 0
  [ -f "$1" ] && head -n 3 "$1" | grep -q '^# engine-ferry '
}

# Installing a version.
# shellcheck shell=sh disable=SC2034,SC2154

install_engine() {
  find_tools
  make_tmp
  write_getter_config
  write_netrc
  find_package_manager
  find_key
  find_host
  say_host
  get_plan
  sed -n 's/^left /  not from this mirror: /p' "$tmp/plan" | plain
  if [ "$dry_run" = yes ]; then
    dry_run
    return 0
  fi
  lock_prefix
  prepare_prefix
  keep_only_planned
  reasons=''
  number=0
  while [ "$number" -lt "$candidates" ]; do
    number=$((number + 1))
    choose "$number"
    if try_build; then
      drop_interpreters
      rm -rf "$work"
      report
      return 0
    fi
    warn "$engine $build_version $build_variant is not installed: $why"
    reasons="$reasons
  $build_variant: $why"
    rm -rf "$work/tree" "$work/unpacked" "$work/interpreter"
  done
  in_use=$(readlink "$home/current" 2>/dev/null)
  fail "$NOTHING_RUNS" "no build of $engine $version that this mirror carries runs on this machine:$reasons" \
    "${in_use:+What is in use stays so: $in_use. }Nothing was installed."
}

# Downloads of other versions, from runs that did not end well, are not kept for ever.
keep_only_planned() {
  for file in "$work"/files/*; do
    hex=${file##*/}
    hex=${hex%.part}
    grep -q "^file $hex " "$tmp/plan" || rm -f "$file"
  done
}

dry_run() {
  number=0
  while [ "$number" -lt "$candidates" ]; do
    number=$((number + 1))
    choose "$number"
    [ -z "$key" ] || check_signature
    if [ "$number" = 1 ]; then
      say "would install $engine $build_version $build_variant ($(human "$download_bytes")) into $prefix/engines/$engine/$build"
    else
      say "if that does not run: $build_variant ($(human "$download_bytes"))"
    fi
    processor_can || say "  but $why"
    sed -n 's/^file [^ ]* [^ ]* [^ ]* /  /p' "$tmp/candidate"
    [ -z "$python" ] || say "  and $wheel_count packages ($(human "$wheel_bytes")) by the lock"
    value note | plain | sed 's/^/  /'
  done
  [ -z "$key" ] || say "every file is signed by $key (key $key_id)"
  say "nothing was changed"
}

# try_build: installs the chosen candidate. Returns 1 with $why where it does not run here; what is wrong with the
# mirror, the files or the disk ends the script.
try_build() {
  processor_can || return 1
  [ -z "$key" ] || check_signature
  refuse_foreign
  value note | plain
  target=$home/$build
  if is_complete "$target"; then
    if seen_to_run "$target"; then
      say "$engine $build is installed already"
      put_in_use
      return 0
    fi
    warn "$engine $build is installed, but does not run ($why); it is installed anew"
  fi
  need_space "$(still_to_come)" "to download $engine $build"
  while read -r _ hex bytes _ path; do
    say "fetching ${path##*/} ($(human "$bytes"))"
    fetch_file "$hex" "$bytes" "$path"
  done <"$tmp/files"
  if [ -n "$python" ]; then
    build_environment || return 1
  else
    build_tree
  fi
  seen_to_run "$work/tree" || return 1
  write_marker
  move_in
  put_in_use
  [ -z "$python" ] || compiler_there
}

# What others put into PREFIX/bin is not ours to replace.
refuse_foreign() {
  for file in "$prefix/bin/$called" "$prefix/bin/ferry-install"; do
    is_ours "$file" ||
      fail "$LOCAL" "$file is there and was not put there by this script" "Move it away, or choose another folder with --prefix."
  done
}

# The marker was written last, so everything before it was; and it is of these very files.
is_complete() { [ -f "$1/$MARKER" ] && [ "$(sed -n 's/^file //p' "$1/$MARKER")" = "$(sed 's/^file \([^ ]*\) .*$/\1/' "$tmp/files")" ]; }

still_to_come() {
  here=0
  while read -r _ hex _; do
    for file in "$work/files/$hex" "$work/files/$hex.part"; do
      [ ! -f "$file" ] || here=$((here + $(size_of "$file")))
    done
  done <"$tmp/files"
  # Unpacked they take at least as much again; how much exactly is known when they are here. Wheels are unpacked while they
  # come, to two or three times their size.
  wanted=$((download_bytes * 2 + wheel_bytes / 2 - here))
  stated=$(value free)
  if [ -n "$python" ]; then
    here=$((here + $(cache_bytes)))
    wanted=$((wanted - $(cache_bytes)))
    [ -z "$stated" ] || stated=$((stated - here))
  fi
  if [ -n "$stated" ] && [ "$stated" -gt "$wanted" ]; then wanted=$stated; fi
  say "$wanted"
}

need_space() {
  free=$(free_bytes "$work")
  [ "$free" -ge "$1" ] ||
    fail "$NO_SPACE" "$(human "$1") of free space are needed $2; the file system of $prefix has $(human "$free")" \
      "Free some, or choose another folder with --prefix."
}

build_tree() {
  total=0
  while read -r _ hex _ kind path; do
    read_archive "$work/files/$hex" "$kind" "${path##*/}"
    total=$((total + unpacked))
    say "$hex $top" >>"$tmp/tops"
  done <"$tmp/files"
  need_space "$total" "to unpack $engine $build"
  dest=$work/tree
  [ -z "$inner" ] || dest=$work/tree/$inner
  while read -r _ hex _ kind path; do
    top=$(sed -n "s/^$hex //p" "$tmp/tops" | tail -n 1)
    unpack "$work/files/$hex" "$kind" "${path##*/}"
  done <"$tmp/files"
  # As in the archives, but readable by all and writable by their owner alone, whatever the umask.
  chmod -R u+rwX,go+rX,go-w "$work/tree" || fail "$LOCAL" "the modes below $work/tree cannot be set"
}

write_marker() {
  rm -f "$work/tree/$MARKER" "$work/tree/$STARTER"
  {
    say '#!/bin/sh'
    # Programs of the environment start each other by name, and another Python's home would break this one.
    [ -z "$python" ] || printf "unset PYTHONHOME\nPATH='%s/bin':\$PATH\nexport PATH\n" "$target"
    printf "exec '%s/%s' \"\$@\"\n" "$target" "$program"
  } >"$work/tree/$STARTER" || no_space_or "$LOCAL" "$work/tree/$STARTER cannot be written"
  chmod 755 "$work/tree/$STARTER"
  verified='by the digests of the mirror'
  [ -z "$key" ] || verified="by key $fingerprint"
  {
    say "ferry-installed 1"
    say "engine $engine"
    say "version $build_version"
    say "variant $build_variant"
    say "program $program"
    if [ -n "$(value args)" ]; then say "arguments $arguments"; else sed 's/^/argument /' "$tmp/arguments"; fi
    if [ -n "$python" ]; then
      say "python $python"
      say "interpreter $python_name"
      for part in lock uv; do say "$part $(role "$part" | sed 's/^\([^ ]*\) [^ ]* \(.*\)$/\2 sha256:\1/')"; done
    fi
    say "mirror $mirror"
    say "bundle $bundle sha256:$manifest"
    say "verified $verified"
    say "installed $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    sed 's/^file \([^ ]*\) .*$/file \1/' "$tmp/files"
  } >"$work/tree/$MARKER" || no_space_or "$LOCAL" "$work/tree/$MARKER cannot be written"
  chmod 644 "$work/tree/$MARKER"
  # After a power cut there must be no marker beside files that never reached the disk.
  sync -f "$work/tree/$MARKER" 2>/dev/null || sync
}

move_in() {
  if [ -e "$target" ] || [ -L "$target" ]; then
    mv "$target" "$work/old" || fail "$LOCAL" "$target cannot be replaced"
  fi
  mv "$work/tree" "$target" || fail "$LOCAL" "$target cannot be put in place"
  rm -rf "$work/old"
}

# From here on the new build is the one in use. It was seen to run where it was built; should it not run where it is now,
# the one before is put back. The way back is written down before the way is taken.
put_in_use() {
  write_program
  write_self
  before=$(readlink "$home/current" 2>/dev/null)
  long_before=$(readlink "$home/previous" 2>/dev/null)
  if [ -n "$before" ] && [ "$before" != "$build" ]; then link_to previous "$before"; fi
  link_to current "$build"
  if ! carefully with_arguments limited "$patience" "$prefix/bin/$called" >"$tmp/out" 2>&1 </dev/null; then
    why=$(plain <"$tmp/out" | tail -n 1)
    link_to current "$before"
    link_to previous "$long_before"
    [ -n "$before" ] || rm -f "$prefix/bin/$called"
    fail "$NOTHING_RUNS" "$prefix/bin/$called does not run: ${why:-it gives no reason}" "What was in use before is in use again."
  fi
}

# link_to NAME BUILD: an empty one: there is no such link.
link_to() {
  if [ -z "$2" ]; then
    rm -f "$home/$1"
    return 0
  fi
  rm -f "$work/next"
  ln -s "$2" "$work/next" || no_space_or "$LOCAL" "a link to $2 cannot be made"
  in_one_step "$work/next" "$home/$1"
}

# The same for every version, so that changing `current` is all that changes. A script and no link, so that a program which
# looks for its libraries beside its own name finds them.
write_program() {
  printf "#!/bin/sh\n# engine-ferry program of %s\nexec '%s/current/%s' \"\$@\"\n" "$engine" "$home" "$STARTER" >"$work/next" ||
    no_space_or "$LOCAL" "$work/next cannot be written"
  chmod 755 "$work/next"
  in_one_step "$work/next" "$prefix/bin/$called"
}

# This script as PREFIX/bin/ferry-install: from the file that is running, else from the mirror that it came from.
write_self() {
  self=$0
  if [ ! -f "$self" ] || ! sed -n 2p "$self" | grep -q '^# engine-ferry install script '; then
    self=$tmp/self
    get_small "$mirror/install.sh" "$self" text/plain "the install script"
  fi
  if [ "$(sed -n 1p "$self")" != '#!/bin/sh' ] || [ "$(tail -n 1 "$self")" != '# end of engine-ferry install script' ]; then
    fail "$NETWORK" "$mirror/install.sh is not the whole install script"
  fi
  sed -e "s|^default_mirror='.*'\$|default_mirror='$mirror'|" -e "s|^default_prefix='.*'\$|default_prefix='$prefix'|" "$self" >"$work/next" ||
    no_space_or "$LOCAL" "$work/next cannot be written"
  chmod 755 "$work/next"
  in_one_step "$work/next" "$prefix/bin/ferry-install"
}

report() {
  say "$engine $build_version ($build_variant) is installed in $target"
  say "  run it:  $prefix/bin/$called"
  say "  it says: $version_said"
  [ -z "$devices_said" ] || say "$devices_said" | sed 's/^/  card:    /'
  [ -z "$key" ] || say "  signed:  bundle $bundle, by key $key_id"
  say "  later:   $prefix/bin/ferry-install status"
}

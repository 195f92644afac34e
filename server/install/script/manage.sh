# Looking after what is installed.
# shellcheck shell=sh disable=SC2034,SC2154

marked() { sed -n "s/^$2 //p" "$1/$MARKER" 2>/dev/null | plain | head -n 1; }

# status: everything installed below the prefix; NOTHING_RUNS where something in use does not run.
show_status() {
  make_tmp
  found=no
  result=$OK
  for home in "$prefix"/engines/*; do
    [ -d "$home" ] || continue
    engine=${home##*/}
    in_use=$(readlink "$home/current" 2>/dev/null)
    before=$(readlink "$home/previous" 2>/dev/null)
    for folder in "$home"/*; do
      if [ -L "$folder" ] || [ ! -d "$folder" ]; then continue; fi
      found=yes
      show_one "$folder"
    done
    if [ -n "$in_use" ] && [ ! -d "$home/$in_use" ]; then
      say "$engine: what should be in use, $in_use, is gone; install it again, or: ferry-install rollback $engine"
      result=$NOTHING_RUNS
    fi
  done
  [ "$found" = yes ] || say "nothing is installed below $prefix"
  show_interpreters
  return "$result"
}

show_interpreters() {
  for folder in "$prefix"/engines/.python/*; do
    [ -f "$folder/$MARKER" ] || continue
    users=$(grep -l -x -F "interpreter ${folder##*/}" "$prefix"/engines/*/*/"$MARKER" 2>/dev/null | grep -v -c -E '/(current|previous)/[^/]*$')
    size=$(du -s -k "$folder" 2>/dev/null | cut -f 1)
    say "Python ${folder##*/}: $(human "$((${size:-0} * 1024))"), used by $users of these"
  done
}

show_one() {
  build=${1##*/}
  note=''
  if [ "$build" = "$in_use" ]; then note=', in use'; elif [ "$build" = "$before" ]; then note=', in use before'; fi
  if [ ! -f "$1/$MARKER" ]; then
    say "$engine $build: not an installation of ours (it has no $MARKER)"
    return 0
  fi
  size=$(du -s -k "$1" 2>/dev/null | cut -f 1)
  say "$engine $build$note: $(human "$((${size:-0} * 1024))"), from $(marked "$1" mirror), bundle $(marked "$1" bundle | cut -d ' ' -f 1), verified $(marked "$1" verified), installed $(marked "$1" installed)"
  [ "$build" = "$in_use" ] || return 0
  if runs_here "$home/current"; then
    say "  it runs: $version_said"
  else
    say "  it does NOT run: $why"
    result=$NOTHING_RUNS
  fi
}

# runs_here FOLDER: the installation in it says its version.
runs_here() {
  program=$(marked "$1" program)
  binary=${program##*/}
  python=$(marked "$1" python)
  called=$(called_as "$engine" "$binary")
  {
    marked "$1" arguments | tr ' ' '\n' | sed -n 's/^..*$/"&"/p'
    sed -n 's/^argument \("[ -~]*"\)$/\1/p' "$1/$MARKER"
  } >"$tmp/arguments"
  arguments=$(spoken_arguments)
  glibc='' package_manager=none install_with=''
  : >"$tmp/candidate"
  if [ -z "$program" ] || [ ! -x "$1/$program" ]; then
    why="it holds no program ${program:-that it names}"
    return 1
  fi
  starts "$1"
}

require_engine() {
  home=$prefix/engines/$engine
  work=$home/.work
  [ -d "$home" ] || fail "$NOT_CARRIED" "no $engine is installed below $prefix" "See what is: ferry-install status"
}

roll_back() {
  require_engine
  make_tmp
  lock_prefix
  before=$(readlink "$home/previous" 2>/dev/null)
  in_use=$(readlink "$home/current" 2>/dev/null)
  [ -n "$before" ] || fail "$NOT_CARRIED" "no version of $engine was in use before ${in_use:-}" "See what is installed: ferry-install status"
  [ -f "$home/$before/$MARKER" ] || fail "$LOCAL" "$home/$before is no whole installation any more"
  runs_here "$home/$before" || fail "$NOTHING_RUNS" "$engine $before does not run: $why" "Nothing was changed; $in_use is in use."
  mkdir -p "$work" || fail "$LOCAL" "$work cannot be made"
  write_program
  link_to current "$before"
  link_to previous "$in_use"
  say "$engine $before is in use again${in_use:+, in place of $in_use}"
}

remove_engine() {
  require_engine
  make_tmp
  lock_prefix
  in_use=$(readlink "$home/current" 2>/dev/null)
  if [ -n "$version" ]; then remove_build; else remove_whole; fi
}

remove_build() {
  folder=$home/$version
  if [ -L "$folder" ] || [ ! -f "$folder/$MARKER" ]; then
    fail "$NOT_CARRIED" "$engine $version is not installed below $prefix" "Name it as ferry-install status does: VERSION-VARIANT."
  fi
  [ "$version" != "$in_use" ] ||
    fail "$LOCAL" "$engine $version is in use" "Put another one in use first (ferry-install rollback $engine), or remove $engine whole."
  [ "$version" != "$(readlink "$home/previous" 2>/dev/null)" ] || rm -f "$home/previous"
  take_away "$folder"
  drop_interpreters
  say "$engine $version is removed"
}

# The programs go first: nothing may start what is half gone.
remove_whole() {
  for file in "$prefix"/bin/*; do
    if [ -f "$file" ] && sed -n 2p "$file" | grep -q -x "# engine-ferry program of $engine"; then rm -f "$file"; fi
  done
  rm -f "$home/current" "$home/previous"
  for folder in "$home"/*; do
    if [ -f "$folder/$MARKER" ]; then take_away "$folder"; fi
  done
  drop_interpreters
  rm -rf "$work"
  if rmdir "$home" 2>/dev/null; then
    say "$engine is removed"
  else
    say "$engine is removed; $home holds files that this script did not put there, and stays"
  fi
}

# Out of sight in one step, so that a removal which is cut short leaves no half of an installation behind.
take_away() {
  mkdir -p "$work" || fail "$LOCAL" "$work cannot be made"
  rm -rf "$work/old"
  mv "$1" "$work/old" || fail "$LOCAL" "$1 cannot be removed"
  rm -rf "$work/old"
}

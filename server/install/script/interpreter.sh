# The Python that environments run on: unpacked once for all that use it, where it stays. An environment may be moved, the
# Python that it points to may not.
# shellcheck shell=sh disable=SC2034,SC2154

# role ROLE: "HEX BYTES PATH" of the chosen candidate's file of that role.
role() { sed -n "s/^file \([^ ]*\) \([^ ]*\) $1 /\1 \2 /p" "$tmp/files"; }

# name_interpreter: $python_name and $python_home, its folder.
name_interpreter() {
  python_name=$python-$(role interpreter | cut -c 1-16)
  python_home=$prefix/engines/.python/$python_name
}

interpreter_starts() {
  scrubbed limited 120 "$python_home/bin/python3" -I -S -c \
    'import sys; sys.exit(0 if "%d.%d" % sys.version_info[:2] == sys.argv[1] else "it is Python " + sys.version)' "$python" \
    >"$tmp/out" 2>&1 </dev/null && return 0
  too_old <"$tmp/out" || return 1
  why="the carried Python does not start: $(plain <"$tmp/out" | grep -v '^ *$' | tail -n 1)"
  return 1
}

# put_interpreter: it is in its place, whole, and starts; or returns 1 with $why.
put_interpreter() {
  name_interpreter
  if [ -f "$python_home/$MARKER" ] && interpreter_starts; then return 0; fi
  if [ ! -d "${python_home%/*}" ]; then
    mkdir "${python_home%/*}" || fail "$LOCAL" "${python_home%/*} cannot be made"
    chmod 755 "${python_home%/*}" || fail "$LOCAL" "the mode of ${python_home%/*} cannot be set"
  fi
  hex=$(role interpreter | cut -d ' ' -f 1)
  path=$(role interpreter | cut -d ' ' -f 3)
  # Names as some of its libraries have them: `script (dev).tmpl`.
  more_signs=' ()'
  read_archive "$work/files/$hex" tar.gz "${path##*/}"
  more_signs=''
  rm -rf "$work/interpreter"
  dest=$work/interpreter
  unpack "$work/files/$hex" tar.gz "${path##*/}"
  [ -x "$dest/bin/python3" ] || unsafe "it holds no program bin/python3"
  tell_place
  chmod -R u+rwX,go+rX,go-w "$dest" || fail "$LOCAL" "the modes below $dest cannot be set"
  printf 'ferry-python 1\nfile %s\n' "$hex" >"$dest/$MARKER" || no_space_or "$LOCAL" "$dest/$MARKER cannot be written"
  chmod 644 "$dest/$MARKER"
  sync -f "$dest/$MARKER" 2>/dev/null || sync
  if [ -e "$python_home" ]; then
    mv "$python_home" "$work/old" || fail "$LOCAL" "$python_home cannot be replaced"
  fi
  mv "$dest" "$python_home" || fail "$LOCAL" "$python_home cannot be put in place"
  rm -rf "$work/old"
  interpreter_starts
}

# It was built to be anywhere, and says /install where it is asked for headers and libraries: what compiles kernels asks.
tell_place() {
  for file in "$dest"/lib/python*/_sysconfigdata_*.py; do
    [ -f "$file" ] || continue
    sed -e "s|'/install'|'$python_home'|g" -e "s|/install/|$python_home/|g" "$file" >"$work/next" ||
      no_space_or "$LOCAL" "$work/next cannot be written"
    mv -f "$work/next" "$file" || fail "$LOCAL" "$file cannot be written"
  done
}

# What no installation names any more. Changes happen one at a time, so nothing can begin to use it meanwhile.
drop_interpreters() {
  for folder in "$prefix"/engines/.python/*; do
    [ -f "$folder/$MARKER" ] || continue
    ! grep -q -x -F "interpreter ${folder##*/}" "$prefix"/engines/*/*/"$MARKER" 2>/dev/null || continue
    take_away "$folder"
  done
  rmdir "$prefix/engines/.python" 2>/dev/null
  return 0
}

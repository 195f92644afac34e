# Surroundings for uv and Python: what a user's shell says to other environments of theirs must not reach this one.
# shellcheck shell=sh disable=SC2034,SC2154

# scrub: for a subshell. Names are taken from the shell's own list; a line within a value that looks like one costs nothing.
scrub() {
  for inherited in $(export -p | sed -n -e 's/^export \([A-Za-z_][A-Za-z0-9_]*\).*$/\1/p' \
    -e 's/^declare -[a-z]* \([A-Za-z_][A-Za-z0-9_]*\).*$/\1/p'); do
    case $inherited in
      UV_* | PIP_* | PYTHON* | CONDA* | VIRTUAL_ENV* | XDG_CONFIG_* | __PYVENV_LAUNCHER__) unset "$inherited" ;;
    esac
  done
  # Bytecode is written once, for everybody; not by whoever starts a program first.
  PYTHONDONTWRITEBYTECODE=yes
  export PYTHONDONTWRITEBYTECODE
}

# scrubbed COMMAND...: a function or program, without what other environments left in this one.
scrubbed() {
  (
    scrub
    "$@"
  )
}

# carefully COMMAND...: scrubbed where the engine runs in Python.
carefully() {
  if [ -n "$python" ]; then scrubbed "$@"; else "$@"; fi
}

# with_arguments COMMAND...: runs it with the arguments that make the program say its version. $tmp/arguments holds one a
# line, as a JSON string with no escapes but \n, \t, \" and \\.
# shellcheck disable=SC2317 # others are told to call it
with_arguments() {
  while IFS= read -r quoted; do
    quoted=${quoted#\"}
    quoted=${quoted%\"}
    quoted=$(printf '%b.' "$(say "$quoted" | sed 's/\\"/\\0042/g')")
    set -- "$@" "${quoted%.}"
  done <"$tmp/arguments"
  "$@"
}

# The arguments for people: those that are no plain words are programs, and longer than anybody wants to read.
spoken_arguments() {
  sed -e 's/^"\([A-Za-z0-9._=-]*\)"$/\1/' -e 's/^".*$/.../' "$tmp/arguments" | tr '\n' ' ' | sed 's/ $//'
}

# called_as ENGINE PROGRAM: how it is called in PREFIX/bin. A `python` there would stand before the system's own.
called_as() {
  case ${2##*/} in
    python | python[0-9]*) say "$1" ;;
    *) say "${2##*/}" ;;
  esac
}

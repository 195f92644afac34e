# What the mirror says may be installed here.
# shellcheck shell=sh disable=SC2034,SC2154

# Every line that a plan may hold, and no other. Nothing below has to doubt what a value is made of.
plan_grammar() {
  word='[A-Za-z0-9][A-Za-z0-9._+-]*'
  path='[A-Za-z0-9][A-Za-z0-9._+~@/-]*'
  hex='[0-9a-f]{64}'
  cat <<END
^ferry-plan 1\$
^(engine|version|arch) $word\$
^(label|left|note|say|carried|spec)( [ -~]*)?\$
^refused [0-9]{1,3}\$
^candidate [0-9]{1,3} $word $word\$
^bundle $word $hex\$
^(binary|dir) $path\$
^args( [A-Za-z0-9._=-]+)+\$
^argument "([ !#-Z^-~[]|]|\\\\["\\\\nt])*"\$
^python 3\.[0-9]{1,2}\$
^glibc 2\.[0-9]{1,3}\$
^wheels [0-9]{1,6} [0-9]{1,15}\$
^source $path $word\$
^gpucheck torch\$
^backend $word\\.so[A-Za-z0-9._+-]*\$
^devices [a-z0-9]+\$
^(cpu|deb|rpm)( $word)+\$
^free [0-9]{1,15}\$
^file $hex [0-9]{1,15} (tar|tar\\.gz|tar\\.xz|uv|interpreter|lock|source|asset) $path\$
^end\$
END
}

get_plan() {
  query="arch=$arch&driver=$driver&cc=$cc&glibc=$glibc&variant=$(encoded "$variant")${key:+&key=$key_id}"
  get_small "$mirror/v1/install/$(encoded "$engine")/$(encoded "$version")?$query" "$tmp/plan" text/plain "the install plan"
  # Before anything reads lines: grep takes a text with a NUL byte for binary, and then says nothing of any line of it.
  [ "$(LC_ALL=C tr -d '\012\040-\176' <"$tmp/plan" | wc -c | tr -d ' ')" = 0 ] || bad_plan "bytes that no plan holds"
  plan_grammar >"$tmp/grammar"
  if [ "$(sed -n 1p "$tmp/plan")" != 'ferry-plan 1' ] || [ "$(tail -n 1 "$tmp/plan")" != end ]; then
    fail "$NETWORK" "what $mirror answers is no whole install plan" "Is it an engine-ferry mirror, and one of this script's time?"
  fi
  strange=$(grep -v -E -f "$tmp/grammar" "$tmp/plan" | plain | head -n 1)
  [ -z "$strange" ] || bad_plan "a line that no plan holds: $strange"
  strange=$(grep -E '^(binary|dir|file|source) ' "$tmp/plan" | grep -E '/\.{0,2}([/ ]|$)' | plain | head -n 1)
  [ -z "$strange" ] || bad_plan "a path that leads elsewhere: $strange"
  if [ "$(plan_value engine)/$(plan_value version)/$(plan_value arch)" != "$engine/$version/$arch" ]; then
    bad_plan "another engine, version or architecture than was asked for"
  fi
  candidates=$(grep -c '^candidate ' "$tmp/plan")
  [ "$candidates" -gt 0 ] || refused
}

bad_plan() {
  fail "$NOT_VERIFIED" "the mirror's install plan holds $1" "Nothing was changed. Is $mirror the mirror that it should be?"
}

# The value of a key that stands once in the plan, or in the candidate that was chosen.
plan_value() { sed -n "s/^$1 //p" "$tmp/plan" | head -n 1; }
value() { sed -n "s/^$1 //p" "$tmp/candidate"; }

# The mirror's own words, and its code.
refused() {
  code=$(plan_value refused)
  # A lying mirror must not make a refusal look like success, nor like a code that means something else.
  case $code in "$NOT_CARRIED" | "$NOT_FIT" | 9) ;; *) bad_plan "neither a build nor a refusal" ;; esac
  sed -n 's/^say //p' "$tmp/plan" | plain | sed -e '1s/^/ferry-install: /' -e '2,$s/^/  /' >&2
  if grep -q '^carried ' "$tmp/plan"; then
    say "  This mirror carries:" >&2
    sed -n 's/^carried /    /p' "$tmp/plan" | plain >&2
  fi
  if grep -q '^spec ' "$tmp/plan"; then
    say "  To carry it, add to the spec of the next bundle:" >&2
    sed -n 's/^spec /    /p' "$tmp/plan" | plain >&2
  fi
  exit "$code"
}

# choose N: the Nth candidate into $tmp/candidate, and its names.
choose() {
  sed -n "/^candidate $1 /,/^candidate $(($1 + 1)) /p" "$tmp/plan" | grep -v -E "^(candidate $(($1 + 1)) .*|end)\$" >"$tmp/candidate"
  twice=$(cut -d ' ' -f 1 "$tmp/candidate" | grep -v -E '^(file|note|argument)$' | sort | uniq -d)
  [ -z "$twice" ] || bad_plan "two lines where there is one: $twice"
  names=$(value candidate)
  names=${names#* }
  build_variant=${names%% *}
  build_version=${names#* }
  # A folder's name, and nothing that a shell or a person reads as something else.
  build=$build_version-$build_variant
  binary=$(value binary)
  inner=$(value dir)
  choose_arguments
  bundle=$(value bundle)
  manifest=${bundle#* }
  bundle=${bundle%% *}
  program=$binary
  [ -z "$inner" ] || program=$inner/$binary
  python=$(value python)
  called=$(called_as "$engine" "$binary")
  if [ -z "$binary" ] || [ -z "$arguments" ] || [ -z "$manifest" ] || ! grep -q '^file ' "$tmp/candidate"; then
    bad_plan "a build without its program, its bundle or its files"
  fi
  grep '^file ' "$tmp/candidate" >"$tmp/files"
  download_bytes=0
  while read -r _ _ bytes _ _; do download_bytes=$((download_bytes + bytes)); done <"$tmp/files"
  wheel_bytes=0
  if [ -n "$python" ]; then choose_python; else
    ! grep -q -E '^file [^ ]* [^ ]* (uv|interpreter|lock|source|asset) ' "$tmp/files" || bad_plan "files of a Python engine in another one"
  fi
}

# As JSON strings, one a line.
choose_arguments() {
  {
    value args | tr ' ' '\n' | sed -n 's/^..*$/"&"/p'
    value argument
  } >"$tmp/arguments"
  arguments=$(spoken_arguments)
}

# Of an engine that runs in Python.
choose_python() {
  program=bin/$binary
  wheel_count=$(value wheels)
  wheel_bytes=${wheel_count#* }
  wheel_count=${wheel_count%% *}
  download_bytes=$((download_bytes + wheel_bytes))
  source_dir=$(value source)
  source_top=${source_dir#* }
  source_dir=${source_dir%% *}
  roles=$(cut -d ' ' -f 4 "$tmp/files" | grep -v -x asset | sort | tr '\n' ' ')
  case $roles,$source_dir in
    'interpreter lock uv ,' | 'interpreter lock source uv ,'?*) ;;
    *) bad_plan "a Python engine without uv, an interpreter or a lock, or with what is none of them" ;;
  esac
  [ -n "$wheel_bytes" ] || bad_plan "a Python engine without wheels"
  name_interpreter
}

# Unpacking, without believing an archive.
# shellcheck shell=sh disable=SC2034,SC2154

tar_flag() {
  case $1 in
    tar.gz) say -z ;;
    tar.xz) say -J ;;
  esac
}

unsafe() { fail "$NOT_VERIFIED" "$name must not be unpacked: $1" "Its digest is the one that the mirror gives, so it was carried like this. Tell whoever built the bundle."; }

# read_archive FILE KIND NAME: judges every name in it, which may have $more_signs too. Sets $top, its one folder, and $unpacked, the bytes of its files.
read_archive() {
  name=$3
  # shellcheck disable=SC2046 # no flag, or one
  tar -t $(tar_flag "$2") -f "$1" >"$tmp/names" 2>"$tmp/errors" ||
    fail "$NOT_VERIFIED" "$name cannot be read as an archive: $(plain <"$tmp/errors" | head -n 1)"
  # shellcheck disable=SC2046
  tar -tv --numeric-owner $(tar_flag "$2") -f "$1" >"$tmp/long" 2>"$tmp/errors" ||
    fail "$NOT_VERIFIED" "$name cannot be read as an archive: $(plain <"$tmp/errors" | head -n 1)"
  members=$(wc -l <"$tmp/names" | tr -d ' ')
  [ "$members" -le 100000 ] || unsafe "it holds more than 100000 names"
  [ "$members" = "$(wc -l <"$tmp/long" | tr -d ' ')" ] || unsafe "its names cannot be told apart"
  signs="[A-Za-z0-9._+@=~,:%${more_signs}-]"
  strange=$(grep -v -E "^(\\./)?($signs+/)*$signs*\$" "$tmp/names" | plain | head -n 1)
  [ -z "$strange" ] || unsafe "it holds the name $strange"
  strange=$(grep -E '(^|/)\.\.(/|$)' "$tmp/names" | plain | head -n 1)
  [ -z "$strange" ] || unsafe "it holds the name $strange"
  # Some tars take what leads elsewhere off before they show a name; they say so.
  ! grep -q -i 'removing leading' "$tmp/errors" || unsafe "it holds absolute names, or names that go up"
  top=$(sed -e 's#^\./##' -e 's#/.*##' "$tmp/names" | grep -v -E '^\.?$' | sort -u)
  one_word "$top" || unsafe "it does not have one folder at its top, but: $(say "$top" | head -n 3 | tr '\n' ' ')"
  read_long
}

read_long() {
  unpacked=0
  while read -r mode _ bytes rest; do
    case $mode in
      -*[sStT]*) unsafe "it holds a file with a set-user-id or sticky bit: $rest" ;;
      -*)
        case $rest in
          *' -> '* | *' link to '*) check_hard_link "$rest" ;;
          *)
            case $bytes in '' | *[!0-9]*) unsafe "it holds something of no size: $rest" ;; esac
            unpacked=$((unpacked + bytes))
            ;;
        esac
        ;;
      d*) ;;
      h*) check_hard_link "$rest" ;;
      l*) check_link "$rest" ;;
      *) unsafe "it holds what is no file, folder or link: $rest" ;;
    esac
  done <"$tmp/long"
}

# check_link "DATE TIME NAME -> TARGET": where it leads by its letters stays below the top folder.
check_link() {
  leads_to=${1##* -> }
  link=${1%" -> $leads_to"}
  link=${link##* }
  link=${link#./}
  case $leads_to in
    '' | /* | *[!A-Za-z0-9._+@=~,:%/-]*) unsafe "it holds a link to $leads_to" ;;
  esac
  rest_of=$leads_to
  below=${link#*/}
  while :; do
    case $rest_of in
      ./*) rest_of=${rest_of#./} ;;
      ../*) climb ;;
      ..) climb ;;
      *) break ;;
    esac
  done
  # Up only at the beginning: behind a name, that name could be a link that leads elsewhere.
  case /$rest_of/ in */../*) unsafe "it holds a link that goes down and up again: $leads_to" ;; esac
}

climb() {
  case $below in
    */*) below=${below%/*} ;;
    *) unsafe "it holds a link that leads out of it: $link -> $leads_to" ;;
  esac
  case $rest_of in
    ..) rest_of='' ;;
    *) rest_of=${rest_of#../} ;;
  esac
}

# A hard link names another member of the archive.
check_hard_link() {
  leads_to=${1##* link to }
  leads_to=${leads_to##* -> }
  grep -q -x -F -e "$leads_to" -e "./$leads_to" "$tmp/names" || unsafe "it holds a hard link to $leads_to, which is not in it"
}

# unpack FILE KIND NAME: its folder's content is in $dest afterwards, over what other archives brought.
unpack() {
  name=$3
  rm -rf "$work/unpacked"
  mkdir "$work/unpacked" || no_space_or "$LOCAL" "$work/unpacked cannot be made"
  # Owners are not kept: only root could, and root without that right would fail.
  # shellcheck disable=SC2046
  tar -x -o $(tar_flag "$2") -f "$1" -C "$work/unpacked" >/dev/null 2>"$tmp/errors" ||
    no_space_or "$LOCAL" "$name cannot be unpacked: $(plain <"$tmp/errors" | head -n 1)"
  from=$work/unpacked/$top
  if [ -L "$from" ] || [ ! -d "$from" ]; then unsafe "its top, $top, is no folder"; fi
  [ -z "$(find "$from" ! -type f ! -type d ! -type l | head -n 1)" ] || unsafe "it holds what is no file, folder or link"
  if [ -d "$dest" ]; then
    merge
  else
    mkdir -p "${dest%/*}" || no_space_or "$LOCAL" "${dest%/*} cannot be made"
    mv "$from" "$dest" || no_space_or "$LOCAL" "$dest cannot be written"
  fi
  rm -rf "$work/unpacked"
}

# The later archive's files win, as when one is unpacked over the other; a folder never takes a file's place, nor the
# other way round.
merge() {
  (cd "$from" && find . -type d) >"$tmp/folders"
  (cd "$from" && find . ! -type d) >"$tmp/others"
  while read -r path; do
    if [ -L "$dest/$path" ] || { [ -e "$dest/$path" ] && [ ! -d "$dest/$path" ]; }; then
      unsafe "$path is a folder in it, and none in an archive before"
    fi
    [ -d "$dest/$path" ] || mkdir "$dest/$path" || no_space_or "$LOCAL" "$dest/$path cannot be made"
  done <"$tmp/folders"
  while read -r path; do
    if [ -d "$dest/$path" ] && [ ! -L "$dest/$path" ]; then unsafe "$path is a folder in an archive before"; fi
    # Onto a link to a folder, mv would move into that folder.
    [ ! -L "$dest/$path" ] || rm -f "$dest/$path"
    mv -f "$from/$path" "$dest/$path" || no_space_or "$LOCAL" "$dest/$path cannot be written"
  done <"$tmp/others"
}

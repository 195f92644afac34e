# What was asked for.
# shellcheck shell=sh disable=SC2034,SC2154

usage() {
  warn "$1"
  show_usage >&2
  exit "$USAGE"
}

show_usage() {
  cat <<'END'
usage: ferry-install [install] ENGINE VERSION [options]   install a version, or another variant of it
       ferry-install status                               what is installed, and whether it runs
       ferry-install rollback ENGINE                      the version that was in use before
       ferry-install remove ENGINE [VERSION-VARIANT]      one version that is not in use, or the engine whole
options:
  --mirror URL      the mirror's address
  --variant NAME    this build or family (cuda-13, vulkan, cpu), and no other
  --prefix DIR      where to install (root: /opt/engine-ferry, others: ~/.local/share/engine-ferry)
  --key PUB.pem     trust what this key signed, whatever the mirror says
  --dry-run         say what would be done, and change nothing
  --no-gpu          as on a machine without an NVIDIA card
  --driver VERSION, --cc X.Y    the NVIDIA driver and the lowest compute capability, where nvidia-smi cannot be asked
  --ca FILE         certificates (PEM) to trust the mirror's TLS by
A mirror that asks for a token gets the one in the environment variable FERRY_TOKEN.
END
}

set_option() {
  case $1 in
    --mirror) mirror=$2 ;;
    --variant) variant=$2 ;;
    --prefix) prefix=$2 ;;
    --key) key=$2 ;;
    --driver) driver=$2 ;;
    --cc) cc=$2 ;;
    --ca) ca=$2 ;;
    *) usage "there is no option $1" ;;
  esac
  [ -n "$2" ] || usage "$1 is empty"
}

parse_arguments() {
  command=install engine='' version='' variant='' mirror=$default_mirror prefix=$default_prefix
  key='' ca='' driver='' cc='' dry_run=no gpu=yes words=0
  case ${1-} in
    install | status | rollback | remove)
      command=$1
      shift
      ;;
  esac
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help)
        show_usage
        exit 0
        ;;
      --dry-run) dry_run=yes ;;
      --no-gpu) gpu=no ;;
      --*=*) set_option "${1%%=*}" "${1#*=}" ;;
      --mirror | --variant | --prefix | --key | --driver | --cc | --ca)
        [ $# -ge 2 ] || usage "$1 needs a value"
        set_option "$1" "$2"
        shift
        ;;
      -*) usage "there is no option $1" ;;
      *)
        words=$((words + 1))
        case $words in
          1) engine=$1 ;;
          2) version=$1 ;;
          *) usage "what is $1 for?" ;;
        esac
        ;;
    esac
    shift
  done
  check_arguments
}

check_arguments() {
  case $command-$words in
    install-2 | status-0 | rollback-1 | remove-1 | remove-2) ;;
    install-*) usage "an engine and a version are needed, such as: llamacpp b11347" ;;
    status-*) usage "status takes no engine" ;;
    *) usage "$command which engine?" ;;
  esac
  [ -z "$engine" ] || one_word "$engine" || usage "$engine is no engine's name"
  [ -z "$version" ] || one_word "$version" || usage "$version is no version"
  [ -z "$variant" ] || one_word "$variant" || usage "$variant is no variant's name"
  case $driver in *[!0-9.]*) usage "$driver is no driver version such as 580.65.06" ;; esac
  case $cc in *[!0-9.]*) usage "$cc is no compute capability such as 8.6" ;; esac
  [ "$gpu" = yes ] || [ -z "$driver$cc" ] || usage "--no-gpu and --driver or --cc contradict each other"
  [ -z "$cc" ] || [ -n "$driver" ] || usage "--cc needs --driver too"
  check_prefix
  [ "$command" = install ] || return 0
  mirror=${mirror%/}
  case $mirror in
    '') usage "which mirror? Give its address with --mirror http://HOST:PORT" ;;
    http://* | https://*) ;;
    *) usage "$mirror is no address such as http://HOST:PORT" ;;
  esac
  case ${mirror#*://} in
    '' | *[!A-Za-z0-9.:_~%/\[\]-]*) usage "$mirror holds what no mirror's address holds" ;;
  esac
  [ -z "$key" ] || [ -r "$key" ] || fail "$USAGE" "the key $key cannot be read"
  [ -z "$ca" ] || [ -r "$ca" ] || fail "$USAGE" "the certificates $ca cannot be read"
}

check_prefix() {
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then
      prefix=/opt/engine-ferry
    else
      [ -n "${HOME-}" ] || usage "HOME is not set; say with --prefix where to install"
      prefix=$HOME/.local/share/engine-ferry
    fi
  fi
  case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
  esac
  # It becomes part of scripts, between single quotes.
  case $prefix in
    *[\'\"\\\|\&\`\$]* | *[![:print:]]*) usage "the prefix $prefix holds a quote or another sign that scripts trip over" ;;
  esac
  prefix=${prefix%/}
  [ -n "$prefix" ] || usage "the prefix must not be the root folder itself"
}

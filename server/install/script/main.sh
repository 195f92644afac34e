# The last part: nothing is done before the whole script has been read, so that one which was cut short does nothing.
# shellcheck shell=sh disable=SC2034,SC2154

main() {
  tmp='' locked='' why='' version_said='' devices_said='' python='' more_signs='' patience=120
  trap leave EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  parse_arguments "$@"
  case $command in
    install) install_engine ;;
    status) show_status ;;
    rollback) roll_back ;;
    remove) remove_engine ;;
  esac
}

# Programs that are run must not read the script from its pipe.
main "$@" </dev/null
exit
# end of engine-ferry install script

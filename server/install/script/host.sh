# What this machine is.
# shellcheck shell=sh disable=SC2034,SC2154

# limited SECONDS COMMAND...: a broken driver makes programs hang; where there is no `timeout`, they may.
limited() {
  limit=$1
  shift
  if timeout 5 true >/dev/null 2>&1; then timeout "$limit" "$@"; else "$@"; fi
}

find_host() {
  case $(uname -s) in
    Linux) ;;
    *) fail "$NOT_FIT" "this is $(uname -s); the builds are for Linux" ;;
  esac
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "$NOT_FIT" "this machine's architecture is $machine; the builds are for x86_64 and aarch64" ;;
  esac
  [ "$(getconf LONG_BIT 2>/dev/null || say 64)" = 64 ] ||
    fail "$NOT_FIT" "this system is a 32-bit one on a 64-bit processor; the builds are for 64-bit systems"
  find_glibc
  find_gpu
}

find_glibc() {
  loader=''
  for candidate_loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
    [ ! -x "$candidate_loader" ] || loader=$candidate_loader
  done
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc \([0-9][0-9.]*\)$/\1/p')
  [ -z "$glibc" ] || return 0
  about=''
  # musl's ldd says what it is on standard error, and fails.
  if have ldd; then about=$(ldd --version 2>&1); fi
  case $about in *musl*) refuse_musl ;; esac
  if [ -z "$about" ] && [ -n "$loader" ]; then about=$("$loader" --version 2>&1); fi
  glibc=$(say "$about" | head -n 1 | grep -i -E 'glibc|gnu libc|ld\.so' |
    sed -n 's/^.*[^0-9.]\([0-9]\{1,2\}\.[0-9]\{1,3\}\)\.\{0,1\}$/\1/p')
  [ -z "$glibc" ] || return 0
  for musl in /lib/ld-musl-*.so.1; do [ ! -e "$musl" ] || refuse_musl; done
  [ -n "$loader" ] ||
    fail "$NOT_FIT" "no glibc is found on this system (no getconf, no ldd, no /lib64/ld-linux-x86-64.so.2)" \
      "The builds are for systems with glibc, such as Debian, Ubuntu, RHEL, Rocky and SUSE."
}

refuse_musl() {
  fail "$NOT_FIT" "this system's C library is musl (Alpine and the like); the builds are linked with glibc and cannot start here" \
    "Install in a container or on a system with glibc, such as Debian, Ubuntu, RHEL, Rocky or SUSE."
}

find_gpu() {
  [ "$gpu" = yes ] || return 0
  [ -z "$driver" ] || return 0
  if ! have nvidia-smi; then
    [ ! -e /dev/nvidiactl ] ||
      fail "$LOCAL" "this machine has an NVIDIA device (/dev/nvidiactl), but nvidia-smi is not here to be asked about it" \
        "Say what it is with --driver and --cc, or install as on a machine without one with --no-gpu."
    return 0
  fi
  if ! answer=$(limited 60 nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>&1); then
    case $answer in *'No devices were found'*) return 0 ;; esac
    fail "$LOCAL" "nvidia-smi fails: $(say "$answer" | plain | head -n 1)" \
      "Repair the driver, or install as on a machine without an NVIDIA card with --no-gpu."
  fi
  driver=$(say "$answer" | sed -n 's/^ *\([0-9][0-9.]*\) *$/\1/p' | head -n 1)
  [ -n "$driver" ] || return 0
  # Drivers before 2022 do not know the question; then the table goes by the driver alone.
  cc=$(limited 60 nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    sed -n 's/^ *\([0-9]\{1,2\}\.[0-9]\) *$/\1/p' | sort -t . -k 1,1n -k 2,2n | head -n 1)
}

say_host() {
  if [ -n "$driver" ]; then card="NVIDIA driver $driver, compute capability ${cc:-unknown}"; else card="no NVIDIA card"; fi
  say "this machine: $arch, glibc ${glibc:-unknown}, $card"
}

# Which package has a library, for the system's own package manager; nothing where that is not known.
package_of() {
  case $package_manager:$1 in
    deb:libgomp.so.*) say libgomp1 ;;
    rpm:libgomp.so.*) say libgomp ;;
    deb:libvulkan.so.*) say libvulkan1 ;;
    rpm:libvulkan.so.*) say vulkan-loader ;;
    deb:libstdc++.so.*) say libstdc++6 ;;
    rpm:libstdc++.so.*) say libstdc++ ;;
    deb:libgcc_s.so.*) say libgcc-s1 ;;
    rpm:libgcc_s.so.*) say libgcc ;;
    deb:libcurl.so.4) say libcurl4 ;;
    rpm:libcurl.so.4) say libcurl ;;
    deb:libssl.so.3 | deb:libcrypto.so.3) say libssl3 ;;
    rpm:libssl.so.* | rpm:libcrypto.so.*) say openssl-libs ;;
  esac
}

find_package_manager() {
  if have apt-get || have dpkg; then
    package_manager=deb install_with='apt-get install'
  elif have dnf; then
    package_manager=rpm install_with='dnf install'
  elif have microdnf; then
    package_manager=rpm install_with='microdnf install'
  elif have zypper; then
    package_manager=rpm install_with='zypper install'
  elif have yum || have rpm; then
    package_manager=rpm install_with='yum install'
  else
    package_manager=none install_with=''
  fi
}

# Whether a build runs here. Every check returns 1 with the reason, in words, in $why.
# shellcheck shell=sh disable=SC2034,SC2154

# seen_to_run FOLDER: the build in it is whole, starts, and sees the card where there is one. $version_said and
# $devices_said are its own words.
seen_to_run() {
  if [ ! -f "$1/$program" ] || [ ! -x "$1/$program" ]; then
    why="it holds no program $program"
    return 1
  fi
  if [ -n "$python" ]; then
    starts "$1" && computes "$1"
  else
    libraries_there "$1" && starts "$1" && sees_card "$1"
  fi
}

processor_can() {
  for flag in $(value cpu); do
    [ -r /proc/cpuinfo ] || continue
    grep -q -i -E "^(flags|features)[[:space:]]*:.*[[:space:]]$flag([[:space:]]|\$)" /proc/cpuinfo || {
      why="this processor has no $flag, which the build needs"
      return 1
    }
  done
}

# What the system's loader says of the program and of all libraries below a folder. Libraries that are loaded by name while
# a program runs count too: without them it starts, and fails at its first work.
loader_says() {
  set -- "$1" -type f \( -name '*.so' -o -name '*.so.*' -o -path "$1/$program" \)
  if have ldd; then
    limited 300 find "$@" -exec ldd {} + 2>&1
  elif [ -n "$loader" ]; then
    limited 300 find "$@" -exec "$loader" --list {} \; 2>&1
  fi
}

libraries_there() {
  loader_says "$1" >"$tmp/loader"
  too_old <"$tmp/loader" || return 1
  missing=''
  # shellcheck disable=SC2013 # words are what is meant
  for library in $(sed -n 's/^[[:space:]]*\([A-Za-z0-9._+-]*\) => not found.*$/\1/p' "$tmp/loader" | sort -u); do
    # Plugins find their neighbours through the program that loads them.
    [ -z "$(find "$1" -name "$library" | head -n 1)" ] || continue
    missing="$missing $library"
  done
  [ -n "$missing" ] || return 0
  why="this system lacks$missing"
  say_packages
  return 1
}

# too_old: standard input is what a loader said.
too_old() {
  grep 'not found' | grep -o 'version .GLIBC[A-Z]*_[0-9.]*' | sed "s/^version .//" | sort -u >"$tmp/needed"
  needed=$(sed -n 's/^GLIBC_//p' "$tmp/needed" | sort -t . -k 1,1n -k 2,2n | tail -n 1)
  if [ -n "$needed" ]; then
    why="it needs glibc $needed; this system has ${glibc:-an older one}, and no package mends that: an older version of $engine or a newer system does"
    return 1
  fi
  needed=$(sed -n 's/^GLIBCXX_/GLIBCXX_/p' "$tmp/needed" | sort -t . -k 3,3n | tail -n 1)
  [ -n "$needed" ] || return 0
  why="it needs a newer libstdc++ (one with $needed)"
  missing=libstdc++.so.6
  say_packages
  return 1
}

# The packages that have what is $missing; those that the build itself names, where that is not known.
say_packages() {
  packages=''
  for library in $missing; do
    case $library in
      libcuda.so.* | libnvidia-*)
        why="$why ($library comes with the NVIDIA driver, which this system or container does not see)"
        continue
        ;;
    esac
    package=$(package_of "$library")
    case " $packages " in *" $package "*) ;; *) packages="$packages $package" ;; esac
  done
  case $package_manager in
    deb | rpm) named=$(value "$package_manager") ;;
    *) named='' ;;
  esac
  case $packages in '' | ' ') packages=" $named" ;; esac
  packages=${packages# }
  if [ -n "$packages" ] && [ -n "$install_with" ]; then
    why="$why; install it with: $install_with $packages"
  elif [ -n "$(value deb)$(value rpm)" ]; then
    why="$why; packages that the build needs: $(value deb) (Debian, Ubuntu), $(value rpm) (RHEL, Rocky, SUSE)"
  fi
}

# starts FOLDER: the program says its version.
starts() {
  # The first import of some gigabytes of libraries takes its time on a slow disk.
  patience=120
  [ -z "$python" ] || patience=900
  (cd "$1" && carefully with_arguments limited "$patience" "$1/$program") >"$tmp/out" 2>&1 </dev/null
  code=$?
  version_said=$(plain <"$tmp/out" | grep -v '^ *$' | head -n 1)
  [ "$code" != 0 ] || return 0
  too_old <"$tmp/out" || return 1
  missing=$(sed -n 's/^.*error while loading shared libraries: \([A-Za-z0-9._+-]*\): .*$/\1/p' "$tmp/out" | head -n 1)
  if [ -n "$missing" ]; then
    why="$binary does not start: this system lacks $missing"
    say_packages
    return 1
  fi
  last=$(plain <"$tmp/out" | grep -v '^ *$' | tail -n 1)
  case $code in
    124 | 143) why="$binary $arguments does not end within $((patience / 60)) minutes" ;;
    132) why="$binary was ended: this processor lacks an instruction that it uses" ;;
    *) why="$binary $arguments ends with code $code${last:+: $last}" ;;
  esac
  return 1
}

# sees_card FOLDER: where this machine has a card and the build is for it, the program lists it. A backend that does not
# load says nothing, and the work is done by the processor.
sees_card() {
  devices_said=''
  devices=$(value devices)
  if [ -z "$devices" ] || [ -z "$driver" ]; then return 0; fi
  (cd "$1" && limited 120 "$1/$program" --list-devices) >"$tmp/out" 2>&1 </dev/null
  code=$?
  devices_said=$(plain <"$tmp/out" | sed -n 's/^ *\([A-Za-z0-9]*[0-9]: .*\)$/\1/p' | grep -i "^${devices}[0-9]*: ")
  [ -z "$devices_said" ] || return 0
  if [ "$code" != 0 ]; then
    why="$binary --list-devices ends with code $code: $(plain <"$tmp/out" | grep -v '^ *$' | tail -n 1)"
  else
    why="$binary starts, but its $devices backend ($(value backend)) sees no card; the driver is $driver"
  fi
  return 1
}

# computes FOLDER: where there is a card and the build is to be proven on it, torch computes on every one.
computes() {
  devices_said=''
  if [ -z "$(value gpucheck)" ] || [ -z "$driver" ]; then return 0; fi
  write_gpu_check
  (cd "$1" && scrubbed limited 900 "$1/bin/python" -I "$tmp/gpu.py") >"$tmp/out" 2>&1 </dev/null
  code=$?
  if [ "$code" = 0 ]; then
    devices_said=$(plain <"$tmp/out" | grep '^CUDA[0-9]*: ')
    return 0
  fi
  why=$(plain <"$tmp/out" | grep -v '^ *$' | tail -n 1)
  why="${why:-the computation ends with code $code}; the driver is $driver"
  return 1
}

# What kernels are compiled with while an engine runs; without it some of its work fails, and its start does not.
compiler_there() {
  case " $(value deb) " in *' gcc '*) ;; *) return 0 ;; esac
  ! have gcc && ! have cc && ! have clang || return 0
  package=$(value "$package_manager")
  say "note: it compiles kernels while it runs, and there is no C compiler here${package:+; install it with: $install_with $package}"
}

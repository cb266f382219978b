# shellcheck shell=bash
# Installs Debian packages, only those that are missing. Sourced by ./run and ./test after say.sh.
#
# Each line of a group: the package, and what it is wanted for: a command, a file, a <header> or an
# -option of clang. What is there by other means (another distribution, a newer tool in PATH) is not
# installed again.

packages_of() {
  case $1 in
    build) echo '
      cmake               cmake
      ninja-build         ninja
      g++                 g++
      pkg-config          pkg-config
      python3             python3
      libcli11-dev        <CLI/CLI.hpp>
      libcurl4-openssl-dev <curl/curl.h>
      libboost1.81-dev    <boost/beast/websocket.hpp>
      libssl-dev          <openssl/ssl.h>
      libtomlplusplus-dev <toml++/toml.h>
      libre2-dev          <re2/re2.h>
      libsqlite3-dev      <sqlite3.h>
      libmd4c-dev         <md4c.h>
      libunistring-dev    <unistr.h>
      libtickit-dev       <tickit.h>' ;;
    test) echo '
      libgtest-dev        <gtest/gtest.h>
      git                 git
      ripgrep             rg
      clang-format-16     clang-format-16
      chromium            chromium
      chromium-driver     chromedriver
      libuv1-dev          <uv.h>
      nginx-light         /usr/sbin/nginx
      openssl             openssl
      zsh                 zsh
      fish                fish
      doxygen             doxygen
      groff               /usr/bin/groff
      openssh-client      ssh
      openssh-server      /usr/sbin/sshd
      mandoc              mandoc' ;;
    npm) echo '
      npm                 npm
      ca-certificates     /etc/ssl/certs/ca-certificates.crt' ;; # Debian's npm only recommends it
    bench) echo '
      libbenchmark-dev    <benchmark/benchmark.h>
      nlohmann-json3-dev  <nlohmann/json.hpp>
      rapidjson-dev       <rapidjson/document.h>
      libsimdjson-dev     <simdjson.h>' ;;
    long) echo '
      clang-16            clang++-16
      libclang-rt-16-dev  -fsanitize=fuzzer
      llvm-16             llvm-symbolizer-16' ;;
  esac
}

# need GROUP...: sees to it that the packages of these groups are there.
need() {
  local group package wanted missing=()
  for group in "$@"; do
    while read -r package wanted; do
      [[ -z $package ]] || is_there "$package" "$wanted" || missing+=("$package")
    done < <(packages_of "$group")
  done
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

is_there() {
  local package=$1 wanted=$2
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]] || return 0
  case $wanted in
    '<'*) g++ -x c++ -std=c++20 -fsyntax-only - <<<"#include $wanted" 2>/dev/null ;;
    -*) clang++-16 "$wanted" -x c++ - -o /dev/null 2>/dev/null \
      <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' ;;
    /*) [[ -e $wanted ]] ;;
    *) command -v "$wanted" >/dev/null ;;
  esac
}

install_packages() {
  local as_root=() log update_failed='' why by_hand="install by hand: $*"
  if ! command -v apt-get >/dev/null || [[ $(codename) != bookworm ]]; then
    die "this is not Debian 12; $by_hand (these are Debian's names)"
  fi
  if ((EUID != 0)); then
    may_sudo || die "no permission to install packages (neither root nor sudo); $by_hand"
    as_root=(sudo)
  fi
  as_root+=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive)

  say "installing $*"
  log=$(mktemp)
  # A source that cannot be read matters only if one of our packages is not found without it.
  "${as_root[@]}" apt-get update -q -o APT::Update::Error-Mode=any >"$log" 2>&1 </dev/null ||
    update_failed=yes
  if ! "${as_root[@]}" apt-get install -q -y --no-install-recommends --no-remove \
    -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null; then
    why=$(why_apt_failed "$update_failed" "$log")
    rm -f "$log"
    die "$why; not installed: $*"
  fi
  rm -f "$log"
}

codename() (
  # shellcheck source=/dev/null
  source /etc/os-release 2>/dev/null
  echo "${VERSION_CODENAME-}"
)

# Asks for a password only where someone can type it.
may_sudo() {
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }
}

# Of apt's many lines, the one that says it.
why_apt_failed() {
  local update_failed=$1 log=$2 lines
  if grep -q '^E: Packages need to be removed but remove is disabled' "$log"; then
    lines=$(sed -n '/^The following packages will be REMOVED/,/^[^ ]/{/^ /p}' "$log" | xargs)
    echo "a package conflict: apt would have to remove $lines"
  elif lines=$(grep -A 1 'have unmet dependencies' "$log"); then
    echo "a package conflict: $(tail -n 1 <<<"$lines" | xargs)"
  elif grep -q 'Unable to fetch some archives' "$log" ||
    { [[ -n $update_failed ]] && grep -qE 'Unable to locate|no installation candidate' "$log"; }; then
    echo "cannot fetch packages (offline?)"
  else
    lines=$(grep -m 1 '^E: ' "$log") || lines=$(tail -n 1 "$log")
    echo "apt failed: ${lines#E: }"
  fi
}

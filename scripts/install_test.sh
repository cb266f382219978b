#!/usr/bin/env bash
# install_test.sh BUILD LIBDIR VERSION HEADER...: installs BUILD into a temporary prefix. What is in include/
# must be these headers and nothing else; together they must compile there. Then builds and runs
# scripts/consumer as its users would: through find_package and through pkg-config. CMAKE, CXX and
# CXXFLAGS are those of the build. Run by ctest.
set -euo pipefail
build=$1 libdir=$2 version=$3
shift 3
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/consumer" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
  echo "install_test: $*" >&2
  exit 1
}

# What is installed can be moved: nothing in it may name the place it was first put.
"$CMAKE" --install "$build" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/prefix"
prefix=$tmp/prefix
export LD_LIBRARY_PATH=$prefix/$libdir # where the library was built shared

public=$(printf '%s\n' "$@" | sed "s|^$project/||" | sort)
installed=$(cd "$prefix/include" && find . -type f | sed 's|^\./||' | sort)
diff <(echo "$public") <(echo "$installed") >&2 || fail "installed (>) is not what is public (<)"
[[ $(ls "$prefix/include") == acp ]] || fail "include/ has more than acp/"
# A private header that one of them includes is not there.
sed 's|.*|#include <&>|' <<<"$installed" >"$tmp/all.cc"
"$CXX" -std=c++20 -fsyntax-only -I"$prefix/include" "$tmp/all.cc" || fail "a public header needs a private one"
if named=$(grep -rlF -e "$tmp" -e "$build" "$prefix/$libdir/cmake" "$prefix/$libdir/pkgconfig"); then
  fail "names a path of the build: $named"
fi
if [[ -e $prefix/bin/acp ]]; then
  [[ $("$prefix/bin/acp" --version) == "acp $version" ]] || fail "acp --version is not $version"
  for file in man/man1/acp.1 bash-completion/completions/acp zsh/site-functions/_acp \
    fish/vendor_completions.d/acp.fish; do
    [[ -s $prefix/share/$file ]] || fail "share/$file is missing"
  done
  # What help and manual name is there.
  for words in "run" "agent" "agents" "config"; do
    named=$("$prefix/bin/acp" $words --help | tr -d '\n' | grep -oE '/[^ ]+/docs?/[^ ]+\.md|docs/[^ ]+\.md') ||
      fail "acp $words --help names no page"
    for page in $named; do
      [[ -s $page ]] || fail "acp $words --help names $page, which is not there"
    done
  done
  for page in $(sed 's/\\-/-/g' "$prefix/share/man/man1/acp.1" | grep -oE '[^ ]*docs?/[^ ]+\.md'); do
    [[ -s ${page/#$tmp\/first/$prefix} ]] || fail "the manual names $page, which is not there"
  done
fi

check_output() {
  local output
  output=$("$1") || fail "$2: the consumer failed: $output"
  diff -u "$source_dir/expected.txt" - <<<"$output" || fail "$2: unexpected output"
  echo "$2: ok"
}
check_mcp() {
  [[ $("$1") == "0 tools, 1 failures" ]] || fail "$2: the consumer of acp::mcp failed"
  echo "$2, mcp: ok"
}
check_remote() {
  [[ $("$1") == $'hello, you\nhello, you' ]] || fail "$2: the consumer of acp::remote failed"
  echo "$2, remote: ok"
}
check_workspace() {
  [[ $("$1") == "hello, exited with code 0" ]] || fail "$2: the consumer of acp::workspace failed"
  echo "$2, workspace: ok"
}

"$CMAKE" -S "$source_dir" -B "$tmp/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DACP_VERSION="$version" >/dev/null
"$CMAKE" --build "$tmp/consumer" -- --quiet
check_output "$tmp/consumer/consumer" find_package
[[ ! -e $prefix/include/acp/mcp ]] || check_mcp "$tmp/consumer/mcp_consumer" find_package
[[ ! -e $prefix/include/acp/remote ]] || check_remote "$tmp/consumer/remote_consumer" find_package
[[ ! -e $prefix/include/acp/workspace ]] || check_workspace "$tmp/consumer/workspace_consumer" find_package

export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
[[ $(pkg-config --modversion acp) == "$version" ]] || fail "pkg-config names another version"
flags=$(pkg-config --cflags --libs acp)
# shellcheck disable=SC2086  # flags are words
"$CXX" -std=c++20 $CXXFLAGS "$source_dir/main.cc" $flags -o "$tmp/by_pkg_config"
check_output "$tmp/by_pkg_config" pkg-config
# by_pkg_config PART: builds the consumer of acp-PART.
by_pkg_config() {
  local flags
  flags=$(pkg-config --cflags --libs "acp-$1")
  # shellcheck disable=SC2086  # flags are words
  "$CXX" -std=c++20 $CXXFLAGS "$source_dir/$1.cc" $flags -o "$tmp/$1_by_pkg_config"
  "check_$1" "$tmp/$1_by_pkg_config" pkg-config
}
for part in mcp remote workspace; do
  [[ ! -e $prefix/include/acp/$part ]] || by_pkg_config $part
done

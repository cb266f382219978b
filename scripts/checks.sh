# shellcheck shell=bash
# The steps of ./test and their sum. Sourced by it; uses its $only.

passed=0
failed=0

finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
  exit
}

# build PRESET [TARGET]. One that fails ends the run: the others would fail in the same way.
build() {
  say "building $1${2:+: $2}"
  if ! cmake --preset "$1" --log-level=WARNING >/dev/null ||
    ! cmake --build --preset "$1" ${2:+--target "$2"} -- --quiet; then
    say "the build of $1 failed"
    failed=$((failed + 1))
    finish
  fi
}

# run_tests PRESET [LABEL]
run_tests() {
  local report=$PWD/build/tests-$1.xml code=0 total good
  say "testing $1${2:+: $2}"
  rm -f "$report"
  ctest --preset "$1" -j "$(nproc)" --output-junit "$report" ${2:+-L "^$2\$"} ${only:+-R "$only"} || code=$?
  total=$(grep -c '<testcase ' "$report") || true
  good=$(grep -c '<testcase .*status="run"' "$report") || true
  # ctest has failed without a failing test to show for it.
  ((code == 0 || good < total)) || [[ -n $only && $total == 0 ]] || total=$((total + 1))
  passed=$((passed + good))
  failed=$((failed + total - good))
}

# As many targets at a time as there are cores.
run_fuzzers() {
  local seconds=${ACP_FUZZ_SECONDS:-600} file name names=()
  for file in build/fuzz/bin/*_fuzz; do
    [[ ! -x $file || ! ${file##*/} =~ $only ]] || names+=("${file##*/}")
  done
  ((${#names[@]} > 0)) || return 0
  say "fuzzing ${names[*]}, $seconds s each"
  printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I NAME scripts/fuzz.sh NAME "$seconds" || true
  for name in "${names[@]}"; do
    if [[ $(tail -n 1 "build/fuzz/$name.log") == Done* ]]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
}

run_script() {
  say "running $1"
  if "$1"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

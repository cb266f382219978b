#!/usr/bin/env bash
# scripts/fuzz.sh TARGET [SECONDS]: fuzzes one target of build/fuzz (cmake --preset fuzz) and shows
# libFuzzer's last lines. What it learns stays in build/fuzz/corpus, what breaks it is written to
# build/fuzz/found; the whole report is build/fuzz/TARGET.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$1
PATH=$PATH:/usr/lib/llvm-16/bin # for llvm-symbolizer, without which a report names no lines
log=build/fuzz/$target.log
mkdir -p "build/fuzz/corpus/$target" build/fuzz/found
code=0
"build/fuzz/bin/$target" -max_total_time="${2:-600}" -timeout=20 \
  -artifact_prefix="build/fuzz/found/$target-" \
  "build/fuzz/corpus/$target" "fuzz/corpus/$target" >"$log" 2>&1 || code=$?
# In one piece: other targets may be reporting at the same time.
report=$(grep -E '^#.*DONE|^Done|^SUMMARY|ERROR: |Test unit written' "$log" || tail -n 2 "$log")
printf '%s:\n%s\n' "$target" "$report"
exit $code

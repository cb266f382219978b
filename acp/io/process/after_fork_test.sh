#!/usr/bin/env bash
# Code that runs in a fork of a program with threads calls syscall() and nothing else: any lock that it
# would need may be taken for ever. after_fork_test.sh OBJECT...
set -euo pipefail

# Our own functions, what compilers add by themselves, and sanitizers.
allowed='^(_ZNK?3acp2io.*|syscall|(__)?clone|__errno_location|mem(set|cpy|move)|__stack_chk_(fail|guard)'
allowed+='|_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|tsan|sanitizer|llvm|gcov)_.*)$'

(($# > 0)) || { echo "no objects"; exit 1; }
# Undefined, or another library's to replace.
needed=$(nm "$@" | awk 'NF > 1 && $(NF - 1) ~ /^[UVWvw]$/ { print $NF }' | sort -u)
[[ -n $needed ]]
! grep -vE "$allowed" <<<"$needed" || { echo "is needed after a fork"; exit 1; }

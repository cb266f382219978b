# shellcheck shell=bash
# How ./run and ./test speak: short lines of what they do, and one clear line when they cannot.

say() { printf '== %s\n' "$*"; }

die() {
  printf './%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

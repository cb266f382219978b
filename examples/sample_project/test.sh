#!/bin/sh
# Fails until the greeting is spelled right.
cd "$(dirname "$0")" || exit 1
said=$(sh src/greet.sh)
if [ "$said" = "Hello, world!" ]; then
  echo "ok: $said"
else
  echo "FAILED: expected \"Hello, world!\", got \"$said\""
  exit 1
fi

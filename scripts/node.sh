# shellcheck shell=bash
# Node and the npm packages that the tests run against. Sourced by ./test; npm itself is
# there by then.

# Debian 12 has only Node 18, and the conformance kit of MCP wants 22. Where there is no such one, npm
# brings it, into scripts/node.
need_node() {
  npm_ci .
  node_is_new || {
    npm_ci scripts/node
    PATH="$PWD/scripts/node/node_modules/node/bin:$PATH"
    node_is_new || die "the npm package node does not run on this machine; install Node 22 or newer"
  }
}

node_is_new() {
  node -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)' 2>/dev/null
}

# npm_ci FOLDER: installs what its package-lock.json names, unless that was done before.
npm_ci() {
  local folder=$1 sum stamp log
  stamp=$folder/node_modules/.installed
  sum=$(cd "$folder" && sha256sum package.json package-lock.json)
  [[ $(cat "$stamp" 2>/dev/null) != "$sum" ]] || return 0
  say "installing the npm packages of $folder/package.json"
  log=$(mktemp)
  if ! npm ci --prefix "$folder" --include=dev --no-audit --no-fund \
    --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >"$log" 2>&1; then
    local why
    why=$(why_npm_failed "$log")
    rm -f "$log"
    die "$why"
  fi
  rm -f "$log"
  echo "$sum" >"$stamp"
}

why_npm_failed() {
  if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH' "$1"; then
    echo "npm cannot reach its registry (offline?)"
  else
    echo "npm ci failed: $(grep -m1 -E '^npm (ERR!|error) [^c]' "$1" || tail -n 1 "$1")"
  fi
}

#!/bin/sh
# Installs what the tests of integrations need from npm: esbuild, which bundles their scripts, and lz-string.
set -eu
cd "$(dirname "$0")/../tests/integrations"

if ! command -v npm >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm
fi
npm ci --ignore-scripts --silent

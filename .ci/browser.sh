#!/bin/sh
# Installs Debian's Chromium, which the tests in tests/browser drive; does nothing where it is already there.
set -eu

command -v chromium >/dev/null && exit 0
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium

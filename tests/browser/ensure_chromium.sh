#!/bin/sh
# Make sure that there is a Chrome or Chromium for the browser tests; install Debian's as root.
set -eu
for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing chromium for the browser tests ..."
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null
    exit 0
fi
echo "The browser tests need Chrome or Chromium: install one and run make test again." >&2
exit 1

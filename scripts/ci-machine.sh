#!/usr/bin/env bash
# Installs what the suites use from the operating system, where it is missing and can be had. Never fails.
set -uo pipefail
missing=()
command -v git >/dev/null || missing+=(git)
command -v bwrap >/dev/null || missing+=(bubblewrap)
for tool in chromium tmux zsh fish; do command -v $tool >/dev/null || missing+=($tool); done
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing+=(postgresql)
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  timeout 120 apt-get update -qq
  timeout 240 apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
exit 0

#!/usr/bin/env bash
# Installs what the test in a real VS Code needs into a folder outside of the
# checkout (about 320 MB): code-server, which is VS Code with a browser as its
# window, and playwright-core, which drives the browser. The browser itself is
# the system's: Chromium, or $CHROMIUM.
#
#   install.sh [FOLDER]     default: $NEURALDBG_VSCODE, or ~/.cache/neuraldbg-vscode
#
# It needs Node 20, npm, Python 3 and a C++ compiler, and may be run again: what
# is done is not done twice.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-${NEURALDBG_VSCODE:-${XDG_CACHE_HOME:-$HOME/.cache}/neuraldbg-vscode}}

mkdir -p "$folder"
if cmp -s "$here/package.json" "$folder/installed.json"; then
  echo "VS Code is in $folder"
  exit 0
fi
cp "$here/package.json" "$folder/package.json"
cd "$folder"

# Scripts are off: those of the dependencies download things that the test has
# no use for. The native modules that VS Code does need are built below.
quiet=(--ignore-scripts --no-audit --no-fund --loglevel=error)
echo "==> code-server and playwright-core"
npm install "${quiet[@]}"
echo "==> the modules of VS Code"
cd node_modules/code-server/lib/vscode
npm install --omit=dev "${quiet[@]}"
(cd extensions && npm install --omit=dev "${quiet[@]}")
echo "==> native modules"
export npm_config_yes=true # their builds call npx
npm rebuild --loglevel=error @vscode/spdlog node-pty native-watchdog
cd "$folder"
npm rebuild --loglevel=error argon2

# VS Code looks there for what its desktop version packs.
ln -sfn node_modules node_modules/code-server/lib/vscode/node_modules.asar
cp "$here/package.json" installed.json
echo "VS Code is in $folder"

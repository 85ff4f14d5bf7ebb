#!/usr/bin/env bash
# Tests lua/neuraldbg.lua in a headless Neovim with nvim-dap, where there are
# both; otherwise says what is missing and succeeds.
#
#   $NVIM       Neovim (default: nvim in PATH)
#   $NVIM_DAP   nvim-dap's folder (default: where plugin managers put it)
#   $NEURALDBG  neuraldbg (default: bin/neuraldbg of this checkout)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "nvim-dap: skipped, $1"; exit 0; }

nvim=$(command -v "${NVIM:-nvim}") || skip "there is no nvim"
data=${XDG_DATA_HOME:-$HOME/.local/share}/nvim
for plugin in ${NVIM_DAP:+"$NVIM_DAP"} "$data"/site/pack/*/*/nvim-dap "$data"/lazy/nvim-dap "$data"/plugged/nvim-dap; do
  if [[ -e $plugin/lua/dap.lua ]]; then break; fi
done
[[ -e $plugin/lua/dap.lua ]] || skip "there is no nvim-dap; NVIM_DAP can name its folder"
export NEURALDBG=${NEURALDBG:-$here/../../bin/neuraldbg}
[[ -x $NEURALDBG ]] || skip "there is no $NEURALDBG; make build makes it"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PROGRAM=${here%/*}/count_berry.py TRACE=$folder/berry.trace
"$NEURALDBG" record "$PROGRAM" --entry 'main()' -o "$TRACE" 2>/dev/null
XDG_DATA_HOME=$folder XDG_CACHE_HOME=$folder XDG_STATE_HOME=$folder \
  timeout 120 "$nvim" --headless --clean --cmd "set noswapfile rtp^=$plugin,$here" \
  -c 'runtime plugin/dap.lua' -c "luafile $here/test.lua" </dev/null 2>&1

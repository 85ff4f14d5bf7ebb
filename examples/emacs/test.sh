#!/usr/bin/env bash
# Tests neuraldbg.el in an Emacs without a window and with dape, where there are
# both; otherwise says what is missing and succeeds.
#
#   $EMACS      Emacs 29 or newer (default: emacs in PATH)
#   $DAPE       dape's folder (default: where Emacs's package manager puts it)
#   $NEURALDBG  neuraldbg (default: bin/neuraldbg of this checkout)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "dape: skipped, $1"; exit 0; }

emacs=$(command -v "${EMACS:-emacs}") || skip "there is no emacs"
for dape in ${DAPE:+"$DAPE"} "${XDG_CONFIG_HOME:-$HOME/.config}"/emacs/elpa/dape-* "$HOME"/.emacs.d/elpa/dape-*; do
  if [[ -e $dape/dape.el ]]; then break; fi
done
[[ -e $dape/dape.el ]] || skip "there is no dape; DAPE can name its folder"
neuraldbg=${NEURALDBG:-$here/../../bin/neuraldbg}
[[ -x $neuraldbg ]] || skip "there is no $neuraldbg; make build makes it"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PROGRAM=${here%/*}/count_berry.py TRACE=${TRACE:-$folder/berry.trace}
[[ -e $TRACE ]] || "$neuraldbg" record "$PROGRAM" --entry 'main()' -o "$TRACE" 2>/dev/null
PATH=$(cd "$(dirname "$neuraldbg")" && pwd):$PATH HOME=$folder \
  timeout 120 "$emacs" --batch -L "$dape" -l "$here/test.el" </dev/null 2>&1

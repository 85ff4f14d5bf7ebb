# neuraldbg: set-up, builds, tests, measurements.
#
#   make demo        a neural network debugs examples/count_berry.py (sets up first)
#   make test        every check and test (sets up first)
#   make bench       measures, prints a table, writes bench/results.json
#   make transcript  writes a run of the demo into README.md
#   make build       bin/neuraldbg and bin/neuraldbg-model
#   make clean       removes what was built; keeps LibTorch and the Go caches
#
# Set-up is idempotent: every step looks first whether its work is done, so an
# interrupted make goes on where it was.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

# The checkout may belong to another user, as in containers; then Go cannot ask
# git for a version.
export GOFLAGS := $(strip $(GOFLAGS) $(if $(findstring buildvcs,$(GOFLAGS)),,-buildvcs=false))

STATICCHECK_VERSION := v0.7.0
STATICCHECK := bin/staticcheck-$(STATICCHECK_VERSION)
say = @echo "==> $(1)"

.PHONY: demo test bench transcript build clean setup toolchain libtorch lint test-go test-extension test-nvim test-emacs

demo: build
	@bin/neuraldbg demo

build: setup
	$(call say,building bin/neuraldbg and bin/neuraldbg-model)
	@go build -o bin/neuraldbg ./cmd/neuraldbg
	@go build -o bin/neuraldbg-model ./cmd/neuraldbg-model

setup: toolchain libtorch

# cgo needs a C and a C++ compiler; the recorder and the corpora need Python.
toolchain:
	@command -v go >/dev/null || { \
	  echo "neuraldbg needs Go $$(sed -n 's/^go //p' go.mod) or newer in PATH: https://go.dev/dl/" >&2; exit 1; }
	@missing=(); \
	for tool in gcc g++ python3; do command -v $$tool >/dev/null || missing+=($$tool); done; \
	if (( $${#missing[@]} == 0 )); then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "neuraldbg needs $${missing[*]}: install them with your system's package manager" >&2; exit 1; fi; \
	install="apt-get install -y --no-install-recommends $${missing[*]}"; \
	if [[ $$(id -u) == 0 ]]; then sudo=(env); \
	elif command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then sudo=(sudo); \
	else echo "neuraldbg needs $${missing[*]}. Run: sudo $$install" >&2; exit 1; fi; \
	echo "==> installing $${missing[*]}"; \
	"$${sudo[@]}" apt-get update -qq </dev/null; \
	"$${sudo[@]}" env DEBIAN_FRONTEND=noninteractive $$install -qq </dev/null >/dev/null

# LibTorch, and a copy of the gotch module that compiles against it.
libtorch: toolchain
	@GOWORK=off go run ./cmd/libtorch-setup

test: setup lint test-go test-extension test-nvim test-emacs
	$(call say,all checks passed)

lint: setup $(STATICCHECK)
	$(call say,gofmt)
	@unformatted=$$(gofmt -l adapter bench cmd model statetree); \
	if [[ -n "$$unformatted" ]]; then echo "not formatted by gofmt:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(call say,go vet)
	@go vet ./...
	$(call say,staticcheck)
	@$(STATICCHECK) ./...

$(STATICCHECK):
	$(call say,building staticcheck $(STATICCHECK_VERSION))
	@GOBIN=$(CURDIR)/bin go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)
	@mv bin/staticcheck $@

# The race detector watches everything but the packages that link LibTorch,
# whose threads it does not know.
test-go: setup
	$(call say,go test -race)
	@go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... \
	  | awk '/github.com\/sugarme\/gotch\/libtch/ { sub(/\.test$$/, "", $$1); sub(/_test$$/, "", $$1); print $$1 }' \
	  | sort -u > bin/libtorch-packages
	@go list ./... | grep -vxF -f bin/libtorch-packages | xargs go test -race
	$(call say,go test with LibTorch)
	@go list ./... | grep -xF -f bin/libtorch-packages | xargs -r go test

# One of its tests drives bin/neuraldbg with a client of the protocol. The last
# one runs in VS Code, where vscode-extension/test/vscode/install.sh has put it.
test-extension: build
	@if ! command -v npm >/dev/null; then echo "==> tests of the VS Code extension: skipped, there is no npm"; exit 0; fi; \
	echo "==> tests of the VS Code extension"; \
	cd vscode-extension; \
	if [[ ! node_modules/.package-lock.json -nt package-lock.json ]] \
	  && ! npm ci --no-audit --no-fund --loglevel=error; then \
	  if npm view typescript version &>/dev/null; then exit 1; fi; \
	  echo "skipped: the npm registry cannot be reached"; exit 0; \
	fi; \
	npm test && npm run --silent test:vscode

test-nvim: build
	$(call say,test of the Neovim configuration)
	@examples/nvim/test.sh

test-emacs: build
	$(call say,test of the Emacs configuration)
	@examples/emacs/test.sh

bench: build
	@go run ./bench

# The README's transcript is a real one: this is how it gets there.
transcript: build
	@bin/neuraldbg demo > bin/transcript
	@awk '/^<!-- end of transcript/ { skip = 0 } !skip { print } \
	  /^<!-- transcript/ { print "```"; while ((getline line < "bin/transcript") > 0) print line; print "```"; skip = 1 }' \
	  README.md > bin/README.md
	@mv bin/README.md README.md

clean:
	rm -rf bin bench/results.json bench/.venv vscode-extension/out vscode-extension/node_modules

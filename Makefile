# The one list of commands, for developers and for CI alike. `make help` explains them.

MIN_PYTHON := $(shell sed -n 's/^requires-python = ">=\(.*\)"$$/\1/p' pyproject.toml)
MIN_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"$$/\1/p' Cargo.toml)

# PYTHON=... chooses the interpreter; otherwise it is the first of these that really runs.
# (Version managers put names on the PATH even where no Python stands behind them.)
PYTHONS := .venv/bin/python python3.13 python3.12 python3.11 python3
is_new_enough = -c 'import sys; sys.exit(sys.version_info[:2] < tuple(map(int, "$(MIN_PYTHON)".split("."))))'
find_python = for python in $(PYTHONS); do \
	if $$python $(is_new_enough) 2>/dev/null; then echo $$python; break; fi; done
# The first use of PYTHON looks for it and remembers it.
PYTHON ?= $(eval PYTHON := $$(shell $$(find_python)))$(PYTHON)

FUZZ_SYSTEMS ?= 10000

# Tests of one group go to the same core, all others to the next that is free.
IN_PARALLEL := --numprocesses=auto --dist=loadgroup

BIN := .venv/bin
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml)
PACKAGE_SOURCES := pyproject.toml Cargo.toml Cargo.lock $(RUST_SOURCES)

# What is installed is recorded by stamps inside .venv: the package alone, and with the dev tools.
VENV := .venv/.created
PACKAGE := .venv/.package
DEV := .venv/.dev

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-rust test-python lint lint-python lint-rust format docs browser java fuzz bench models wheel clean tools

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'

demo: $(PACKAGE) ## install tepui into .venv and verify the Bluetooth driver
	$(BIN)/tepui verify examples/bluetooth.cpds

# Compilers leave one core idle for long: what looks at Rust runs beside what looks at Python.
test: ## everything that CI runs
	@$(MAKE) --no-print-directory --jobs=2 lint-python lint-rust test-rust
	@$(MAKE) --no-print-directory test-python

test-rust: | tools ## the tests of the kernels and of the checker's crate
	cargo test --locked --package tepui-core --package tepui-checker

test-python: $(DEV) browser java ## the tests of the package, on all cores
	$(BIN)/python -m pytest $(IN_PARALLEL)

lint: lint-python lint-rust ## format, lints and types, Python and Rust

lint-python: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest tepui._core

lint-rust: | $(VENV)
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

format: $(DEV) ## format everything in place
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	cargo fmt --all

docs: $(DEV) ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -n -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Reports are tested in a real browser: one that is there, or the system's own package, or else
# the one that playwright brings.
browser: $(DEV) ## find a browser for the tests, or install one
	@for name in "$$TEPUI_BROWSER" chromium chromium-browser google-chrome; do \
		if command -v "$$name" >/dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	else \
		$(BIN)/playwright install chromium; \
	fi

# Java programs are compiled, and use the classes of a JDK; tests compare with its javap.
java: ## find a JDK for the tests, or install one
	@if command -v javac >/dev/null && command -v javap >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends openjdk-17-jdk-headless >/dev/null; \
	else \
		echo "the tests of Java need a JDK, 17 or newer: install one, and have its javac on the PATH" >&2; exit 1; \
	fi

fuzz: $(DEV) ## compare engines and oracle on FUZZ_SYSTEMS random systems
	TEPUI_FUZZ_SYSTEMS=$(FUZZ_SYSTEMS) $(BIN)/python -m pytest -m fuzz $(IN_PARALLEL) --timeout 0

bench: $(PACKAGE) ## run the benchmarks; TEPUI_BENCHMARKS names a folder with more, BENCH=--write keeps them
	$(BIN)/python benchmarks/run.py $(BENCH)

models: $(PACKAGE) ## compile the models of Java's classes; needs JDK 17
	$(BIN)/python -m tepui.languages.java.models.build

wheel: $(DEV) ## build a wheel and a source distribution into dist/
	$(BIN)/maturin build --release --sdist --out dist

clean: ## remove everything that make made
	rm -rf .venv target dist docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f python/tepui/_core*.so python/tepui/_core*.pyd
	find python tests benchmarks -name __pycache__ -type d -exec rm -rf {} +

# One clear sentence before anything else happens.
tools:
	@if [ -z "$(PYTHON)" ] || ! $(PYTHON) $(is_new_enough) 2>/dev/null; then \
		echo "tepui needs Python $(MIN_PYTHON) or newer: install it, or name it with PYTHON=/path/to/python." >&2; \
		exit 1; \
	fi
	@version=$$(cargo --version 2>/dev/null | cut -d' ' -f2); \
	if ! $(PYTHON) -c 'import sys; have, need = (tuple(map(int, v.split(".")[:2])) for v in sys.argv[1:]); sys.exit(have < need)' \
		"$${version:-0.0}" "$(MIN_RUST)"; then \
		echo "tepui needs Rust $(MIN_RUST) or newer, with cargo on the PATH: see https://rustup.rs." >&2; \
		exit 1; \
	fi

$(VENV): | tools
	$(PYTHON) -m venv .venv
	@touch $@

# An editable install is not compiled, and where Python may write nothing it never would be.
$(PACKAGE): $(PACKAGE_SOURCES) | $(VENV)
	@echo "building tepui; the first time that takes a minute or two"
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q python
	@touch $@

$(DEV): $(PACKAGE_SOURCES) | $(VENV)
	@echo "building tepui and what its tests need; the first time that takes some minutes"
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m compileall -q python
	@touch $(PACKAGE) $@

# Plain `make` lists the targets. Everything runs out of .venv, made here on first use.
SHELL := /bin/sh
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo up test bench chaos fuzz contract check lint types lock screenshots static clean

help: ## List the targets
	@echo "ettdash: Effective Training Time for your fleet"; echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo; echo "Settings: ETTDASH_PORT (8000), ETTDASH_DATA_DIR (.ettdash), and docs/configuration.md."

demo: .venv/.embedded ## Run the product, filled with a demo fleet, until Ctrl-C
	@exec $(BIN)/python -m ettdash.launcher demo

up: .venv/.embedded ## Run the product without demo data, until Ctrl-C
	@exec $(BIN)/python -m ettdash.launcher up

test: .venv/.dev ## Run all tests, browser included
	@$(BIN)/python -m tests.browser
	@$(BIN)/python -m pytest -m "not chaos"

chaos: .venv/.dev ## Run the long forms of the failure tests
	@$(BIN)/python -m pytest -m chaos

contract: .venv/.dev ## Write docs/openapi.json and docs/api.md from the code
	@$(BIN)/python -m ettdash.contract

fuzz: .venv/.dev ## Run the long forms of the random tests: the ledger beside its slow twin, the API
	@ETTDASH_SEEDS=$${ETTDASH_SEEDS:-20000} $(BIN)/python -m pytest -p no:django -p no:cacheprovider --timeout 3600 tests/ett
	@ETTDASH_FUZZ_EXAMPLES=$${ETTDASH_FUZZ_EXAMPLES:-500} $(BIN)/python -m pytest -p no:cacheprovider --timeout 3600 tests/contract/test_fuzz.py

bench: .venv/.dev ## Measure speeds beside their limits, write benchmarks/results.json
	@$(BIN)/python -m benchmarks

check: lint types ## Lint, import rules and types

lint: .venv/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache

types: .venv/.dev
	@$(BIN)/mypy

screenshots: .venv/.dev ## Take the pictures of the docs from a running demo
	@$(BIN)/python -m tests.browser
	@$(BIN)/python -m docs.screenshots

static: .venv/.runtime ## Collect the static files, as the image does
	@$(BIN)/python manage.py collectstatic --noinput --clear --verbosity 0

lock: ## Work the locks out again from pyproject.toml (needs uv)
	$(LOCK) -o requirements/runtime.txt
	$(LOCK) --extra embedded -c requirements/runtime.txt -o requirements/embedded.txt
	$(LOCK) --extra embedded --extra dev -c requirements/embedded.txt -o requirements/dev.txt

clean: ## Remove the virtual environment (the data directory stays)
	rm -rf .venv

# A lock newer than its stamp is installed again; a half-made environment has no stamp and is finished.
.venv/.runtime .venv/.embedded .venv/.dev: .venv/.%: requirements/%.txt
	@test -n "$(PYTHON)" || { echo "ettdash needs Python 3.11 or newer with venv: install it, or name it with PYTHON=/path/to/python3." >&2; exit 1; }
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@echo "Installing the packages of $< into .venv ..."
	@$(BIN)/python -m pip install --disable-pip-version-check --no-input --require-hashes -r $<
	@touch $@

# Everything runs in .venv, which the first target that needs it creates.
# Only python3 (3.11 or later), pip and make have to be there.

# Bytecode is kept, whatever the environment says: the tests start the program often.
unexport PYTHONDONTWRITEBYTECODE

# The interpreter of .venv. A python3 that was built without profile-guided optimisation (as pyenv builds it
# unless told otherwise) takes half as long again for everything: then the system's own is taken, if it will do.
PLAIN := import sys, sysconfig; sys.exit("--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or ""))
WILL_DO := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell python3 -c '$(PLAIN)' 2>/dev/null && /usr/bin/python3 -c '$(WILL_DO)' 2>/dev/null \
    && echo /usr/bin/python3 || echo python3)
BIN := .venv/bin
STAMP := .venv/.installed
DOCS_STAMP := .venv/.installed-docs
BENCH_STAMP := .venv/.installed-bench

.DEFAULT_GOAL := help
.PHONY: help install check test tests lint types catalogue corpus docs tightness bench mutants clean

help: ## List the targets.
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

install: $(STAMP) ## Create .venv and install Sandproof and its tools into it.

$(STAMP): pyproject.toml constraints.txt
	@echo "Installing Sandproof and its tools into .venv (the first time takes a minute or two)"
	@python=$(PYTHON); echo "The interpreter is $$python: make PYTHON=... takes another"; \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sandproof needs Python 3.11 or later; set PYTHON=...")' && \
	    $$python -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt \
	    --config-settings editable_mode=compat -e '.[dev]'
	@touch $@

check: $(STAMP) ## Check every claim for the paper's own rules.
	@echo "Checking every claim for the paper's own rules: $(BIN)/sandproof check"
	@$(BIN)/sandproof check

# Types are checked beside the tests. Some tests wait for processes: three at a time keep two cores busy.
test: lint ## Run ruff, mypy and all tests.
	@$(MAKE) --no-print-directory -j 2 types tests

tests: $(STAMP)
	@echo "Running the tests: pytest -n 3"
	@$(BIN)/python -m pytest -q -n 3 --dist worksteal

lint: $(STAMP) ## Check style and formatting.
	@echo "Checking style: ruff check, ruff format --check"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .

types: $(STAMP) ## Check types.
	@echo "Checking types: mypy --strict"
	@$(BIN)/mypy

corpus: $(STAMP) ## Check every file of the corpus by the command itself, which takes long.
	@echo "Checking the corpus: pytest -n 2 tests/corpus_verdicts.py"
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal tests/corpus_verdicts.py

catalogue: $(STAMP) ## Check every proposal at standard effort and print the table.
	@echo "Checking every proposal: $(BIN)/sandproof catalogue"
	@$(BIN)/sandproof catalogue

$(DOCS_STAMP): $(STAMP)
	@echo "Installing the tools that build the site into .venv"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt \
	    --config-settings editable_mode=compat -e '.[dev,docs]'
	@touch $@

docs: $(DOCS_STAMP) ## Build the site in docs/_build.
	@echo "Building the site in docs/_build (the first time checks every proposal, which takes minutes)"
	@$(BIN)/python -m sphinx -W -n -q -b html docs docs/_build

tightness: $(STAMP) ## Compute the tightness tables in docs/.
	@echo "Computing docs/tightness.csv and docs/tightness_small.csv"
	@$(BIN)/python -m docs.generator.tightness

$(BENCH_STAMP): $(STAMP)
	@echo "Installing what the benchmarks are measured against into .venv"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt \
	    --config-settings editable_mode=compat -e '.[dev,bench]'
	@touch $@

bench: $(BENCH_STAMP) ## Run the benchmarks and print their figures.
	@echo "Running the benchmarks"
	@$(BIN)/python -m benchmarks

mutants: $(STAMP) ## Change the specification in twenty places, one at a time, and see what notices.
	@echo "Trying mutants of the specification (minutes each)"
	@$(BIN)/python -m benchmarks._mutants

clean: ## Remove .venv, caches and everything built.
	rm -rf .venv build docs/_build docs/_generated *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

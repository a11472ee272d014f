# `make demo` and `make test` need python3 >= 3.11 with its venv module, and nothing else.

PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2
export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba

.PHONY: demo test test-long lint format bench banks ledger lock clean

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("python3 >= 3.11 is needed" if sys.version_info < (3, 11) else 0)'
	@echo 'making .venv: this takes some minutes, the first time only'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

demo: .venv/ready
	$(BIN)/hashigo check https://puzz.link/p?kropki/6/6/1il0906369i2206i0226

test: .venv/ready
	$(BIN)/pytest -q -n $(JOBS)

test-long: .venv/ready
	$(BIN)/pytest -q -n $(JOBS) -m long

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready
	PYTHONPATH=tests $(BIN)/python -m bench

# The shipped boards, drawn again: the same files, from the same versions.
banks: .venv/ready
	$(BIN)/hashigo bank --make models/banks --jobs $(JOBS)

# Every published figure beside ours, and the tables of README and docs that show some of them.
ledger: .venv/ready
	$(BIN)/hashigo ledger --jobs $(JOBS) --out ledger.duckdb \
	  --markdown docs/ledger.md --markdown README.md --markdown docs/findings.md

# After a change of dependencies: resolve anew, for every Python and platform.
lock: .venv/ready
	$(BIN)/uv pip compile --universal --python-version 3.11 --all-extras --group dev \
	  --no-emit-index-url --no-annotate --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .numba .mypy_cache .pytest_cache .ruff_cache .hypothesis

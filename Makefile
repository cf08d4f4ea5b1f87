# Two commands do all the set-up on a machine that has Python 3.11+, pip and make:
#   make run     find the best of eight gateways, live
#   make test    everything that the tests need, then all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two more than there are cores: many tests wait for processes. Who has no test left takes some of
# another's, since the slowest ones stand beside each other.
WORKERS := $(shell expr $$(nproc) + 2)
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal
NODE := node_modules
# Bytecode is kept even where the environment forbids it, as containers do: tests start hundreds of
# processes, and each would compile all of bitarm.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-fast test-brokers packages check kernels format generated docs release-check bench clean

run: $(VENV)/.run
	$(BIN)/bitarm identify
	@echo 'Again: $(BIN)/bitarm identify.  Your own data, a fleet, a plan: docs/tutorials/index.md'

test: $(VENV)/.dev $(NODE)/.dev packages
	$(MAKE) --jobs=2 --output-sync=target check kernels
	$(PYTEST)

test-fast: $(VENV)/.dev packages kernels
	$(PYTEST) -m "not slow"

# The short run over every broker of docs/brokers.md; RabbitMQ brings 100 MB of Erlang with it.
test-brokers: $(VENV)/.dev $(NODE)/.dev packages
	scripts/system-packages /usr/lib/rabbitmq/bin/rabbitmq-server:rabbitmq-server
	$(BIN)/pytest tests/other_brokers

packages:
	scripts/system-packages mosquitto chromium openssl sqlite3 gcc qemu-system-arm \
		arm-none-eabi-gcc:gcc-arm-none-eabi \
		/usr/lib/picolibc/arm-none-eabi/picolibc.specs:picolibc-arm-none-eabi

check: $(VENV)/.dev $(NODE)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(NODE)/.bin/biome ci --error-on-warnings

# Kept on disk: without them each worker would compile its own, for minutes.
kernels: $(VENV)/.dev
	$(BIN)/python scripts/compile_kernels.py

format: $(VENV)/.dev $(NODE)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(NODE)/.bin/biome check --write --error-on-warnings

# Pages, a schema and pictures that follow from the code; all of them are kept in the tree.
generated: $(VENV)/.dev
	$(BIN)/python scripts/make_words.py
	$(BIN)/python scripts/make_schema.py
	$(BIN)/python scripts/make_architecture.py
	$(BIN)/python scripts/draw_idea.py
	$(BIN)/python scripts/draw_run.py

# The documentation as a site, in build/site. Nothing is fetched: it opens from the disk.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo build/site/index.html

release-check: $(VENV)/.dev
	$(BIN)/python scripts/release_check.py

bench: $(VENV)/.dev
	$(BIN)/python -m pytest benchmarks -o python_files='bench_*.py' --benchmark-only --benchmark-disable-gc -s

clean:
	rm -rf $(VENV) $(NODE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# An environment that was half made, as where Debian's python3-venv is missing, is no environment.
.DELETE_ON_ERROR:

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bitarm needs Python 3.11 or newer: set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cli]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.run

# Checks the dashboard's scripts, and runs the agent for MicroPython; nothing else needs it.
$(NODE)/.dev: package.json package-lock.json .npmrc
	scripts/system-packages npm
	npm install --no-save --loglevel=error
	$(NODE)/.bin/biome --version
	touch $@

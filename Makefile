PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --constraint constraints.txt

.PHONY: install train test test-all test-faults docs lint bench results clean

install: .venv/.installed  # the package in .venv, with all that its commands need

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --editable ".[video,report,export]"
	@touch $@

.venv/.test: .venv/.installed
	$(PIP) --editable ".[test,video,report,export]"
	@touch $@

.venv/.test-all: .venv/.test
	$(PIP) --editable ".[test,video,report,export,browser,sb3,rliable,track,ray,docs]" tensorboard build
	@touch $@

train: install  # swing up a pendulum, in minutes
	$(BIN)/pacer train --env Pendulum-v1 --steps 10000 --schedule.evaluate-every 1000

test: .venv/.test lint  # lint, types, and the tests that take seconds
	$(BIN)/pytest -n 2 -m "not slow and not faults"

test-all: .venv/.test-all lint  # the slow tests too, and those that need Stable-Baselines3, rliable, Ray and a browser
	$(BIN)/pytest -n 2 -m "not faults"

test-faults: .venv/.test  # hundreds of kills, disk errors, signals and hostile files, and what came of each; needs a C compiler, and root for full disks
	$(BIN)/pytest -n 2 tests/faults

docs: .venv/.installed  # the pages of docs/ as a site, in site/
	$(PIP) --editable ".[docs]"
	$(BIN)/mkdocs build --strict

lint: .venv/.test  # ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.test .venv-peers/.installed  # speed beside Stable-Baselines3 and SBX, and the cost of every part; wants an idle machine
	$(BIN)/python benchmarks/peers.py
	$(BIN)/python benchmarks/literal.py
	$(BIN)/python benchmarks/account.py

.venv-peers/.installed: constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --constraint constraints.txt stable-baselines3 sb3-contrib==2.9.2 sbx-rl==0.28.0 "gymnasium[mujoco]"
	@touch $@

results: .venv/.test  # tables and figures of each set of runs in results/runs, and every table of the pages
	for name in $$(ls results/runs); do \
	  $(BIN)/pacer report results/runs/$$name --output results/$$name.html \
	    --tables results/tables/$$name --figures results/figures/$$name || exit 1; \
	done
	$(BIN)/python results/pages.py

clean:  # remove .venv, and that of the benchmarks
	rm -rf .venv .venv-peers

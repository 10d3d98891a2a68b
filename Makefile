PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --constraint constraints.txt

.PHONY: install train test test-all lint clean

install: .venv/.installed

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	@touch $@

.venv/.test: .venv/.installed
	$(PIP) --editable ".[test,video]"
	@touch $@

.venv/.test-all: .venv/.test
	$(PIP) --editable ".[test,video,sb3,rliable]"
	@touch $@

train: install  ## swing up a pendulum: solved in about two minutes
	$(BIN)/pacer train --env Pendulum-v1 --steps 10000 --schedule.evaluate-every 1000

test: .venv/.test lint
	$(BIN)/pytest -n 2 -m "not slow"

test-all: .venv/.test-all lint
	$(BIN)/pytest -n 2

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv

# make app    set up and open the app on 127.0.0.1:8501
# make test   set up and run every test, browser tests included
# make bench  set up and measure; ratios within one run
# make lint   set up, check format, style and types
# make screenshots   set up and take the pictures in docs/

PYTHON ?= python3
BIN := .venv/bin
export PPE_HOME ?= $(CURDIR)/.ppe

.PHONY: setup app test bench lint screenshots browser

app: setup
	@$(BIN)/streamlit run app.py

# In the order of the folders: the slow browser tests begin, and short ones fill what is left at the end.
test: .venv/ready-to-test browser
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

bench: .venv/ready-to-test
	@$(BIN)/python -m benchmarks

lint: .venv/ready-to-test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

screenshots: .venv/ready-to-test browser
	@$(BIN)/python -m docs.screenshots

setup: .venv/ready

.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "PPE Lab needs Python 3.11 or newer; say which with: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the packages of requirements.txt into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/ready-to-test: .venv/ready tests/requirements.txt
	@echo "Installing the packages of tests/requirements.txt into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

browser:
	@sh tests/browser/ensure_chromium.sh

# Everything happens in .venv and build/; `make clean` removes both.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Quiet pip, and one place to add options for an offline mirror.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := $(shell find src -name '*.cpp' -o -name '*.hpp' -o -name '*.py' -o -name '*.pyi' -o -name '*.csv' -o -name '*.js' -o -name '*.css') \
           CMakeLists.txt CMakePresets.json pyproject.toml
ASAN   := $(shell g++ -print-file-name=libasan.so):$(shell g++ -print-file-name=libstdc++.so)

.PHONY: help demo test build lint tidy types unit interop browser sanitize windows coverage fuzz stub man pictures bench speed scaling docs wheel lowest newest clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(BIN)/.built  ## build, then a story of a minute: a table learned, looked at, asked, checked, beside the truth
	@$(BIN)/bayesloom demo --output demo-output

test: lint types unit sanitize  ## set up, lint, types, all tests, and the core once more with sanitizers
	@echo "make test: all passed."

build: $(BIN)/.built  ## build and install into .venv

$(BIN)/.tools: pyproject.toml
	@echo "== environment: .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/requirements.py build run | xargs $(PIP)
	@touch $@

$(BIN)/.dev: $(BIN)/.tools pyproject.toml
	@$(BIN)/python tools/requirements.py dev | xargs $(PIP)
	@touch $@

$(BIN)/.built: $(BIN)/.tools $(SOURCES)
	@echo "== build: release"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation --no-deps --force-reinstall \
	  -C cmake.args=--preset=release -C build-dir=build/release .
	@touch $@

lint: $(BIN)/.dev  ## ruff, clang-format and the layout rules
	@echo "== lint"
	@$(BIN)/ruff check src tests tools benchmarks docs/*.py
	@$(BIN)/ruff format --check src tests tools benchmarks docs/*.py
	@find src -name '*.[hc]pp' | xargs $(BIN)/clang-format --dry-run --Werror
	@$(BIN)/python tools/check_layout.py

# Some 5 seconds of CPU for each file, so not part of lint: make tidy TIDY="src/core/dual/*.cpp"
TIDY ?= $(shell find src/core -name '*.cpp' ! -name '*_windows.cpp')
tidy: $(BIN)/.dev $(BIN)/.built  ## clang-tidy with the checks of .clang-tidy over the core: minutes
	@echo "== tidy"
	@echo $(TIDY) | xargs -n 1 -P 2 $(BIN)/clang-tidy -p build/release --quiet

types: $(BIN)/.dev  ## mypy, strict
	@echo "== types"
	@$(BIN)/mypy

unit: $(BIN)/.dev $(BIN)/.built  ## all tests on the release build
	@echo "== tests"
	@$(BIN)/python -m pytest -n 2 -q

interop: $(BIN)/.dev $(BIN)/.built  ## networks and scores against pgmpy and pyAgrum, the estimator under scikit-learn's checks
	@echo "== other packages"
	@$(BIN)/python tools/requirements.py interop | xargs $(PIP)
	@$(BIN)/python -m pytest -q tests/interop

browser: $(BIN)/.dev $(BIN)/.built  ## the page in Debian's chromium, its accessibility (axe, by npm), an executed notebook
	@echo "== browser"
	@$(BIN)/python tools/requirements.py browser | xargs $(PIP)
	@if ! command -v npm >/dev/null; then echo "there is no npm: accessibility is not checked"; \
	elif ! npm install --silent --no-audit --no-fund --prefix build/browser axe-core@4; then \
	  echo "npm could not install axe-core: accessibility is not checked"; fi
	@$(BIN)/python -m pytest -q tests/browser

build/sanitize/site/.built: $(BIN)/.dev $(SOURCES)
	@echo "== build: sanitize"
	@rm -rf build/sanitize/site
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation --no-deps --target build/sanitize/site \
	  -C cmake.args=--preset=sanitize -C build-dir=build/sanitize/cmake -C install.strip=false .
	@touch $@

sanitize: build/sanitize/site/.built  ## the core's tests with address and undefined-behaviour sanitizers
	@echo "== tests of the core, sanitized"
	@PYTHONPATH=build/sanitize/site LD_PRELOAD=$(ASAN) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	  $(BIN)/python -m pytest -n 2 -q -p no:cacheprovider tests/core tests/conformance

windows: $(BIN)/.built  ## compile the core for Windows (needs MinGW) and try it under wine, beside the same program of this system
	@echo "== core for Windows"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/windows/run.py

build/coverage/site/.built: $(BIN)/.dev $(SOURCES)
	@echo "== build: coverage"
	@rm -rf build/coverage/site
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation --no-deps --target build/coverage/site \
	  -C cmake.args=--preset=coverage -C build-dir=build/coverage/cmake -C install.strip=false .
	@touch $@

# All tests, or some: make coverage COVERAGE="-m 'not slow' tests/core". What was run is said beside the figures.
COVERAGE ?=
coverage: build/coverage/site/.built  ## which lines of Python and C++ the tests run: figures, and pages in build/coverage
	@echo "== coverage"
	@$(BIN)/python tools/requirements.py coverage | xargs $(PIP)
	@$(BIN)/python tools/coverage_figures.py build/coverage $(COVERAGE)

# How many cases of each kind `make fuzz` runs, and from which seed on: make fuzz TABLES=30000 SEED=1
TABLES ?= 3000
KINDS  ?= 600
CACHES ?= 1000
PROOFS ?= 5000
FILES  ?= 6000
VERBS  ?= 60
SEED   ?= $(shell date +%s)
fuzz: $(BIN)/.dev $(BIN)/.built build/sanitize/site/.built  ## random tables, caches, files and verbs against the truth: minutes
	@echo "== fuzz, seed $(SEED)"
	@$(BIN)/python tests/fuzz/run.py tables --count $(TABLES) --seed $(SEED)
	@$(BIN)/python tests/fuzz/run.py kinds --count $(KINDS) --seed $(SEED)
	@$(BIN)/python tests/fuzz/run.py caches --count $(CACHES) --seed $(SEED)
	@$(BIN)/python tests/fuzz/run.py proofs --count $(PROOFS) --seed $(SEED)
	@$(BIN)/python tests/fuzz/run.py files --count $(FILES) --seed $(SEED)
	@$(BIN)/python tests/fuzz/run.py verbs --count $(VERBS) --seed $(SEED)
	@echo "== fuzz, sanitized"
	@for kind in "cache_files --count $(FILES)" "caches --count $(CACHES)"; do \
	  PYTHONPATH=build/sanitize/site LD_PRELOAD=$(ASAN) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	    $(BIN)/python tests/fuzz/run.py $$kind --seed $(SEED) || exit 1; done

stub: $(BIN)/.built  ## write the typed stub of the extension module anew
	@$(BIN)/python -m nanobind.stubgen -m bayesloom._core -o src/bayesloom/_core.pyi
	@$(BIN)/ruff format --quiet src/bayesloom/_core.pyi

man: $(BIN)/.built  ## write the pages of the manual and the completions of shells anew
	@$(BIN)/python tools/man_pages.py

pictures: $(BIN)/.built  ## draw the pictures of "how it works" and of the README anew
	@$(BIN)/python docs/pictures.py

bench: $(BIN)/.dev $(BIN)/.built  ## micro-benchmarks: counting, reading, writing
	@$(BIN)/python benchmarks/micro/run.py

# Beside the newest tag, or: make speed SPEED="--base COMMIT --tolerance 0.2 counting"
SPEED ?=
speed: $(BIN)/.dev $(BIN)/.built  ## micro-benchmarks beside the last release, in CPU time: none may be more than 15 % slower
	@$(BIN)/python benchmarks/micro/compare.py $(SPEED)

# On any machine: make scaling SCALING="--full --threads 1,8,32" replaces results.csv; without --full it writes quick.csv.
SCALING ?=
scaling: $(BIN)/.dev $(BIN)/.built  ## every kernel that shares its work, at 1, 2 and 16 threads
	@$(BIN)/python benchmarks/tables/scaling/threads/run.py $(SCALING)

docs: $(BIN)/.built  ## the documentation site in build/site: every code cell executed, warnings are errors
	@echo "== documentation"
	@$(BIN)/python tools/requirements.py docs | xargs $(PIP)
	@$(BIN)/python -m sphinx -q -W --keep-going -c docs . build/site
	@$(BIN)/python tools/check_links.py build/site
	@echo "Open build/site/index.html"

# Into dist/: wheels that run on any Linux whose C library is as new as the one here (the tag says which), tried in environments of their own where no compiler is found.
# Pythons of 3.12 and later are found on PATH, or named: make wheel PYTHONS="/opt/python3.12/bin/python3.12"
PYTHONS ?=
wheel: $(BIN)/.dev  ## build wheels and a source distribution, repair the wheels, install them elsewhere and try them
	@echo "== wheels"
	@$(PIP) build
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/wheels.py $(PYTHONS:%=--python %)

# All tests, or some: make lowest TESTS="-n 2 -m 'not slow'"
TESTS ?= -n 2
lowest: $(BIN)/.dev  ## the tests against the wheel and the lowest versions of dependencies that pyproject.toml allows
	@echo "== lowest versions"
	@$(BIN)/python tools/try_wheel.py --lowest --tests="$(TESTS)" dist/*.whl

newest: $(BIN)/.dev  ## the tests against the wheel and the newest versions of dependencies
	@echo "== newest versions"
	@$(BIN)/python tools/try_wheel.py --tests="$(TESTS)" dist/*.whl

clean:  ## remove everything made here
	rm -rf $(VENV) build demo-output

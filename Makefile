# Every target does its own set-up; after the first time that takes a fraction of a second and no network.
# PYTHON=... names the Python. Else it is that of .venv, the first of these that can make one, or the first that is there.
PYTHONS := python3.11 python3.12 python3.13
FITS := import sys; (3, 11) <= sys.version_info < (3, 14) or sys.exit(1)
first = $(shell for python in $(1); do "$$python" -c '$(FITS)$(2)' && echo "$$python" && break; done 2>/dev/null)
ifeq ($(origin PYTHON),undefined)
chosen = $(or $(call first,.venv/bin/python),$(call first,$(PYTHONS),; import ensurepip; import venv),$(call first,$(PYTHONS)),python3)
PYTHON = $(eval PYTHON := $(chosen))$(PYTHON)
endif
BIN := .venv/bin
WHERE = $(if $(STACK),--stack $(STACK)) $(if $(REGION),--region $(REGION)) $(if $(PROFILE),--profile $(PROFILE))
# For which CPU `sam build` makes the functions; name the template's parameter Architecture, too, if it is another one.
ARCHITECTURE ?= arm64

.DEFAULT_GOAL := help
.PHONY: help interpreter setup demo up quick test proofs torture lint deploy destroy audit build cold bench lock clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

setup: interpreter ## Install what dropgate needs: Python packages, Java, Spark's jars.
	@$(PYTHON) -m infra.setup

demo: setup ## Send six files through the flow, from upload to receipt, on this machine.
	@$(BIN)/dropgate demo

up: setup ## Run the embedded stack, for any S3 client.
	@$(BIN)/dropgate up

# Tests keep bytecode: without it each worker rewrites all asserts before each run, which takes 6 s of CPU.
quick test proofs torture: export PYTHONDONTWRITEBYTECODE =

quick: setup ## The inner loop, under a minute: style, import rules, unit tests.
	@$(BIN)/ruff check
	@$(BIN)/lint-imports
	@cd client && ../$(BIN)/lint-imports
	@$(BIN)/pytest -n 2 --dist loadscope -q -m "quick and not torture" tests/unit tests/golden

test: lint ## Run lint, types, import rules, unit tests, the job, and the flow with bad input.
	@$(BIN)/python -m infra.setup.dynamodb
	@$(BIN)/pytest -n 2 --dist loadscope -m "not proofs and not torture"

proofs: setup ## Run the other tests, before a release; PART=job, prefilter, oracle, attacks or release runs one part.
	@$(BIN)/python -m infra.setup.expectations
	@$(BIN)/python -m infra.setup.dynamodb
	@$(BIN)/pytest -n 2 --dist loadscope -m "proofs$(if $(PART),_$(PART)) and not torture"

torture: setup ## Compare the job with a second implementation on thousands of files, fail every call to AWS, run long histories, kill the stack, fuzz the linter; ORACLE_SEED=... repeats a run.
	@$(BIN)/python -m infra.setup.expectations
	@$(BIN)/python -m infra.setup.dynamodb
	@$(BIN)/pytest -n 2 --dist load -m torture -v

lint: setup ## Check style, types and import rules.
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@cd client && ../$(BIN)/mypy && ../$(BIN)/lint-imports

deploy: setup ## Deploy this checkout to AWS; STACK=name REGION=... PROFILE=... CONTRACTS=path PARAMETERS="WindowSeconds=30 ...".
	@$(BIN)/python -m infra.deployment.deploy up $(WHERE) $(if $(CONTRACTS),--contracts $(CONTRACTS)) $(if $(PARAMETERS),--parameters $(PARAMETERS))

destroy: setup ## Delete the stack, but not its data; DATA=delete CONFIRM=name also deletes the data.
	@$(BIN)/python -m infra.deployment.deploy down $(WHERE) $(if $(filter delete,$(DATA)),--with-data) $(if $(CONFIRM),--confirm $(CONFIRM))

audit: setup ## Check the templates against checkov's rules; .checkov.yaml lists the exceptions with reasons.
	@$(BIN)/python -m infra.setup.audit

bench: setup ## Measure the job against a bare Spark scan and rivals, into docs/explanation/benchmarks.md.
	@$(BIN)/python -m bench

build: interpreter ## Build the deployed files into build/: functions and Arrow for each CPU, the job; GX=1 adds Great Expectations.
	@$(PYTHON) -m infra.packaging.build $(if $(GX),--with-great-expectations)

build-Api%Function: interpreter # the same for the API's functions; make takes the longer of two patterns
	@$(PYTHON) -m infra.packaging.build --bundle functions-api --into "$(or $(ARTIFACTS_DIR),$(error ARTIFACTS_DIR names no folder; sam build sets it))" --cpu $(ARCHITECTURE)

build-SmallStagedFunction: interpreter # the same for the fast lane
	@$(PYTHON) -m infra.packaging.build --bundle functions-lane --into "$(or $(ARTIFACTS_DIR),$(error ARTIFACTS_DIR names no folder; sam build sets it))" --cpu $(ARCHITECTURE)

build-%Function: interpreter # what `sam build` calls for each function: the same bundle, unzipped
	@$(PYTHON) -m infra.packaging.build --into "$(or $(ARTIFACTS_DIR),$(error ARTIFACTS_DIR names no folder; sam build sets it))" --cpu $(ARCHITECTURE)

cold: build ## Measure the CPU time to load each function, from the built bundle.
	@$(PYTHON) -m infra.packaging.cold_import

lock: setup ## Write locks/ again from pyproject.toml; UPGRADE=--upgrade takes newer versions.
	@$(BIN)/python -m infra.setup.lock $(UPGRADE)

clean: ## Remove all files of set-up and runs.
	rm -rf .venv .dropgate .aws-sam build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

interpreter:
	@$(PYTHON) -c '$(FITS)' 2>/dev/null || { echo "dropgate: $(PYTHON) is no Python 3.11, 3.12 or 3.13: install one (Debian: apt-get install python3 python3-venv) or name one: make setup PYTHON=/path/to/python3.13" >&2; exit 3; }

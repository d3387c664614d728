# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

# Each of certify, test and bench does all the set-up it needs, as root or with sudo, and none of it twice.

PROFILE ?= quick
TESTBED ?=
ONLY ?=

PYTHON := python3
BIN := .venv/bin
STEP := $(PYTHON) tools/step.py
PACKAGES := $(PYTHON) TesterLibrary/testbeds/system_packages.py
INSTALL := pyproject.toml setup.py tools/venv.py tools/protos.py tools/counter_classes.py proto

.PHONY: help wheels deb test-packages certify test test-fleet test-long truth diagnose load corpus matrix docs house tofino-model tofino-program bench setup venv venv-bench venv-dev engine allure packages packages-test packages-bench packages-guests test-guests \
	clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

help:
	@echo "make certify    run a certification on embedded testbeds; report in results/latest/"
	@echo "                  PROFILE=quick|full   RFC 2544 with trial times for a first look, or its own  [quick]"
	@echo "                  PROFILE=stateful     balancers, gateways and the like"
	@echo "                  TESTBED=name|file    your own instead of the embedded ones"
	@echo "make test       everything that CI checks; TOXENV=unit,lint for a part of it"
	@echo "make tofino-model  the program of a switch on the model of its chip; SDE_INSTALL=folder of the SDE"
	@echo "make tofino-program  the fake switch beside the program itself; P4C=driver of the compiler"
	@echo "make test-fleet  campaigns over Ray, whose testers, workers and head die"
	@echo "make test-packages  the wheels in distributions without a compiler"
	@echo "make test-long  tests that take long, and fuzzers, for nights"
	@echo "make test-guests  RoCEv2 of the Linux kernel in virtual machines"
	@echo "make bench      speed, side by side with peers; results/bench/summary.json"
	@echo "                  ONLY=name            one benchmark"
	@echo "make truth      verdicts on random devices against the truth; results/truth/summary.json"
	@echo "                  CASES=1000 EMBEDDED=200 SEED=number"
	@echo "make diagnose   causes that are planted in simulated devices, and what Diagnose Loss names; results/diagnose/summary.json"
	@echo "                  CASES=1000 SEED=number"
	@echo "make load       acceptance suites beside two busy loops; a wrong verdict fails; results/load/summary.json"
	@echo "                  LOOPS=2 ONLY=name    other loops, one case"
	@echo "make corpus     routers with one bug each, and which of them suites find; results/corpus/summary.json"
	@echo "                  ONLY=text            bugs with this in their name"
	@echo "make matrix     docs/matrix.md: each suite on each target, by running it"
	@echo "                  ONLY=target          one column; SDE_INSTALL=folder of the SDE for that of the model"
	@echo "make house      figures of the structure of the sources; fails where one got worse"
	@echo "make docs       docs/site: all pages, every keyword, every command; docs/keywords.html alone"
	@echo "make wheels     the wheels of library and engine in dist/; neither needs a compiler"
	@echo "make deb        the same as a package of Debian, with units of systemd"
	@echo "make setup      what the three do first: packages, virtual environment, engine, Allure"
	@echo "make clean      remove all that was built or installed here; results/ stay"

certify: setup
	@$(BIN)/tester certify --profile $(PROFILE) $(if $(TESTBED),--testbed "$(TESTBED)")

test: packages-test setup venv-dev
	@$(BIN)/tox run

test-fleet: packages-test setup venv-dev
	@$(BIN)/tox run -e fleet

wheels: packages venv
	@$(BIN)/python tools/wheels.py

deb: wheels
	@$(BIN)/python tools/debian_package.py

test-packages: packages-test setup venv-dev
	@$(BIN)/tox run -e packages

test-guests: packages-test packages-guests setup venv-dev
	@$(BIN)/tox run -e guests

test-long: packages-test setup venv-dev
	@$(BIN)/tox run -e long

truth: setup venv-dev
	@$(BIN)/python -m tests.truth $(if $(CASES),--cases $(CASES)) --embedded $(or $(EMBEDDED),200) $(if $(SEED),--seed $(SEED))

diagnose: venv-dev
	@$(BIN)/python -m tests.diagnose $(if $(CASES),--cases $(CASES)) $(if $(SEED),--seed $(SEED))

load: packages-test setup venv-dev
	@$(BIN)/python -m tests.load $(if $(LOOPS),--loops $(LOOPS)) $(if $(ONLY),--only "$(ONLY)")

corpus: packages-test setup venv-dev
	@$(BIN)/python -m tests.corpus $(if $(ONLY),--only "$(ONLY)")

matrix: packages-test setup venv-dev
	@$(BIN)/python -m tests.matrix $(if $(ONLY),--target "$(ONLY)") $(if $(SUITE),--suite "$(SUITE)")

tofino-model: venv-dev
	@$(STEP) program results/p4/tofino/resources.json p4 TesterLibrary/p4 TesterLibrary/planning -- $(BIN)/tester p4 build tofino
	@$(BIN)/python -m pytest tests/model
	@TESTER_SWITCH=model $(BIN)/python -m pytest tests/contract -k tofino

tofino-program: venv-dev
	@$(BIN)/python -m pytest tests/program
	@TESTER_SWITCH=program $(BIN)/python -m pytest tests/contract -k tofino

bench: packages-bench setup venv-bench
	@$(BIN)/python -m benchmarks $(if $(ONLY),--only "$(ONLY)")

house:
	@$(PYTHON) tools/house.py

docs: venv-dev
	@$(BIN)/python tools/check_docs.py
	@$(BIN)/python tools/site.py

setup: packages venv engine allure

packages:
	@$(PACKAGES) python engine devices

packages-test:
	@$(PACKAGES) python engine devices test

packages-guests:
	@$(PACKAGES) guests

packages-bench:
	@$(PACKAGES) python engine devices bench

venv: packages
	@$(STEP) venv $(BIN)/tester $(INSTALL) -- $(PYTHON) tools/venv.py report tofino trend

venv-bench: venv
	@$(STEP) venv-bench $(BIN)/tester $(INSTALL) .stamps/venv -- $(PYTHON) tools/venv.py frames otg postgres serve

venv-dev: venv
	@$(STEP) venv-dev $(BIN)/tox $(INSTALL) .stamps/venv -- $(PYTHON) tools/venv.py dev

engine: packages
	@$(STEP) engine TesterLibrary/_engine/testerd engine proto tools/engine.py tools/build_cache.py -- $(PYTHON) tools/engine.py

allure: venv
	@$(STEP) allure $(BIN)/allure tools/allure.py -- $(PYTHON) tools/allure.py

clean:
	rm -rf .venv .tox .stamps .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf build dist *.egg-info engine/build* TesterLibrary/_engine TesterLibrary/_generated/tester
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

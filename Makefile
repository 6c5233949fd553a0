# From a clean clone with a JDK 17+ and Python 3.10+: make demo, make test.
# Whatever is built is built once: a stamp is younger than the digest of what went in, or it is built again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := target/stamp
VERSION := $(shell cat VERSION)
JAR := target/jar/chronosketch-spark_2.13-$(VERSION).jar
QUIETLY := sh make/quietly
export CHRONOSKETCH_PYTHON := $(abspath $(BIN)/python)
# Tests and the demo see this machine as itself, whatever its name resolves to.
export SPARK_LOCAL_IP ?= 127.0.0.1

# sbt compiles once and ends: with all compilers of the JVM at work that takes three times the CPU. With one of them the JVM reserves
# 48 MB for what it compiles, which is too little: sbt has ended for that.
export SBT_OPTS ?= -XX:+UseParallelGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m

# Sessions of a few minutes: what the JVM's second compiler takes they do not get back, and most of a start is loading classes.
SESSIONS := test-classic test-connect test-portable test-package test-delta test-delta-connect smoke-oldest smoke-others
ARCHIVE := target/spark.jsa
SHORT_LIVED := -XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -Xms1g -Xmn600m -Xlog:disable -XX:SharedArchiveFile=$(abspath $(ARCHIVE))

# But for the lanes of `make test`, one thing after the other.
ifndef LANES
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:
.PHONY: help demo test jar install docs docs-serve lint lint-python test-jvm test-python test-classic test-connect test-portable test-package test-delta test-delta-connect smoke smoke-oldest smoke-others reference dist publish-m2 reproducible release-check matrix release clean FORCE

help:
	@echo "make demo          p50, p90, p99 of a year of flights, with their bounds"
	@echo "make test          everything CI runs; CHRONOSKETCH_CASES=3 make test: three times the cases, and what takes long"
	@echo "make jar           $(JAR)"
	@echo "make lint          ruff, mypy, scalafmt"
	@echo "make test-jvm      tests of core and spark"
	@echo "make test-python   tests of the package, classic and Connect"
	@echo "make test-portable the functions in Python on sessions without the jar, classic and Connect"
	@echo "make test-package  the wheels, attach, the command line, what is said when something is missing"
	@echo "make test-delta    beside Delta Lake: attached, Connect; with more cases also configured together"
	@echo "make reference     the pages that are written: functions, errors, performance"
	@echo "make docs          target/site, from docs/ and the README; a link that leads nowhere is an error"
	@echo "make docs-serve    the same in a browser, built again when a page changes"
	@echo "make smoke         the jar on the oldest and the newest Spark 4.x"
	@echo "make dist          two wheels and two sdists, as an index takes them"
	@echo "make publish-m2    the jar and the testkit in a Maven repository, target/m2"
	@echo "make reproducible  two builds of the jar from one commit, byte for byte"
	@echo "make release-check what is shipped, installed with pip alone and by --packages"
	@echo "make matrix        the smoke suite on every Spark, Java and Python that is here; docs/compatibility-matrix.md"
	@echo "make release       all of that for a release: target/release, and what only a person can do"
	@echo "                   make release --dry-run, or DRY_RUN=1: the same without the checks"
	@echo "make clean         forget what was built; .venv and caches stay"

demo: install
	@$(BIN)/chronosketch demo

# One start of sbt does all that is the JVM's, so `jar` finds its work done; beside it the environment is made. Then two lanes:
# a start of Spark, and what plans small queries, keeps little more than one core busy. All Connect servers take the same port,
# so each waits for the one before.
test:
	@$(MAKE) --no-print-directory -j 2 LANES=2 test-jvm lint-python docs $(ARCHIVE)
	@$(MAKE) --no-print-directory install
	@$(MAKE) --no-print-directory -j 2 LANES=2 $(SESSIONS)

# Only to fetch sbt, once a version, takes a Python that has pyspark.
SBT_VERSION := $(shell sed -n 's/^sbt\.version=//p' project/build.properties)
SBT_FETCHED := $(wildcard $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/chronosketch/sbt-launch-$(SBT_VERSION).jar)

ifdef LANES
test-package: | test-classic test-delta-connect
test-portable: | test-connect
test-delta-connect: | test-portable
smoke-oldest: | test-delta test-package
smoke-others: | smoke-oldest
endif

jar: $(STAMP)/jar
lint: lint-python $(STAMP)/lint-jvm

# --- digests: what goes in, by content and by name, so that a touched file is nothing and a deleted one is something

JVM_BUILD := build.sbt VERSION LICENSE python/chronosketch/advisor/cost-model.json project/build.properties project/plugins.sbt project/BillOfMaterials.scala project/ScaladocExamples.scala
JVM_MAIN = $(JVM_BUILD) $(shell find jvm/core/src jvm/spark/src -type f 2>/dev/null | sort)
JVM_ALL = $(JVM_BUILD) .scalafmt.conf $(shell find jvm/*/src tests/jvm -type f 2>/dev/null | sort)
PACKAGE = pyproject.toml VERSION README.md $(shell find python python-spark -type f -not -name '*.pyc' | sort)
DOCS_ALL = mkdocs.yml make/mkdocs_hooks.py requirements-dev.txt $(wildcard *.md) $(shell find docs benchmarks/results examples -type f -not -name '*.json*' 2>/dev/null | sort)
PYTHON_ALL = $(PACKAGE) requirements-dev.txt $(shell find tests examples benchmarks make -name '*.py' 2>/dev/null | sort)

define digest
@mkdir -p $(@D); cksum $(1) >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
endef

$(STAMP)/jvm-main.digest: FORCE
	$(call digest,$(JVM_MAIN))
$(STAMP)/jvm-all.digest: FORCE
	$(call digest,$(JVM_ALL))
$(STAMP)/package.digest: FORCE
	$(call digest,$(PACKAGE))
$(STAMP)/python-all.digest: FORCE
	$(call digest,$(PYTHON_ALL))
$(STAMP)/docs-all.digest: FORCE
	$(call digest,$(DOCS_ALL))

# --- the environment

# Its stamp lives in it: an environment that is gone, or was cut short, is made again.
$(VENV)/.complete: requirements-dev.txt
	@sh make/java >/dev/null
	@sh make/python $(PYTHON)
	@$(QUIETLY) "Making $(VENV)" $(PYTHON) -m venv --clear $(VENV)
	@$(QUIETLY) "Installing Python packages" $(BIN)/python -m pip install --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# Builds both projects, of Python alone and of the jar, as wheels or as sdists.
hatchling = for project in . python-spark; do (cd $$project && $(abspath $(BIN))/python -m hatchling build -t $(1) -d $(abspath target/dist)) || exit 1; done

$(STAMP)/jar: $(STAMP)/jvm-main.digest | $(VENV)/.complete
	@$(QUIETLY) "Building the jar" ./sbt spark/assembly
	@touch $(JAR) $@

# Two wheels as a user gets them, not editable installs: the tests run what is shipped.
# The jar is touched because the build hook takes one that is younger than its sources.
$(STAMP)/install: $(STAMP)/jar $(STAMP)/package.digest $(VENV)/.complete
	@touch $(JAR); rm -rf target/dist
	@$(QUIETLY) "Building the wheels" sh -c '$(call hatchling,wheel)'
	@$(QUIETLY) "Installing the wheels" $(BIN)/python -m pip install --disable-pip-version-check --no-index --no-deps --force-reinstall target/dist/*.whl
	@touch $@

install: $(STAMP)/install

# --- checks

PYTEST := $(BIN)/python -m pytest -q --no-header

lint-python: $(STAMP)/lint-python

$(STAMP)/lint-python: $(STAMP)/python-all.digest $(VENV)/.complete
	@$(QUIETLY) "ruff" $(BIN)/ruff check .
	@$(QUIETLY) "ruff format" $(BIN)/ruff format --check .
	@$(QUIETLY) "mypy" $(BIN)/mypy
	@touch $@

$(STAMP)/lint-jvm: $(STAMP)/jvm-all.digest | $(VENV)/.complete
	@$(QUIETLY) "scalafmt" ./sbt scalafmtSbtCheck scalafmtCheckAll
	@touch $@

# Tests run whenever they are asked for. The same start of sbt checks the format, compiles the benchmarks and makes the jar.
test-jvm: $(STAMP)/jvm-main.digest $(STAMP)/jvm-all.digest | $(if $(SBT_FETCHED),,$(VENV)/.complete)
	@$(QUIETLY) "JVM tests" ./sbt "all scalafmtSbtCheck scalafmtCheckAll bench/compile spark/assembly test"
	@sh make/quiet-log target/log/JVM-tests.log
	@touch $(JAR) $(STAMP)/jar $(STAMP)/lint-jvm
	@sed -n 's/^.*\(Passed: Total .*\)/  \1/p' target/log/JVM-tests.log

$(SESSIONS): export SPARK_SUBMIT_OPTS ?= $(SHORT_LIVED)
$(SESSIONS): $(ARCHIVE)

$(ARCHIVE): make/archive.py $(VENV)/.complete
	@mkdir -p $(@D)
	@$(QUIETLY) "Archiving Spark's classes" $(BIN)/python make/archive.py $@

# One Python process holds either a classic session or a Connect one, so each mode has its own.
test-python: test-classic test-connect

test-classic: install
	@echo "Python tests, classic"
	@$(PYTEST) tests/python --mode classic

test-connect: install
	@echo "Python tests, Connect"
	@$(PYTEST) tests/python --mode connect

test-portable: install
	@echo "Tests without the jar"
	@$(PYTEST) tests/portable --mode classic
	@$(PYTEST) tests/portable --mode connect

test-package: install
	@echo "Package tests"
	@$(PYTEST) tests/package

# Spark fetches Delta's jar from Maven Central at the first start and keeps it in its own cache.
# A Connect server is configured, so a session that is configured too comes with more cases only.
DELTA_STARTS = attached $(if $(filter-out 1,$(CHRONOSKETCH_CASES)),configured)

test-delta: install test-delta-connect
	@for start in $(DELTA_STARTS); do \
	  echo "Tests beside Delta Lake, $$start" && $(PYTEST) tests/delta --start $$start || exit 1; done

test-delta-connect: install
	@echo "Tests beside Delta Lake, connect"
	@$(PYTEST) tests/delta --start connect

smoke: smoke-oldest smoke-others

smoke-oldest: install
	@echo "Smoke tests, oldest Spark 4.x"
	@$(PYTEST) tests/smoke --line oldest

smoke-others: install
	@echo "Smoke tests, newest Spark 4.x"
	@$(PYTEST) tests/smoke --line others

# The pages that tests compare with the table of functions, the conditions of errors and the results of benchmarks.
reference: | $(VENV)/.complete
	@$(QUIETLY) "Writing docs/reference.md" ./sbt "spark/Test/runMain chronosketch.spark.table.Reference"
	@$(QUIETLY) "Writing docs/errors.md" $(BIN)/python make/errors_page.py
	@$(QUIETLY) "Writing docs/performance.md" $(BIN)/python benchmarks/performance.py

# --- the site

docs: $(STAMP)/docs

# Material says at each start that another tool will follow it.
$(STAMP)/docs docs-serve: export NO_MKDOCS_2_WARNING = 1

$(STAMP)/docs: $(STAMP)/docs-all.digest $(VENV)/.complete
	@$(QUIETLY) "Building target/site" $(BIN)/mkdocs build --strict --clean
	@touch $@

docs-serve: $(VENV)/.complete
	@$(BIN)/mkdocs serve --strict

# --- what is shipped

# The wheels that were tested, and the sources that they are made from.
dist: install
	@rm -f target/dist/*.tar.gz
	@$(QUIETLY) "Building the sdists" sh -c '$(call hatchling,sdist)'
	@$(QUIETLY) "twine check" $(BIN)/python -m twine check --strict target/dist/*

publish-m2: $(STAMP)/jar
	@rm -rf target/m2
	@$(QUIETLY) "Publishing into target/m2" ./sbt release/publish testkit/publish

reproducible: $(VENV)/.complete
	@$(QUIETLY) "Building the jar twice" sh make/reproducible
	@tail -n 1 "target/log/Building-the-jar-twice.log"

release-check: dist publish-m2
	@echo "Tests of what is shipped"
	@$(PYTEST) tests/package --slow
	@$(QUIETLY) "Tests of the core, with the published jars" ./sbt "testkit/run chronosketch.codec.GoldenSuite chronosketch.summary.SummaryLaws"

# ONLY=spark=4.3,java=17,python=3.12,mode=connect: a part of it
matrix: install
	@$(BIN)/python make/matrix.py --only "$(ONLY)"

# With + a line runs even if make is called with --dry-run, whose n is in the first word of MAKEFLAGS. So there are no prerequisites: make
# would not build them then. The steps of make/release.py build the environment.
release:
	+@sh make/python $(PYTHON)
	+@$(PYTHON) make/release.py $(if $(DRY_RUN)$(findstring n,$(firstword -$(MAKEFLAGS))),--dry-run)

clean:
	rm -rf target jvm/*/target project/target project/project

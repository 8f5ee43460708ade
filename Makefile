# Parley's commands. `make help` lists them.
#
# Everything is built in one configuration, release, and with the flags of deploy/build, so that running, testing and measuring use
# the same build.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIND ?= 127.0.0.1
PORT ?= 8080
DATABASE ?= sqlite:parley.db
SOURCES := Sources Tests Package.swift Fuzz/Sources/fuzz Fuzz/Package.swift
# How many seeds `make simulate` runs, and from which on.
SEEDS ?= 10000
FROM ?= 1
# Which target `make check` builds and tests, and which of its tests (all if empty).
MODULE ?=
FILTER ?=
# How long `make fuzz` runs each target.
SECONDS ?= 60
# How often `make bench` starts everything anew for each row of its table; it prints medians.
STARTS ?= 1
# Which rows it measures (Benchmarks/table --help), all if empty.
ROWS ?=
TEST = swift test $(shell deploy/build flags) --skip-build --disable-xctest
# All test targets but the integration tests, which start Redis, PostgreSQL, HAProxy, Chromium, Django or `parley`.
UNIT_TESTS = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 $(TEST) \
	--skip '^(RedisIntegrationTests|PostgresIntegrationTests|ParleyProgramTests|FaultTests)\.'

# The tests of the whole program that mostly wait, so that several run at a time.
CONFORMANCE_TESTS = ^ParleyProgramTests\.ConformanceTests

# Where `make install` installs; packages set DESTDIR.
PREFIX ?= /usr/local
DESTDIR ?=

# Which faults `make planted-faults` runs (Tests/planted-faults --list), all if empty.
NAME ?=

.PHONY: run chat cluster cluster-check test test-unit test-web test-python client-package simulate simulate-client bench soak fuzz explore autobahn build install packages dist deb image lint lint-deploy verify-compose verify-install verify-upgrade \
	format clean help

## run: install, build, and serve a working chat on http://127.0.0.1:8080 (PORT=, BIND=, DATABASE= change it)
run: build
	@echo
	@echo "  Parley is at http://$(BIND):$(PORT) - open it in two browsers, sign up, and chat."
	@echo "  Messages are kept in $(DATABASE). Ctrl-C stops it."
	@echo
	@exec .build/release/parley serve --bind "$(BIND)" --port "$(PORT)" --database "$(DATABASE)"

## chat: build, and chat in this terminal with the server of `make run` (PORT=, BIND=)
chat: build
	@exec .build/release/parley chat "http://$(BIND):$(PORT)"

## build: install what is missing and build the program
build:
	@deploy/install-packages build
	@deploy/build

## install: install the program, units and documents below PREFIX (/usr/local), settings in /etc/parley; DESTDIR= stages it
install: build
	deploy/package install --prefix "$(PREFIX)" --destination "$(DESTDIR)"

## packages: both of the next two
packages: dist deb

## dist: pack a program that needs only glibc, units, manual and documents into dist/parley-VERSION-linux-ARCH.tar.gz
dist:
	@deploy/install-packages build
	deploy/build delivery
	deploy/package tarball

## deb: the same as a Debian package, dist/parley_VERSION_ARCH.deb
deb:
	@deploy/install-packages build
	deploy/build delivery
	deploy/package deb

## image: make an image of Debian 12 and that package, dist/parley-VERSION-image.tar.gz (root, reaches a Debian mirror)
image: deb
	@deploy/install-packages image
	deploy/image

## cluster: run what docker-compose.yml runs on loopback, without containers: HAProxy, 3 gateways, 2 persisters, stores
cluster:
	@deploy/install-packages cluster
	@deploy/build
	@exec deploy/cluster

## cluster-check: start that cluster, chat across its nodes, check PostgreSQL and the history, stop it
cluster-check:
	@deploy/install-packages cluster
	@deploy/build
	@exec deploy/cluster --check

## test: install, build, lint, and run every test
#
# Unit tests run in parallel. Tests that start servers run after them and fewer at a time: a small machine would otherwise
# start a hundred servers at once, and none would answer in time. Tests of the whole program and of the cluster measure
# time and memory, so they run last, one by one.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = 4
test:
	@deploy/install-packages test
	$(MAKE) --no-print-directory test-environments
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory test-web
	$(MAKE) --no-print-directory test-python
	deploy/build tests
	$(UNIT_TESTS)
	.build/release/parley-sim --from 12 --seeds 60 --seconds 100
	$(TEST) --filter '^RedisIntegrationTests\.'
	$(TEST) --filter '^PostgresIntegrationTests\.'
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=3 $(TEST) --filter '$(CONFORMANCE_TESTS)'
	$(TEST) --filter '^ParleyProgramTests\.' --skip '$(CONFORMANCE_TESTS)'
	$(TEST) --no-parallel --filter '^FaultTests\.'

# Installs the Python packages of the tests. A test that installed them itself would spend its time limit on downloads.
.PHONY: test-environments
test-environments:
	@for each in Django/make-venv Python/make-venv S3/make-venv Schemathesis/make-venv Axe/make OIDC/make-venv; do Tests/$$each >/dev/null; done

## check: build a target (MODULE=ParleyWire) and its unit tests alone, unoptimized, and run them (FILTER= selects some)
#
# The only debug build (docs/decisions/001-one-configuration.md). SwiftPM keeps it apart from the release build, and complains
# of the packages that the target does not use.
.PHONY: check
check:
	@[[ -n "$(MODULE)" && -d "Tests/Unit/$(MODULE)Tests" ]] || \
		{ echo "make check MODULE=ParleyWire: MODULE is a target with a folder in Tests/Unit" >&2; exit 2; }
	@deploy/install-packages build
	PARLEY_ONLY="$(MODULE)" SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 \
		swift test --no-color-diagnostics --disable-xctest $(if $(FILTER),--filter "$(FILTER)") \
		2> >(grep -v "is not used by any target" >&2)

## test-unit: build, and run the tests that start no server
test-unit:
	@deploy/install-packages test
	deploy/build tests
	$(UNIT_TESTS)

## simulate: run SEEDS (10000) simulated clusters, from seed FROM (1) on, and print every broken promise (docs/simulation.md)
simulate:
	@deploy/install-packages build
	deploy/build simulator
	.build/release/parley-sim --seeds $(SEEDS) --from $(FROM)

## simulate-client: run SEEDS (10000) lives of the JavaScript client in Node, from seed FROM (1) on (docs/reliability.md)
simulate-client:
	node Tests/WebClientTests/simulation/run.js --seeds $(SEEDS) --from $(FROM)

## test-web: run the tests of the web client's rules, which need Node (18 or newer) and nothing that is built
test-web:
	node --test $(wildcard Tests/WebClientTests/*.test.js)

## test-python: check parley-client and parley-django (format, lint, types) and run their tests, with SEEDS (200) lives of a client
test-python:
	Tests/Python/check

## client-package: make the npm package @parley/client, as a registry gets it, in .build/client-package
client-package:
	deploy/client-package .build/client-package

## bench: print the table of docs/performance.md: costs of a message, latencies, limits (STARTS=1, ROWS=; 20 quiet minutes)
bench:
	@deploy/install-packages test
	@deploy/build
	Benchmarks/table --starts $(STARTS) $(if $(ROWS),--rows $(ROWS))

## soak: run the long form of the fault tests, which takes a while
soak:
	@deploy/install-packages test
	deploy/build tests
	PARLEY_SOAK=1 $(TEST) --no-parallel --filter '^FaultTests\.'

## fuzz: run every decoder of bytes from outside under libFuzzer, each for SECONDS (60)
fuzz:
	@deploy/install-packages build
	Fuzz/run $(SECONDS)

## autobahn: play the cases of the Autobahn test suite in full (`make test` has fewer and smaller messages of some)
autobahn:
	@deploy/install-packages test
	deploy/build tests
	PARLEY_AUTOBAHN=full $(TEST) --filter '^ParleyGatewayTests\.AutobahnTests'

## explore: run the long forms of the generators that compare the listeners with their descriptions (about two hours)
explore:
	@deploy/install-packages test
	deploy/build tests
	PARLEY_EXPLORE=1 PARLEY_EXPLORE_SECONDS=900 PARLEY_EXPLORE_STREAMS=1000000 $(TEST) --no-parallel --filter '^ParleyProgramTests\.ProgramTests/ExplorationTests'

## planted-faults: build a copy with the faults of Tests/PlantedFaults, and run what must find each (NAME=; hours for all)
.PHONY: planted-faults
planted-faults:
	@deploy/install-packages test
	Tests/planted-faults $(NAME)

## lint: check the format, strictly, and that the patches of Tests/PlantedFaults still apply
lint:
	swift format lint --strict --parallel --recursive $(SOURCES)
	Tests/planted-faults --check

## lint-deploy: check docker-compose.yml and the files in deploy/ with the programs that read them
lint-deploy:
	@deploy/install-packages test
	@deploy/lint

## verify-compose: run docker-compose.yml in real containers, without an image registry (root, Debian 12)
verify-compose:
	@deploy/install-packages cluster
	@deploy/build
	@exec deploy/verify-compose

## verify-install: chat with package, tarball and image in a bare Debian 12 (SYSTEMS="bookworm trixie noble"; root, a mirror)
verify-install: packages image
	@exec deploy/verify-install

## verify-upgrade: build the previous version (COMMIT=), and upgrade a cluster under load from it to this one
verify-upgrade:
	@deploy/install-packages test
	@deploy/verify-upgrade $(COMMIT)

## format: format the sources
format:
	swift format --in-place --parallel --recursive $(SOURCES)

## clean: remove build products; databases stay (.cluster too)
clean:
	rm -rf .build Fuzz/.build dist

## help: list these commands
help:
	@sed -n 's/^## /  make /p' Makefile

# make            list the targets
# make demo       the main job on the wallet app: record, verify, show what a change does
# make test       what CI runs: packages, format, build, all tests
# make quickstart the farm without a browser, in seconds
# make build      the debug build that demo and test share
# make format     rewrite the sources as swift format wants them
# make golden     rewrite the golden files, then read the diff
# make schema     rewrite what is generated from the keys of files: JSON Schemas and docs/keys.md
# make release    the program as it is given away, .build/release/snapfarm
# make deb        its packages in .build/packages: .deb, .tar.gz, checksums (on a Mac: .tar.gz)
# make bench      release build and benchmarks; appends to docs/benchmark-history.csv
# make simulate   the farm against crashes from seeds: SEEDS=1000, SEED=n replays, PLANTED=all
# make soak       runs, fleets, backups and databases killed at random moments: SEED=n, FAULTS=…
# make fuzz       half an hour of libFuzzer, then 100,000 files of each kind, calls and commands
# make mac-check  on a Mac: try the driver xcodebuild with a small app; leaves one zip to send back

SWIFT ?= swift
# Without this flag SwiftPM lets a target import a module it does not declare.
STRICT := --explicit-target-dependency-import-check error
# Neither an index nor a debugger's tables: they take a quarter of the build, and no test reads them.
DEBUG := $(STRICT) --disable-index-store -debug-info-format none
# Tests/XCTMain.swift says why; without these words no test runs.
TEST := $(SWIFT) test --enable-swift-testing --disable-xctest
# A release needs no toolchain on the machines it runs on, and starts in a third of the time.
STATIC := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
RELEASE := -c release $(STRICT) $(STATIC)
SNAPFARM := .build/debug/snapfarm

.PHONY: help packages build test format format-check golden schema demo demo-fleet quickstart release bench deb release-check container-check bench-compare fuzz simulate planted soak page-check dogfood deploy-check slurm-check mac-check

help:
	@sed -n 's/^# make/make/p' $(firstword $(MAKEFILE_LIST))
	@echo "CONTRIBUTING.md names the checks that are seldom run."

packages:
	@deploy/system-packages.sh build test demo

# The suite takes minutes; one that hangs must say so, not wait for the CI's own end.
LIMIT := $(if $(shell command -v timeout),timeout -k 30 1500)
# Four processes of tests, one after the other. Swift Testing runs a process's tests on two threads:
# where some compute for a minute, or wait for programs, servers in the same process get no turn, and
# a timing decides a test. What is in no list below is in the last process.
COMPUTING := ^((FarmAPI|FarmArtifacts|FarmCore|FarmImaging|FarmLedger|FarmPipeline|FarmReports|FarmSimulator|FileFuzz|Tidy)Tests|FarmDriversTests.HostileJUnitTests|EndToEndTests.CommandFuzzTests)
SERVING := ^Farm(Server|Worker)Tests
STORING := ^(Farm(Files|Git|References)Tests|FarmDriversTests.(StandIn|Xcode))

build:
	@deploy/system-packages.sh build
	$(SWIFT) build $(DEBUG)

format-check:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Package.swift

format:
	$(SWIFT) format format --in-place --parallel --recursive Sources Tests Package.swift

test: packages format-check
	$(SWIFT) build --build-tests $(DEBUG)
	@deploy/tests.sh $(LIMIT) $(TEST) --skip-build --filter '$(COMPUTING)'
	@deploy/tests.sh $(LIMIT) $(TEST) --skip-build --filter '$(SERVING)'
	@deploy/tests.sh $(LIMIT) $(TEST) --skip-build --filter '$(STORING)'
	@deploy/tests.sh $(LIMIT) $(TEST) --skip-build \
	  --skip '$(COMPUTING)' --skip '$(SERVING)' --skip '$(STORING)'

golden: packages
	SNAPFARM_UPDATE_GOLDEN=1 $(TEST) $(DEBUG) --filter 'FarmReportsTests|FarmCoreTests|PaymentAppTests'
	git diff --stat -- Tests

schema: build
	$(SNAPFARM) schema > docs/schema/pipeline.schema.json
	$(SNAPFARM) schema scenes > docs/schema/scenes.schema.json
	$(SNAPFARM) schema keys > docs/keys.md

demo:
	@deploy/system-packages.sh build demo
	$(SWIFT) build $(DEBUG)
	@deploy/demo.sh $(SNAPFARM)

demo-fleet:
	@deploy/system-packages.sh build demo
	$(SWIFT) build $(DEBUG)
	@deploy/demo-fleet.sh $(SNAPFARM)

quickstart: build
	@deploy/quickstart.sh $(SNAPFARM)

# What the program holds of other libraries; see libraries.sh.
HELD := .build/release-libraries

release:
	@deploy/system-packages.sh build package
	@deploy/release/libraries.sh $(HELD)
	PKG_CONFIG_PATH=$(CURDIR)/$(HELD)/pkgconfig $(SWIFT) build $(RELEASE) --product snapfarm \
	  $$(deploy/release/link-options.sh $(CURDIR)/$(HELD))

deb: release
	@deploy/release/package.sh .build/release/snapfarm .build/packages

release-check: deb
	@deploy/system-packages.sh root
	lintian .build/packages/*.deb
	@deploy/release/try-in-root.sh .build/packages

container-check: deb
	@deploy/system-packages.sh root
	@deploy/container/build-without-engine.sh .build/packages

bench: release
	@deploy/bench.sh .build/release/snapfarm

fuzz:
	@deploy/system-packages.sh build
	@Tests/Fuzzing/run.sh 1800
	$(SWIFT) build --build-tests $(DEBUG)
	SNAPFARM_FUZZ_CASES=100000 $(TEST) --skip-build --filter '^FileFuzzTests'
	SNAPFARM_FUZZ_CALLS=100000 $(TEST) --skip-build --filter 'RouteFuzzTests'
	SNAPFARM_FUZZ_COMMANDS=100000 $(TEST) --skip-build --filter 'CommandFuzzTests'

bench-compare: release
	@deploy/system-packages.sh bench
	@Benchmarks/compare/run.py .build/release/snapfarm --rounds 5 --record

SEEDS ?= 1000
FROM ?= 1

# SEED=n replays one with everything that happens; seeds that break a promise are kept.
simulate:
	@deploy/system-packages.sh build
	$(SWIFT) build $(RELEASE) --product simulate
	.build/release/simulate $(if $(PLANTED),--planted $(PLANTED)) $(if $(SEED),--seed $(SEED),\
	  --seeds $(SEEDS) --from $(FROM) $(if $(PLANTED),,--kept Tests/Simulation/seeds.txt))

planted:
	@deploy/system-packages.sh build test
	@Tests/Planted/run.py $(PLANTED) $(if $(SCRATCH),--scratch $(SCRATCH))

# Half an hour; FAULTS=journal makes those alone, after the tests.
FAULTS ?= chaos kills jobs upkeep bucket journal night

soak: packages
	$(SWIFT) build --build-tests $(DEBUG)
	SNAPFARM_SOAK=1 $(if $(SEED),SNAPFARM_TEST_SEED=$(SEED)) \
	  $(LIMIT) $(TEST) --skip-build --filter 'EndToEndTests.*/SoakTests|CauseIntruderTests'
	@for fault in $(FAULTS); do \
	  Benchmarks/faults/run.py $$fault $(SNAPFARM) $(if $(SEED),--seed $(SEED)) || exit 1; done

# PAGES="name=url …" looks at others; the demo leaves the page that is looked at without it.
PAGES ?= report=file://$(CURDIR)/snapfarm-out/demo/changed/report/index.html

page-check:
	@deploy/system-packages.sh demo
	@Tests/PageCheck/check.py --into .build/page-check $(PAGES)

dogfood:
	@deploy/system-packages.sh build demo
	$(SWIFT) build --build-tests $(DEBUG)
	@deploy/dogfood.sh $(SNAPFARM)

slurm-check: build
	@deploy/system-packages.sh slurm
	@python3 Tests/Slurm/check.py $(SNAPFARM)

deploy-check: build
	@deploy/check.sh $(SNAPFARM)

mac-check: build
	@deploy/mac-check.sh $(SNAPFARM)

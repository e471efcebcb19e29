# SPDX-License-Identifier: Apache-2.0
# make          build the library, the command line and the examples
# make run      a first result: install what is missing, build, find a warp of a photograph
# make test     install what is missing, build and run the whole test suite
# make install  install into PREFIX (default /usr/local; DESTDIR is honoured)
# make bench    install what is missing, build, measure; about ten minutes, with QUICK=1 one and a half
# make ci       what continuous integration runs
# make format   lay out the C sources with clang-format
# make clean    remove what was built
#
# BUILD is the build directory, PREFIX where install puts things, JOBS how many compile at a time.

BUILD ?= build/release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all run test install bench ci format clean
all:
	@scripts/install-packages.sh run
	@scripts/build.sh $(BUILD) $(JOBS) -DREGRAD_TESTS=OFF

run: all
	@scripts/run-example.sh $(BUILD)

test:
	@scripts/install-packages.sh test
	@scripts/build.sh $(BUILD) $(JOBS) -DREGRAD_TESTS=ON
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS) $(if $(junit),--output-junit $(junit))

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

bench:
	@scripts/install-packages.sh bench
	@scripts/build.sh $(BUILD) $(JOBS) -DREGRAD_TESTS=OFF -DREGRAD_BENCH=ON
	$(BUILD)/bench/regrad-bench $(if $(QUICK),--quick) --json=$(BUILD)/bench/performance.json \
		--markdown=$(BUILD)/bench/performance.md --plot=$(BUILD)/bench/performance.svg

ci:
	.ci/run

format:
	git ls-files -z '*.c' '*.h' '*.cpp' | xargs -0 clang-format -i

clean:
	rm -rf build

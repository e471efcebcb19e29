# SPDX-License-Identifier: Apache-2.0
# make            build the library, the command line and the examples
# make run        a first result: install what is missing, build, find a warp of a photograph
# make test       install what is missing, build and run the whole test suite
# make install    build what is installed, install into PREFIX (default /usr/local; DESTDIR is honoured)
# make uninstall  take away what make install has put into PREFIX
# make bench      install what is missing, build, measure; a quarter of an hour, with QUICK=1 a minute and a half
#                 SWEEP=1: 400 random shapes instead, which SEED chooses. PYTHON: the one that has PyTorch
# make bench-python
#                 install what is missing, build, measure calls from Python beside calls from C; about a minute
# make wheel      build the wheel of the Python package, for this platform, into dist/
# make ci         what continuous integration runs
# make format     lay out the C sources with clang-format
# make clean      remove what was built
#
# BUILD is the build directory, PREFIX where install puts things, JOBS how many compile at a time.

BUILD ?= build/release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SEED ?= 1
# What a build directory was made for before does not count.
OPTIONS = -DREGRAD_TOOLS=ON -DREGRAD_INSTALL=ON -DREGRAD_BENCH=OFF

.PHONY: all run test install uninstall bench bench-python wheel ci format clean
all:
	@scripts/install-packages.sh run
	@scripts/build.sh "$(BUILD)" $(JOBS) $(OPTIONS) -DREGRAD_TESTS=OFF -DREGRAD_EXAMPLES=AUTO

run: all
	@scripts/run-example.sh "$(BUILD)"

test:
	@scripts/install-packages.sh test
	@scripts/build.sh "$(BUILD)" $(JOBS) $(OPTIONS) -DREGRAD_TESTS=ON -DREGRAD_EXAMPLES=ON
	ctest --test-dir "$(BUILD)" --output-on-failure --no-tests=error --parallel $(JOBS) $(if $(junit),--output-junit "$(junit)")

install:
	@scripts/check-prefix.sh "$(PREFIX)"
	@scripts/install-packages.sh install
	@scripts/build.sh "$(BUILD)" $(JOBS) $(OPTIONS) -DREGRAD_TESTS=OFF -DREGRAD_EXAMPLES=OFF
	cmake --install "$(BUILD)" --prefix "$(PREFIX)"

uninstall:
	cmake -DPREFIX="$(PREFIX)" -P cmake/install/uninstall.cmake

bench:
	@scripts/install-packages.sh bench
	@scripts/build.sh "$(BUILD)" $(JOBS) $(OPTIONS) -DREGRAD_TESTS=OFF -DREGRAD_EXAMPLES=AUTO -DREGRAD_BENCH=ON
	"$(BUILD)/bench/regrad-bench" $(if $(QUICK),--quick) $(if $(PYTHON),--python="$(PYTHON)") $(if $(SWEEP),\
		--sweep=400 --seed=$(SEED) --json="$(BUILD)/bench/sweep.json" --markdown="$(BUILD)/bench/sweep.md",\
		--json="$(BUILD)/bench/performance.json" --markdown="$(BUILD)/bench/performance.md" \
		--plot="$(BUILD)/bench/performance.svg")

bench-python:
	@scripts/install-packages.sh install wheel
	@scripts/build.sh "$(BUILD)" $(JOBS) $(OPTIONS) -DREGRAD_TESTS=OFF -DREGRAD_EXAMPLES=AUTO -DREGRAD_BENCH=ON
	python3 -m venv "$(BUILD)/venv"
	"$(BUILD)/venv/bin/pip" install --quiet .
	"$(BUILD)/venv/bin/python" bench/python.py "$(BUILD)/bench/regrad-bench"

wheel:
	@scripts/install-packages.sh wheel
	@scripts/make-wheel.sh dist

ci:
	.ci/run

format:
	git ls-files -z '*.c' '*.h' '*.cpp' | xargs -0 clang-format -i

clean:
	rm -rf build dist

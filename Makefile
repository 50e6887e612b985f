# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# A thin front over CMake: `make help` lists the targets. Each target first makes sure that what it needs is installed
# (scripts/setup.sh), so that on a fresh machine `make demo` and `make test` are the only commands to know.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 20
FUZZ_EXECUTIONS ?= 100000000
BUILD := build/release
WEIR := $(BUILD)/weir
CTEST := ctest -j $(JOBS) --output-on-failure --no-tests=error

# What the demo compares (Tian et al., GPGPU-8 2015): the recency policies, the paper's bypass and its rival, and the
# same chip with twice the L1.
DEMO_PROGRAMS := bfs spmv matrixmul
DEMO_SCHEMES := lru plru pcbp counter lru,l1.size_kib=32

.PHONY: weir release-pgo demo tests-built test test-ci test-all quick bench ptx cpu-traces install deb deb-test fuzz fuzz-long check-asan check-tsan slurm-test format clean help
.DEFAULT_GOAL := weir

weir: ## build weir (build/release/weir) and the libraries that `weir run -- ./program` puts in front of programs
	@scripts/setup.sh build
	@test -f $(BUILD)/build.ninja || cmake --preset release -DWEIR_TESTS=OFF
	@cmake --build $(BUILD) -j $(JOBS) --target weir

release-pgo: ## build weir by the profile of what scripts/profile.sh runs (gcc): build/pgo/weir
	@scripts/setup.sh build
	@cmake -S . -B build/pgo -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF -DWEIR_PROFILE=generate
	@cmake --build build/pgo -j $(JOBS) --target weir
	@find build/pgo -name '*.gcda' -delete
	@scripts/profile.sh build/pgo/weir
	@cmake -S . -B build/pgo -DWEIR_PROFILE=use
	@cmake --build build/pgo -j $(JOBS) --target weir

demo: weir ## compare five schemes on bfs, spmv and matrixmul; ends in a table
	@$(WEIR) compare $(DEMO_PROGRAMS) --chip gcn-apu $(DEMO_SCHEMES:%=--scheme %)
	@echo
	@echo "Each row is one scheme on one program, against the first scheme (lru): fewer L1 misses and fewer cycles are better."
	@echo "Next: $(WEIR) list schemes, $(WEIR) run bfs --scheme pcbp, or read docs/WRITING-A-POLICY.md and write your own."

# Everything that the tests below need.
tests-built:
	@scripts/setup.sh test
	@cmake --preset release -DWEIR_TESTS=ON
	@cmake --build $(BUILD) -j $(JOBS)

test: tests-built ## build everything and run the tests: five minutes
	@$(CTEST) --test-dir $(BUILD) -LE 'long|ci'

test-ci: tests-built ## run the tests that CI runs besides: a minute
	@$(CTEST) --test-dir $(BUILD) -L ci

test-all: tests-built ## run every test, and those that draw at random on more draws
	@WEIR_TEST_ALL=1 $(CTEST) --test-dir $(BUILD)

quick: ## build and run the rooms' own tests: two minutes
	@scripts/setup.sh test
	@cmake --preset release -DWEIR_TESTS=ON
	@cmake --build $(BUILD) -j $(JOBS) --target quick
	@$(CTEST) --test-dir $(BUILD) -L quick

bench: weir ## measure weir's own speed; adds to bench/results.csv
	@$(WEIR) bench --csv bench/results.csv

ptx: ## compile the workloads' OpenCL C to PTX anew (needs clang-19 and libclc-19)
	@scripts/setup.sh ptx
	@scripts/make-ptx.sh

cpu-traces: ## record CPU programs as traces into build/cpu-traces (needs qemu-user and libcapstone-dev; docs/TRACES.md)
	@scripts/setup.sh record
	@cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS) --target weir cpu_programs
	@scripts/cpu-traces.sh $(WEIR) $(BUILD)/cpu build/cpu-traces $(PROGRAMS)

install: weir ## install below PREFIX (default /usr/local; DESTDIR is honoured)
	@cmake --build $(BUILD) -j $(JOBS) --target weir_archive weir_pages
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb: weir ## make Debian packages: build/deb/weir, weir-dev and python3-weir
	@scripts/setup.sh deb
	@cmake --build $(BUILD) -j $(JOBS) --target weir_archive weir_pages
	@cd $(BUILD) && cpack -G DEB -B $(CURDIR)/build/deb >package.log || { cat package.log; exit 1; }
	@rm -rf build/deb/_CPack_Packages
	@ls build/deb/*.deb

deb-test: deb ## install them into a bare Debian of their own and use them there (needs root)
	@scripts/setup.sh debootstrap
	@scripts/deb-test.sh build/deb

fuzz: ## run each fuzz harness for FUZZ_SECONDS (default 20)
	@scripts/setup.sh fuzz
	@cmake --preset fuzz
	@cmake --build build/fuzz -j $(JOBS) --target harnesses
	@scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

fuzz-long: ## run all fuzz harnesses, without sanitizers and then over what that found with them, FUZZ_EXECUTIONS times (10^8) in all
	@scripts/setup.sh fuzz
	@cmake --preset fuzz-fast
	@cmake --build build/fuzz-fast -j $(JOBS) --target harnesses
	@cmake --preset fuzz
	@cmake --build build/fuzz -j $(JOBS) --target harnesses
	@scripts/fuzz-long.sh build/fuzz-fast build/fuzz $(FUZZ_EXECUTIONS)

check-asan: ## run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup.sh test
	@cmake --preset asan
	@cmake --build build/asan -j $(JOBS)
	@$(CTEST) --test-dir build/asan -LE 'once|long|ci'

check-tsan: ## run the tests under ThreadSanitizer
	@scripts/setup.sh test
	@cmake --preset tsan
	@cmake --build build/tsan -j $(JOBS)
	@$(CTEST) --test-dir build/tsan -LE 'once|long|ci'

slurm-test: weir ## run a sweep on a Slurm of its own, kill tasks, and compare (docs/CLUSTER.md; needs root)
	@scripts/setup.sh slurm
	@scripts/slurm-test.sh $(WEIR)

format: ## lay out every C file as .clang-format says (clang-format 14)
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean: ## remove everything built
	rm -rf build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

# mountbench: `make bench` measures, `make check` tests; `make help` lists the rest.

VERSION := 0.1.0
BUILD   ?= build
CACHE   ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/mountbench
PREFIX  ?= /usr/local
DESTDIR ?=

CC      ?= cc
OPT     ?= -O2 -g
WARN    := -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
           -Wwrite-strings -Wformat=2 -Wundef
ifdef WERROR
WARN    += -Werror
endif
PACKAGES  := libcurl libcjson libfyaml gsl
STD       := -std=c17 -D_POSIX_C_SOURCE=200809L
DEFINES   := -DMB_VERSION='"$(VERSION)"' -DMB_DATADIR='"$(PREFIX)/share/mountbench"'
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
CFLAGS_ALL = $(STD) $(OPT) $(WARN) -Iinclude -Isrc $(DEFINES) $(PKG_CFLAGS) -MMD -MP $(CFLAGS)
LIBS       = $(PKG_LIBS) -lm

# The driver: everything but the two main() files.  src/probe/main.c is the probe's own.
SOURCES := $(filter-out src/cli/main.c src/probe/main.c,$(wildcard src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/gen/probe_bytes.o $(BUILD)/gen/page_assets.o
LIBRARY := $(BUILD)/libmountbench.a

# The probe: libc alone, static, small.  Cross compilers and musl as Debian has them; override for another system.
PROBE_ARCHES  ?= amd64 arm64
PROBE_SOURCES := $(filter-out src/probe/embedded.c,$(wildcard src/probe/*.c)) \
                 src/base/error.c src/base/buffer.c src/base/parse.c src/base/clock.c
PROBE_HEADERS := $(wildcard src/probe/*.h) $(patsubst %,include/mountbench/%.h,buffer clock error parse probe propagation workload)
PROBE_TRIPLE_amd64 := x86_64-linux
PROBE_TRIPLE_arm64 := aarch64-linux
PROBE_CC_amd64 ?= x86_64-linux-gnu-gcc
PROBE_CC_arm64 ?= aarch64-linux-gnu-gcc
PROBE_FLAGS := $(STD) -O2 -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables $(WARN) -Iinclude -Isrc $(DEFINES)

# `make V=1` shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $@)

all: $(BUILD)/mountbench

help:
	@echo 'make          build $(BUILD)/mountbench and the probes'
	@echo 'make bench    install what is missing, find or start an engine, run the quick matrix'
	@echo 'make check    install what the tests need, run them'
	@echo 'make perf     print the figures that the project promises'
	@echo 'make lint     formatting, clang-tidy, cppcheck, gcc -fanalyzer, headers alone, folder arrows'
	@echo 'make asan     the tests under the address and undefined-behaviour sanitizers'
	@echo 'make valgrind the unit tests under valgrind'
	@echo 'make fuzz     the readers of files, each fed for FUZZ_SECONDS=$(FUZZ_SECONDS) with what clang can think of'
	@echo 'make lab      build the virtual machine that shares folders as desktop runtimes do'
	@echo 'make lab-check  start it with every way of sharing, and look at what it has mounted'
	@echo 'make lima-check  make, measure and delete instances of a real limactl, built from its Go module'
	@echo 'make lab-published  run the published tables there, small, and set them beside the articles'
	@echo 'make lab-applications  run the applications there, on NFS where root is not root among others'
	@echo 'make install  PREFIX=$(PREFIX), DESTDIR'
	@echo 'make clean    remove $(BUILD)'

$(BUILD)/mountbench: $(BUILD)/src/cli/main.o $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $(BUILD)/src/cli/main.o $(LIBRARY) $(LIBS)

$(LIBRARY): $(OBJECTS)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $(OBJECTS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_ALL) -c -o $@ $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_ALL) -c -o $@ $<

# The probes are built once for all variants, and their bytes put into an array a build can link.
define PROBE_RULES
build/mountbench-probe-$(1): $$(PROBE_SOURCES) $$(PROBE_HEADERS) Makefile
	@mkdir -p $$(@D)
	@test -e $(CACHE)/musl-$(1)/usr/lib/$(PROBE_TRIPLE_$(1))-musl/libc.a || \
	    { echo "musl for $(1) is missing: run '.ci/bootstrap build'" >&2; exit 1; }
	$$(call say,PROBE)
	$$(Q)$$(PROBE_CC_$(1)) $$(PROBE_FLAGS) -nostdinc -isystem $(CACHE)/musl-$(1)/usr/include/$(PROBE_TRIPLE_$(1))-musl \
	    -isystem $$$$($$(PROBE_CC_$(1)) -print-file-name=include) \
	    -static -nostdlib -Wl,--gc-sections,--build-id=none -s -o $$@ \
	    $(CACHE)/musl-$(1)/usr/lib/$(PROBE_TRIPLE_$(1))-musl/crt1.o $(CACHE)/musl-$(1)/usr/lib/$(PROBE_TRIPLE_$(1))-musl/crti.o \
	    $$(PROBE_SOURCES) -L$(CACHE)/musl-$(1)/usr/lib/$(PROBE_TRIPLE_$(1))-musl -Wl,--start-group -lc -lgcc -Wl,--end-group \
	    $(CACHE)/musl-$(1)/usr/lib/$(PROBE_TRIPLE_$(1))-musl/crtn.o
endef
$(foreach arch,amd64 arm64,$(eval $(call PROBE_RULES,$(arch))))

PROBES := $(PROBE_ARCHES:%=build/mountbench-probe-%)

$(BUILD)/gen/probe_bytes.c: $(PROBES)
	@mkdir -p $(@D)
	@{ echo '#include "probe/embedded.h"'; \
	   for arch in $(PROBE_ARCHES); do \
	     echo "static const unsigned char bytes_$$arch[] = {"; \
	     od -An -v -tu1 build/mountbench-probe-$$arch | sed 's/  */,/g; s/^,//; s/$$/,/'; echo '};'; \
	   done; \
	   echo 'const struct mb_embedded_probe mb_embedded_probes[] = {'; \
	   for arch in $(PROBE_ARCHES); do echo "{\"$$arch\", bytes_$$arch, sizeof bytes_$$arch},"; done; \
	   echo '{NULL, NULL, 0}};'; } > $@.tmp && mv $@.tmp $@

# The style sheet and the script of the HTML report, as strings.
$(BUILD)/gen/page_assets.c: src/report/assets/page.css src/report/assets/page.js
	@mkdir -p $(@D)
	@{ echo '#include "report/page.h"'; \
	   for kind in css js; do \
	     echo "const char mb_page_$$kind[] = {"; \
	     od -An -v -tu1 src/report/assets/page.$$kind | sed 's/  */,/g; s/^,//; s/$$/,/'; echo '0};'; \
	   done; } > $@.tmp && mv $@.tmp $@

# Tests: one program a file, in tests/unit/FOLDER/test_NAME.c and tests/engine/test_NAME.c.
UNIT_TESTS   := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/test_*.c))
ENGINE_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/engine/test_*.c))
TEST_HELPERS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
CHECK_CFLAGS  = $(shell pkg-config --cflags check)
CHECK_LIBS    = $(shell pkg-config --libs check)

$(BUILD)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_ALL) $(CHECK_CFLAGS) -Itests -c -o $@ $<

$(UNIT_TESTS) $(ENGINE_TESTS): $(BUILD)/%: $(BUILD)/%.o $(TEST_HELPERS) $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $< $(TEST_HELPERS) $(LIBRARY) $(CHECK_LIBS) $(LIBS)

.SECONDARY:
tests: $(UNIT_TESTS) $(ENGINE_TESTS)

check: bootstrap-check
	@$(MAKE) --no-print-directory all tests
	tests/run $(BUILD)

check-unit: $(UNIT_TESTS)
	tests/run $(BUILD) unit

# BENCH: more arguments of `mountbench run`.  ENGINE=docker or podman: a private one of that kind.
bench: bootstrap-build
	@$(MAKE) --no-print-directory all
	@ENGINE=$(ENGINE) tests/bench $(BUILD) $(BENCH)

# The figures that README and docs promise, printed beside the promise.  PERF: engine, probe, driver, report.
PERF_TOOLS := $(BUILD)/tests/perf/measure $(BUILD)/tests/perf/overhead $(BUILD)/tests/perf/bootstrap
$(PERF_TOOLS): $(BUILD)/%: $(BUILD)/%.o $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

perf: bootstrap-perf
	@$(MAKE) --no-print-directory all $(PERF_TOOLS)
	@ENGINE=$(or $(ENGINE),docker) BENCH_RUN=tests/perf/perf.sh tests/bench $(BUILD) $(PERF)

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1
asan: bootstrap-check
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='$(ASAN)' all tests
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 tests/run build/asan

valgrind: bootstrap-check
	@$(MAKE) --no-print-directory BUILD=build/valgrind tests
	MB_WRAPPER='valgrind -q --suppressions=tests/valgrind.supp --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --trace-children=no' \
	    tests/run build/valgrind unit

# One program a reader of files, in tests/fuzz/fuzz_NAME.c.
FUZZ_SECONDS ?= 60
FUZZ    := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -O1
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZERS): $(BUILD)/%: $(BUILD)/%.o $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(OPT) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

fuzz: bootstrap-lint
	@$(MAKE) --no-print-directory CC=clang BUILD=build/fuzz CFLAGS='$(FUZZ)' build/fuzz/programs
	tests/fuzz/run build/fuzz $(FUZZ_SECONDS)
$(BUILD)/programs: $(FUZZERS)

# What a tool says is fixed or argued with here, in one place.
C_FILES := $(wildcard src/*/*.c tests/unit/*/*.c tests/engine/*.c tests/support/*.c tests/perf/*.c tests/fuzz/*.c)
H_FILES := $(wildcard src/*/*.h include/mountbench/*.h tests/support/*.h)
LINT_FLAGS = $(STD) -Iinclude -Isrc -Itests $(DEFINES) $(PKG_CFLAGS) $(CHECK_CFLAGS)
lint: bootstrap-lint lint-format lint-headers lint-arrows lint-cppcheck lint-analyzer lint-tidy

lint-format:
	clang-format --dry-run -Werror $(C_FILES) $(H_FILES)

lint-headers: $(H_FILES:%=$(BUILD)/headers/%.ok)
$(BUILD)/headers/%.ok: %
	@mkdir -p $(@D)
	@echo '#include "$(patsubst include/%,%,$(patsubst src/%,%,$<))"' | $(CC) $(LINT_FLAGS) -Wall -Wextra -Werror -fsyntax-only -x c -
	@touch $@

lint-arrows:
	tests/arrows

lint-cppcheck:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppress=missingIncludeSystem --suppress=ctunullpointer:src/base/error.c \
	    --include=.ci/cppcheck.h -Iinclude -Isrc $(DEFINES) src

# gcc 12's analyzer loses sight of pointers that arrays of structures hold, and takes them for leaks; LeakSanitizer is the judge of those.
lint-analyzer: $(patsubst %.c,$(BUILD)/analyzer/%.ok,$(wildcard src/*/*.c))
$(BUILD)/analyzer/%.ok: %.c
	@mkdir -p $(@D)
	gcc $(LINT_FLAGS) -O1 -fanalyzer -Wno-analyzer-malloc-leak -Werror -c -o /dev/null $<
	@touch $@

lint-tidy: $(patsubst %.c,$(BUILD)/tidy/%.ok,$(wildcard src/*/*.c))
$(BUILD)/tidy/%.ok: %.c .clang-tidy
	@mkdir -p $(@D)
	clang-tidy --quiet --warnings-as-errors='*' $< -- $(LINT_FLAGS) 2>/dev/null
	@touch $@

lab: bootstrap-lab
	tests/lab/lab build

lab-published: lab all
	tests/lab/lab build --images
	tests/lab/published $(BUILD)

lab-applications: lab all
	tests/lab/lab build --images
	tests/lab/applications $(BUILD)

lab-check: lab all
	tests/lab/check
	tests/lab/staleness $(BUILD)

# Exit 77: no limactl here, with the reason; that is no failure.
lima-check: bootstrap-lab all
	@MB_BUILD=$(BUILD) tests/lab/lima-check || [ $$? = 77 ]

bootstrap-%:
	.ci/bootstrap $*

clean:
	rm -rf build

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/mountbench/results
	install -m 755 $(BUILD)/mountbench $(DESTDIR)$(PREFIX)/bin/mountbench
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(BUILD)/mountbench help --man >$(DESTDIR)$(PREFIX)/share/man/man1/mountbench.1
	$(BUILD)/mountbench help --completion >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/mountbench
	cp -R matrix/. $(DESTDIR)$(PREFIX)/share/mountbench/
	cp -R results/published $(DESTDIR)$(PREFIX)/share/mountbench/results/

-include $(OBJECTS:.o=.d) $(wildcard $(BUILD)/tests/*/*/*.d $(BUILD)/tests/*/*.d $(BUILD)/src/cli/main.d)

.PHONY: all help tests check check-unit fuzz lab lab-applications lab-check lima-check lab-published bench perf asan valgrind lint lint-format lint-headers lint-arrows lint-cppcheck lint-analyzer \
        lint-tidy clean install

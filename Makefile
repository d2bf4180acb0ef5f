# A front for the CMake presets: `make` builds build/gait, `make check` runs every check.
.PHONY: all gait wheel deb debug analysis-only analysis-only-clang asan-ubsan tsan fuzz coverage check test oracle site format clean

all:
	+@cmake --preset release >/dev/null && cmake --build --preset release

# The program alone, without its tests and benchmarks.
gait:
	+@cmake --preset release >/dev/null && cmake --build --preset release --target gait

# build-site/index.html and the pages that it leads to: docs/site.md.
site: gait
	docs/site/build

# dist/gait_ml-*.whl, the analysis side for pip: docs/install.md.
wheel:
	+@packaging/wheel/build

# dist/gait_*.deb, all of it for Debian: docs/install.md.
deb:
	+@packaging/deb/build

debug analysis-only analysis-only-clang asan-ubsan tsan fuzz coverage:
	+@cmake --preset $@ >/dev/null && cmake --build --preset $@

test: all
	ctest --test-dir build --output-on-failure -j2

check:
	scripts/check

# The last line is exactness.py's JSON.
oracle: all
	.venv/bin/python tests/oracle/pytorch_agrees.py build/gait .
	.venv/bin/python tests/oracle/hf_roundtrip.py build/gait
	.venv/bin/python tests/oracle/curve.py build/gait . || [ $$? -eq 77 ] # 77: its text is absent
	.venv/bin/python tests/oracle/memory.py --quick build/gait .
	.venv/bin/python tests/oracle/hta_agrees.py build/gait . || [ $$? -eq 77 ] # 77: its traces are absent
	.venv/bin/python tests/oracle/straggler.py build/tests/replay_graph . || [ $$? -eq 77 ] # 77: its traces are absent
	GAIT=$$PWD/build/gait .venv/bin/python tests/truth/check_jobs.py
	@.venv/bin/python tests/oracle/exactness.py --quick --each-kernel build/gait
	@.venv/bin/python tests/oracle/exactness.py build/gait

format:
	clang-format -i $$(git ls-files 'src/*.[ch]' 'tests/*.[ch]' 'bench/*.[ch]')

clean:
	rm -rf build build-* dist

# make demo | make test: each does its own set-up in .venv, from any state.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Where it is set, each of the thousands of processes that the tests start would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: hello demo test test-fast lint types setup wheelhouse backends bench bench-peers release docs man pictures clean help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.installed  ## make .venv with everything the demo and the tests need; WHEELHOUSE=DIR: without internet

# Each stamp adds to the one before: `launch hello` first, then the trainings of the demo, then what tests need. Of a
# wheelhouse all is installed at once. Bytecode is compiled here, or else every training would compile TensorFlow again.
$(VENV)/.orchestrator: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo 'Python 3.11, 3.12 or 3.13 is needed, as TensorFlow has no other; say which:' \
	    'make $(MAKECMDGOALS) PYTHON=/path/to/python3.11 (the orchestrator alone: pip install .)'; exit 1; }
	@[ -z "$(WHEELHOUSE)" ] || [ -e "$(WHEELHOUSE)/requirements.txt" ] || \
	  { echo '$(WHEELHOUSE) has no requirements.txt; make wheelhouse, where there is internet, makes one'; exit 1; }
	$(PYTHON) -m venv $(VENV)
ifdef WHEELHOUSE
	$(BIN)/python -m pip install --quiet $(OFFLINE) --require-hashes --requirement "$(WHEELHOUSE)/requirements.txt"
	$(BIN)/python -m pip install --quiet $(OFFLINE) --no-deps --no-build-isolation --editable .
else
	$(BIN)/python -m pip install --quiet "uv>=0.8" "setuptools>=77"
	$(INSTALL) .
endif
	@touch $@

# Horovod is built against the installed TensorFlow, with Gloo and without MPI: a few minutes, once. CI builds it, or fails.
# Not beside the demo's trainings: its compilers keep all cores busy, as the trainings do, and both would take longer.
# Where it cannot be built (no compiler; Python 3.13, for which its TensorFlow has no wheels), ranks join over MPI.
$(VENV)/.trainings: $(VENV)/.orchestrator
ifndef WHEELHOUSE
	@export HOROVOD_CMAKE="$(CURDIR)/.ci/horovod-cmake"; \
	if $(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 13))' && \
	  { { command -v c++ && command -v make; } >/dev/null || [ "$$CI" = true ]; }; then \
	  $(INSTALL) ".[cpu,horovod]" && exit 0; \
	  [ "$$CI" != true ] || exit 1; \
	fi; \
	$(INSTALL) ".[cpu,mpi]" mpich && echo 'Horovod was not built (it needs Python 3.11 or 3.12, and a C++ compiler' \
	  'and make, such as g++): ranks of a training join over MPI (communication: mpi)'
endif
	@touch $@

$(VENV)/.installed: $(VENV)/.trainings
ifndef WHEELHOUSE
	$(INSTALL) ".[cpu,dev]"
endif
	@touch $@

# A base run joins its ranks over Horovod; what an optimized run changes is declared.
WITHOUT_HOROVOD = --set campaign.class=optimized --set resnet50.communication=mpi

INSTALL = $(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --editable
OFFLINE = --no-index --find-links "$(WHEELHOUSE)"

wheelhouse: setup  ## all wheels of .venv, Horovod's too, with their hashes in wheelhouse/ (or WHEELHOUSE=DIR)
	$(BIN)/python -m tests.wheelhouse "$(or $(WHEELHOUSE),wheelhouse)"

hello: $(VENV)/.orchestrator
	@mkdir -p demo && cd demo && { [ ! -e ledger.sqlite ] || ../$(BIN)/orchestrator ledger upgrade; }
	@cd demo && { [ -e runs/hello ] || ../$(BIN)/orchestrator launch hello; }

demo: hello $(VENV)/.trainings  ## train the eight CORAL-2 benchmarks at demo size and print the figure of merit (a few minutes)
	@cd demo && ../$(BIN)/orchestrator launch demo --name demo-$$(date -u +%Y%m%dT%H%M%SZ) \
	  $$(../$(BIN)/python -c 'import importlib.util as u; u.find_spec("horovod") or print("$(WITHOUT_HOROVOD)")')
	@echo && echo 'To try these: cd demo && . ../$(BIN)/activate'

# Five at a time, on two cores too: most of them wait, for an engine, a batch system or a database, most of their time.
test: setup lint types  ## lint, strict types and all tests
	$(BIN)/python -m pytest $(AT_ONCE) --durations 20

test-fast: setup  ## the tests that start no real engine and no training
	$(BIN)/python -m pytest $(AT_ONCE) -m 'not slow'

# Programs of `evidence list build --pyodide`, for tests: Pyodide, and wheels that its Python takes, one of them compiled for it.
PYODIDE = 314.0.7
PYODIDE_FILES = pyodide.mjs pyodide.asm.mjs pyodide.asm.wasm pyodide-lock.json python_stdlib.zip
build/pyodide: $(VENV)/.orchestrator
	@rm -rf $@.partial && mkdir -p $@.partial
	npm pack --silent --pack-destination $@.partial pyodide@$(PYODIDE) >/dev/null
	tar -xzf $@.partial/pyodide-$(PYODIDE).tgz -C $@.partial --strip-components 1 $(PYODIDE_FILES:%=package/%)
	@rm $@.partial/*.tgz
	$(PYODIDE_WHEEL) msgspec==0.22.0 pydantic==2.14.4 pydantic-core==2.50.5 ruamel.yaml==0.19.1 \
	  typing-extensions==4.16.0 annotated-types==0.8.0 typing-inspection==0.4.5
	@rm -rf $@ && mv $@.partial $@

PYODIDE_WHEEL = PIP_CONSTRAINT=/dev/null $(BIN)/python -m pip download --quiet --no-deps --only-binary=:all: \
  --platform pyemscripten_2026_0_wasm32 --platform any --implementation cp --python-version 314 --abi cp314 --abi none -d $@.partial

AT_ONCE = --numprocesses 5 --dist worksteal

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose

types: setup
	$(BIN)/mypy

# With pip, which a machine can point at wheels of its own: PyTorch's usual one brings gigabytes of CUDA.
backends: setup  ## install JAX, PyTorch, MPI, ONNX, pyarrow, Dask and MkDocs, for the tests that need them
	$(BIN)/python -m pip install --quiet --editable ".[cpu,jax,torch,mpi,onnx,parquet,dask,docs]" mpich

bench: setup  ## benchmarks; they print ratios and assert nothing
	$(BIN)/python -m tests.bench

# Each peer is installed in an environment of its own below build/peers. Usual sizes take hours; PEERS=--quick takes minutes.
bench-peers: setup  ## the same work with Parsl, libEnsemble, Snakemake, HyperQueue, xargs and GNU parallel (PEERS=--quick)
	$(BIN)/python -m tests.bench.peers $(PEERS)

release: setup docs man  ## list the code of this version as a release, and build its distributions in dist/
	@[ -z "$$(git status --porcelain -- orchestrator workloads sites db pyproject.toml)" ] || \
	  { echo 'these packages have changes: commit them first'; exit 1; }
	$(BIN)/python -P -m orchestrator.rulebooks.released_code --write
	rm -rf orchestrator/docs/site && cp -r build/docs/site orchestrator/docs/site
	$(BIN)/python -m build --no-isolation .
	$(BIN)/python -m twine check --strict dist/*

docs: setup  ## build the documentation site in build/docs/site; a dead link or anchor is an error
	@$(INSTALL) ".[docs]" --quiet
	$(BIN)/python -m orchestrator.docs build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file build/docs/mkdocs.yml

pictures: setup  ## draw the pictures of the documentation anew, from a campaign that runs now (Chromium)
	$(BIN)/python -m tests.pictures

man: setup  ## write a manual page for each command into build/man; man -l shows them
	$(BIN)/python -m orchestrator.docs.man build/man

clean:  ## remove what make made
	rm -rf $(VENV) demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every command of this project, for people and for .ci/run alike. Uses .venv where there is one.
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
BASE_PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTEST_FLAGS ?=
TODAY = $(shell date +%Y-%m-%d)

.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(MAKEFILE_LIST))

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 20

install-dev:  ## the pinned tools and rftconf itself, editable, into .venv
	$(BASE_PYTHON) -m venv .venv
	rm -f .venv/ready
	.venv/bin/python -m pip install --quiet --no-deps -r requirements-dev.lock
	.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch .venv/ready

check:  ## lint, format, types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format:  ## layout and imports as ruff wants them, and what it can mend by itself
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

# What a change breaks most often and what answers soon: units, rows, rules, laws of text, layers. No browser, no corpus.
FAST = tests/text tests/plan tests/budget tests/mappers tests/diff tests/explain tests/report tests/schemas/test_acceptance.py \
  tests/lint/test_rules.py tests/lint/test_codes.py tests/lint/test_suppress.py tests/test_golden.py tests/test_layers.py \
  tests/base/test_record.py tests/test_sizes.py

test-fast:  ## the inner loop: some 7,000 tests in about a minute on two cores
	$(PYTHON) -m pytest -n 2 --dist loadfile $(FAST) --ignore tests/budget/with_torch --ignore tests/explain/test_key.py $(PYTEST_FLAGS)

test:  ## every test that needs neither network nor GPU, on every core
	$(PYTHON) -m pytest -n auto --dist loadgroup $(PYTEST_FLAGS)

packaging-env:  ## environments for the built package, below .packaging: one for each Python of 3.10 to 3.13 that is here
	$(PYTHON) scripts/packaging_env.py

package:  ## build sdist and wheel, install the wheel into each of these environments, and run every verb from it (after packaging-env)
	$(PYTHON) scripts/build_package.py .packaging/dist
	$(PYTHON) scripts/packaging_env.py .packaging/dist/from-sdist/*.whl
	$(PYTHON) -m pytest tests/packaging -n 2 $(PYTEST_FLAGS)

conformance-env:  ## install the published frameworks beside the project (2 GB, once); CHATLEARN_SRC=clone adds ChatLearn
	$(PYTHON) scripts/conformance_env.py

conformance: conformance-env  ## ask the published frameworks to accept what rftconf writes (ROLL too, with ROLL_SRC=its repository)
	$(if $(ROLL_SRC),$(PYTHON) scripts/roll_sources.py $(ROLL_SRC) $(CONFORMANCE)/releases)
	$(PYTHON) -m pytest tests/conformance -n 2 --dist loadgroup $(PYTEST_FLAGS)

started: conformance-env  ## how far what is written comes before the newest releases (hours; resumes; ROLL_SRC, CHATLEARN_SRC as above): loaded, started, the same plan; THIN=3 takes every third config, RELEASES=all older releases too, FRAMEWORK=verl one target; STRANGERS=folder MANIFEST=file COUNT=40 takes 40 files of a folder
	$(if $(ROLL_SRC),$(PYTHON) scripts/roll_sources.py $(ROLL_SRC) $(CONFORMANCE)/releases)
	$(PYTHON) -m tests.conformance.started --thin $(or $(THIN),1) $(if $(RELEASES),--all-releases) $(if $(FRAMEWORK),--to "$(FRAMEWORK)") $(if $(STRANGERS),--strangers $(STRANGERS) --manifest $(MANIFEST) --count $(or $(COUNT),40)) --runs $(CONFORMANCE)/started-$(TODAY).jsonl -o benches/results/started-$(if $(STRANGERS),real_world-)$(TODAY).json

mathematics: conformance-env  ## golden cases and the corpus before the frameworks' own advantages and losses, source beside output (THIN=1 takes every config; ROLL_SRC, CHATLEARN_SRC as above)
	$(PYTHON) -m tests.conformance.mathematics --thin $(or $(THIN),1) -o benches/results/mathematics-$(TODAY).json

dead-keys: conformance-env  ## keys that rftconf calls dead in RELEASE="verl 0.6.1 --trainer megatron", beside the lines of its code that have their name, for a person to read
	$(PYTHON) -m tests.conformance.dead_keys $(RELEASE)

mutants:  ## break COUNT=300 rows and folds one at a time, drawn by SEED=0, and count which judges notice (ROUNDS=4 leaves the dear ones out; AGAIN=FILE asks about the breaks of an earlier result; goes on from STATE=)
	$(PYTHON) -m tests.mutants --count $(or $(COUNT),300) --seed $(or $(SEED),0) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(AGAIN),--again $(AGAIN)) $(if $(STATE),--state $(STATE)) -o benches/results/mutants-$(TODAY).json

migrations: conformance-env  ## examples of older releases before and after rftconf migrate; SETS="verl:0.5.0:FOLDER …", checkouts that you trust
	$(PYTHON) -m tests.conformance.migrations $(SETS) -o benches/results/migrations-$(TODAY).json

upstream: conformance-env  ## check and its safe fixes over the examples of CHECKOUTS="verl:0.10.0=FOLDER trinity:0.5.2+0.7.1=FOLDER …", before their own loaders; checkouts that you trust
	$(PYTHON) -m tests.conformance.upstream $(CHECKOUTS) -o benches/results/upstream-$(TODAY).json

key-shares:  ## how many of the corpus's keys are known and translated, beside what each target could hold
	$(PYTHON) -m benches.known_keys -o benches/results/known_keys-$(TODAY).json

real-world:  ## strangers' configs in FOLDER=…: what is read, what converts to each framework, what stands in the way (MANIFEST=…, OUT=…)
	$(PYTHON) -m benches.real_world $(FOLDER) $(if $(MANIFEST),--manifest $(MANIFEST)) $(if $(OUT),-o $(OUT)) $(if $(DETAILS),--details $(DETAILS))

refusal-sample:  ## docs/refusals.md: 30 refusals of DETAILS=… (of make real-world), each beside what the target's code does
	$(PYTHON) -m benches.refusal_sample $(DETAILS) -o docs/refusals.md

release-guess:  ## veRL's own examples beside the release they are taken for; CLONE=its repository, FOLDER=configs of whatever release
	$(PYTHON) -m benches.release_guess $(CLONE) $(if $(FOLDER),--folder $(FOLDER)) -o benches/results/release_guess-$(TODAY).json

round-trips:  ## every config of the corpus to itself and through every other framework (the suite takes a sample)
	RFTCONF_CORPUS_ALL=1 $(PYTHON) -m pytest -q tests/test_corpus_round_trips.py $(PYTEST_FLAGS)

same-budget:  ## every config of the corpus and what it converts to, priced on the same GPUs: the same memory, or a line says why (the suite takes a sample)
	RFTCONF_CORPUS_ALL=1 $(PYTHON) -m pytest -q tests/laws/test_same_budget.py $(PYTEST_FLAGS)

comparisons:  ## rftconf diff of every two golden inputs, and of each beside every config of the corpus: what is known is compared, what is not is named (the suite takes a quarter of the golden pairs)
	RFTCONF_CORPUS_ALL=1 $(PYTHON) -m pytest -q tests/laws/test_comparisons.py $(PYTEST_FLAGS)

migrations-named:  ## rftconf migrate of every config of the corpus and every golden input to every release: each key that the release refuses is named (the suite takes a sample)
	RFTCONF_CORPUS_ALL=1 $(PYTHON) -m pytest -q tests/laws/test_migrations.py $(PYTEST_FLAGS)

leaf-flips:  ## every leaf with a row in every release of every framework set to another value, in every direction (the suite takes a part of those in older releases, and of the directions)
	RFTCONF_EVERY_FLIP=1 $(PYTHON) -m pytest -n auto --dist loadgroup tests/laws/test_leaf_flip*.py $(PYTEST_FLAGS)

KEYS = $(PYTHON) scripts/extract_keys.py --packages $(CONFORMANCE)/releases --python $(CONFORMANCE)/venv/bin/python $(if $(CHATLEARN_SRC),--clone chatlearn=$(CHATLEARN_SRC))
CONFORMANCE = $(or $(RFTCONF_CONFORMANCE_DIR),.conformance)

MEGATRON_ARGUMENTS = $(PYTHON) scripts/extract_megatron_arguments.py --packages $(CONFORMANCE)/releases $(if $(ROLL_SRC),--clone roll=$(ROLL_SRC))
BASE_FILES = $(PYTHON) scripts/extract_base_files.py --packages $(CONFORMANCE)/releases $(if $(ROLL_SRC),--clone roll=$(ROLL_SRC))

keys: conformance-env  ## extract the catalogues of keys, and the base files that are shipped, from the published packages
	$(KEYS)
	$(BASE_FILES)
	$(MEGATRON_ARGUMENTS)

keys-check: conformance-env  ## fail when a committed catalogue or base file differs from its package (ROLL's with ROLL_SRC=its repository)
	$(KEYS) --check
	$(BASE_FILES) --check
	$(MEGATRON_ARGUMENTS) --check

# check-jsonschema wants a newer click than ours: CHECK_JSONSCHEMA is its command in an environment of its own.
bench: conformance-env  ## a cold convert as a ratio to hydra.compose and (with CHECK_JSONSCHEMA=its command) check-jsonschema
	$(PYTHON) benches/cold_convert.py --verl $(CONFORMANCE)/releases/verl-0.9.1 $(if $(CHECK_JSONSCHEMA),--check-jsonschema $(CHECK_JSONSCHEMA))

bench-check:  ## check beside CHECK_JSONSCHEMA=its command and PyYAML's C loader; CORPUS=a folder of real configs
	$(PYTHON) -m benches.check $(if $(CHECK_JSONSCHEMA),--check-jsonschema $(CHECK_JSONSCHEMA)) $(if $(CORPUS),--corpus $(CORPUS)/trinity)

bench-corpus:  ## converting all of CORPUS=a folder of real configs, beside OmegaConf loading it
	$(PYTHON) -m benches.corpus_convert $(CORPUS)

bench-budget:  ## memory accounts against measured peaks, beside others' formulas; what an account costs
	$(PYTHON) -m benches.budget_accuracy
	$(PYTHON) benches/budget_speed.py

bench-gpu:  ## real peaks of training steps on this machine's GPU, beside the account (needs PyTorch and a GPU)
	$(PYTHON) -m benches.gpu_peaks

TRL = .runner/trl-1.16.0

bench-runner:  ## the runner's period beside its bare parts and beside TRL's trainer (after runner-env; on a machine that does nothing else)
	test -d $(TRL) || .runner/bin/python -m pip install --quiet --no-deps --target $(TRL) trl==1.16.0
	.runner/bin/python -m benches.runner_speed --trl $(TRL) -o benches/results/runner-speed-$(TODAY).json

bench-runner-scale:  ## what a period of 102,400 answers on 64 ranks without models costs the runner's driver, and what lies in Ray's store (after runner-env; 9 GB of memory)
	PYTHONPATH=.:runners $(RUNNER) -m benches.runner_scale -o benches/results/runner-scale-$(TODAY).json

bench-runner-gpu:  ## on this machine's GPU: tokens per second beside bare vLLM and FSDP2, the peak of each phase beside the account of GPU=its name; DRY=--dry-run measures nothing
	$(RUNNER) -m benches.runner_gpu $(or $(DRY),--gpu "$(GPU)" -o benches/results/runner-gpu-$(TODAY).json)

bench-learner-gpu:  ## the runner's trainer alone on this machine's GPU (no vLLM, no Ray): tokens per second beside bare FSDP2, peaks beside the account; DRY=--dry-run measures nothing
	PYTHONPATH=.:runners $(RUNNER) -m benches.learner_gpu $(or $(DRY),-o benches/results/learner-gpu-$(TODAY).json)

bench-hand-over-gpu:  ## weights from a trainer to another process on this machine's GPU (no vLLM, no Ray): seconds beside the way through the host's memory; DRY=--dry-run measures nothing
	PYTHONPATH=.:runners $(RUNNER) -m benches.hand_over_gpu $(or $(DRY),-o benches/results/hand-over-gpu-$(TODAY).json)

bench-trl-gpu:  ## TRL's own trainer on this machine's GPU: peaks of its generation and of its update (TRL, DeepSpeed and PEFT beside PyTorch; CASES="0 1 2 3 4" or "5 6 7 8 9"; DRY=--dry-run measures nothing)
	$(PYTHON) -m benches.trl_peaks $(DRY) --case $(or $(CASES),0 1 2 3 4) -o benches/results/trl-gpu-$(TODAY).jsonl

runner-env:  ## the runner without a GPU, into .runner (PyTorch's CPU build, vLLM's, Ray; 2.7 GB)
	$(BASE_PYTHON) -m venv .runner
	.runner/bin/python -m pip install --quiet --no-deps -r runners/requirements-cpu.lock
	.runner/bin/python -m pip install --quiet --no-deps -e .

runner-test:  ## what runs with vLLM, FSDP2 and Ray, two files at a time (after runner-env)
	grep -E '^(pytest|pytest-xdist|execnet|pluggy|iniconfig|hypothesis|sortedcontainers)==' requirements-dev.lock | xargs .runner/bin/python -m pip install --quiet --no-deps
	.runner/bin/python -m pytest -n 2 --dist loadfile --durations=15 tests/runner tests/budget/with_torch

RUNNER ?= .runner/bin/python

runner-share:  ## how many real configs the runner executes as they stand, by capability, and what blocks the others (FOLDERS=folders of configs; else the four projects' examples beside this one)
	PYTHONPATH=.:runners $(PYTHON) -m benches.runner_share $(FOLDERS) $(if $(FOLDERS),,-o benches/results/runner-share-$(TODAY).json)

runner-faults:  ## kill every process of a run in every phase; it goes on, bit for bit with a table of times (after runner-env; 7 minutes where nothing else runs)
	RFTCONF_RUNNER_MATRIX=$(or $(CELLS),benches/results/runner-faults-$(TODAY).jsonl) $(RUNNER) -m pytest tests/runner/with_vllm/test_faults.py

runner-nodes:  ## the demo on two nodes in network namespaces, and again with one of them cut off and back (after runner-env; as root)
	RFTCONF_RUNNER_NODES=1 $(RUNNER) -m pytest tests/runner/with_vllm/test_nodes.py

runner-demo:  ## train a tiny model on this machine from a veRL launch script made for it (after runner-env)
	.runner/bin/python -m rftconf_runner.demo .runner/demo
	rm -rf .runner/demo/run
	.runner/bin/rftconf run .runner/demo/run_grpo.sh -o .runner/demo/run

fuzz:  ## laws over CASES=1000 mutated configs each (fixes, outputs, one output of each), drawn by SEED=0; every verb before FILES=1000 odd values; MESSAGES=20000 odd ones to the language server, QUESTIONS=1000 to the studio; CALLS=1000 with odd words and files for options; CERTIFICATES=100 honest and forged (OUT=a folder keeps every break)
	$(PYTHON) -m tests.fuzz.fuzz_laws fixes --cases $(or $(CASES),1000) --seed $(or $(SEED),0) $(if $(OUT),-o $(OUT)/fixes.jsonl)
	$(PYTHON) -m tests.fuzz.fuzz_laws outputs --cases $(or $(CASES),1000) --seed $(or $(SEED),0) $(if $(OUT),-o $(OUT)/outputs.jsonl)
	$(PYTHON) -m tests.fuzz.fuzz_laws one-output --cases $(or $(CASES),1000) --seed $(or $(SEED),0) $(if $(OUT),-o $(OUT)/one-output.jsonl)
	$(PYTHON) -m tests.fuzz.fuzz_values --files $(or $(FILES),1000) --seed $(or $(SEED),0)
	$(PYTHON) -m tests.fuzz.fuzz_conversations --messages $(or $(MESSAGES),20000) --seed $(or $(SEED),0)
	$(PYTHON) -m tests.fuzz.fuzz_command_lines --calls $(or $(CALLS),1000) --seed $(or $(SEED),0)
	$(PYTHON) -m tests.fuzz.fuzz_questions --questions $(or $(QUESTIONS),1000) --seed $(or $(SEED),0)
	$(PYTHON) -m tests.fuzz.fuzz_certificates --cases $(or $(CERTIFICATES),100) --seed $(or $(SEED),0) $(if $(OUT),-o $(OUT)/certificates.txt)

fuzz-values:  ## every value of a wrong type at every key of the newest releases before every verb, for SECONDS=3600; goes on from STATE=
	$(PYTHON) -m tests.fuzz.fuzz_tree --seconds $(or $(SECONDS),3600) --seed $(or $(SEED),0) --state $(or $(STATE),.fuzz-values.json)

false-alarms:  ## docs/false-alarms.md: keys of the corpus that are taken for secrets (CHECK=--check compares)
	$(PYTHON) -m tests.base.secrets.false_alarms $(CHECK)

bounds:  ## every verb before files that ask for much, at SIZE=100000 bytes: seconds and memory of each, imports and all
	$(PYTHON) -m tests.fuzz.bounds --cold --size $(or $(SIZE),100000) -o benches/results/bounds-$(TODAY).json

bench-bytes:  ## what a byte of an honest file costs, from 1 KB to 10 MB
	$(PYTHON) -m benches.bytes -o benches/results/bytes-$(TODAY).json

effects:  ## what each key with a row does to a conversion, anew (6 minutes); read the diff before you commit it
	$(PYTHON) -m tests.laws.row_effects

golden:  ## convert the golden cases anew; read the diff before you commit it
	$(PYTHON) scripts/golden.py

GENERATORS = generate_cli generate_sections generate_options generate_schemas generate_plan_schema generate_certificate_schema generate_looks generate_dialects generate_description generate_docs

generate:  ## write the generated files that need no framework: schemas, pages of docs/
	@$(PYTHON) -m rftconf.plan.index
	@for name in $(GENERATORS); do $(PYTHON) -m scripts.$$name || exit 1; done

layout:  ## floors, circles and loose modules of the package; as MOVES=docs/adr/0014-moves.toml would have them
	$(PYTHON) scripts/layout.py $(MOVES)

changelog:  ## what is not released yet below the heading of VERSION=0.2.0 and of today
	$(PYTHON) scripts/changelog.py $(VERSION) $(TODAY)

docs:  ## the documentation as a site in site/, every link checked, without network
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

docs-serve:  ## the documentation at localhost:8000, written anew while you edit
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs serve

generate-check:  ## fail when a committed generated file is stale
	@failed=0; for name in $(GENERATORS); do $(PYTHON) -m scripts.$$name --check || failed=1; done; exit $$failed

lock:  ## write requirements-dev.lock from what .venv holds
	$(PYTHON) -m pip list --format=freeze | grep -v -E '^(pip|wheel|rftconf)==' > requirements-dev.lock

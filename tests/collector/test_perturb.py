"""The oracle's pure half: claims, results that differ, and tables with other values."""

from datetime import date, datetime
from decimal import Decimal
from random import Random

from tests.spark.perturb.commands import command
from tests.spark.perturb.data import Values, leaves, literal, perturbed, rows_of
from tests.spark.perturb.oracle import Claims, claims_of, direct, moved, part, plain
from tests.spark.perturb.shapes import sql
from tests.spark.perturb.steps import program
from tests.spark.perturb.tables import ITEM, STRUCT, TABLES
from tests.spark.perturb.tokens import marked, showing
from tests.spark.perturb.written import KEYS, named_in, written

A, B, C = (("t", (name,)) for name in "abc")


def field(name: str, kind: str = "DIRECT") -> dict[str, object]:
    return {"name": "/w/t", "field": name, "transformations": [{"type": kind, "subtype": ""}]}


def test_claims_are_of_columns_and_of_rows() -> None:
    facet = {
        "fields": {
            "0": {"inputFields": [field("a"), field("s.x", "INDIRECT")]},
            "0.m": {"inputFields": []},
        },
        "dataset": [field("c")],
    }
    claims = claims_of(facet, {"/w/t": "t"})
    assert claims.of(("0",)) == {A, C, ("t", ("s", "x"))}
    assert claims.of(("0", "m")) == {C}
    assert list(direct(facet, {"/w/t": "t"})) == [(("0",), A)]


def test_columns_that_are_claimed_no_more_stay_together() -> None:
    claims = Claims({("0",): frozenset({A}), ("1",): frozenset({A, B})}, frozenset({C}))
    assert list(claims.groups()) == [({A, C}, [("0",)]), ({A, B, C}, [("0",), ("1",)])]


def test_values_that_only_change_places_have_moved_together() -> None:
    columns = [("0",), ("1",)]
    assert moved([(1, "x"), (2, "y")], [(2, "y"), (1, "x")], columns) == []
    assert moved([(1, "x"), (2, "y")], [(1, "y"), (2, "x")], columns) == [columns]
    assert moved([(1, "x"), (2, "y")], [(1, "x"), (2, "z")], columns) == [[("1",)]]


def test_sums_may_differ_in_their_last_digits() -> None:
    assert plain(0.1 + 0.2) == plain(0.3)
    assert plain({"b": [1.0], "a": None}) == plain({"a": None, "b": [1.0]})
    assert plain("1") != plain(1)


def test_the_members_of_all_elements() -> None:
    assert part([None, {"k": 1}], ()) == [None, {"k": 1}]
    assert part(None, ("x",)) is None


def test_only_what_is_kept_stays() -> None:
    columns = {"a": "int", "s": STRUCT, "i": [ITEM], "w": "string"}
    rows = rows_of(Values(Random(1)), columns, 40)
    other = perturbed(Values(Random(2)), columns, rows, [("a",), ("s", "z"), ("i", "n")], False)
    assert [row["a"] for row in other] == [row["a"] for row in rows]
    assert [row["s"] and row["s"]["z"] for row in other] == [r["s"] and r["s"]["z"] for r in rows]
    ns = [[[i and i["n"] for i in row["i"] or ()] for row in found] for found in (rows, other)]
    assert ns[0] == ns[1]
    for name in ("s", "i", "w"):
        assert [row[name] for row in other] != [row[name] for row in rows]


def test_shapes_are_kept_where_elements_make_rows() -> None:
    columns = {"l": ["int"], "m": ("int",)}
    rows = rows_of(Values(Random(1)), columns, 40)
    other = perturbed(Values(Random(2)), columns, rows, [], True)
    for name in columns:
        sizes = [[row[name] and len(row[name]) for row in found] for found in (rows, other)]
        assert sizes[0] == sizes[1]
        assert [row[name] for row in other] != [row[name] for row in rows]


def test_literals_and_leaves() -> None:
    assert literal({"sku": "a", "n": None}, ITEM) == (
        "named_struct('sku', 'a', 'n', CAST(NULL AS INT))"
    )
    assert literal([], ["int"]) == "CAST(array() AS ARRAY<INT>)"
    assert leaves([STRUCT], ("c",)) == [
        ("c", "x"),
        ("c", "y"),
        ("c", "z", "p"),
        ("c", "z", "q"),
    ]


def test_a_seed_makes_the_same_query_and_many_make_all_kinds() -> None:
    assert [sql(7), program(7)] == [sql(7), program(7)]
    every = " ".join(map(sql, range(400)))
    for words in ("ROLLUP", "OVER (", "FULL JOIN", "USING (", "NATURAL", "EXISTS", " IN (SELECT"):
        assert words in every
    for words in ("PIVOT", "UNPIVOT", "WITH c", "INTERSECT", "FILTER (WHERE", "LATERAL VIEW"):
        assert words in every
    frames = " ".join(map(program, range(200)))
    for words in ("withField", "pivot", "unionByName", "dropDuplicates", "rollup", "alias('l')"):
        assert words in frames


def test_the_further_shapes_are_made_too() -> None:
    every = " ".join(map(sql, range(900)))
    for words in ("WITH RECURSIVE", "|> AGGREGATE", "LATERAL (SELECT", "GROUP BY ALL", "WINDOW w"):
        assert words in every
    for words in ("TEMP VIEW", "TEMPORARY FUNCTION", "EXECUTE IMMEDIATE", "BEGIN ", "py_int("):
        assert words in every
    for words in ("IDENTIFIER('", ":p1", "EXCEPT (a, s)", "GROUPING SETS", "RANGE BETWEEN", "`"):
        assert words in every
    frames = " ".join(map(program, range(500)))
    for words in ("F.transform(", "F.aggregate(", "lateralJoin", ".scalar()", "groupingSets"):
        assert words in frames
    commands = " ".join(map(command, range(200)))
    for words in ("INSERT INTO", "BY NAME", "UPDATE @", "DELETE FROM", "NOT MATCHED BY SOURCE"):
        assert words in commands


def test_tokens_take_the_places_of_values_in_their_order() -> None:
    columns = {"a": "int", "i": [ITEM], "s": "string"}
    rows = rows_of(Values(Random(1)), columns, 40)
    found = marked(Random(2), columns, rows, {("a",), ("i", "n")}, 1.0)
    assert set(found.tokens) == {("a",), ("i", "n")}
    assert [row["s"] for row in found.rows] == [row["s"] for row in rows]
    pairs = {(old["a"], new["a"]) for old, new in zip(rows, found.rows, strict=True)}
    known = sorted(pair for pair in pairs if pair[0] is not None)
    assert [new for _, new in known] == found.tokens["a",] == sorted(found.tokens["a",])
    skus = [[[i and i["sku"] for i in r["i"] or ()] for r in every] for every in (rows, found.rows)]
    assert skus[0] == skus[1]


def test_what_a_value_shows_of_tokens() -> None:
    assert showing([["x", {"k": 123456789}]], [123456789]) == (True, False)
    assert showing([123456790, "-123456789"], [123456789]) == (True, True)
    assert showing(["<CDEFGHKMNPQR>", None, True], ["cdefghkmnpqr"]) == (True, True)
    assert showing([123457789, 12345.5], [123456789, Decimal("12345.49")]) == (False, False)
    assert showing([datetime(3001, 1, 2)], [date(3001, 1, 2)]) == (True, False)


def test_the_cases_own_queries_are_over_tables_of_any_name() -> None:
    found = {case.name: case for case in written()}
    case = found["tpch_Q1_prices_by_flag_and_status"]
    assert case.database == "tpch"
    assert "FROM @lineitem" in case.text
    known = named_in(case.text, ["l_orderkey", "l_comment"])
    assert {day.year for day in known["date"]} == {1998}
    assert (known["l_orderkey"], "l_comment" in known) == (KEYS, False)


def test_every_table_has_columns_of_the_grammars_types() -> None:
    assert {name for columns in TABLES.values() for name in columns} >= {"st", "arr", "its", "mp"}

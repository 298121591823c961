"""Which spellings of a name are one table or column, and which are not."""

import pytest

from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import name_case
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.name_case import canonical, column
from airflow_colgraph.store.store import Store
from tests.store.producers import SNOWFLAKE, edges, made_of, spark_copy
from tests.store.samples import at

POSTGRES, TRINO = "postgres://db:5432", "trino://t:8080"


@pytest.mark.parametrize(
    ("namespace", "spelled", "known"),
    [
        (SNOWFLAKE, "sales.public.orders", "SALES.PUBLIC.ORDERS"),
        (SNOWFLAKE, 'SALES.public."Orders"', "SALES.PUBLIC.Orders"),
        (SNOWFLAKE, '"sales".public.orders', "sales.PUBLIC.ORDERS"),
        ("oracle://h:1521", "xe.hr.employees", "xe.HR.EMPLOYEES"),
        ("db2://h:6789", "prod.hr.staff", "prod.HR.STAFF"),
        (POSTGRES, "shop.PUBLIC.ORDERS", "shop.public.orders"),
        (POSTGRES, "Shop.PUBLIC.ORDERS", "Shop.public.orders"),  # of the URL: it is not folded
        (POSTGRES, 'shop.Public."Orders"', "shop.public.Orders"),
        (POSTGRES, 'shop."Orders"', "shop.Orders"),
        ("redshift://h:5439", "dev.PUBLIC.ORDERS", "dev.public.orders"),
        (TRINO, "Hive.DEFAULT.orders", "hive.default.orders"),
        (TRINO, 'hive."DEFAULT"."Orders"', "hive.default.orders"),
        ("hive://h:9083", "Mart.Daily", "mart.daily"),
    ],
)
def test_a_spelling_of_a_known_name(namespace: str, spelled: str, known: str) -> None:
    assert canonical(Field(namespace, spelled, "")) == Field(namespace, known, "")
    assert canonical(Field(namespace, known, "")) == Field(namespace, known, "")


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        (SNOWFLAKE, "SALES.PUBLIC.orders"),  # a table of a quoted name in a common schema
        (SNOWFLAKE, "SALES.PUBLIC.Orders"),
        (SNOWFLAKE, "public.orders"),  # of an unknown database
        (SNOWFLAKE, '"sales"."public"."orders"'),  # without quotes it would be folded
        (SNOWFLAKE, 'SALES.PUBLIC."a.b"'),
        (SNOWFLAKE, "sales..orders"),
        (SNOWFLAKE, "sales.public.größe"),
        (SNOWFLAKE + "/Stage", "sales.public.orders"),
        (POSTGRES, "shop.public.ORDERS"),
        (POSTGRES, "shop.ORDERS"),
        (POSTGRES, "shop.Public.Orders"),
        ("mysql://h:3306", "shop.ORDERS"),
        ("sqlserver://h:1433", "shop.DBO.ORDERS"),
        ("bigquery", "P.D.T"),
        ("s3://bucket", "A.B.C"),
        ("kafka://h:9092", "A.B.C"),
        ("", "A.B.C"),
    ],
)
def test_what_may_be_another_table_is_left_alone(namespace: str, name: str) -> None:
    assert canonical(Field(namespace, name, "")) == Field(namespace, name, "")


def test_namespaces() -> None:
    def of(namespace: str) -> str:
        return canonical(Field(namespace, "A.B.C", "")).namespace

    assert of("snowflake://ACME-EU/Table") == of("snowflake://acme-eu/View") == SNOWFLAKE
    assert of("snowflake://ACME-EU/Materialized view") == of("snowflake://Acme-eu") == SNOWFLAKE
    assert of("snowflake://acme-eu.snowflakecomputing.com:443") == SNOWFLAKE  # of a JDBC URL
    assert of("snowflake://XY1.snowflakecomputing.com") == "snowflake://xy1.us-west-1.aws"
    assert of("snowflake://xy1.east-us-2.azure") == "snowflake://xy1.east-us-2.azure"
    assert of("trino://T:8080/") == TRINO
    assert of("s3://Bucket/") == "s3://Bucket/"


def test_columns() -> None:
    assert [column(SNOWFLAKE, name) for name in ("id", "ID", "Id", "a.b")] == [
        *("ID", "ID", "Id", "A.B")
    ]
    assert [column(POSTGRES, name) for name in ("id", "ID", "Id")] == ["id", "id", "Id"]
    assert column(TRINO, "Id") == "id"
    assert column("mysql://h:3306", "ID") == column("file", "ID") == "ID"


# Names that differ by case ----------------------------------------------------------------------


def test_a_name_that_no_event_has_is_found_by_its_database_s_rule(store: Store) -> None:
    made = made_of(ID=[("s3://lake", "raw", "id")])
    store.add(spark_copy("load", 0, (SNOWFLAKE, "SALES.PUBLIC.ORDERS"), made))
    assert edges(store, SNOWFLAKE, "sales.public.orders", "id") == {
        ("raw.id", "SALES.PUBLIC.ORDERS.ID")
    }
    with pytest.raises(UnknownNode, match=r"Dataset 'sales.public.Orders' is not in namespace"):
        edges(store, SNOWFLAKE, "sales.public.Orders", "id")


@pytest.mark.parametrize(
    ("namespace", "names", "groups"),
    [
        (SNOWFLAKE, ["A.B.T", "a.b.t", "A.B.t", "A.B.T2", 'a.b."t"'], [{0, 1}, {2, 4}, {3}]),
        ("postgres://db:5432", ["d.s.t", "d.S.T", 'd.s."T"', "d.s.T"], [{0, 1}, {2, 3}]),
        (TRINO, ["c.s.t", "C.S.T", "c.S.t"], [{0, 1, 2}]),
        ("mysql://db:3306", ["s.t", "S.T"], [{0}, {1}]),
        ("s3://lake", ["a/t", "A/T"], [{0}, {1}]),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_what_is_one_dataset(
    store: Store, namespace: str, names: list[str], groups: list[set[int]], backwards: bool
) -> None:
    events = [
        spark_copy(f"j{n}", n, (namespace, name), made_of(c=[("s3://in", f"raw{n}", "a")]))
        for n, name in enumerate(names)
    ]
    for one in reversed(events) if backwards else events:
        store.add(one)
    for group in groups:
        for number in group:
            found = edges(store, namespace, names[number])
            assert {source for source, _ in found} == {f"raw{n}.*" for n in group}
            assert len({target for _, target in found}) == 1


def test_a_store_of_before_the_rule_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event that joins a name derives the older edges again, under the known one."""
    with monkeypatch.context() as before:
        before.setattr("airflow_colgraph.store.model.name_case.RULES", {})
        clear_caches()
        made = made_of(ID=[("s3://lake", "raw", "id")])
        store.add(spark_copy("load", 0, (SNOWFLAKE, "a.b.t"), made))
    clear_caches()
    store.add(spark_copy("use", 1, ("s3://lake", "out"), made_of(x=[(SNOWFLAKE, "a.b.t", "id")])))
    assert edges(store, "s3://lake", "out", "x") == {("A.B.T.ID", "out.x"), ("raw.id", "A.B.T.ID")}


def clear_caches() -> None:
    name_case.canonical.cache_clear()
    name_case._rule.cache_clear()


def test_a_dataset_event_joins_any_two_names(store: Store) -> None:
    """Trino's name of a PostgreSQL table, and the database's own."""
    links = {"identifiers": [{"namespace": TRINO, "name": "pg.s.t", "type": "TABLE"}]}
    joined = {"namespace": POSTGRES, "name": "d.s.t", "facets": {"symlinks": links}}
    made, used = made_of(c=[("s3://in", "raw", "a")]), made_of(x=[(TRINO, "pg.s.t", "c")])
    store.add(spark_copy("load", 0, (POSTGRES, "d.s.t"), made))
    store.add(spark_copy("use", 1, ("s3://lake", "out"), used))
    store.add({"eventTime": at(2), "producer": "urn:people", "schemaURL": "s", "dataset": joined})
    assert edges(store, "s3://lake", "out", "x") == {("d.s.t.c", "out.x"), ("raw.a", "d.s.t.c")}

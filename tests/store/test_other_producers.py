"""Events of other producers, in the forms that they publish: whole in the store, and joined.

Made by hand after Flink's, Trino's and Snowflake's own listeners and views; none is a copy.
"""

from airflow_colgraph.store.store import Store
from tests.store.producers import (
    KAFKA,
    SNOWFLAKE,
    TRINO,
    Json,
    add_whole,
    dataset,
    edges,
    made_of,
    run_event,
    spark_copy,
)

# Flink ------------------------------------------------------------------------------------------


def flink_table(topic: str, table: str, columns: str) -> Json:
    """A Kafka table of Flink SQL: the symlink is its name in the session's catalog."""
    name = f"default_catalog.default_database.{table}"
    links = {"identifiers": [{"namespace": KAFKA, "name": name, "type": "TABLE"}]}
    return dataset(KAFKA, topic, columns, symlinks=links)


def flink_run(job: str, inputs: list[Json], outputs: list[Json]) -> list[Json]:
    """The events of a streaming job: datasets at its start, checkpoints, and its end."""
    engine = {
        "processing_engine": {"version": "2.1.0", "name": "flink"},
        "flink_job": {"jobId": job},
    }
    checkpoints = {"checkpoints": {"completed": 3, "failed": 0, "in_progress": 0, "total": 3}}
    kind = {"jobType": {"processingType": "STREAMING", "integration": "FLINK", "jobType": "JOB"}}
    where = ("flink-jobs", job)
    return [
        run_event(
            "flink", "START", 1, where, inputs=inputs, outputs=outputs, run=engine, job_facets=kind
        ),
        run_event("flink", "RUNNING", 2, where, run={**engine, **checkpoints}, job_facets=kind),
        run_event("flink", "COMPLETE", 3, where, run=engine, job_facets=kind),
    ]


CLICKS = "user_id STRING, url STRING, ts TIMESTAMP(3)"


def test_flink_sql_between_spark_jobs(store: Store) -> None:
    """Flink states no columns: the datasets are joined, and no column edge is made up."""
    before = run_event(
        "spark",
        "COMPLETE",
        0,
        ("spark", "load"),
        outputs=[dataset(KAFKA, "clicks", columnLineage=made_of(url=[("s3://lake", "raw", "u")]))],
    )
    after = run_event(
        "spark",
        "COMPLETE",
        5,
        ("spark", "report"),
        outputs=[
            dataset("s3://lake", "report", columnLineage=made_of(n=[(KAFKA, "per_user", "clicks")]))
        ],
    )
    flink = flink_run(
        "insert-into_default_catalog.default_database.out",
        [flink_table("clicks", "in", CLICKS), dataset("postgres://db:5432", "shop.users")],
        [flink_table("per_user", "out", "user_id STRING, clicks BIGINT")],
    )
    add_whole(store, [before, *flink, after])
    assert edges(store, "s3://lake", "report") == {
        ("raw.*", "clicks.*"),
        ("clicks.*", "per_user.*"),
        ("shop.users.*", "per_user.*"),
        ("per_user.*", "report.*"),
    }
    assert edges(store, "s3://lake", "report", "n") == {("per_user.clicks", "report.n")}


def test_tables_of_two_flink_sessions_are_not_one_dataset(store: Store) -> None:
    one = flink_run("a", [flink_table("clicks", "in", CLICKS)], [dataset(KAFKA, "a_out")])
    two = flink_run("b", [flink_table("orders", "in", "id BIGINT")], [dataset(KAFKA, "b_out")])
    store.add([*one, *two])
    assert edges(store, KAFKA, "a_out") == {("clicks.*", "a_out.*")}
    assert edges(store, KAFKA, "b_out") == {("orders.*", "b_out.*")}


# Trino ------------------------------------------------------------------------------------------


def trino_query(job: str, minute: int, inputs: list[Json], output: Json) -> list[Json]:
    """A query's events: datasets at its end only, input columns without types."""
    run = {
        "processing_engine": {"version": "478", "name": "trino"},
        "trino_metadata": {"query_plan": "Fragment 0 [SINGLE]"},
        "trino_query_context": {"server_address": "10.0.0.1", "query_type": "INSERT"},
    }
    facets = {
        "jobType": {"processingType": "BATCH", "integration": "TRINO", "jobType": "QUERY"},
        "sql": {"query": "INSERT INTO ..."},
    }
    more = {"run": run, "job_facets": facets}
    ends = {"inputs": inputs, "outputs": [output]}
    statistics = {"trino_query_statistics": {"cpuTime": "PT0.1S"}}
    return [
        run_event("trino", "START", minute, (TRINO, job), **more),
        run_event(
            "trino",
            "COMPLETE",
            minute + 1,
            (TRINO, job),
            **{**more, "run": {**run, **statistics}},
            **ends,
        ),
    ]


def test_trino_with_spark_over_jdbc(store: Store) -> None:
    """Trino has lower case only: an output as it is typed is the table that others read."""
    daily = dataset(
        TRINO,
        "lake.DEFAULT.Daily",
        "day date, total decimal(38,2), source varchar(3)",
        columnLineage=made_of(
            day=[(TRINO, "lake.default.orders", "day")],
            total=[
                (TRINO, "lake.default.orders", "amount"),
                (TRINO, "lake.default.rates", "rate"),
            ],
            source=[],
        ),
    )
    inputs = [
        dataset(TRINO, "lake.default.orders", "day, amount"),
        dataset(TRINO, "lake.default.rates", "rate"),
    ]
    spark = run_event(
        "spark",
        "COMPLETE",
        5,
        ("spark", "mart"),
        inputs=[dataset(TRINO, "LAKE.default.daily", "TOTAL DECIMAL")],
        outputs=[
            dataset(
                "s3://lake",
                "mart",
                columnLineage=made_of(t=[(TRINO, "LAKE.default.daily", "TOTAL")]),
            )
        ],
    )
    add_whole(store, [*trino_query("20261120_120000_00001_abcde", 1, inputs, daily), spark])
    assert edges(store, "s3://lake", "mart", "t") == {
        ("lake.default.daily.total", "mart.t"),
        ("lake.default.orders.amount", "lake.default.daily.total"),
        ("lake.default.rates.rate", "lake.default.daily.total"),
    }
    assert edges(store, TRINO, "lake.DEFAULT.Daily", "day") == {
        ("lake.default.orders.day", "lake.default.daily.day")
    }
    assert edges(store, TRINO, "lake.default.daily", "source") == set()


# Snowflake --------------------------------------------------------------------------------------


def of_access_history(kind: str, name: str, columns: str) -> Json:
    """An object of the view OPENLINEAGE_ACCESS_HISTORY: its kind ends the namespace."""
    return dataset(f"snowflake://ACME-EU/{kind}", name, columns)


def snowflake_query(job: str, inputs: list[Json], outputs: list[Json]) -> list[Json]:
    """A query's two rows of the view: all datasets in both, times without a zone."""
    ends = {"inputs": inputs, "outputs": outputs}
    found = [
        run_event("snowflake", state, minute, ("snowflake://ACME-EU", job), **ends)
        for state, minute in (("START", 1), ("COMPLETE", 2))
    ]
    return [{**one, "eventTime": one["eventTime"].rstrip("Z")} for one in found]


def test_snowflake_between_spark_jobs(store: Store) -> None:
    """Spark has the connector's options as they are typed, Snowflake what it stores."""
    load = spark_copy(
        "load",
        0,
        (SNOWFLAKE, "sales.public.orders"),
        made_of(id=[("s3://lake", "raw", "id")], amount=[("s3://lake", "raw", "a")]),
    )
    query = snowflake_query(
        "nightly",
        [
            of_access_history("Table", "SALES.PUBLIC.ORDERS", "ID, AMOUNT"),
            of_access_history("View", "SALES.PUBLIC.RATES", "RATE"),
        ],
        [of_access_history("Table", "SALES.MART.DAILY", "TOTAL")],
    )
    # As Snowflake's SQL tasks have it: the names that the database has, with columns.
    task = run_event(
        "spark",
        "COMPLETE",
        3,
        ("airflow", "dag.sql_task"),
        outputs=[
            dataset(
                SNOWFLAKE,
                "SALES.MART.DAILY",
                columnLineage=made_of(TOTAL=[(SNOWFLAKE, "SALES.PUBLIC.ORDERS", "AMOUNT")]),
            )
        ],
    )
    report = spark_copy(
        "report",
        5,
        ("s3://lake", "report"),
        made_of(total=[(SNOWFLAKE, "sales.mart.daily", "total")]),
    )
    add_whole(store, [load, *query, task, report])
    assert edges(store, "s3://lake", "report") == {
        ("SALES.MART.DAILY.*", "report.*"),
        ("SALES.PUBLIC.ORDERS.*", "SALES.MART.DAILY.*"),
        ("SALES.PUBLIC.RATES.*", "SALES.MART.DAILY.*"),
        ("raw.*", "SALES.PUBLIC.ORDERS.*"),
    }
    assert edges(store, "s3://lake", "report", "total") == {
        ("SALES.MART.DAILY.TOTAL", "report.total"),
        ("SALES.PUBLIC.ORDERS.AMOUNT", "SALES.MART.DAILY.TOTAL"),
        ("raw.a", "SALES.PUBLIC.ORDERS.AMOUNT"),
    }
    same = edges(store, SNOWFLAKE, "SALES.PUBLIC.ORDERS", "ID")
    assert same == edges(store, SNOWFLAKE, "sales.public.orders", "id")
    assert same == {("raw.id", "SALES.PUBLIC.ORDERS.ID")}

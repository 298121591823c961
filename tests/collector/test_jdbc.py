from pathlib import Path

import pytest

from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.naming.datasets import jdbc_dataset

V6 = "[2001:db8::1]"
ORACLE = "jdbc:oracle:thin:@"
ADDRESS = "(ADDRESS=(PROTOCOL=tcp)(HOST=h1))"
ADDRESSES = f"(ADDRESS_LIST= (LOAD_BALANCE=ON) {ADDRESS} (ADDRESS=(PORT=1522)(HOST=H2)))"

URLS = [
    # url, table, namespace, name
    ("jdbc:postgresql://h/db", "s.t", "postgres://h:5432", "db.s.t"),
    ("jdbc:postgresql://h/db", "t", "postgres://h:5432", "db.t"),
    ("jdbc:postgresql://h", "s.t", "postgres://h:5432", "s.t"),
    ("jdbc:postgresql://h:5433/db?ssl=true", "s.t", "postgres://h:5433", "db.s.t"),
    ("JDBC:POSTGRESQL://H.COM/DB", "S.T", "postgres://h.com:5432", "DB.S.T"),
    ("jdbc:postgresql://h1,h2:5433/db", "s.t", "postgres://h1:5432,h2:5433", "db.s.t"),
    (f"jdbc:postgresql://{V6}/db", "s.t", f"postgres://{V6}:5432", "db.s.t"),
    (f"jdbc:postgresql://{V6}:5433/db", "s.t", f"postgres://{V6}:5433", "db.s.t"),
    ("jdbc:postgresql://my_host/db", "t", "postgres://my_host:5432", "db.t"),
    ("jdbc:mysql://h/db", "t", "mysql://h:3306", "db.t"),
    ("jdbc:mysql://h/db", "other.t", "mysql://h:3306", "other.t"),
    ("jdbc:mysql+srv://h", "s.t", "mysql://h:3306", "s.t"),
    ("jdbc:mysql:loadbalance://h1,h2:3307/db", "t", "mysql://h1:3306,h2:3307", "db.t"),
    (
        "jdbc:mysql://(host=h1,port=1,user=me,password=pw),(host=h2,port=2)",
        "s.t",
        "mysql://(host=h1,port=1),(host=h2,port=2)",
        "s.t",
    ),
    ("jdbc:sqlserver://h", "s.t", "sqlserver://h", "s.t"),
    ("jdbc:sqlserver://h:1433;databaseName=db", "s.t", "sqlserver://h:1433", "db.s.t"),
    ("jdbc:sqlserver://H\\Inst;DATABASE=Db", "s.t", "sqlserver://h/Inst", "Db.s.t"),
    ("jdbc:sqlserver://;serverName=2001:db8::1", "s.t", f"sqlserver://{V6}", "s.t"),
    ("jdbc:sqlserver://h;instanceName=i;portNumber=1", "s.t", "sqlserver://h:1/i", "s.t"),
    ("jdbc:jtds:sqlserver://h:1433/db;instance=i", "s.t", "sqlserver://h:1433/i", "db.s.t"),
    (f"{ORACLE}//h/service", "s.t", "oracle://h:1521", "service.s.t"),
    (f"{ORACLE}//h:1522/service?x=1", "s.t", "oracle://h:1522", "service.s.t"),
    (f"{ORACLE}h:1522:sid", "s.t", "oracle://h:1522", "sid.s.t"),
    (f"{ORACLE}h:sid", "s.t", "oracle://h:1521", "sid.s.t"),
    (f"{ORACLE}tcp://h", "s.t", "oracle://h:1521", "s.t"),
    (f"{ORACLE}h1:1521,h2", "s.t", "oracle://h1:1521,h2:1521", "s.t"),
    (f"{ORACLE}//{V6}", "s.t", f"oracle://{V6}:1521", "s.t"),
    (f"{ORACLE}ldap://oid:5000/db1,cn=Context,dc=com", "s.t", "oracle://oid:5000", "db1.s.t"),
    (f"{ORACLE}ldaps:l1:1/cn=x/db1 ldaps:l2:2/cn=x/db1", "s.t", "oracle://l1:1", "db1.s.t"),
    (
        f"{ORACLE}(DESCRIPTION={ADDRESS}(CONNECT_DATA=(SID=orcl)))",
        "s.t",
        "oracle://h1:1521",
        "orcl.s.t",
    ),
    (
        f"jdbc:oracle:oci@(description= {ADDRESSES}(connect_data=(service_name=a.b)))",
        "s.t",
        "oracle://h1:1521,h2:1522",
        "a.b.s.t",
    ),
    (
        f"{ORACLE}(DESCRIPTION={ADDRESS})(CONNECT_DATA=(SID=orcl)))",  # one bracket too many
        "s.t",
        f"oracle:thin:@(DESCRIPTION={ADDRESS})(CONNECT_DATA=(SID=orcl)))",
        "s.t",
    ),
    ("jdbc:clickhouse://h/db", "t", "clickhouse://h:8123", "db.t"),
    ("jdbc:ch:https://h:8443/db", "other.t", "clickhouse://h:8443", "other.t"),
    ("jdbc:db2://h/db", "s.t", "db2://h:6789", "db.s.t"),
    ("jdbc:trino://h/cat", "s.t", "trino://h:443", "cat.s.t"),
    ("jdbc:trino://h:8080/cat/s", "t", "trino://h:8080", "cat/s.t"),
    ("jdbc:crate://h1,h2", "s.t", "crate://h1:5432,h2:5432", "s.t"),
    ("jdbc:oceanbase:hamode://h", "s.t", "oceanbase://h:2881", "s.t"),
    ("jdbc:teradata://H/DATABASE=db,DBS_PORT=1026", "t", "teradata://h:1026", "db.t"),
    ("jdbc:teradata://h", "s.t", "teradata://h:1025", "s.t"),
    (f"jdbc:cassandra://{V6}--h:9043/ks", "t", f"cassandra://{V6}:9042,h:9043", "ks.t"),
    (
        "jdbc:redshift://c.eu.example.com:5439/dev",
        "s.t",
        "redshift://c.eu.example.com:5439",
        "dev.s.t",
    ),
    (
        "jdbc:snowflake://a.snowflakecomputing.com/?db=D",
        "t",
        "snowflake://a.snowflakecomputing.com",
        "t",
    ),
    ("jdbc:unknown://h1,h2/db", "t", "unknown://h1,h2", "db.t"),
    ("jdbc:sqlite:/data/shop.db", "t", "sqlite:/data/shop.db", "t"),
    ("jdbc:h2:mem:shop", "t", "h2:mem:shop", "t"),
    ("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;USER=me", "t", "h2:mem:shop", "t"),
    ("jdbc:h2:tcp://h/shop;MODE=MySQL", "t", "h2://h", "shop.t"),
    ("jdbc:hsqldb:mem:shop;shutdown=true", "t", "hsqldb:mem:shop", "t"),
    ("jdbc:derby:memory:shop;create=true;user=me", "app.t", "derby:memory:shop", "app.t"),
    ("jdbc:derby:;databaseName=memory:shop", "t", "derby:memory:shop", "t"),
    ("jdbc:derby:jar:(a.jar)shop", "t", "derby:jar:(a.jar)shop", "t"),
    ("jdbc:derby://h/shop;user=me", "app.t", "derby://h:1527", "shop.app.t"),
    ("jdbc:derby:directory:/data/shop;create=true", "t", "file:/data/shop", "t"),
    ("", "t", "", "t"),
]


@pytest.mark.parametrize(("url", "table", "namespace", "name"), URLS)
def test_urls(url: str, table: str, namespace: str, name: str) -> None:
    assert jdbc_dataset(url, table, {}) == Dataset(namespace, name)


def test_a_table_may_come_in_parts() -> None:
    assert jdbc_dataset("jdbc:mysql://h/db", ["my.t"]) == Dataset("mysql://h:3306", "db.my.t")


def test_sql_server_reads_properties_after_the_url() -> None:
    properties = {"databaseName": "db", "portNumber": "1433", "serverName": "other"}
    expected = Dataset("sqlserver://h:1433", "db.s.t")
    assert jdbc_dataset("jdbc:sqlserver://h", "s.t", properties) == expected


def test_derby_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = {"derby.system.home": "/some/path"}
    assert jdbc_dataset("jdbc:derby:", "t") == Dataset(f"file:{tmp_path}/metastore_db", "t")
    assert jdbc_dataset("jdbc:derby:", "t", home) == Dataset("file:/some/path/metastore_db", "t")
    url = "jdbc:derby:;databaseName=../parent/db;create=true"
    assert jdbc_dataset(url, "t", home) == Dataset("file:/some/parent/db", "t")
    assert jdbc_dataset("jdbc:derby:sample", "t", home) == Dataset("file:/some/path/sample", "t")


SECRET = "s3cr3t"

WITH_SECRETS = [
    (f"jdbc:postgresql://me:{SECRET}@h/db", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:postgresql://me:a/{SECRET}@h/db", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:postgresql://me:a@{SECRET}@h/db", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:postgresql://me:a,{SECRET}@h/db", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:postgresql://{SECRET}:1,b@h/db", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:mysql://me:{SECRET}@h1,h2/db", Dataset("mysql://h1:3306,h2:3306", "db.t")),
    (f"jdbc:postgresql://h/db?user=me&password={SECRET}", Dataset("postgres://h:5432", "db.t")),
    (f"jdbc:mysql://me:{SECRET}@h1:1,me:{SECRET}@h2:2/db", Dataset("mysql://h1:1,h2:2", "db.t")),
    (f"jdbc:sqlserver://h;user=me;password={SECRET}", Dataset("sqlserver://h", "t")),
    (f"jdbc:oracle:thin:me/{SECRET}@//h/s", Dataset("oracle://h:1521", "s.t")),
    (f"jdbc:oracle:thin:me/{SECRET}@h:sid", Dataset("oracle://h:1521", "sid.t")),
    (f"jdbc:oracle:thin:me/{SECRET}@((", Dataset("oracle:thin:@((", "t")),
    (f"jdbc:teradata://h/USER=me,PASSWORD={SECRET}", Dataset("teradata://h:1025", "t")),
    (f"jdbc:unknown:x;user=me;password={SECRET};a=1", Dataset("unknown:x;a=1", "t")),
    (f"jdbc:unknown:x?token={SECRET}", Dataset("unknown:x", "t")),
]


@pytest.mark.parametrize(("url", "expected"), WITH_SECRETS)
def test_no_secret_gets_into_a_name(url: str, expected: Dataset) -> None:
    dataset = jdbc_dataset(url, "t")
    assert dataset == expected
    assert SECRET not in str(dataset)

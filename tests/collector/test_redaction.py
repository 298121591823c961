import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_colgraph.collector.driver import warnings
from airflow_colgraph.collector.lineage.sql_text import expression_text
from airflow_colgraph.openlineage.redaction import (
    in_text,
    redacted,
    shown_name,
    shown_names,
    with_shown_names,
    without_secrets,
    without_userinfo,
)
from tests.collector.secret_places import (
    IN_COLUMNS,
    IN_SQL,
    LOGINS,
    NAMES,
    PAIRS,
    PLAIN_COLUMNS,
    SENTENCES,
    STAYS,
    planted,
    wrapped,
)

SECRETS = [
    "password",
    "PASSWORD",
    "sfPassword",
    "ssl.truststore.password",
    "pem_private_key",
    "dbPwd",
    "fs.s3a.secret.key",
    "fs.s3a.access.key",
    "fs.azure.account.key.acct.dfs.core.windows.net",
    "fs.azure.sas.container.acct.blob.core.windows.net",
    "awsAccessKeyId",
    "token",
    "oauth2Token",
    "credentials",
    "credentialsFile",
    "apiKey",
    "kustoAadAppSecret",
    "kafka.sasl.jaas.config",
    "spark.cosmos.accountKey",
    "auth",
]

PLAIN = {
    "path": "s3a://b/w",
    "header": "true",
    "partitionKey": "day",
    "primary.key": "id",
    "hoodie.datasource.write.recordkey.field": "id",
    "keyspace": "shop",
    "dbtable": "sales.orders",
    "numPartitions": "4",
    "compassion": "x",
    "query": "SELECT a FROM t WHERE password = 'x'",
    "location": "abfss://container@account.dfs.core.windows.net/w",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_option_keeps_its_name_only(name: str) -> None:
    assert without_secrets({name: "hunter2"}) == {name: "***"}


def test_other_options_stay() -> None:
    assert without_secrets(PLAIN) == PLAIN


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("jdbc:postgresql://me:hunter2@h/db", "jdbc:postgresql://h/db"),
        (
            "jdbc:postgresql://h/db?user=me&password=hunter2&ssl=true",
            "jdbc:postgresql://h/db?user=***&password=***&ssl=true",
        ),
        (
            "jdbc:sqlserver://h;user=me;password=hunter2;databaseName=db",
            "jdbc:sqlserver://h;user=***;password=***;databaseName=db",
        ),
        ("jdbc:oracle:thin:me/hunter2@//h/s", "jdbc:oracle:thin:@//h/s"),
        ("jdbc:mysql://me:hunter2@h1,me:hunter2@h2/db", "jdbc:mysql://h1,h2/db"),
        ("mongodb+srv://me:hunter2@h/db", "mongodb+srv://h/db"),
        ("https://h/a.csv?sv=1&sig=hunter2", "https://h/a.csv?sv=1&sig=***"),
        ("s3a://KEY:hunter2@b/w", "s3a://b/w"),
        ("abfss://me:hunter2@h/w", "abfss://h/w"),
    ],
)
def test_urls_lose_their_credentials(url: str, shown: str) -> None:
    assert without_secrets({"url": url}) == {"url": shown}
    assert "hunter2" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no route to postgres://ann:secret@db/x", "no route to postgres://db/x"),
        ("login failed: password=secret, user=ann", "login failed: password=***, user=ann"),
        ('bad answer {"access_token": "secret"}', 'bad answer {"access_token": "***"}'),
        ("aws said no to AKIAABCDEFGHIJKLMNOP.", "aws said no to ***."),
        ("KeyError: 'amount'", "KeyError: 'amount'"),
        ("ValueError: x = 3", "ValueError: x = 3"),
    ],
)
def test_messages_lose_their_secrets_and_nothing_else(text: str, shown: str) -> None:
    assert in_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "partition key=3 of a table; foreign key: a",
        "at x.Secrets.readToken(Secrets.scala:31)",
        "java.lang.NoSuchMethodError: getPassword(java.lang.String)",
        "Column `password` cannot be resolved. Did you mean one of: [`id`, `name`]",
        "(id, token, name), primary key (id), the password column is missing",
        "token expired at 2026-01-02T03:04:05Z",
    ],
)
def test_a_message_without_a_secret_stays(text: str) -> None:
    assert in_text(text) == text


@pytest.mark.parametrize(
    "token",
    [
        "ghp_" + "a1" * 18,
        "glpat-" + "a1" * 10,
        "xoxb-123456789012-" + "a1" * 6,
        "hooks.slack.com/services/T0/B0/" + "a1" * 6,
        "dapi" + "a1" * 16,
        "AIza" + "a1" * 17 + "b",
        "ya29." + "a1" * 10,
        "sk_live_" + "a1" * 8,
        "npm_" + "a1" * 18,
        "pypi-" + "a1" * 16,
        "hf_" + "a1" * 16,
        "eyJhbGci.eyJzdWIi.c2ln",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    ],
)
def test_known_forms_of_tokens_are_hidden_anywhere(token: str) -> None:
    assert in_text(f"no {token} here") == "no *** here"
    assert in_text(f"SELECT concat(a, '{token}')", quoted_only=True) == "SELECT concat(a, '***')"


@pytest.mark.parametrize("text", STAYS)
def test_sql_without_a_secret_stays(text: str) -> None:
    assert in_text(text, quoted_only=True) == text


def test_sql_stays_sql() -> None:
    text = "SELECT a FROM t WHERE t.token = s.token AND password = 'secret'"
    shown = "SELECT a FROM t WHERE t.token = s.token AND password = '***'"
    assert in_text(text, quoted_only=True) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("sha2(concat(s3cretB, card), 256)", "sha2(***)"),
        ("aes_encrypt(x, k, GCM, DEFAULT, )", "aes_encrypt(***)"),
        ("base64(aes_encrypt(concat(x, y), k)(,))", "base64(aes_encrypt(***))"),
        ("concat(try_aes_decrypt(unhex(x), k), z)", "concat(try_aes_decrypt(***))"),
        ("CASE WHEN (pwd = x) THEN 1 END", "CASE WHEN (***)"),
        ("s.md5(a) (2).x", "s.md5(***)"),
        ("s.md5(***) (2).x", "s.md5(***) (2).x"),
    ],
)
def test_the_constants_in_a_columns_name_are_not_shown(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize("name", PLAIN_COLUMNS)
def test_the_name_of_a_column_without_a_secret_stays(name: str) -> None:
    assert shown_name(name) == name


def test_columns_whose_names_are_shown_alike_stay_apart() -> None:
    names = ["id", "md5(concat(a, x))", "md5(concat(b, x))", "md5(concat(a, x))", "upper(id)"]
    assert shown_names(names) == ["id", "md5(***)", "md5(***) (2)", "md5(***)", "upper(id)"]


def test_a_plan_names_the_columns_of_a_leaf_by_their_order() -> None:
    """No earlier test had two names of expressions in one dataset."""
    one, two = "md5(concat(x, a))", "md5(concat(y, a))"
    struct = {"type": "struct", "fields": [{"name": one}, {"name": two}]}

    def attribute(number: int, name: str, kind: Any = "string") -> dict[str, Any]:
        return {"class": "A", "exprId": {"id": number}, "name": name, "dataType": kind}

    plan = [
        {"class": "Project", "projectList": [[attribute(2, two)], [attribute(3, "upper(x)")]]},
        {"class": "Leaf", "output": [[attribute(1, one, struct)], [attribute(2, two)]]},
    ]
    project, leaf = with_shown_names(json.dumps(plan, separators=(",", ":")), plan)
    assert [item[0]["name"] for item in leaf["output"]] == ["md5(***)", "md5(***) (2)"]
    assert [item[0]["name"] for item in project["projectList"]] == ["md5(***) (2)", "upper(x)"]
    members = leaf["output"][0][0]["dataType"]["fields"]
    assert [member["name"] for member in members] == ["md5(***)", "md5(***) (2)"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "[UNRESOLVED_COLUMN] `sha2(concat(s)3, card), 256)` is none of [`id`, `a`]",
            "[UNRESOLVED_COLUMN] `sha2(***)` is none of [`id`, `a`]",
        ),
        ("md5(concat(a, s3)) failed, then b", "md5(***) failed, then b"),
        ("HashAggregate(keys=[a]) at x.Md5.hash(Hash.scala:3)",) * 2,
    ],
)
def test_a_message_shows_no_salt(text: str, shown: str) -> None:
    """Earlier tests had salts in quotes only; Spark's messages name columns without them."""
    assert in_text(text) == shown


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:hunter2@h:8080/x?key=hunter2#hunter2", "https://h:8080/x"),
        ("https://me:hun/ter2@h/x", "https://h/x"),
        ("https://me:hun?ter2@h/x", "https://h/x"),
        ("https://me:hun@ter2@h/x", "https://h/x"),
        ("mongodb://me:hunter2@h1:1,me:hunter2@h2:2/?w=1", "mongodb://h1:1,h2:2/"),
        ("https://h/people/a@b", "https://h/people/a@b"),
        ("hdfs://nn:8020/events", "hdfs://nn:8020/events"),
        ("/tmp/events#1.ndjson", "/tmp/events#1.ndjson"),
    ],
)
def test_an_address_is_shown_without_login_and_query(url: str, shown: str) -> None:
    assert without_userinfo(url) == shown


# Generated secrets in generated places -----------------------------------------------------------

PLAIN_TEXT = st.text("abc XYZ019,.\n(", max_size=20)
TOKENS = st.text("abcXYZ0189+/._-", min_size=6, max_size=40).map("q7{}Z".format)
# A password in a URL may have what belongs to the URL in it.
WILD = st.text("abcXYZ019/?#:!$&=,;+ ", min_size=1, max_size=20)
LAYERS = st.sampled_from(["", "json", "repr", "exception"])
PLACES = st.one_of(
    st.builds(str.format, st.sampled_from(PAIRS), st.sampled_from(NAMES)),
    st.sampled_from(SENTENCES),
)


@settings(max_examples=400, deadline=None)
@given(TOKENS, PLACES, PLAIN_TEXT, PLAIN_TEXT, LAYERS)
def test_no_secret_survives_in_a_message(
    secret: str, place: str, before: str, after: str, layer: str
) -> None:
    text = wrapped(f"{before} {planted(place, secret)} {after}", layer)
    assert secret not in in_text(text)


@settings(max_examples=300, deadline=None)
@given(WILD, st.sampled_from(LOGINS), st.sampled_from(["", "json", "exception"]))
def test_no_password_survives_in_a_url(secret: str, place: str, layer: str) -> None:
    text = wrapped(f"no route to {planted(place, f'q7{secret}Z')} today", layer)
    assert f"{secret}Z" not in in_text(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no http://ann:12/34@host/x", "no http://host/x"),
        ("no http://ann:pa/ss@host/x", "no http://host/x"),
        ("no http://ann:a@?b@host/x", "no http://host/x"),
        ("no hdfs://nn:8020/home/a@b/x", "no hdfs://nn:8020/home/a@b/x"),
        ("http://h:80/x, mail a@b", "http://h:80/x, mail a@b"),
    ],
)
def test_a_password_may_look_like_a_port(text: str, shown: str) -> None:
    assert in_text(text) == shown


@settings(max_examples=200, deadline=None)
@given(TOKENS, st.sampled_from(IN_SQL), PLAIN_TEXT.filter(lambda text: "(" not in text))
def test_no_secret_survives_in_sql(secret: str, place: str, before: str) -> None:
    text = f"SELECT 'x' AS y; -- {before}\n{planted(place, secret)}"
    assert secret not in in_text(text, quoted_only=True)


@settings(max_examples=200, deadline=None)
@given(TOKENS, st.sampled_from(IN_COLUMNS), st.text("abcXYZ019.()", max_size=20))
def test_no_secret_survives_in_a_columns_name(secret: str, place: str, after: str) -> None:
    """Earlier tests looked for keys of aes_encrypt only, and Spark's jobs had aliases."""
    shown = shown_name(planted(place, f"{secret}{after}"))
    assert secret not in shown
    assert shown_name(shown) == shown


@given(st.text("abc,(')k", max_size=12), TOKENS)
def test_an_event_is_looked_at_whatever_part_wrote_it(column: str, secret: str) -> None:
    name = f"base64(aes_encrypt({column}, {secret}, GCM))"
    event = redacted(
        {
            "inputs": [{"facets": {"schema": {"fields": [{"name": name, "type": "string"}]}}}],
            "outputs": [{"facets": {"columnLineage": {"fields": {name: {"inputFields": []}}}}}],
            "run": {"facets": {"errorMessage": {"message": f"password={secret}"}}},
            "job": {"name": name, "description": f"sha2('{secret}', 256)"},
        }
    )
    assert secret not in json.dumps(event)
    (field,) = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert field == event["inputs"][0]["facets"]["schema"]["fields"][0]["name"]


def test_a_clean_event_stays_as_it_is() -> None:
    name = "s3://b/key=1/auth?x=y"
    event = {"inputs": [{"name": name, "facets": {"schema": {"fields": [{"name": "password"}]}}}]}
    assert redacted(json.loads(json.dumps(event))) == event


EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."


def expression(kind: str, *children: Any, **fields: Any) -> list[dict[str, Any]]:
    row = {"class": EXPRESSIONS + kind, "num-children": len(children), **fields}
    return [row, *(each for child in children for each in child)]


def literal(text: str) -> list[dict[str, Any]]:
    return expression("Literal", dataType="string", value=text)


def column(name: str) -> list[dict[str, Any]]:
    return expression("AttributeReference", name=name)


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (
            expression("Sha2", expression("Concat", column("a"), literal("salt")), literal("x")),
            "sha2(concat(a, '***'), '***')",
        ),
        (expression("XxHash64", column("a"), literal("salt")), "xx_hash64(a, '***')"),
        (expression("PythonUDF", literal("salt"), name="my_hash"), "my_hash('***')"),
        (expression("EqualTo", column("pwd"), literal("hunter2")), "pwd = '***'"),
        (expression("In", column("api_token"), literal("hunter2")), "api_token IN ('***')"),
        (
            expression("EqualTo", expression("Lower", column("pwd")), literal("x")),
            "lower(pwd) = '***'",
        ),
        (
            expression(
                "CreateMap", literal("token"), literal("hunter2"), literal("id"), column("a")
            ),
            "map('token', '***', 'id', a)",
        ),
        (expression("EqualTo", column("state"), literal("open")), "state = 'open'"),
        (expression("Concat", column("a"), literal("open")), "concat(a, 'open')"),
    ],
)
def test_a_description_tells_no_salt_and_no_password(rows: Any, shown: str) -> None:
    assert expression_text(rows) == shown


def test_a_constant_in_a_column_named_as_a_secret_is_hidden() -> None:
    rows = expression("Concat", column("a"), literal("hunter2"))
    assert expression_text(rows, "password") == "concat(a, '***')"
    assert expression_text(rows, "name") == "concat(a, 'hunter2')"


def test_a_warning_tells_no_secret(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(warnings, "_warned_in", 0)
    warnings.warn_off(ValueError("no route to http://ann:hunter2@host, password=hunter3"))
    printed = capsys.readouterr().err
    assert printed.startswith("colgraph: ")
    assert "hunter" not in printed

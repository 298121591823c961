import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.collector.naming.datasets import without_secrets
from airflow_colgraph.collector.redaction import in_text, without_keys, without_userinfo

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


def test_sql_stays_sql() -> None:
    text = "SELECT a FROM t WHERE t.token = s.token AND password = 'secret'"
    shown = "SELECT a FROM t WHERE t.token = s.token AND password = '***'"
    assert in_text(text, quoted_only=True) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("aes_encrypt(x, k, GCM, DEFAULT, )", "aes_encrypt(x, ***)"),
        ("base64(aes_encrypt(concat(x, y), k)(,))", "base64(aes_encrypt(concat(x, y), ***))"),
        ("concat(try_aes_decrypt(unhex(x), k), z)", "concat(try_aes_decrypt(unhex(x), ***))"),
        ("aes_encrypt((, k)", "aes_encrypt(***)"),
        ("aes_encrypt() k", "aes_encrypt(***)"),
        ('say "aes_encrypt(x, k"', 'say "aes_encrypt(x, ***)'),
        ("encrypt(x, k)", "encrypt(x, k)"),
    ],
)
def test_the_key_in_a_columns_name_is_not_shown(name: str, shown: str) -> None:
    found = json.loads(without_keys(json.dumps([{"name": name, "value": "k"}])))
    assert found == [{"name": shown, "value": "k"}]


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


PLACES = [
    "failed: --password {} --user ann",
    "login failed, pwd: {}",
    "the token {} has expired",
    "Authorization: Bearer {}",
    "conf=spark.password={}",
    "bad 'password={}' in options",
    "no route to http://me:pa/{}@host/x",
    "no route to jdbc:postgresql://me:a b {}@host/x",
    '{{\\"client_secret\\": \\"{}\\"}}',
    "token=" + "A" * 64 + "\n{}\n at line 3",
]
IN_SQL = [
    "SELECT a FROM t WHERE b = 'password={}'",
    "SELECT sha2(concat(a, '{}'), 256) FROM t",
    "SELECT a FROM t WHERE password <> '{}'",
    "SELECT a FROM t WHERE \"token\" = '{}'",
]


@given(st.text("abcXYZ0189+/", min_size=8, max_size=40).map("q7{}Z".format))
def test_no_secret_survives_in_any_place(secret: str) -> None:
    for place in PLACES:
        assert secret not in in_text(place.format(secret)), place
    for place in IN_SQL:
        assert secret not in in_text(place.format(secret), quoted_only=True), place

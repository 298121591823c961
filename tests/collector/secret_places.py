"""Where people's secrets stand in messages, URLs and SQL: `%` is the secret.

The tests of the redaction and `python -m oracles.plant_secrets` put made secrets there.
"""

import json

NAMES = [
    "password",
    "passwd",
    "pwd",
    "dbPassword",
    "api_key",
    "client-secret",
    "AccessKey",
    "token",
]
PAIRS = [
    "{}=%",
    "{} = %",
    "{}: %",
    "{}='%'",
    '"{}": "%"',
    "'{}': '%'",
    "--{} %",
    '--{}="%"',
    "{} => %",
    "{}%3D%",
    "<{0}>%</{0}>",
    "<name>x.{}</name> <value>%</value>",
    "(spark.x.{},%)",
    '["{}", "%"]',
    "('x.{}', '%')",
    "set{}('%')",
]
SENTENCES = [
    "the token % has expired",
    "the password is %",
    "wrong password (%)",
    "Invalid API key: %",
    "api key % is not valid",
    "passphrase '%'",
    "password -> %",
    "Authorization: Bearer %",
    "authorization: Basic %",
    "Cookie: session=%; path=/",
    "bad option 'password=%' in options",
    "Caused by: X: conf=spark.password=%, y",
    "SharedAccessSignature sr=x&sig=%&se=1",
    "--conf spark.hadoop.fs.azure.account.key.x=%",
    "curl -u ann:% failed",
    "user 'ann' identified by '%'",
    "token=" + "A" * 64 + "\n%\n at line 3",
]
LOGINS = ["http://ann:%@host/x", "jdbc:postgresql://ann:%@host:5432/db", "ftp://ann:%@host"]
IN_SQL = [
    "SELECT a FROM t WHERE b = 'password=%'",
    "SELECT sha2(concat(a, '%'), 256) FROM t",
    "SELECT company.salted_hash(upper(a), '%') FROM t",
    "SELECT a FROM t WHERE pwd = crypt('%', pwd)",
    "SELECT aes_encrypt(a, '%') FROM t",
    # compared with a secret's column
    "SELECT a FROM t WHERE password <> '%'",
    "SELECT a FROM t WHERE '%' = password",
    "SELECT a FROM t WHERE \"token\" = '%'",
    "SELECT a FROM t WHERE `password` = '%'",
    "SELECT a FROM t WHERE [password] = '%'",
    "SELECT a FROM t WHERE t.secret IN ('x', '%')",
    "SELECT a FROM t WHERE token BETWEEN '%' AND 'x'",
    "SELECT a FROM t WHERE lower(password) = lower('%')",
    "SELECT a FROM t WHERE password = concat('%', a)",
    "SELECT a FROM t WHERE password ILIKE '%' OR a RLIKE 'x'",
    "SELECT a FROM t WHERE password IS NOT DISTINCT FROM '%'",
    "SELECT a FROM t WHERE password = N'%'",
    "SELECT a FROM t WHERE password = $q$%$q$",
    "SELECT a FROM t WHERE get_json_object(b, '$.password') = '%'",
    # in such a column
    "SELECT concat(a, '%') AS password FROM t",
    "SELECT CASE WHEN a THEN '%' ELSE 'x' END AS api_token, b FROM t",
    "INSERT INTO users (name, password) VALUES ('a', '%')",
    "INSERT INTO users (name, password) SELECT 'a', upper('%') FROM t",
    "UPDATE users SET name = 'x', password = '%' WHERE a",
    "MERGE INTO u USING s ON u.a = s.a WHEN MATCHED THEN UPDATE SET u.api_key = '%'",
    "SELECT named_struct('id', a, 'password', '%') FROM t",
    "SELECT map('token', '%') FROM t",
    # options and statements
    "CREATE TABLE t USING jdbc OPTIONS (password '%')",
    "CREATE TABLE t USING jdbc OPTIONS ('url'='x', 'password'='%')",
    'CREATE TABLE t USING jdbc OPTIONS ("password" = "%")',
    "CREATE TABLE t TBLPROPERTIES ('api.key' = '%')",
    "SELECT * FROM read_files('x', password => '%')",
    "SET spark.hadoop.fs.s3a.secret.key=%",
    "SET VAR password = '%'",
    "CREATE USER x IDENTIFIED BY '%'",
    "ALTER ROLE x WITH ENCRYPTED PASSWORD '%'",
    "COPY t FROM 's3://b' CREDENTIALS 'aws_access_key_id=x;aws_secret_access_key=%'",
    "COPY INTO t FROM 's3://b' CREDENTIALS = (AWS_KEY_ID = 'x' AWS_SECRET_KEY = '%')",
    "CREATE SECRET x (TYPE s3, KEY_ID 'a', SECRET '%')",
    "-- password=%\nSELECT 1",
    "SELECT 1 /* token: % */",
]
IN_COLUMNS = [  # names that Spark makes of expressions, with constants as they are
    "sha2(concat(%, card), 256)",
    "sha2(concat(card, %), 256)",
    "sha1(%)",
    "md5(concat_ws(%, a, b))",
    "crc32(concat(a, %))",
    "upper(hash(a, %))",
    "xxhash64(a, %)",
    "company.hmac_sha256(a, %)",
    "saltedHash(a, %)",
    "aes_encrypt(%, key, GCM, DEFAULT, , )",
    "base64(aes_encrypt(a, %))",
    "CASE WHEN (a > 1) THEN md5(%) ELSE b END",
    "(pwd = %)",
    "(% = pwd)",
    "(lower(api_token) IN (x, %))",
    "pwd LIKE %",
    "CASE WHEN (password <=> %) THEN 1 ELSE 0 END",
    "map(token, %, id, a)",
    "concat(https://ann:%@h/, a)",
    "concat(password=%, a)",
]
PLAIN_COLUMNS = [
    "card",
    "unit price",
    "Token in use",
    "password",
    "sum(amount)",
    "concat(a, , b)",
    "(a = b)",
    "count(DISTINCT token)",
    "shape(x)",
]
STAYS = [  # no secret in it
    "SELECT a FROM t WHERE t.token = s.token AND state = 'open'",
    "SELECT password, 'x' AS y FROM t",
    "SELECT 'a', password FROM t WHERE x = 'y'",
    "SELECT CASE WHEN kind = 'token' THEN 'a' ELSE 'b' END AS c FROM t",
    "INSERT INTO t (id, name) VALUES (1, 'ann')",
    "CREATE TABLE t (password STRING COMMENT 'hash') USING csv OPTIONS ('header'='true')",
    "SET spark.sql.shuffle.partitions=4; SELECT 'a' -- a note\n",
    "SELECT map('id', 'x', 'key', 'y') FROM t",
    "SELECT a['key'], b[0] FROM t WHERE c = 'x'",
]


def wrapped(place: str, layer: str) -> str:
    """A text as it stands in JSON, in a Python or Java string, in an exception's message."""
    return {
        "": place,
        "json": json.dumps({"error": place}),
        "repr": repr([place]),
        "exception": f"org.x.SomeException: {place}\n\tat a.b(c.java:1)",
    }[layer]


def planted(place: str, secret: str) -> str:
    """The place with the secret in it; a `%` of its own (`%3D`) stays."""
    return place.replace("%3D", "\0").replace("%", secret).replace("\0", "%3D")

-- Programs that no rule was written for: what the general rules make of odd statements.

-- title: filtered counts and counts of several
CREATE TABLE mart.further0 AS
SELECT a, count(*) FILTER (WHERE b > 1) AS n, count(DISTINCT b, c) AS d FROM raw.t1 GROUP BY ALL;
-- a <- raw.t1.a DIRECT:IDENTITY
-- n <- raw.t1.b INDIRECT:FILTER
-- d <- raw.t1.b DIRECT:AGGREGATION masking
-- d <- raw.t1.c DIRECT:AGGREGATION masking
-- * <- raw.t1.a INDIRECT:GROUP_BY

-- title: percentiles and slopes
CREATE TABLE mart.further1 AS
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) AS p, percentile_approx(b, 0.5) AS q,
  regr_slope(a, b) AS r, corr(b, c) AS k, bool_and(a > 1) AS x, try_sum(c) AS s FROM raw.t1;
-- p <- raw.t1.a DIRECT:AGGREGATION
-- q <- raw.t1.b DIRECT:AGGREGATION
-- r <- raw.t1.a DIRECT:AGGREGATION
-- r <- raw.t1.b DIRECT:AGGREGATION
-- k <- raw.t1.b DIRECT:AGGREGATION
-- k <- raw.t1.c DIRECT:AGGREGATION
-- x <- raw.t1.a DIRECT:AGGREGATION
-- s <- raw.t1.c DIRECT:AGGREGATION

-- title: groups by a time window
CREATE TABLE mart.further2 AS
SELECT window.start AS s, sum(amount) AS total FROM raw.orders GROUP BY window(day, '7 days');
-- s     <- raw.orders.day    DIRECT:TRANSFORMATION
-- total <- raw.orders.amount DIRECT:AGGREGATION
-- *     <- raw.orders.day    INDIRECT:GROUP_BY

-- title: groups by a session
CREATE TABLE mart.further3 AS
SELECT session_window(day, '1 day').end AS e, cid, count(id) AS n FROM raw.orders
  GROUP BY session_window(day, '1 day'), cid;
-- e   <- raw.orders.day DIRECT:TRANSFORMATION
-- cid <- raw.orders.cid DIRECT:IDENTITY
-- n   <- raw.orders.id  DIRECT:AGGREGATION masking
-- *   <- raw.orders.cid INDIRECT:GROUP_BY
-- *   <- raw.orders.day INDIRECT:GROUP_BY

-- title: all but one column
CREATE TABLE mart.further4 AS
SELECT * EXCEPT (c) FROM raw.t1 ORDER BY ALL;
-- a <- raw.t1.a DIRECT:IDENTITY
-- b <- raw.t1.b DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:SORT
-- * <- raw.t1.b INDIRECT:SORT

-- title: pipes
CREATE TABLE mart.further5 AS
FROM raw.t1 |> WHERE b > 1 |> AGGREGATE sum(c) AS s GROUP BY a |> SELECT a, s |> ORDER BY s;
-- a <- raw.t1.a DIRECT:IDENTITY
-- s <- raw.t1.c DIRECT:AGGREGATION
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:SORT

-- title: variants
CREATE TABLE mart.further6 AS
SELECT parse_json(a) AS v, variant_get(parse_json(b), '$.x', 'int') AS x,
  try_variant_get(parse_json(c), '$.y', 'string') AS z FROM raw.texts;
-- v <- raw.texts.a DIRECT:TRANSFORMATION
-- x <- raw.texts.b DIRECT:TRANSFORMATION
-- z <- raw.texts.c DIRECT:TRANSFORMATION

-- title: json tuples
CREATE TABLE mart.further7 AS
SELECT x, y FROM raw.texts LATERAL VIEW json_tuple(a, 'x', 'y') j AS x, y;
-- x <- raw.texts.a DIRECT:TRANSFORMATION
-- y <- raw.texts.a DIRECT:TRANSFORMATION

-- title: a generator as a table
CREATE TABLE mart.further8 AS
SELECT k, x FROM raw.nested, LATERAL explode(arr) AS e(x) WHERE x > k;
-- k <- raw.nested.k   DIRECT:IDENTITY
-- x <- raw.nested.arr DIRECT:TRANSFORMATION
-- * <- raw.nested.arr INDIRECT:FILTER
-- * <- raw.nested.k   INDIRECT:FILTER

-- title: rows written in the query
CREATE TABLE mart.further9 AS
SELECT n.name, sum(t.b) AS s FROM raw.t1 t JOIN VALUES (1, 'one'), (2, 'two') AS n(id,
  name) ON t.a = n.id GROUP BY n.name;
-- name <-
-- s    <- raw.t1.b DIRECT:AGGREGATION
-- *    <- raw.t1.a INDIRECT:JOIN

-- title: an outer column in a nested subquery
CREATE TABLE mart.further10 AS
SELECT a FROM raw.t1 x WHERE EXISTS (SELECT 1 FROM raw.t2 y WHERE y.a = x.a
  AND y.b > (SELECT max(z.b) FROM raw.t3 z WHERE z.a = y.c));
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:FILTER
-- * <- raw.t2.a INDIRECT:FILTER
-- * <- raw.t2.b INDIRECT:FILTER
-- * <- raw.t2.c INDIRECT:FILTER
-- * <- raw.t3.a INDIRECT:FILTER
-- * <- raw.t3.b INDIRECT:FILTER

-- title: pairs in a subquery, and none of another
CREATE TABLE mart.further11 AS
SELECT a FROM raw.t1 WHERE (a, b) IN (SELECT a, b FROM raw.t2) AND c NOT IN (SELECT a
  FROM raw.t3 WHERE d = 'x');
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:FILTER
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER
-- * <- raw.t2.a INDIRECT:FILTER
-- * <- raw.t2.b INDIRECT:FILTER
-- * <- raw.t3.a INDIRECT:FILTER
-- * <- raw.t3.d INDIRECT:FILTER

-- title: natural join
CREATE TABLE mart.further12 AS
SELECT * FROM (SELECT a, c FROM raw.t1) NATURAL JOIN (SELECT a, d FROM raw.t3);
-- a <- raw.t1.a DIRECT:IDENTITY
-- c <- raw.t1.c DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN

-- title: left join by name keeps the left key, right join the right
CREATE TABLE mart.further13 AS
SELECT l.a AS la, r.c AS rc, a FROM raw.t1 l RIGHT JOIN raw.t2 r USING (a);
-- la <- raw.t1.a DIRECT:IDENTITY
-- rc <- raw.t2.c DIRECT:IDENTITY
-- a  <- raw.t2.a DIRECT:IDENTITY
-- *  <- raw.t1.a INDIRECT:JOIN
-- *  <- raw.t2.a INDIRECT:JOIN

-- title: a subquery in a join condition
CREATE TABLE mart.further14 AS
SELECT x.a FROM raw.t1 x JOIN raw.t2 y ON x.a = y.a AND y.b > (SELECT avg(b) FROM raw.t3);
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t2.a INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:JOIN
-- * <- raw.t3.b INDIRECT:JOIN

-- title: subqueries in CASE, HAVING and ORDER BY
CREATE TABLE mart.further15 AS
SELECT a, CASE WHEN (SELECT max(b) FROM raw.t2) > sum(b) THEN 1 ELSE 0 END AS f
  FROM raw.t1 GROUP BY a HAVING sum(c) > (SELECT min(c) FROM raw.t2) ORDER BY a;
-- a <- raw.t1.a DIRECT:IDENTITY
-- f <- raw.t1.b INDIRECT:CONDITIONAL
-- f <- raw.t2.b INDIRECT:CONDITIONAL
-- * <- raw.t1.a INDIRECT:SORT, INDIRECT:GROUP_BY
-- * <- raw.t1.c INDIRECT:FILTER
-- * <- raw.t2.c INDIRECT:FILTER

-- title: pivot with two aggregates
CREATE TABLE mart.further16 AS
SELECT * FROM (SELECT a, b, c FROM raw.t1) PIVOT (sum(c) AS s, count(c) AS n FOR b IN (1, 2));
-- a   <- raw.t1.a DIRECT:IDENTITY
-- 1_s <- raw.t1.b INDIRECT:CONDITIONAL
-- 1_s <- raw.t1.c DIRECT:AGGREGATION
-- 1_n <- raw.t1.b INDIRECT:CONDITIONAL
-- 1_n <- raw.t1.c DIRECT:AGGREGATION masking
-- 2_s <- raw.t1.b INDIRECT:CONDITIONAL
-- 2_s <- raw.t1.c DIRECT:AGGREGATION
-- 2_n <- raw.t1.b INDIRECT:CONDITIONAL
-- 2_n <- raw.t1.c DIRECT:AGGREGATION masking
-- *   <- raw.t1.a INDIRECT:GROUP_BY
-- *   <- raw.t1.b INDIRECT:GROUP_BY

-- title: frames by range, and a window over an aggregate
CREATE TABLE mart.further17 AS
SELECT a, sum(sum(c)) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS r,
  coalesce(lag(max(b), 1, min(b)) OVER (PARTITION BY a ORDER BY sum(c)), 0) AS l
  FROM raw.t1 GROUP BY a;
-- a <- raw.t1.a DIRECT:IDENTITY
-- r <- raw.t1.a INDIRECT:WINDOW
-- r <- raw.t1.c DIRECT:AGGREGATION
-- l <- raw.t1.a INDIRECT:CONDITIONAL, INDIRECT:WINDOW
-- l <- raw.t1.b DIRECT:AGGREGATION, INDIRECT:CONDITIONAL
-- l <- raw.t1.c INDIRECT:CONDITIONAL, INDIRECT:WINDOW
-- * <- raw.t1.a INDIRECT:GROUP_BY

-- title: a name that stands for something else inside
CREATE TABLE mart.further18 AS
SELECT a AS b, b AS a FROM (SELECT b AS a, a AS b FROM raw.t1) WHERE a > 1;
-- b <- raw.t1.b DIRECT:IDENTITY
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER

-- title: a CTE that hides a table
CREATE TABLE mart.further19 AS
WITH t1 AS (SELECT a + 1 AS a FROM raw.t1), t2 AS (WITH t1 AS (SELECT c AS a
  FROM raw.t2) SELECT a FROM t1) SELECT t1.a AS x, t2.a AS y FROM t1 JOIN t2 ON t1.a = t2.a;
-- x <- raw.t1.a DIRECT:TRANSFORMATION
-- y <- raw.t2.c DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t2.c INDIRECT:JOIN

-- title: distinct over a window, limited
CREATE TABLE mart.further20 AS
SELECT DISTINCT rank() OVER (ORDER BY b) AS r FROM raw.t1 LIMIT 3;
-- r <- raw.t1.b INDIRECT:WINDOW
-- * <- raw.t1.b INDIRECT:GROUP_BY

-- title: sorted by what is not selected
CREATE TABLE mart.further21 AS
SELECT a FROM raw.t1 ORDER BY b + c DESC NULLS LAST, a;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:SORT
-- * <- raw.t1.b INDIRECT:SORT
-- * <- raw.t1.c INDIRECT:SORT

-- title: the greatest of several, and others
CREATE TABLE mart.further22 AS
SELECT greatest(a, b) AS g, a IN (b, c) AS i, a BETWEEN b AND c AS w, if(a > 1, b, c) AS f,
  decode(a, 1, b, c) AS d, nullifzero(a) AS nz, zeroifnull(b) AS zn FROM raw.t1;
-- g  <- raw.t1.a DIRECT:TRANSFORMATION
-- g  <- raw.t1.b DIRECT:TRANSFORMATION
-- i  <- raw.t1.a DIRECT:TRANSFORMATION
-- i  <- raw.t1.b DIRECT:TRANSFORMATION
-- i  <- raw.t1.c DIRECT:TRANSFORMATION
-- w  <- raw.t1.a DIRECT:TRANSFORMATION
-- w  <- raw.t1.b DIRECT:TRANSFORMATION
-- w  <- raw.t1.c DIRECT:TRANSFORMATION
-- f  <- raw.t1.a INDIRECT:CONDITIONAL
-- f  <- raw.t1.b DIRECT:TRANSFORMATION
-- f  <- raw.t1.c DIRECT:TRANSFORMATION
-- d  <- raw.t1.a INDIRECT:CONDITIONAL
-- d  <- raw.t1.b DIRECT:TRANSFORMATION
-- d  <- raw.t1.c DIRECT:TRANSFORMATION
-- nz <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- zn <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: words
CREATE TABLE mart.further23 AS
SELECT concat_ws('-', a, b) AS c, a LIKE ANY ('x%', 'y%') AS l, regexp_extract(a, '(.)',
  1) AS r, split_part(a, '-', 1) AS s, try_to_number(b, '99') AS n, base64(c) AS e FROM raw.texts;
-- c <- raw.texts.a DIRECT:TRANSFORMATION
-- c <- raw.texts.b DIRECT:TRANSFORMATION
-- l <- raw.texts.a DIRECT:TRANSFORMATION
-- r <- raw.texts.a DIRECT:TRANSFORMATION
-- s <- raw.texts.a DIRECT:TRANSFORMATION
-- n <- raw.texts.b DIRECT:TRANSFORMATION
-- e <- raw.texts.c DIRECT:TRANSFORMATION

-- title: a running difference between events
CREATE TABLE mart.deeper0 AS
WITH e AS (SELECT cid, day, amount, lag(day) OVER (PARTITION BY cid ORDER BY day) AS before
  FROM raw.orders), s AS (SELECT *, sum(CASE WHEN datediff(day,
  before) > 1 OR before IS NULL THEN 1 ELSE 0 END) OVER (PARTITION BY cid
  ORDER BY day) AS visit FROM e) SELECT cid, visit, min(day) AS start, sum(amount) AS total
  FROM s GROUP BY cid, visit;
-- cid   <- raw.orders.cid    DIRECT:IDENTITY
-- visit <- raw.orders.cid    INDIRECT:CONDITIONAL, INDIRECT:WINDOW
-- visit <- raw.orders.day    INDIRECT:CONDITIONAL, INDIRECT:WINDOW
-- start <- raw.orders.day    DIRECT:AGGREGATION
-- total <- raw.orders.amount DIRECT:AGGREGATION
-- *     <- raw.orders.cid    INDIRECT:GROUP_BY
-- *     <- raw.orders.day    INDIRECT:GROUP_BY

-- title: the newest row of each, by a struct
CREATE TABLE mart.deeper1 AS
SELECT cid, newest.amount AS amount, newest.state AS state FROM (SELECT cid, max(struct(day,
  amount, state)) AS newest FROM raw.orders GROUP BY cid);
-- cid    <- raw.orders.cid    DIRECT:IDENTITY
-- amount <- raw.orders.amount DIRECT:AGGREGATION
-- amount <- raw.orders.day    INDIRECT:CONDITIONAL
-- state  <- raw.orders.amount INDIRECT:CONDITIONAL
-- state  <- raw.orders.day    INDIRECT:CONDITIONAL
-- state  <- raw.orders.state  DIRECT:AGGREGATION
-- *      <- raw.orders.cid    INDIRECT:GROUP_BY

-- title: a slowly changing dimension
CREATE TABLE mart.deeper2 AS
SELECT coalesce(n.id, o.id) AS id,
  CASE WHEN n.name <> o.name THEN n.name ELSE o.name END AS name, n.id IS NULL AS gone
  FROM raw.customers o FULL OUTER JOIN (SELECT id, upper(trim(name)) AS name
  FROM raw.customers WHERE active) n ON n.id = o.id;
-- id   <- raw.customers.id     DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- name <- raw.customers.name   DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- gone <- raw.customers.id     DIRECT:TRANSFORMATION
-- *    <- raw.customers.active INDIRECT:FILTER
-- *    <- raw.customers.id     INDIRECT:JOIN

-- title: shares of a total, without a window
CREATE TABLE mart.deeper3 AS
SELECT state, sum(amount) / any_value(t.all) AS share FROM raw.orders CROSS
  JOIN (SELECT sum(amount) AS all FROM raw.orders WHERE state <> 'void') t GROUP BY state
  HAVING count(*) > 1;
-- state <- raw.orders.state  DIRECT:IDENTITY
-- share <- raw.orders.amount DIRECT:AGGREGATION
-- *     <- raw.orders.state  INDIRECT:GROUP_BY, INDIRECT:FILTER

-- title: an except of a union with duplicates counted
CREATE TABLE mart.deeper4 AS
SELECT v, count(*) AS n FROM ((SELECT a AS v FROM raw.t1 UNION ALL SELECT b
  FROM raw.t2) MINUS SELECT a FROM raw.t3) GROUP BY v;
-- v <- raw.t1.a DIRECT:IDENTITY
-- v <- raw.t2.b DIRECT:IDENTITY
-- n <-
-- * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:GROUP_BY, INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN

-- title: json built by hand and taken apart
CREATE TABLE mart.deeper5 AS
SELECT get_json_object(j, '$.x') AS x, from_json(j, 'x INT, y STRING').y AS y
  FROM (SELECT concat('{"x":', a, ',"y":"', b, '"}') AS j FROM raw.t1 WHERE c IS NOT NULL);
-- x <- raw.t1.a DIRECT:TRANSFORMATION
-- x <- raw.t1.b DIRECT:TRANSFORMATION
-- y <- raw.t1.a DIRECT:TRANSFORMATION
-- y <- raw.t1.b DIRECT:TRANSFORMATION
-- * <- raw.t1.c INDIRECT:FILTER

-- title: a correlated count in the select list
CREATE TABLE mart.deeper6 AS
SELECT name, (SELECT count(o.id) FROM raw.orders o WHERE o.cid = c.id
  AND o.amount > 10) AS orders FROM raw.customers c WHERE NOT EXISTS (SELECT 1
  FROM raw.orders x WHERE x.cid = c.id AND x.state = 'bad');
-- name   <- raw.customers.name DIRECT:IDENTITY
-- orders <- raw.customers.id   INDIRECT:FILTER
-- orders <- raw.orders.amount  INDIRECT:FILTER
-- orders <- raw.orders.cid     INDIRECT:FILTER
-- orders <- raw.orders.id      DIRECT:AGGREGATION masking
-- *      <- raw.customers.id   INDIRECT:FILTER
-- *      <- raw.orders.cid     INDIRECT:FILTER
-- *      <- raw.orders.state   INDIRECT:FILTER

-- title: two levels of grouping
CREATE TABLE mart.deeper7 AS
SELECT avg(s) AS mean, max(n) AS most FROM (SELECT cid, sum(amount) AS s,
  count(DISTINCT day) AS n FROM raw.orders GROUP BY cid HAVING count(*) > 2);
-- mean <- raw.orders.amount DIRECT:AGGREGATION
-- most <- raw.orders.day    DIRECT:AGGREGATION masking
-- *    <- raw.orders.cid    INDIRECT:GROUP_BY

-- title: words counted
CREATE TABLE mart.deeper8 AS
SELECT word, count(word) AS n FROM (SELECT explode(split(lower(concat(a, ' ', b)),
  '\\s+')) AS word FROM raw.texts) WHERE word <> '' GROUP BY word ORDER BY n DESC LIMIT 10;
-- word <- raw.texts.a DIRECT:TRANSFORMATION
-- word <- raw.texts.b DIRECT:TRANSFORMATION
-- n    <- raw.texts.a DIRECT:AGGREGATION masking
-- n    <- raw.texts.b DIRECT:AGGREGATION masking
-- *    <- raw.texts.a INDIRECT:GROUP_BY, INDIRECT:FILTER, INDIRECT:SORT masking
-- *    <- raw.texts.b INDIRECT:GROUP_BY, INDIRECT:FILTER, INDIRECT:SORT masking

-- title: a map as a lookup
CREATE TABLE mart.deeper9 AS
SELECT m[state] AS label, element_at(map_from_arrays(array('a'), array(cid)), 'a') AS c
  FROM raw.orders CROSS JOIN (SELECT map_from_entries(collect_list(struct(name, ssn))) AS m
  FROM raw.customers);
-- label <- raw.customers.name DIRECT:AGGREGATION
-- label <- raw.customers.ssn  DIRECT:AGGREGATION
-- label <- raw.orders.state   DIRECT:TRANSFORMATION
-- c     <- raw.orders.cid     DIRECT:TRANSFORMATION

-- title: join on ranges and expressions
CREATE TABLE mart.deeper10 AS
SELECT x.a, y.c FROM raw.t1 x JOIN raw.t2 y ON x.a BETWEEN y.a AND y.b
  AND substring(string(x.b), 1, 1) = string(y.c);
-- a <- raw.t1.a DIRECT:IDENTITY
-- c <- raw.t2.c DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t1.b INDIRECT:JOIN
-- * <- raw.t2.a INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:JOIN
-- * <- raw.t2.c INDIRECT:JOIN

-- title: three sources in a WHERE
CREATE TABLE mart.deeper11 AS
SELECT x.a, y.b, z.d FROM raw.t1 x, raw.t2 y, raw.t3 z WHERE x.a = y.a
  AND (y.b = z.b OR x.c = z.a) AND z.d LIKE 'q%';
-- a <- raw.t1.a DIRECT:IDENTITY
-- b <- raw.t2.b DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t1.c INDIRECT:JOIN
-- * <- raw.t2.a INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN
-- * <- raw.t3.b INDIRECT:JOIN
-- * <- raw.t3.d INDIRECT:FILTER

-- title: a left join whose WHERE compares both sides
CREATE TABLE mart.deeper12 AS
SELECT x.a FROM raw.t1 x LEFT JOIN raw.t2 y ON x.a = y.a WHERE x.b < y.b OR y.b IS NULL;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t2.a INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:FILTER

-- title: unpivot of several columns
CREATE TABLE mart.deeper13 AS
SELECT * FROM raw.t1 UNPIVOT INCLUDE NULLS ((v, w) FOR n IN ((a, b) AS first, (b, c) AS second));
-- n <-
-- v <- raw.t1.a DIRECT:IDENTITY
-- v <- raw.t1.b DIRECT:IDENTITY
-- w <- raw.t1.b DIRECT:IDENTITY
-- w <- raw.t1.c DIRECT:IDENTITY

-- title: a generator over a generator
CREATE TABLE mart.deeper14 AS
SELECT k, y FROM raw.nested LATERAL VIEW explode(arr) e AS x LATERAL VIEW explode(sequence(1,
  x)) f AS y;
-- k <- raw.nested.k   DIRECT:IDENTITY
-- y <- raw.nested.arr DIRECT:TRANSFORMATION

-- title: masked, then joined by the hash
CREATE TABLE mart.deeper15 AS
SELECT a.h, b.name FROM (SELECT sha2(ssn, 256) AS h, id FROM raw.customers) a
  JOIN (SELECT sha2(ssn, 256) AS h, name FROM raw.customers) b ON a.h = b.h;
-- h    <- raw.customers.ssn  DIRECT:TRANSFORMATION masking
-- name <- raw.customers.name DIRECT:IDENTITY
-- *    <- raw.customers.ssn  INDIRECT:JOIN masking

-- title: an aggregate of a window of an aggregate
CREATE TABLE mart.deeper16 AS
SELECT max(r) AS top FROM (SELECT dense_rank() OVER (ORDER BY sum(amount) DESC) AS r
  FROM raw.orders GROUP BY cid);
-- top <- raw.orders.amount INDIRECT:WINDOW
-- *   <- raw.orders.cid    INDIRECT:GROUP_BY

-- title: a column that is only NULL in one branch
CREATE TABLE mart.deeper17 AS
SELECT a, NULL AS d FROM raw.t1 UNION ALL SELECT a, d FROM raw.t3;
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t3.a DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY

-- title: bare outer columns in subqueries
CREATE TABLE mart.outer_bare AS
SELECT id, (SELECT name) AS n, (SELECT DISTINCT ssn) AS s,
  (WITH w AS (SELECT active) SELECT * FROM w) AS w
FROM raw.customers
WHERE name IN (SELECT name FROM raw.t2 WHERE b > 1) AND EXISTS (SELECT ssn FROM raw.t1 WHERE a = id);
-- id <- raw.customers.id     DIRECT:IDENTITY
-- n  <- raw.customers.name   DIRECT:IDENTITY
-- s  <- raw.customers.ssn    DIRECT:IDENTITY, INDIRECT:GROUP_BY
-- w  <- raw.customers.active DIRECT:IDENTITY
-- *  <- raw.customers.id     INDIRECT:FILTER
-- *  <- raw.customers.name   INDIRECT:FILTER
-- *  <- raw.t1.a             INDIRECT:FILTER
-- *  <- raw.t2.b             INDIRECT:FILTER

-- title: bare outer columns in lateral subqueries
CREATE TABLE mart.outer_lateral AS
SELECT c.id, x.ssn AS s, x.a AS x, u.v FROM raw.customers c,
  LATERAL (SELECT ssn, a FROM raw.t1 WHERE b = id) x,
  LATERAL (SELECT v FROM (SELECT name, active UNION ALL SELECT x.ssn, active) AS t(v, w) WHERE w) u;
-- id <- raw.customers.id     DIRECT:IDENTITY
-- s  <- raw.customers.ssn    DIRECT:IDENTITY
-- x  <- raw.t1.a             DIRECT:IDENTITY
-- v  <- raw.customers.name   DIRECT:IDENTITY
-- v  <- raw.customers.ssn    DIRECT:IDENTITY
-- *  <- raw.customers.active INDIRECT:FILTER
-- *  <- raw.customers.id     INDIRECT:FILTER
-- *  <- raw.t1.b             INDIRECT:FILTER

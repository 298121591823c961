-- OpenLineage's own catalogue of transformation types (T1 to T21), by its ids.

-- title: T1 identity
CREATE TABLE mart.T1 AS SELECT a FROM raw.t1;
-- a <- raw.t1.a DIRECT:IDENTITY

-- title: T2 transformation
CREATE TABLE mart.T2 AS SELECT concat(a, 'test') AS a, a + b AS b FROM raw.t1;
-- a <- raw.t1.a DIRECT:TRANSFORMATION
-- b <- raw.t1.a DIRECT:TRANSFORMATION
-- b <- raw.t1.b DIRECT:TRANSFORMATION

-- title: T3 a count masks
CREATE TABLE mart.T3 AS SELECT count(a) AS a FROM raw.t1;
-- a <- raw.t1.a DIRECT:AGGREGATION masking

-- title: T4 filter
CREATE TABLE mart.T4 AS SELECT a FROM raw.t1 WHERE b > 1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER

-- title: T5 group, sort and filter
CREATE TABLE mart.T5 AS SELECT a, c FROM raw.t1 WHERE b > 1 GROUP BY a, c ORDER BY c;
-- a <- raw.t1.a DIRECT:IDENTITY
-- c <- raw.t1.c DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:SORT, INDIRECT:GROUP_BY

-- title: T6 aggregation beats transformation both ways
CREATE TABLE mart.T6 AS
SELECT a AS i, a + 1 AS t, sum(b) AS a, 2 * sum(b) AS ta, 2 * sum(b + 3) AS tat
FROM raw.t1 GROUP BY a;
-- i   <- raw.t1.a DIRECT:IDENTITY
-- t   <- raw.t1.a DIRECT:TRANSFORMATION
-- a   <- raw.t1.b DIRECT:AGGREGATION
-- ta  <- raw.t1.b DIRECT:AGGREGATION
-- tat <- raw.t1.b DIRECT:AGGREGATION
-- *   <- raw.t1.a INDIRECT:GROUP_BY

-- title: T7 masking functions
CREATE TABLE mart.T7 AS
SELECT a AS i, a + 1 AS t, sha1(string(a + 1)) AS mt, sum(b) AS a, 2 * sum(b) AS ta,
  sha1(string(sum(b))) AS ma
FROM raw.t1 GROUP BY a;
-- i  <- raw.t1.a DIRECT:IDENTITY
-- t  <- raw.t1.a DIRECT:TRANSFORMATION
-- mt <- raw.t1.a DIRECT:TRANSFORMATION masking
-- a  <- raw.t1.b DIRECT:AGGREGATION
-- ta <- raw.t1.b DIRECT:AGGREGATION
-- ma <- raw.t1.b DIRECT:AGGREGATION masking
-- *  <- raw.t1.a INDIRECT:GROUP_BY

-- title: T8 CASE WHEN
CREATE TABLE mart.T8 AS SELECT CASE WHEN b > 1 THEN a ELSE a + b END AS cond FROM raw.t1;
-- cond <- raw.t1.a DIRECT:TRANSFORMATION
-- cond <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: T9 IF
CREATE TABLE mart.T9 AS SELECT IF(b > 1, a, a + b) AS cond FROM raw.t1;
-- cond <- raw.t1.a DIRECT:TRANSFORMATION
-- cond <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: T10 NULLIF
CREATE TABLE mart.T10 AS SELECT nullif(a, b) AS cond FROM raw.t1;
-- cond <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- cond <- raw.t1.b INDIRECT:CONDITIONAL

-- title: T11 NVL
CREATE TABLE mart.T11 AS SELECT nvl(a, b) AS cond FROM raw.t1;
-- cond <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- cond <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: T12 NVL2
CREATE TABLE mart.T12 AS SELECT nvl2(a, b, c) AS cond FROM raw.t1;
-- cond <- raw.t1.a INDIRECT:CONDITIONAL
-- cond <- raw.t1.b DIRECT:TRANSFORMATION
-- cond <- raw.t1.c DIRECT:TRANSFORMATION

-- title: T13 COALESCE
CREATE TABLE mart.T13 AS SELECT coalesce(a, b, 0) AS cond FROM raw.t1;
-- cond <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- cond <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: T14 explode
CREATE TABLE mart.T14 AS SELECT explode(split(a, ' ')) AS a FROM raw.texts;
-- a <- raw.texts.a DIRECT:TRANSFORMATION

-- title: T15 rank
CREATE TABLE mart.T15 AS SELECT a, RANK() OVER (PARTITION BY b ORDER BY c) AS rank FROM raw.t1;
-- a    <- raw.t1.a DIRECT:IDENTITY
-- rank <- raw.t1.b INDIRECT:WINDOW
-- rank <- raw.t1.c INDIRECT:WINDOW

-- title: T16 an aggregate over a window
CREATE TABLE mart.T16 AS SELECT sum(a) OVER (PARTITION BY b ORDER BY c) AS s FROM raw.t1;
-- s <- raw.t1.a DIRECT:AGGREGATION
-- s <- raw.t1.b INDIRECT:WINDOW
-- s <- raw.t1.c INDIRECT:WINDOW

-- title: T17 lag
CREATE TABLE mart.T17 AS SELECT LAG(a, 3, 0) OVER (PARTITION BY b ORDER BY c) AS l FROM raw.t1;
-- l <- raw.t1.a DIRECT:TRANSFORMATION
-- l <- raw.t1.b INDIRECT:WINDOW
-- l <- raw.t1.c INDIRECT:WINDOW

-- title: T18 union all
CREATE TABLE mart.T18 AS
SELECT a, b, 'table1' AS source FROM raw.t1 UNION ALL SELECT a, c, 'table2' FROM raw.t2;
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t2.a DIRECT:IDENTITY
-- b <- raw.t1.b DIRECT:IDENTITY
-- b <- raw.t2.c DIRECT:IDENTITY
-- source <-

-- title: T19 one dimension joined twice: only the predicates that were written
CREATE TABLE mart.T19 AS
SELECT f.a, x.d AS first, y.d AS second
FROM raw.t1 f LEFT JOIN raw.t3 x ON f.b = x.a LEFT JOIN raw.t3 y ON f.c = y.a
WHERE x.d IS NOT NULL AND y.d IS NOT NULL;
-- a      <- raw.t1.a DIRECT:IDENTITY
-- first  <- raw.t3.d DIRECT:IDENTITY
-- second <- raw.t3.d DIRECT:IDENTITY
-- *      <- raw.t1.b INDIRECT:JOIN
-- *      <- raw.t1.c INDIRECT:JOIN
-- *      <- raw.t3.a INDIRECT:JOIN
-- *      <- raw.t3.d INDIRECT:FILTER

-- title: T20 distinct
CREATE TABLE mart.T20 AS SELECT DISTINCT a FROM raw.t1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY

-- title: T21 nested functions
CREATE TABLE mart.T21 AS
SELECT concat(upper(substring(a, 1, 2)), lower(b), coalesce(c, '')) AS d FROM raw.texts;
-- d <- raw.texts.a DIRECT:TRANSFORMATION
-- d <- raw.texts.b DIRECT:TRANSFORMATION
-- d <- raw.texts.c DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

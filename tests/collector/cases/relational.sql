-- Joins, set operations, subqueries, CTEs, grouping.

-- title: sum over a filtered join
INSERT INTO mart.wide
SELECT o.cid, c.name, SUM(o.amount) AS total
FROM raw.orders o JOIN raw.customers c ON o.cid = c.id
WHERE c.active
GROUP BY o.cid, c.name;
-- k     <- raw.orders.cid        DIRECT:IDENTITY
-- name  <- raw.customers.name    DIRECT:IDENTITY
-- total <- raw.orders.amount     DIRECT:AGGREGATION
-- *     <- raw.customers.active  INDIRECT:FILTER
-- *     <- raw.customers.id      INDIRECT:JOIN
-- *     <- raw.customers.name    INDIRECT:GROUP_BY
-- *     <- raw.orders.cid        INDIRECT:GROUP_BY, INDIRECT:JOIN

-- title: a count of rows comes from no column
CREATE TABLE mart.counted AS SELECT COUNT(*) AS n FROM raw.orders;
-- n <-

-- title: a filter still counts where no column is left
CREATE TABLE mart.counted_some AS SELECT COUNT(*) AS n FROM raw.orders WHERE state = 'paid';
-- n <-
-- * <- raw.orders.state INDIRECT:FILTER

-- title: full outer join by name
CREATE TABLE mart.full_outer AS
SELECT a, t1.b, c, t3.b AS b2, d FROM raw.t1 FULL JOIN raw.t3 USING (a);
-- a <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- a <- raw.t3.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- b <- raw.t1.b DIRECT:IDENTITY
-- c <- raw.t1.c DIRECT:IDENTITY
-- b2 <- raw.t3.b DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN

-- title: cross join
CREATE TABLE mart.crossed AS SELECT x.a, y.d FROM raw.t1 x CROSS JOIN raw.t3 y;
-- a <- raw.t1.a DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY

-- title: semi join
CREATE TABLE mart.semi AS SELECT * FROM raw.t3 LEFT SEMI JOIN raw.t1 ON raw.t3.a = raw.t1.a;
-- a <- raw.t3.a DIRECT:IDENTITY
-- b <- raw.t3.b DIRECT:IDENTITY
-- d <- raw.t3.d DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN

-- title: anti join
CREATE TABLE mart.anti AS SELECT d FROM raw.t3 LEFT ANTI JOIN raw.t1 ON raw.t3.a = raw.t1.a;
-- d <- raw.t3.d DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t3.a INDIRECT:JOIN

-- title: self-join
CREATE TABLE mart.selfjoin AS SELECT l.a, r.c AS rc FROM raw.t1 l JOIN raw.t1 r ON l.b = r.a;
-- a  <- raw.t1.a DIRECT:IDENTITY
-- rc <- raw.t1.c DIRECT:IDENTITY
-- *  <- raw.t1.a INDIRECT:JOIN
-- *  <- raw.t1.b INDIRECT:JOIN

-- title: union distinct groups by all columns
CREATE TABLE mart.union_distinct AS SELECT a FROM raw.t1 UNION SELECT b FROM raw.t2;
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t2.b DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t2.b INDIRECT:GROUP_BY

-- title: intersect keeps the left side's columns
CREATE TABLE mart.intersected AS SELECT a FROM raw.t1 INTERSECT SELECT b FROM raw.t2;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:JOIN

-- title: except all
CREATE TABLE mart.excepted AS SELECT a FROM raw.t1 EXCEPT ALL SELECT b FROM raw.t2;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t2.b INDIRECT:JOIN

-- title: IN is a filter of both sides
CREATE TABLE mart.isin AS SELECT a FROM raw.t1 WHERE b IN (SELECT b FROM raw.t2 WHERE c > 0);
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t2.b INDIRECT:FILTER
-- * <- raw.t2.c INDIRECT:FILTER

-- title: EXISTS below OR
CREATE TABLE mart.existing AS
SELECT a FROM raw.t1 WHERE c = 1 OR EXISTS (SELECT 1 FROM raw.t2 WHERE raw.t2.a = raw.t1.b);
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER
-- * <- raw.t2.a INDIRECT:FILTER

-- title: scalar subqueries, with and without correlation
CREATE TABLE mart.scalar AS
SELECT a, (SELECT max(b) FROM raw.t2) AS m,
  (SELECT sum(c) FROM raw.t2 WHERE raw.t2.a = raw.t1.a) AS s
FROM raw.t1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- m <- raw.t2.b DIRECT:AGGREGATION
-- s <- raw.t1.a INDIRECT:FILTER
-- s <- raw.t2.a INDIRECT:FILTER
-- s <- raw.t2.c DIRECT:AGGREGATION

-- title: a scalar subquery in a filter
CREATE TABLE mart.above AS SELECT a FROM raw.t1 WHERE b > (SELECT avg(b) FROM raw.t2);
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t2.b INDIRECT:FILTER

-- title: lateral subquery
CREATE TABLE mart.lateral AS
SELECT x.a, z FROM raw.t1 x, LATERAL (SELECT y.b + x.c AS z FROM raw.t2 y WHERE y.a = x.b);
-- a <- raw.t1.a DIRECT:IDENTITY
-- z <- raw.t1.c DIRECT:TRANSFORMATION
-- z <- raw.t2.b DIRECT:TRANSFORMATION
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t2.a INDIRECT:FILTER

-- title: a CTE used twice
CREATE TABLE mart.cte AS
WITH x AS (SELECT a, b + c AS bc FROM raw.t1), y AS (SELECT a AS k, bc FROM x WHERE bc > 0)
SELECT x.bc AS l, y.bc AS r FROM x JOIN y ON x.a = y.k;
-- l <- raw.t1.b DIRECT:TRANSFORMATION
-- l <- raw.t1.c DIRECT:TRANSFORMATION
-- r <- raw.t1.b DIRECT:TRANSFORMATION
-- r <- raw.t1.c DIRECT:TRANSFORMATION
-- * <- raw.t1.a INDIRECT:JOIN
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER

-- title: rollup
CREATE TABLE mart.rolled AS SELECT a, b, sum(c) AS s FROM raw.t1 GROUP BY ROLLUP (a, b);
-- a <- raw.t1.a DIRECT:IDENTITY
-- b <- raw.t1.b DIRECT:IDENTITY
-- s <- raw.t1.c DIRECT:AGGREGATION
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:GROUP_BY

-- title: several distinct counts and a filter clause
CREATE TABLE mart.distincts AS
SELECT count(DISTINCT a) AS x, count(DISTINCT b) AS y, sum(c) FILTER (WHERE b > 1) AS z
FROM raw.t1;
-- x <- raw.t1.a DIRECT:AGGREGATION masking
-- y <- raw.t1.b DIRECT:AGGREGATION masking
-- z <- raw.t1.b INDIRECT:FILTER
-- z <- raw.t1.c DIRECT:AGGREGATION

-- title: having
CREATE TABLE mart.having AS SELECT a FROM raw.t1 GROUP BY a HAVING max(b) > 1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:FILTER

-- title: pivot
CREATE TABLE mart.pivoted AS
SELECT * FROM (SELECT a, b, c FROM raw.t1) PIVOT (sum(c) FOR b IN (1 AS one, 2 AS two));
-- a   <- raw.t1.a DIRECT:IDENTITY
-- one <- raw.t1.b INDIRECT:CONDITIONAL
-- one <- raw.t1.c DIRECT:AGGREGATION
-- two <- raw.t1.b INDIRECT:CONDITIONAL
-- two <- raw.t1.c DIRECT:AGGREGATION
-- *   <- raw.t1.a INDIRECT:GROUP_BY
-- *   <- raw.t1.b INDIRECT:GROUP_BY

-- title: unpivot
CREATE TABLE mart.unpivoted AS SELECT * FROM raw.t1 UNPIVOT (v FOR n IN (b, c));
-- a <- raw.t1.a DIRECT:IDENTITY
-- n <-
-- v <- raw.t1.b DIRECT:IDENTITY
-- v <- raw.t1.c DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER

-- title: stack
CREATE TABLE mart.stacked AS SELECT a, stack(2, 'b', b, 'c', c) AS (n, v) FROM raw.t1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- n <-
-- v <- raw.t1.b DIRECT:IDENTITY
-- v <- raw.t1.c DIRECT:IDENTITY

-- title: max_by, its ordering only decides
CREATE TABLE mart.latest AS SELECT max_by(a, b) AS a, first(c) AS c FROM raw.t1;
-- a <- raw.t1.a DIRECT:AGGREGATION
-- a <- raw.t1.b INDIRECT:CONDITIONAL
-- c <- raw.t1.c DIRECT:AGGREGATION

-- title: the rank's filter
CREATE TABLE mart.top AS
SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY b ORDER BY c) AS n FROM raw.t1) WHERE n = 1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER

-- title: recursive query
CREATE TABLE mart.recursive AS
WITH RECURSIVE r(n) AS (SELECT a FROM raw.t1 UNION ALL SELECT n + 1 FROM r WHERE n < 3)
SELECT n FROM r;
-- n <- raw.t1.a DIRECT:IDENTITY, DIRECT:TRANSFORMATION
-- * <- raw.t1.a INDIRECT:FILTER

-- title: where nothing is true
CREATE TABLE mart.nothing AS SELECT a FROM raw.t1 WHERE 1 = 0;
-- a <- raw.t1.a DIRECT:IDENTITY

-- title: limit, sample and hints change no column
CREATE TABLE mart.few AS
SELECT /*+ REPARTITION(1) */ a FROM raw.t1 TABLESAMPLE (50 PERCENT) ORDER BY b LIMIT 3 OFFSET 1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- * <- raw.t1.b INDIRECT:SORT

-- title: rows through a command of the system
CREATE TABLE mart.scripted AS
SELECT TRANSFORM(a, b) USING 'cat' AS (x STRING, y STRING) FROM raw.t1 WHERE c > 1;
-- x <- raw.t1.a DIRECT:TRANSFORMATION
-- x <- raw.t1.b DIRECT:TRANSFORMATION
-- y <- raw.t1.a DIRECT:TRANSFORMATION
-- y <- raw.t1.b DIRECT:TRANSFORMATION
-- * <- raw.t1.a INDIRECT:FILTER
-- * <- raw.t1.b INDIRECT:FILTER
-- * <- raw.t1.c INDIRECT:FILTER

-- title: a list in an order
CREATE TABLE mart.listed AS
SELECT listagg(name, ',') WITHIN GROUP (ORDER BY id) AS names FROM raw.customers;
-- names <- raw.customers.id   INDIRECT:SORT
-- names <- raw.customers.name DIRECT:AGGREGATION

-- title: a union that Spark widens, and one that the user does
INSERT OVERWRITE DIRECTORY '${root}/files/widened' USING parquet
SELECT a, b, c FROM (SELECT a, b, c FROM raw.t1 UNION ALL SELECT id, id + 1, 7L FROM raw.orders)
UNION
SELECT a, b, c FROM (SELECT cast(a AS BIGINT) AS a, b, c FROM raw.t2);
-- a <- raw.orders.id DIRECT:IDENTITY
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t2.a DIRECT:TRANSFORMATION
-- b <- raw.orders.id DIRECT:TRANSFORMATION
-- b <- raw.t1.b DIRECT:IDENTITY
-- b <- raw.t2.b DIRECT:IDENTITY
-- c <- raw.t1.c DIRECT:IDENTITY
-- c <- raw.t2.c DIRECT:IDENTITY
-- * <- raw.orders.id INDIRECT:GROUP_BY
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:GROUP_BY
-- * <- raw.t1.c INDIRECT:GROUP_BY
-- * <- raw.t2.a INDIRECT:GROUP_BY
-- * <- raw.t2.b INDIRECT:GROUP_BY
-- * <- raw.t2.c INDIRECT:GROUP_BY

-- title: set operations that Spark widens, one in a subquery
INSERT OVERWRITE DIRECTORY '${root}/files/narrowed' USING parquet
SELECT a, (SELECT max(a) FROM (SELECT a FROM raw.t3 UNION SELECT id FROM raw.orders)) AS m
FROM (SELECT a FROM raw.t1 INTERSECT SELECT id FROM raw.orders);
-- a <- raw.t1.a DIRECT:IDENTITY
-- m <- raw.orders.id DIRECT:AGGREGATION, INDIRECT:GROUP_BY
-- m <- raw.t3.a DIRECT:AGGREGATION, INDIRECT:GROUP_BY
-- * <- raw.orders.id INDIRECT:JOIN
-- * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:JOIN

-- title: columns of several types, unpivoted
INSERT OVERWRITE DIRECTORY '${root}/files/unpivoted' USING parquet
SELECT cid, name, value FROM raw.orders UNPIVOT (value FOR name IN (id, amount));
-- cid   <- raw.orders.cid DIRECT:IDENTITY
-- name  <-
-- value <- raw.orders.amount DIRECT:IDENTITY
-- value <- raw.orders.id DIRECT:IDENTITY
-- * <- raw.orders.amount INDIRECT:FILTER
-- * <- raw.orders.id INDIRECT:FILTER

-- title: casts by the name of a type beside a union
INSERT OVERWRITE DIRECTORY '${root}/files/named_casts' USING parquet
SELECT bigint(a) AS a, double(b) AS b FROM raw.t1 UNION ALL SELECT id, amount FROM raw.orders
UNION ALL SELECT a, `double`(b) AS b FROM raw.t2;
-- a <- raw.orders.id     DIRECT:IDENTITY
-- a <- raw.t1.a          DIRECT:TRANSFORMATION
-- a <- raw.t2.a          DIRECT:IDENTITY
-- b <- raw.orders.amount DIRECT:IDENTITY
-- b <- raw.t1.b          DIRECT:TRANSFORMATION
-- b <- raw.t2.b          DIRECT:TRANSFORMATION

-- title: casts by the name of a type in an insert
INSERT INTO mart.wide SELECT bigint(a) AS k, b AS name, double(c) AS total FROM raw.t1;
-- k     <- raw.t1.a DIRECT:TRANSFORMATION
-- name  <- raw.t1.b DIRECT:IDENTITY
-- total <- raw.t1.c DIRECT:TRANSFORMATION

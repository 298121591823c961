-- Further cases of OpenLineage's own catalogue, by its ids: see docs/coverage.md.

-- title: L1 a filter inside the field
CREATE TABLE mart.L1 AS SELECT a FROM raw.t1 WHERE b > 1;
-- with: legacyIndirect=true
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t1.b INDIRECT:FILTER

-- title: L2 group, sort and filter inside each field
CREATE TABLE mart.L2 AS SELECT a, c FROM raw.t1 WHERE b > 1 GROUP BY a, c ORDER BY c;
-- with: legacyIndirect=true
-- a <- raw.t1.a DIRECT:IDENTITY, INDIRECT:GROUP_BY
-- a <- raw.t1.b INDIRECT:FILTER
-- a <- raw.t1.c INDIRECT:SORT, INDIRECT:GROUP_BY
-- c <- raw.t1.a INDIRECT:GROUP_BY
-- c <- raw.t1.b INDIRECT:FILTER
-- c <- raw.t1.c DIRECT:IDENTITY, INDIRECT:SORT, INDIRECT:GROUP_BY

-- title: L3 masking functions, the grouping inside each field
CREATE TABLE mart.L3 AS
SELECT a AS i, a + 1 AS t, sha1(string(a + 1)) AS mt, sum(b) AS a, 2 * sum(b) AS ta,
  sha1(string(sum(b))) AS ma
FROM raw.t1 GROUP BY a;
-- with: legacyIndirect=true
-- i  <- raw.t1.a DIRECT:IDENTITY, INDIRECT:GROUP_BY
-- t  <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:GROUP_BY
-- mt <- raw.t1.a INDIRECT:GROUP_BY, DIRECT:TRANSFORMATION masking
-- a  <- raw.t1.a INDIRECT:GROUP_BY
-- a  <- raw.t1.b DIRECT:AGGREGATION
-- ta <- raw.t1.a INDIRECT:GROUP_BY
-- ta <- raw.t1.b DIRECT:AGGREGATION
-- ma <- raw.t1.a INDIRECT:GROUP_BY
-- ma <- raw.t1.b DIRECT:AGGREGATION masking

-- title: L4 three CTEs, two joins, two filters and a sort: 28 edges
CREATE TABLE mart.L4 AS
WITH x AS (SELECT a, b FROM raw.t1 WHERE b > 1), y AS (SELECT a, c FROM raw.t2 WHERE c > 1),
  z AS (SELECT a, d FROM raw.t3)
SELECT x.a, x.b, y.c, z.d FROM x JOIN y ON x.a = y.a JOIN z ON x.a = z.a ORDER BY z.d;
-- with: legacyIndirect=true
-- a <- raw.t1.a DIRECT:IDENTITY, INDIRECT:JOIN
-- a <- raw.t1.b INDIRECT:FILTER
-- a <- raw.t2.a INDIRECT:JOIN
-- a <- raw.t2.c INDIRECT:FILTER
-- a <- raw.t3.a INDIRECT:JOIN
-- a <- raw.t3.d INDIRECT:SORT
-- b <- raw.t1.a INDIRECT:JOIN
-- b <- raw.t1.b DIRECT:IDENTITY, INDIRECT:FILTER
-- b <- raw.t2.a INDIRECT:JOIN
-- b <- raw.t2.c INDIRECT:FILTER
-- b <- raw.t3.a INDIRECT:JOIN
-- b <- raw.t3.d INDIRECT:SORT
-- c <- raw.t1.a INDIRECT:JOIN
-- c <- raw.t1.b INDIRECT:FILTER
-- c <- raw.t2.a INDIRECT:JOIN
-- c <- raw.t2.c DIRECT:IDENTITY, INDIRECT:FILTER
-- c <- raw.t3.a INDIRECT:JOIN
-- c <- raw.t3.d INDIRECT:SORT
-- d <- raw.t1.a INDIRECT:JOIN
-- d <- raw.t1.b INDIRECT:FILTER
-- d <- raw.t2.a INDIRECT:JOIN
-- d <- raw.t2.c INDIRECT:FILTER
-- d <- raw.t3.a INDIRECT:JOIN
-- d <- raw.t3.d DIRECT:IDENTITY, INDIRECT:SORT

-- title: I8 both columns from the same two
CREATE TABLE mart.I8 AS
SELECT concat(cast(a AS STRING), cast(b AS STRING)) AS c, a + b AS d FROM raw.t1;
-- c <- raw.t1.a DIRECT:TRANSFORMATION
-- c <- raw.t1.b DIRECT:TRANSFORMATION
-- d <- raw.t1.a DIRECT:TRANSFORMATION
-- d <- raw.t1.b DIRECT:TRANSFORMATION

-- title: I11 a CTE that renames its columns
INSERT OVERWRITE DIRECTORY '${root}/files/I11' USING parquet
WITH renamed (c, d) AS (SELECT a, b FROM raw.t1) SELECT c, d FROM renamed WHERE c = 1;
-- c <- raw.t1.a DIRECT:IDENTITY
-- d <- raw.t1.b DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:FILTER
-- with: legacyIndirect=true
-- c <- raw.t1.a DIRECT:IDENTITY, INDIRECT:FILTER
-- d <- raw.t1.a INDIRECT:FILTER
-- d <- raw.t1.b DIRECT:IDENTITY

-- title: U3 a join without a condition decides on nothing
CREATE TABLE mart.U3 AS SELECT x.a FROM raw.t1 x JOIN raw.t2 y;
-- a <- raw.t1.a DIRECT:IDENTITY

-- title: U3 the rank of a window counts no argument
CREATE TABLE mart.U3_rank AS SELECT rank() OVER (ORDER BY a) AS r FROM raw.t1;
-- r <- raw.t1.a INDIRECT:WINDOW

-- title: U3 a grouping of a whole union is one that the user wrote
CREATE TABLE mart.U3_union AS
SELECT a, b FROM (SELECT a, b FROM raw.t1 UNION ALL SELECT a, b FROM raw.t2) GROUP BY a, b;
-- a <- raw.t1.a DIRECT:IDENTITY
-- a <- raw.t2.a DIRECT:IDENTITY
-- b <- raw.t1.b DIRECT:IDENTITY
-- b <- raw.t2.b DIRECT:IDENTITY
-- * <- raw.t1.a INDIRECT:GROUP_BY
-- * <- raw.t1.b INDIRECT:GROUP_BY
-- * <- raw.t2.a INDIRECT:GROUP_BY
-- * <- raw.t2.b INDIRECT:GROUP_BY

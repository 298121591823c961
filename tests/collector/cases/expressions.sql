-- Expressions whose inputs are not simply all of their arguments.

-- title: between and nullif inside each other
CREATE TABLE mart.between AS
SELECT nullif(a BETWEEN b AND 5, c BETWEEN 1 AND 2) AS x FROM raw.t1;
-- x <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- x <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- x <- raw.t1.c INDIRECT:CONDITIONAL

-- title: all functions that mask, and some that do not
CREATE TABLE mart.masked AS
SELECT crc32(ssn) AS a, hash(ssn) AS b, md5(ssn) AS c, sha2(ssn, 256) AS d, xxhash64(ssn) AS e,
  mask(ssn) AS f, upper(ssn) AS g, max(name) OVER () AS h
FROM raw.customers;
-- a <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- b <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- c <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- d <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- e <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- f <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- g <- raw.customers.ssn DIRECT:TRANSFORMATION
-- h <- raw.customers.name DIRECT:AGGREGATION

-- title: masking sticks through what comes after
CREATE TABLE mart.sticky AS
SELECT upper(h) AS h FROM (SELECT sha1(ssn) AS h FROM raw.customers) WHERE h > 'a';
-- h <- raw.customers.ssn DIRECT:TRANSFORMATION masking
-- * <- raw.customers.ssn INDIRECT:FILTER masking

-- title: reading a member of a struct
CREATE TABLE mart.member AS SELECT s.x AS x, s FROM raw.nested;
-- x <- raw.nested.s DIRECT:TRANSFORMATION
-- s <- raw.nested.s DIRECT:IDENTITY

-- title: a struct that is built and read again
CREATE TABLE mart.rebuilt AS
SELECT q.one, q FROM (SELECT named_struct('one', a, 'two', b) AS q FROM raw.t1);
-- one <- raw.t1.a DIRECT:IDENTITY
-- q   <- raw.t1.a DIRECT:TRANSFORMATION
-- q   <- raw.t1.b DIRECT:TRANSFORMATION

-- title: higher-order functions
CREATE TABLE mart.lambdas AS
SELECT transform(arr, x -> x + k) AS t, filter(arr, x -> x > 1) AS f,
  aggregate(arr, 0, (acc, x) -> acc + x) AS g, zip_with(arr, other, (x, y) -> x) AS z,
  transform(items, i -> i.sku) AS skus
FROM raw.nested;
-- t    <- raw.nested.arr   DIRECT:TRANSFORMATION
-- t    <- raw.nested.k     DIRECT:TRANSFORMATION
-- f    <- raw.nested.arr   DIRECT:TRANSFORMATION
-- g    <- raw.nested.arr   DIRECT:TRANSFORMATION
-- z    <- raw.nested.arr   DIRECT:TRANSFORMATION
-- z    <- raw.nested.other DIRECT:TRANSFORMATION
-- skus <- raw.nested.items DIRECT:TRANSFORMATION

-- title: exploding arrays of structs and maps
CREATE TABLE mart.exploded AS
SELECT n.k, i.sku, p, m.key, m.value
FROM raw.nested n LATERAL VIEW OUTER inline(items) i AS sku, n
LATERAL VIEW posexplode(arr) a AS p, v LATERAL VIEW explode(attrs) m AS key, value;
-- k     <- raw.nested.k     DIRECT:IDENTITY
-- sku   <- raw.nested.items DIRECT:TRANSFORMATION
-- p     <- raw.nested.arr   DIRECT:TRANSFORMATION
-- key   <- raw.nested.attrs DIRECT:TRANSFORMATION
-- value <- raw.nested.attrs DIRECT:TRANSFORMATION

-- title: windows of every kind
CREATE TABLE mart.windows AS
SELECT dense_rank() OVER w AS d, ntile(2) OVER w AS n, lead(c) OVER w AS l,
  first_value(c) OVER w AS f, nth_value(c, 2) OVER w AS v, count(*) OVER w AS k
FROM raw.t1 WINDOW w AS (PARTITION BY a ORDER BY b);
-- d <- raw.t1.a INDIRECT:WINDOW
-- d <- raw.t1.b INDIRECT:WINDOW
-- n <- raw.t1.a INDIRECT:WINDOW
-- n <- raw.t1.b INDIRECT:WINDOW
-- l <- raw.t1.a INDIRECT:WINDOW
-- l <- raw.t1.b INDIRECT:WINDOW
-- l <- raw.t1.c DIRECT:TRANSFORMATION
-- f <- raw.t1.a INDIRECT:WINDOW
-- f <- raw.t1.b INDIRECT:WINDOW
-- f <- raw.t1.c DIRECT:AGGREGATION
-- v <- raw.t1.a INDIRECT:WINDOW
-- v <- raw.t1.b INDIRECT:WINDOW
-- v <- raw.t1.c DIRECT:TRANSFORMATION
-- k <- raw.t1.a INDIRECT:WINDOW
-- k <- raw.t1.b INDIRECT:WINDOW

-- title: constants and generated values come from no column
CREATE TABLE mart.constants AS
SELECT 1 AS one, current_date() AS today, rand() AS r, uuid() AS u, a FROM raw.t1;
-- one   <-
-- today <-
-- r     <-
-- u     <-
-- a     <- raw.t1.a DIRECT:IDENTITY

-- title: odd names
CREATE TABLE mart.odd AS
SELECT `a.b` AS `x.y`, `a b` AS spaced, `naïve` AS `ünï`, z AS lower FROM raw.odd;
-- x.y    <- raw.odd.a.b   DIRECT:IDENTITY
-- spaced <- raw.odd.a b   DIRECT:IDENTITY
-- ünï    <- raw.odd.naïve DIRECT:IDENTITY
-- lower  <- raw.odd.Z     DIRECT:IDENTITY

-- title: names in another case
CREATE TABLE mart.cased AS SELECT B AS Total FROM raw.T1;
-- Total <- raw.t1.b DIRECT:IDENTITY

-- title: the same column twice
CREATE TABLE mart.twice AS SELECT a AS x, a AS y FROM raw.t1;
-- x <- raw.t1.a DIRECT:IDENTITY
-- y <- raw.t1.a DIRECT:IDENTITY

-- title: functions that hand elements on
CREATE TABLE mart.elements AS
SELECT items.sku AS skus, items[0].n AS first_n, element_at(items, 1).sku AS e, attrs['m'] AS m,
  array(k, arr[0]) AS made, map('k', k) AS mapped, slice(reverse(arr), 1, 1) AS r,
  flatten(array(arr, other)) AS f, array_distinct(shuffle(arr)) AS d
FROM raw.nested;
-- skus    <- raw.nested.items DIRECT:TRANSFORMATION
-- first_n <- raw.nested.items DIRECT:TRANSFORMATION
-- e       <- raw.nested.items DIRECT:TRANSFORMATION
-- m       <- raw.nested.attrs DIRECT:TRANSFORMATION
-- made    <- raw.nested.k     DIRECT:TRANSFORMATION
-- made    <- raw.nested.arr   DIRECT:TRANSFORMATION
-- mapped  <- raw.nested.k     DIRECT:TRANSFORMATION
-- r       <- raw.nested.arr   DIRECT:TRANSFORMATION
-- f       <- raw.nested.arr   DIRECT:TRANSFORMATION
-- f       <- raw.nested.other DIRECT:TRANSFORMATION
-- d       <- raw.nested.arr   DIRECT:TRANSFORMATION

-- title: aggregates that give a value away, and those that count
CREATE TABLE mart.aggregates AS
SELECT min(a) AS lo, last(a) AS l, any_value(a) AS v, mode(a) AS m, collect_list(a) AS cl,
  collect_set(a) AS cs, min_by(a, b) AS mb, count_if(a > 1) AS ci, approx_count_distinct(a) AS d
FROM raw.t1;
-- lo <- raw.t1.a DIRECT:AGGREGATION
-- l  <- raw.t1.a DIRECT:AGGREGATION
-- v  <- raw.t1.a DIRECT:AGGREGATION
-- m  <- raw.t1.a DIRECT:AGGREGATION
-- cl <- raw.t1.a DIRECT:AGGREGATION
-- cs <- raw.t1.a DIRECT:AGGREGATION
-- mb <- raw.t1.a DIRECT:AGGREGATION
-- mb <- raw.t1.b INDIRECT:CONDITIONAL
-- ci <- raw.t1.a DIRECT:AGGREGATION masking
-- d  <- raw.t1.a DIRECT:AGGREGATION

-- title: more ranks, and nanvl
CREATE TABLE mart.ranks AS
SELECT cume_dist() OVER (ORDER BY a) AS c, percent_rank() OVER (ORDER BY a) AS p,
  nanvl(b, c) AS n
FROM raw.t1;
-- c <- raw.t1.a INDIRECT:WINDOW
-- p <- raw.t1.a INDIRECT:WINDOW
-- n <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- n <- raw.t1.c DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: an alias used again in the same select
CREATE TABLE mart.lateral_alias AS SELECT a + b AS x, x * 2 AS y FROM raw.t1;
-- x <- raw.t1.a DIRECT:TRANSFORMATION
-- x <- raw.t1.b DIRECT:TRANSFORMATION
-- y <- raw.t1.a DIRECT:TRANSFORMATION
-- y <- raw.t1.b DIRECT:TRANSFORMATION

-- title: one element of what was built from several
CREATE TABLE mart.taken AS
SELECT array(a, b)[0] AS x, element_at(array(a, b, c), -1) AS l, element_at(array(a, b), 1) AS e,
  map('a', a, 'b', b)['a'] AS m, map_from_arrays(array('p', 'q'), array(b, c))['q'] AS f,
  array(array(a, b), array(b, c))[1][1] AS i, array(named_struct('p', a), named_struct('p', b))[1].p AS s,
  struct(a, b).a AS t, named_struct('x', a, 'y', b).y AS n, get(array(a, b), 5) AS none
FROM raw.t1;
-- x    <- raw.t1.a DIRECT:TRANSFORMATION
-- l    <- raw.t1.c DIRECT:TRANSFORMATION
-- e    <- raw.t1.a DIRECT:TRANSFORMATION
-- m    <- raw.t1.a DIRECT:TRANSFORMATION
-- f    <- raw.t1.c DIRECT:TRANSFORMATION
-- i    <- raw.t1.c DIRECT:TRANSFORMATION
-- s    <- raw.t1.b DIRECT:TRANSFORMATION
-- t    <- raw.t1.a DIRECT:IDENTITY
-- n    <- raw.t1.b DIRECT:IDENTITY
-- none <-

-- title: an element of what a subquery built
CREATE TABLE mart.taken_above AS
SELECT items[1] AS one, by_name['b'] AS two, items FROM (
  SELECT array(a, b) AS items, map('a', a, 'b', c) AS by_name FROM raw.t1) WHERE items[0] > 1;
-- one   <- raw.t1.b DIRECT:TRANSFORMATION
-- two   <- raw.t1.c DIRECT:TRANSFORMATION
-- items <- raw.t1.a DIRECT:TRANSFORMATION
-- items <- raw.t1.b DIRECT:TRANSFORMATION
-- *     <- raw.t1.a INDIRECT:FILTER

-- title: an element that nobody knows
CREATE TABLE mart.any_taken AS
SELECT array(a, b)[c - 3] AS x, map(a, b)[1] AS m, reverse(array(a, b))[0] AS r,
  collect_list(array(a, b)) OVER ()[0][1] AS l, concat(array(a), array(b))[0] AS j,
  transform(array(array(a, b), array(b, c)), v -> v[0]) AS t, coalesce(array(a, b), array(c))[0] AS o
FROM raw.t1;
-- x <- raw.t1.a DIRECT:TRANSFORMATION
-- x <- raw.t1.b DIRECT:TRANSFORMATION
-- x <- raw.t1.c DIRECT:TRANSFORMATION
-- m <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- m <- raw.t1.b DIRECT:TRANSFORMATION
-- r <- raw.t1.a DIRECT:TRANSFORMATION
-- r <- raw.t1.b DIRECT:TRANSFORMATION
-- l <- raw.t1.a DIRECT:AGGREGATION
-- l <- raw.t1.b DIRECT:AGGREGATION
-- j <- raw.t1.a DIRECT:TRANSFORMATION
-- j <- raw.t1.b DIRECT:TRANSFORMATION
-- t <- raw.t1.a DIRECT:TRANSFORMATION
-- t <- raw.t1.b DIRECT:TRANSFORMATION
-- t <- raw.t1.c DIRECT:TRANSFORMATION
-- o <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- o <- raw.t1.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- o <- raw.t1.c DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: what depends on no value
CREATE TABLE mart.of_types AS
SELECT typeof(a) AS t, typeof(a + b) AS u, size(array(a, b)) AS n, map_keys(map('a', a)) AS k,
  map_values(map(a, b)) AS v, size(map(a, b)) AS s, size(arr) AS given
FROM raw.t1 CROSS JOIN raw.nested;
-- t     <-
-- u     <-
-- n     <-
-- k     <-
-- v     <- raw.t1.a INDIRECT:CONDITIONAL
-- v     <- raw.t1.b DIRECT:TRANSFORMATION
-- s     <- raw.t1.a DIRECT:TRANSFORMATION
-- given <- raw.nested.arr DIRECT:TRANSFORMATION

-- title: columns made rows by a map or an array
CREATE TABLE mart.made_rows AS
SELECT name, value, place, item FROM raw.t1
LATERAL VIEW explode(map('a', a, 'b', b)) m AS name, value
LATERAL VIEW posexplode(array(b, c)) p AS place, item;
-- name  <-
-- value <- raw.t1.a DIRECT:TRANSFORMATION
-- value <- raw.t1.b DIRECT:TRANSFORMATION
-- place <-
-- item  <- raw.t1.b DIRECT:TRANSFORMATION
-- item  <- raw.t1.c DIRECT:TRANSFORMATION

-- title: what a lambda takes of structs that were collected
INSERT OVERWRITE DIRECTORY '${root}/files/taken' USING parquet
SELECT transform(array_sort(l), x -> x.c) AS cs, transform(l, x -> x.b + k) AS bs,
  transform(l, x -> 1) AS ones, transform(l, x -> x) AS same,
  aggregate(l, k, (sum, x) -> sum + x.b) AS total, exists(l, x -> x.c > 1) AS some
FROM (SELECT collect_list(struct(b, c)) AS l, max(a) AS k FROM raw.t1);
-- cs   <- raw.t1.b INDIRECT:CONDITIONAL
-- cs   <- raw.t1.c DIRECT:AGGREGATION
-- bs   <- raw.t1.a DIRECT:AGGREGATION
-- bs   <- raw.t1.b DIRECT:AGGREGATION
-- ones <- raw.t1.b DIRECT:AGGREGATION
-- ones <- raw.t1.c DIRECT:AGGREGATION
-- same <- raw.t1.b DIRECT:AGGREGATION
-- same <- raw.t1.c DIRECT:AGGREGATION
-- total <- raw.t1.a DIRECT:AGGREGATION
-- total <- raw.t1.b DIRECT:AGGREGATION
-- some <- raw.t1.c DIRECT:AGGREGATION

-- title: arrays sorted in Spark's own order and maps as a whole
INSERT OVERWRITE DIRECTORY '${root}/files/sorted' USING parquet
SELECT array_sort(arr) AS s, array_sort(arr, (x, y) -> if(x < y, k, 0)) AS u,
  map(k, arr[0]) AS m, map(k, arr[0])[1] AS e, map_from_arrays(array(k), array(s.x)) AS f,
  map_values(map(k, s.x)) AS v
FROM raw.nested;
-- s <- raw.nested.arr DIRECT:TRANSFORMATION
-- u <- raw.nested.arr DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- u <- raw.nested.k INDIRECT:CONDITIONAL
-- m <- raw.nested.arr DIRECT:TRANSFORMATION
-- m <- raw.nested.k DIRECT:TRANSFORMATION
-- e <- raw.nested.arr DIRECT:TRANSFORMATION
-- e <- raw.nested.k DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- f <- raw.nested.k DIRECT:TRANSFORMATION
-- f <- raw.nested.s DIRECT:TRANSFORMATION
-- v <- raw.nested.k INDIRECT:CONDITIONAL
-- v <- raw.nested.s DIRECT:TRANSFORMATION

-- title: elements kept as a column decides
INSERT OVERWRITE DIRECTORY '${root}/files/kept' USING parquet
SELECT filter(arr, x -> x > k) AS f, map_filter(attrs, (key, value) -> value > s.y) AS m,
  filter(items, i -> i.n > k) AS i, array_sort(other, (x, y) -> (x - y) * k) AS o FROM raw.nested;
-- f <- raw.nested.arr DIRECT:TRANSFORMATION
-- f <- raw.nested.k INDIRECT:CONDITIONAL
-- m <- raw.nested.attrs DIRECT:TRANSFORMATION
-- m <- raw.nested.s INDIRECT:CONDITIONAL
-- i <- raw.nested.items DIRECT:TRANSFORMATION
-- i <- raw.nested.k INDIRECT:CONDITIONAL
-- o <- raw.nested.k INDIRECT:CONDITIONAL
-- o <- raw.nested.other DIRECT:TRANSFORMATION

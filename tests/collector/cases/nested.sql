-- Structs, arrays and maps: as columns, and member by member where that is asked for.

-- title: members read
INSERT OVERWRITE DIRECTORY '${root}/files/n1' USING parquet
SELECT s.x AS x, s.y, s, k FROM raw.nested;
-- x <- raw.nested.s DIRECT:TRANSFORMATION
-- y <- raw.nested.s DIRECT:TRANSFORMATION
-- s <- raw.nested.s DIRECT:IDENTITY
-- k <- raw.nested.k DIRECT:IDENTITY
-- with: nestedFields=true
-- x   <- raw.nested.s.x DIRECT:IDENTITY
-- y   <- raw.nested.s.y DIRECT:IDENTITY
-- s   <- raw.nested.s DIRECT:IDENTITY
-- s.x <- raw.nested.s.x DIRECT:IDENTITY
-- s.y <- raw.nested.s.y DIRECT:IDENTITY
-- k   <- raw.nested.k DIRECT:IDENTITY

-- title: structs built
INSERT OVERWRITE DIRECTORY '${root}/files/n2' USING parquet
SELECT named_struct('one', k, 'two', s.x + 1) AS q, struct(k, s) AS r
FROM raw.nested;
-- q <- raw.nested.k DIRECT:TRANSFORMATION
-- q <- raw.nested.s DIRECT:TRANSFORMATION
-- r <- raw.nested.k DIRECT:TRANSFORMATION
-- r <- raw.nested.s DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- q     <- raw.nested.k DIRECT:TRANSFORMATION
-- q     <- raw.nested.s.x DIRECT:TRANSFORMATION
-- q.one <- raw.nested.k DIRECT:IDENTITY
-- q.two <- raw.nested.s.x DIRECT:TRANSFORMATION
-- r     <- raw.nested.k DIRECT:TRANSFORMATION
-- r     <- raw.nested.s DIRECT:TRANSFORMATION
-- r.k   <- raw.nested.k DIRECT:IDENTITY
-- r.s   <- raw.nested.s DIRECT:IDENTITY
-- r.s.x <- raw.nested.s.x DIRECT:IDENTITY
-- r.s.y <- raw.nested.s.y DIRECT:IDENTITY

-- title: members of an array's elements
INSERT OVERWRITE DIRECTORY '${root}/files/n3' USING parquet
SELECT items.sku AS skus, items[0].n AS n0, items[0] AS i0, element_at(items, 1) AS e
FROM raw.nested;
-- skus <- raw.nested.items DIRECT:TRANSFORMATION
-- n0   <- raw.nested.items DIRECT:TRANSFORMATION
-- i0   <- raw.nested.items DIRECT:TRANSFORMATION
-- e    <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- skus   <- raw.nested.items.sku DIRECT:IDENTITY
-- n0     <- raw.nested.items.n DIRECT:TRANSFORMATION
-- i0     <- raw.nested.items DIRECT:TRANSFORMATION
-- i0.sku <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- i0.n   <- raw.nested.items.n DIRECT:TRANSFORMATION
-- e      <- raw.nested.items DIRECT:TRANSFORMATION
-- e.sku  <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- e.n    <- raw.nested.items.n DIRECT:TRANSFORMATION

-- title: arrays and maps of structs built
INSERT OVERWRITE DIRECTORY '${root}/files/n4' USING parquet
SELECT array(named_struct('p', k, 'q', s.y)) AS made,
  map('m', named_struct('v', k)) AS m
FROM raw.nested;
-- made <- raw.nested.k DIRECT:TRANSFORMATION
-- made <- raw.nested.s DIRECT:TRANSFORMATION
-- m    <- raw.nested.k DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- made   <- raw.nested.k DIRECT:TRANSFORMATION
-- made   <- raw.nested.s.y DIRECT:TRANSFORMATION
-- made.p <- raw.nested.k DIRECT:TRANSFORMATION
-- made.q <- raw.nested.s.y DIRECT:TRANSFORMATION
-- m      <- raw.nested.k DIRECT:TRANSFORMATION
-- m.v    <- raw.nested.k DIRECT:TRANSFORMATION

-- title: lambdas over structs
INSERT OVERWRITE DIRECTORY '${root}/files/n5' USING parquet
SELECT transform(items, i -> named_struct('code', upper(i.sku), 'm', i.n, 'k', k)) AS t,
  filter(items, i -> i.n > 1) AS f
FROM raw.nested;
-- t <- raw.nested.items DIRECT:TRANSFORMATION
-- t <- raw.nested.k DIRECT:TRANSFORMATION
-- f <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- t      <- raw.nested.items DIRECT:TRANSFORMATION
-- t      <- raw.nested.items.n DIRECT:TRANSFORMATION
-- t      <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- t      <- raw.nested.k DIRECT:TRANSFORMATION
-- t.code <- raw.nested.items INDIRECT:CONDITIONAL
-- t.code <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- t.m    <- raw.nested.items INDIRECT:CONDITIONAL
-- t.m    <- raw.nested.items.n DIRECT:TRANSFORMATION
-- t.k    <- raw.nested.items INDIRECT:CONDITIONAL
-- t.k    <- raw.nested.k DIRECT:TRANSFORMATION
-- f      <- raw.nested.items DIRECT:TRANSFORMATION
-- f      <- raw.nested.items.n DIRECT:TRANSFORMATION
-- f.sku  <- raw.nested.items.n INDIRECT:CONDITIONAL
-- f.sku  <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- f.n    <- raw.nested.items.n DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

-- title: exploded structs
INSERT OVERWRITE DIRECTORY '${root}/files/n6' USING parquet
SELECT k, i.sku, i FROM raw.nested LATERAL VIEW explode(items) e AS i;
-- k   <- raw.nested.k DIRECT:IDENTITY
-- sku <- raw.nested.items DIRECT:TRANSFORMATION
-- i   <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- k     <- raw.nested.k DIRECT:IDENTITY
-- sku   <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- i     <- raw.nested.items DIRECT:TRANSFORMATION
-- i.sku <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- i.n   <- raw.nested.items.n DIRECT:TRANSFORMATION

-- title: inline
INSERT OVERWRITE DIRECTORY '${root}/files/n7' USING parquet
SELECT k, sku, n FROM raw.nested LATERAL VIEW inline(items) e AS sku, n;
-- k   <- raw.nested.k DIRECT:IDENTITY
-- sku <- raw.nested.items DIRECT:TRANSFORMATION
-- n   <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- k   <- raw.nested.k DIRECT:IDENTITY
-- sku <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- n   <- raw.nested.items.n DIRECT:TRANSFORMATION

-- title: exploded with positions
INSERT OVERWRITE DIRECTORY '${root}/files/n8' USING parquet
SELECT pos, col.sku AS s, col
FROM raw.nested LATERAL VIEW posexplode(items) e AS pos, col;
-- pos <- raw.nested.items DIRECT:TRANSFORMATION
-- s   <- raw.nested.items DIRECT:TRANSFORMATION
-- col <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- pos     <- raw.nested.items DIRECT:TRANSFORMATION
-- s       <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- col     <- raw.nested.items DIRECT:TRANSFORMATION
-- col.sku <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- col.n   <- raw.nested.items.n DIRECT:TRANSFORMATION

-- title: structs out of text
INSERT OVERWRITE DIRECTORY '${root}/files/n9' USING parquet
SELECT from_json(a, 'p STRING, q INT') AS j, from_json(a, 'p STRING, q INT').q AS q
FROM raw.texts;
-- j <- raw.texts.a DIRECT:TRANSFORMATION
-- q <- raw.texts.a DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- j   <- raw.texts.a DIRECT:TRANSFORMATION
-- j.p <- raw.texts.a DIRECT:TRANSFORMATION
-- j.q <- raw.texts.a DIRECT:TRANSFORMATION
-- q   <- raw.texts.a DIRECT:TRANSFORMATION

-- title: a struct into text, and all its members
INSERT OVERWRITE DIRECTORY '${root}/files/n10' USING parquet
SELECT to_json(struct(s.x, k)) AS j, s.*
FROM raw.nested;
-- j <- raw.nested.k DIRECT:TRANSFORMATION
-- j <- raw.nested.s DIRECT:TRANSFORMATION
-- x <- raw.nested.s DIRECT:TRANSFORMATION
-- y <- raw.nested.s DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- j <- raw.nested.k DIRECT:TRANSFORMATION
-- j <- raw.nested.s.x DIRECT:TRANSFORMATION
-- x <- raw.nested.s.x DIRECT:IDENTITY
-- y <- raw.nested.s.y DIRECT:IDENTITY

-- title: a struct chosen by a condition
INSERT OVERWRITE DIRECTORY '${root}/files/n11' USING parquet
SELECT CASE WHEN k > 1 THEN s ELSE named_struct('x', 0, 'y', attrs['a']) END AS c,
  coalesce(s, named_struct('x', k, 'y', 'b')) AS d
FROM raw.nested;
-- c <- raw.nested.attrs DIRECT:TRANSFORMATION
-- c <- raw.nested.k INDIRECT:CONDITIONAL
-- c <- raw.nested.s DIRECT:TRANSFORMATION
-- d <- raw.nested.k DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- d <- raw.nested.s DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- with: nestedFields=true
-- c   <- raw.nested.attrs DIRECT:TRANSFORMATION
-- c   <- raw.nested.k INDIRECT:CONDITIONAL
-- c   <- raw.nested.s DIRECT:TRANSFORMATION
-- c.x <- raw.nested.k INDIRECT:CONDITIONAL
-- c.x <- raw.nested.s.x DIRECT:TRANSFORMATION
-- c.y <- raw.nested.attrs DIRECT:TRANSFORMATION
-- c.y <- raw.nested.k INDIRECT:CONDITIONAL
-- c.y <- raw.nested.s.y DIRECT:TRANSFORMATION
-- d   <- raw.nested.k DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- d   <- raw.nested.s DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- d.x <- raw.nested.k DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- d.x <- raw.nested.s INDIRECT:CONDITIONAL
-- d.x <- raw.nested.s.x DIRECT:TRANSFORMATION
-- d.y <- raw.nested.k INDIRECT:CONDITIONAL
-- d.y <- raw.nested.s INDIRECT:CONDITIONAL
-- d.y <- raw.nested.s.y DIRECT:TRANSFORMATION

-- title: a union of structs
INSERT OVERWRITE DIRECTORY '${root}/files/n13' USING parquet
SELECT named_struct('x', k, 'y', 'c') AS s
FROM raw.nested UNION ALL SELECT s FROM raw.nested;
-- s <- raw.nested.k DIRECT:TRANSFORMATION
-- s <- raw.nested.s DIRECT:IDENTITY
-- with: nestedFields=true
-- s   <- raw.nested.k DIRECT:TRANSFORMATION
-- s   <- raw.nested.s DIRECT:IDENTITY
-- s.x <- raw.nested.k DIRECT:IDENTITY
-- s.x <- raw.nested.s.x DIRECT:IDENTITY
-- s.y <- raw.nested.s.y DIRECT:IDENTITY

-- title: arrays zipped, maps taken apart
INSERT OVERWRITE DIRECTORY '${root}/files/n14' USING parquet
SELECT arrays_zip(arr, other) AS z, arrays_zip(arr, other).arr AS za, map_entries(attrs) AS e,
  map_from_entries(array(struct(s.y, k))) AS f, map_keys(attrs) AS mk, map_values(attrs) AS mv,
  transform_values(attrs, (k, v) -> upper(v)) AS tv
FROM raw.nested;
-- z  <- raw.nested.arr DIRECT:TRANSFORMATION
-- z  <- raw.nested.other DIRECT:TRANSFORMATION
-- za <- raw.nested.arr DIRECT:TRANSFORMATION
-- za <- raw.nested.other INDIRECT:CONDITIONAL
-- e  <- raw.nested.attrs DIRECT:TRANSFORMATION
-- f  <- raw.nested.k DIRECT:TRANSFORMATION
-- f  <- raw.nested.s DIRECT:TRANSFORMATION
-- mk <- raw.nested.attrs DIRECT:TRANSFORMATION
-- mv <- raw.nested.attrs DIRECT:TRANSFORMATION
-- tv <- raw.nested.attrs DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- z       <- raw.nested.arr DIRECT:TRANSFORMATION
-- z       <- raw.nested.other DIRECT:TRANSFORMATION
-- z.arr   <- raw.nested.arr DIRECT:TRANSFORMATION
-- z.arr   <- raw.nested.other INDIRECT:CONDITIONAL
-- z.other <- raw.nested.arr INDIRECT:CONDITIONAL
-- z.other <- raw.nested.other DIRECT:TRANSFORMATION
-- za      <- raw.nested.arr DIRECT:TRANSFORMATION
-- za      <- raw.nested.other INDIRECT:CONDITIONAL
-- e       <- raw.nested.attrs DIRECT:TRANSFORMATION
-- e.key   <- raw.nested.attrs DIRECT:TRANSFORMATION
-- e.value <- raw.nested.attrs DIRECT:TRANSFORMATION
-- f       <- raw.nested.k DIRECT:TRANSFORMATION
-- f       <- raw.nested.s.y DIRECT:TRANSFORMATION
-- mk      <- raw.nested.attrs DIRECT:TRANSFORMATION
-- mv      <- raw.nested.attrs DIRECT:TRANSFORMATION
-- tv      <- raw.nested.attrs DIRECT:TRANSFORMATION

-- title: structs cast, arrays sorted and put together
INSERT OVERWRITE DIRECTORY '${root}/files/n15' USING parquet
SELECT cast(s AS STRUCT<x: BIGINT, y: STRING>) AS c, sort_array(items) AS so,
  array_sort(items, (l, r) -> l.n - r.n) AS so2,
  array_append(items, named_struct('sku', 'x', 'n', k)) AS ap,
  array_union(items, items) AS au
FROM raw.nested;
-- c   <- raw.nested.s DIRECT:TRANSFORMATION
-- so  <- raw.nested.items DIRECT:TRANSFORMATION
-- so2 <- raw.nested.items DIRECT:TRANSFORMATION
-- ap  <- raw.nested.items DIRECT:TRANSFORMATION
-- ap  <- raw.nested.k DIRECT:TRANSFORMATION
-- au  <- raw.nested.items DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- c       <- raw.nested.s DIRECT:TRANSFORMATION
-- c.x     <- raw.nested.s.x DIRECT:TRANSFORMATION
-- c.y     <- raw.nested.s.y DIRECT:TRANSFORMATION
-- so      <- raw.nested.items DIRECT:TRANSFORMATION
-- so.sku  <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- so.n    <- raw.nested.items.n DIRECT:TRANSFORMATION
-- so.n    <- raw.nested.items.sku INDIRECT:CONDITIONAL
-- so2     <- raw.nested.items DIRECT:TRANSFORMATION
-- so2     <- raw.nested.items.n DIRECT:TRANSFORMATION
-- so2.sku <- raw.nested.items.n INDIRECT:CONDITIONAL
-- so2.sku <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- so2.n   <- raw.nested.items.n DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- ap      <- raw.nested.items DIRECT:TRANSFORMATION
-- ap      <- raw.nested.k DIRECT:TRANSFORMATION
-- ap.sku  <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- ap.n    <- raw.nested.items.n DIRECT:TRANSFORMATION
-- ap.n    <- raw.nested.k DIRECT:TRANSFORMATION
-- au      <- raw.nested.items DIRECT:TRANSFORMATION
-- au.sku  <- raw.nested.items.n INDIRECT:CONDITIONAL
-- au.sku  <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- au.n    <- raw.nested.items.n DIRECT:TRANSFORMATION
-- au.n    <- raw.nested.items.sku INDIRECT:CONDITIONAL

-- title: structs in windows
INSERT OVERWRITE DIRECTORY '${root}/files/n16' USING parquet
SELECT lag(s) OVER (ORDER BY k) AS l,
  last_value(s) OVER (PARTITION BY s.x ORDER BY k) AS lv
FROM raw.nested;
-- l  <- raw.nested.k INDIRECT:WINDOW
-- l  <- raw.nested.s DIRECT:TRANSFORMATION
-- lv <- raw.nested.k INDIRECT:WINDOW
-- lv <- raw.nested.s DIRECT:AGGREGATION, INDIRECT:WINDOW
-- with: nestedFields=true
-- l    <- raw.nested.k INDIRECT:WINDOW
-- l    <- raw.nested.s DIRECT:TRANSFORMATION
-- l.x  <- raw.nested.k INDIRECT:WINDOW
-- l.x  <- raw.nested.s.x DIRECT:TRANSFORMATION
-- l.y  <- raw.nested.k INDIRECT:WINDOW
-- l.y  <- raw.nested.s.y DIRECT:TRANSFORMATION
-- lv   <- raw.nested.k INDIRECT:WINDOW
-- lv   <- raw.nested.s DIRECT:AGGREGATION
-- lv   <- raw.nested.s.x INDIRECT:WINDOW
-- lv.x <- raw.nested.k INDIRECT:WINDOW
-- lv.x <- raw.nested.s.x DIRECT:AGGREGATION, INDIRECT:WINDOW
-- lv.y <- raw.nested.k INDIRECT:WINDOW
-- lv.y <- raw.nested.s.x INDIRECT:WINDOW
-- lv.y <- raw.nested.s.y DIRECT:AGGREGATION

-- title: members that decide on rows
INSERT OVERWRITE DIRECTORY '${root}/files/n17' USING parquet
SELECT k FROM raw.nested WHERE s.x > 1 AND items[0].n = 3 ORDER BY s.y;
-- k <- raw.nested.k DIRECT:IDENTITY
-- * <- raw.nested.items INDIRECT:FILTER
-- * <- raw.nested.s INDIRECT:SORT, INDIRECT:FILTER
-- with: nestedFields=true
-- k <- raw.nested.k DIRECT:IDENTITY
-- * <- raw.nested.items.n INDIRECT:FILTER
-- * <- raw.nested.s.x INDIRECT:FILTER
-- * <- raw.nested.s.y INDIRECT:SORT

-- title: structs in structs
INSERT OVERWRITE DIRECTORY '${root}/files/n19' USING parquet
SELECT named_struct('o', named_struct('i', s)) AS q, named_struct('o', named_struct('i',
  s)).o.i.x AS x
FROM raw.nested;
-- q <- raw.nested.s DIRECT:TRANSFORMATION
-- x <- raw.nested.s DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- q       <- raw.nested.s DIRECT:TRANSFORMATION
-- q.o     <- raw.nested.s DIRECT:TRANSFORMATION
-- q.o.i   <- raw.nested.s DIRECT:IDENTITY
-- q.o.i.x <- raw.nested.s.x DIRECT:IDENTITY
-- q.o.i.y <- raw.nested.s.y DIRECT:IDENTITY
-- x       <- raw.nested.s.x DIRECT:IDENTITY

-- title: the winner of an ordered list of structs
INSERT OVERWRITE DIRECTORY '${root}/files/winner' USING parquet
SELECT sort_array(collect_list(struct(a, b)))[0].b AS first_b, max(struct(c, a)).a AS a,
  max_by(struct(a, b), c).b AS b, min(named_struct('n', b, 'm', c)) AS low
FROM raw.t1;
-- first_b <- raw.t1.a INDIRECT:CONDITIONAL
-- first_b <- raw.t1.b DIRECT:AGGREGATION
-- a       <- raw.t1.a DIRECT:AGGREGATION
-- a       <- raw.t1.c INDIRECT:CONDITIONAL
-- b       <- raw.t1.b DIRECT:AGGREGATION
-- b       <- raw.t1.c INDIRECT:CONDITIONAL
-- low     <- raw.t1.b DIRECT:AGGREGATION
-- low     <- raw.t1.c DIRECT:AGGREGATION
-- with: nestedFields=true
-- first_b <- raw.t1.a INDIRECT:CONDITIONAL
-- first_b <- raw.t1.b DIRECT:AGGREGATION
-- a       <- raw.t1.a DIRECT:AGGREGATION
-- a       <- raw.t1.c INDIRECT:CONDITIONAL
-- b       <- raw.t1.b DIRECT:AGGREGATION
-- b       <- raw.t1.c INDIRECT:CONDITIONAL
-- low     <- raw.t1.b DIRECT:AGGREGATION
-- low     <- raw.t1.c DIRECT:AGGREGATION
-- low.n   <- raw.t1.b DIRECT:AGGREGATION
-- low.m   <- raw.t1.b INDIRECT:CONDITIONAL
-- low.m   <- raw.t1.c DIRECT:AGGREGATION

-- title: a struct inserted under other names, by position
INSERT INTO mart.structs SELECT k, s FROM raw.nested;
-- k <- raw.nested.k DIRECT:IDENTITY
-- q <- raw.nested.s DIRECT:IDENTITY
-- with: nestedFields=true
-- k   <- raw.nested.k   DIRECT:IDENTITY
-- q   <- raw.nested.s   DIRECT:IDENTITY
-- q.m <- raw.nested.s.x DIRECT:IDENTITY
-- q.n <- raw.nested.s.y DIRECT:IDENTITY

-- title: a struct built for an insert, its members cast to the table's
INSERT INTO mart.structs SELECT c, named_struct('m', a, 'n', b) FROM raw.t1;
-- with: nestedFields=true
-- k   <- raw.t1.c DIRECT:IDENTITY
-- q   <- raw.t1.a DIRECT:TRANSFORMATION
-- q   <- raw.t1.b DIRECT:TRANSFORMATION
-- q.m <- raw.t1.a DIRECT:IDENTITY
-- q.n <- raw.t1.b DIRECT:IDENTITY

-- title: structs in arrays and maps, inserted under other names and types
INSERT INTO mart.deep SELECT s, l, m FROM raw.deep;
-- s <- raw.deep.s DIRECT:IDENTITY
-- l <- raw.deep.l DIRECT:IDENTITY
-- m <- raw.deep.m DIRECT:IDENTITY
-- with: nestedFields=true
-- s   <- raw.deep.s   DIRECT:IDENTITY
-- s.x <- raw.deep.s.a DIRECT:IDENTITY
-- s.y <- raw.deep.s.b DIRECT:IDENTITY
-- l   <- raw.deep.l   DIRECT:IDENTITY
-- l.x <- raw.deep.l.c DIRECT:IDENTITY
-- l.y <- raw.deep.l.d DIRECT:IDENTITY
-- m   <- raw.deep.m   DIRECT:IDENTITY
-- m.x <- raw.deep.m.e DIRECT:IDENTITY
-- m.y <- raw.deep.m.f DIRECT:IDENTITY

-- title: structs inserted by name, their members in another order
INSERT INTO mart.deep BY NAME SELECT * FROM raw.turned;
-- s <- raw.turned.s DIRECT:IDENTITY
-- l <- raw.turned.l DIRECT:IDENTITY
-- m <- raw.turned.m DIRECT:IDENTITY
-- with: nestedFields=true
-- s   <- raw.turned.s   DIRECT:IDENTITY
-- s.x <- raw.turned.s.x DIRECT:IDENTITY
-- s.y <- raw.turned.s.y DIRECT:IDENTITY
-- l   <- raw.turned.l   DIRECT:IDENTITY
-- l.x <- raw.turned.l.x DIRECT:IDENTITY
-- l.y <- raw.turned.l.y DIRECT:IDENTITY
-- m   <- raw.turned.m   DIRECT:IDENTITY
-- m.x <- raw.turned.m.x DIRECT:IDENTITY
-- m.y <- raw.turned.m.y DIRECT:IDENTITY

-- title: a union of structs under different names
INSERT OVERWRITE DIRECTORY '${root}/files/united' USING parquet
SELECT named_struct('m', a, 'n', d) AS q FROM raw.t3 UNION ALL SELECT s FROM raw.nested;
-- q <- raw.nested.s DIRECT:IDENTITY
-- q <- raw.t3.a DIRECT:TRANSFORMATION
-- q <- raw.t3.d DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- q   <- raw.nested.s DIRECT:IDENTITY
-- q   <- raw.t3.a DIRECT:TRANSFORMATION
-- q   <- raw.t3.d DIRECT:TRANSFORMATION
-- q.m <- raw.nested.s.x DIRECT:IDENTITY
-- q.m <- raw.t3.a DIRECT:IDENTITY
-- q.n <- raw.nested.s.y DIRECT:IDENTITY
-- q.n <- raw.t3.d DIRECT:IDENTITY

-- title: a column that says which element
INSERT OVERWRITE DIRECTORY '${root}/files/element' USING parquet
SELECT get(items, k).n AS n, map('one', s)[attrs['which']].x AS x FROM raw.nested;
-- n <- raw.nested.items DIRECT:TRANSFORMATION
-- n <- raw.nested.k DIRECT:TRANSFORMATION
-- x <- raw.nested.attrs DIRECT:TRANSFORMATION
-- x <- raw.nested.s DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- n <- raw.nested.items.n DIRECT:TRANSFORMATION
-- n <- raw.nested.k DIRECT:TRANSFORMATION
-- x <- raw.nested.attrs DIRECT:TRANSFORMATION
-- x <- raw.nested.s.x DIRECT:TRANSFORMATION

-- title: an array of structs exploded, grouped and collected again
INSERT OVERWRITE DIRECTORY '${root}/files/collected' USING parquet
SELECT i.sku, collect_list(struct(i.n AS n, k AS key)) AS rows, sum(i.n) AS total
FROM raw.nested LATERAL VIEW OUTER explode(items) e AS i WHERE i.n > 0 GROUP BY i.sku;
-- sku   <- raw.nested.items DIRECT:TRANSFORMATION
-- rows  <- raw.nested.items DIRECT:AGGREGATION
-- rows  <- raw.nested.k DIRECT:AGGREGATION
-- total <- raw.nested.items DIRECT:AGGREGATION
-- * <- raw.nested.items INDIRECT:GROUP_BY, INDIRECT:FILTER
-- with: nestedFields=true
-- sku      <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- rows     <- raw.nested.items.n DIRECT:AGGREGATION
-- rows     <- raw.nested.k DIRECT:AGGREGATION
-- rows.n   <- raw.nested.items.n DIRECT:AGGREGATION
-- rows.key <- raw.nested.k DIRECT:AGGREGATION
-- total    <- raw.nested.items.n DIRECT:AGGREGATION
-- * <- raw.nested.items.n INDIRECT:FILTER
-- * <- raw.nested.items.sku INDIRECT:GROUP_BY

-- title: transform values and zip with
INSERT OVERWRITE DIRECTORY '${root}/files/zipped' USING parquet
SELECT transform_values(attrs, (key, value) -> named_struct('v', value, 'k', k)) AS t,
  zip_with(arr, other, (x, y) -> named_struct('l', x, 'r', y)) AS z
FROM raw.nested;
-- t <- raw.nested.attrs DIRECT:TRANSFORMATION
-- t <- raw.nested.k DIRECT:TRANSFORMATION
-- z <- raw.nested.arr DIRECT:TRANSFORMATION
-- z <- raw.nested.other DIRECT:TRANSFORMATION
-- with: nestedFields=true
-- t   <- raw.nested.attrs DIRECT:TRANSFORMATION
-- t   <- raw.nested.k DIRECT:TRANSFORMATION
-- t.v <- raw.nested.attrs DIRECT:TRANSFORMATION
-- t.k <- raw.nested.attrs INDIRECT:CONDITIONAL
-- t.k <- raw.nested.k DIRECT:TRANSFORMATION
-- z   <- raw.nested.arr DIRECT:TRANSFORMATION
-- z   <- raw.nested.other DIRECT:TRANSFORMATION
-- z.l <- raw.nested.arr DIRECT:TRANSFORMATION
-- z.l <- raw.nested.other INDIRECT:CONDITIONAL
-- z.r <- raw.nested.arr INDIRECT:CONDITIONAL
-- z.r <- raw.nested.other DIRECT:TRANSFORMATION

-- title: orders among structs
INSERT OVERWRITE DIRECTORY '${root}/files/least' USING parquet
SELECT greatest(struct(a, b), struct(c AS a, a AS b)).b AS g,
  array_max(array(named_struct('p', a, 'q', c))).q AS m FROM (SELECT a, b, c FROM raw.t1);
-- g <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- g <- raw.t1.b DIRECT:TRANSFORMATION
-- g <- raw.t1.c INDIRECT:CONDITIONAL
-- m <- raw.t1.a INDIRECT:CONDITIONAL
-- m <- raw.t1.c DIRECT:TRANSFORMATION

-- title: functions that give elements and members on
INSERT OVERWRITE DIRECTORY '${root}/files/given_on' USING parquet
SELECT array_repeat(s, k).y AS r, array_except(items, array(named_struct('sku', 'x', 'n', k))) AS e,
  array_intersect(items, items).n AS i, array_remove(items, items[0]).sku AS m,
  map_concat(map(1, s), map(2, named_struct('x', k, 'y', 'z')))[1].x AS c,
  array_prepend(items, named_struct('sku', 'x', 'n', k)).n AS p,
  least(s, named_struct('x', k, 'y', 'z')).y AS l, array_min(items).n AS o,
  array_union(items, items).n AS u
FROM raw.nested;
-- r <- raw.nested.k DIRECT:TRANSFORMATION
-- r <- raw.nested.s DIRECT:TRANSFORMATION
-- e <- raw.nested.items DIRECT:TRANSFORMATION
-- e <- raw.nested.k DIRECT:TRANSFORMATION
-- i <- raw.nested.items DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- m <- raw.nested.items DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- c <- raw.nested.k DIRECT:TRANSFORMATION
-- c <- raw.nested.s DIRECT:TRANSFORMATION
-- p <- raw.nested.items DIRECT:TRANSFORMATION
-- p <- raw.nested.k DIRECT:TRANSFORMATION
-- l <- raw.nested.k INDIRECT:CONDITIONAL
-- l <- raw.nested.s DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- o <- raw.nested.items DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- u <- raw.nested.items DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL

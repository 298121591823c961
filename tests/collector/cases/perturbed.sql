-- What other values in a column have shown: each of these once lost an edge (tests/spark/perturb).

-- title: a struct with two members of one name
CREATE TABLE mart.two_of_a_name AS
SELECT to_json(struct(x.b, y.b)) AS j, x.c FROM raw.t1 x JOIN raw.t2 y ON x.c = y.c;
-- j <- raw.t1.b DIRECT:TRANSFORMATION
-- j <- raw.t2.b DIRECT:TRANSFORMATION
-- c <- raw.t1.c DIRECT:IDENTITY
-- * <- raw.t1.c INDIRECT:JOIN
-- * <- raw.t2.c INDIRECT:JOIN

-- title: a struct found by a key that is a column
CREATE TABLE mart.by_key AS
SELECT map(d, named_struct('x', a, 'y', b))['k'].x AS x FROM raw.t3;
-- x <- raw.t3.a DIRECT:TRANSFORMATION
-- x <- raw.t3.d INDIRECT:CONDITIONAL

-- title: members of structs that are unlike others
CREATE TABLE mart.unlike AS
SELECT array_distinct(array(struct(a, b), struct(c AS a, b))).a AS d,
  array_union(array(struct(a, b)), array(struct(a, c AS b))).b AS u FROM raw.t1;
-- d <- raw.t1.a DIRECT:TRANSFORMATION
-- d <- raw.t1.b INDIRECT:CONDITIONAL
-- d <- raw.t1.c DIRECT:TRANSFORMATION
-- u <- raw.t1.a INDIRECT:CONDITIONAL
-- u <- raw.t1.b DIRECT:TRANSFORMATION
-- u <- raw.t1.c DIRECT:TRANSFORMATION

-- title: members of structs collected as a set, and of the most frequent one
CREATE TABLE mart.as_a_set AS
SELECT collect_set(struct(a, b)).b AS s, mode(struct(b, c)).b AS m FROM raw.t1;
-- s <- raw.t1.a INDIRECT:CONDITIONAL
-- s <- raw.t1.b DIRECT:AGGREGATION
-- m <- raw.t1.b DIRECT:AGGREGATION
-- m <- raw.t1.c INDIRECT:CONDITIONAL

-- title: members that are summed up element by element
INSERT OVERWRITE DIRECTORY '${root}/files/summed' USING parquet
SELECT aggregate(items, named_struct('t', 0, 'l', ''),
    (acc, i) -> named_struct('t', acc.t + i.n, 'l', i.sku)) AS q,
  aggregate(items, named_struct('t', k, 'l', ''),
    (acc, i) -> named_struct('t', acc.t + i.n, 'l', i.sku), acc -> acc.t) AS t
FROM raw.nested;
-- with: nestedFields=true
-- q   <- raw.nested.items     DIRECT:TRANSFORMATION
-- q   <- raw.nested.items.n   DIRECT:TRANSFORMATION
-- q   <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- q.t <- raw.nested.items     INDIRECT:CONDITIONAL
-- q.t <- raw.nested.items.n   DIRECT:TRANSFORMATION
-- q.l <- raw.nested.items     INDIRECT:CONDITIONAL
-- q.l <- raw.nested.items.sku DIRECT:TRANSFORMATION
-- t   <- raw.nested.items     INDIRECT:CONDITIONAL
-- t   <- raw.nested.items.n   DIRECT:TRANSFORMATION
-- t   <- raw.nested.k         DIRECT:TRANSFORMATION

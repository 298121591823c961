INSERT INTO t (a, b) SELECT x, p.y FROM q p JOIN r ON p.i = r.i
-- shop.public.t
--   a <-
--   b <- shop.public.q.y IDENTITY
--   * <- shop.public.q.i JOIN
--   * <- shop.public.r.i JOIN
-- unresolved: AmbiguousColumn

CREATE TABLE m AS SELECT * FROM a JOIN b ON a.x = b.x
-- shop.public.m CREATE
--   * <- shop.public.a.x JOIN
--   * <- shop.public.b.x JOIN
-- unresolved: Star

CREATE TABLE m AS SELECT x, y FROM (SELECT * FROM a) s JOIN b ON s.k = b.k
-- shop.public.m CREATE
--   x <-
--   y <-
--   * <- shop.public.a.k JOIN
--   * <- shop.public.b.k JOIN
-- unresolved: AmbiguousColumn 2
-- unresolved: Star

INSERT INTO t (a) SELECT (SELECT max(v) FROM o WHERE o.id = rid) FROM r
-- shop.public.t
--   a <- shop.public.o.id FILTER
--   a <- shop.public.o.rid FILTER
--   a <- shop.public.o.v AGGREGATION
-- reads shop.public.r
-- unresolved: AmbiguousColumn 2

CREATE TABLE m AS SELECT id, x FROM a JOIN b USING (id)
-- shop.public.m CREATE
--   id <- shop.public.a.id IDENTITY
--   x <-
--   * <- shop.public.a.id JOIN
--   * <- shop.public.b.id JOIN
-- unresolved: AmbiguousColumn

UPDATE t SET x = y FROM s WHERE t.id = s.id
-- shop.public.t
--   x <-
--   * <- shop.public.s.id JOIN
--   * <- shop.public.t.id JOIN
-- unresolved: AmbiguousColumn

MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (id, v)
-- shop.public.t
--   id <- shop.public.s.id IDENTITY
--   v <- shop.public.s.v IDENTITY
--   * <- shop.public.s.id JOIN
--   * <- shop.public.t.id JOIN

INSERT INTO t SELECT * FROM a UNION ALL SELECT * FROM b
-- shop.public.t
-- reads shop.public.a
-- reads shop.public.b
-- unresolved: Star 2
-- unresolved: TargetColumns

INSERT INTO t (n) SELECT sum(v) FROM a, b WHERE a.i = b.i
-- shop.public.t
--   n <-
--   * <- shop.public.a.i JOIN
--   * <- shop.public.b.i JOIN
-- unresolved: AmbiguousColumn

create table x as select a as b, b || c as d from t
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.b TRANSFORMATION
--   d <- shop.public.t.c TRANSFORMATION

create table x as select a + 1 as a, a as e from t order by e
-- shop.public.x CREATE
--   a <- shop.public.t.a TRANSFORMATION
--   e <- shop.public.t.a IDENTITY
--   * <- shop.public.t.a SORT

create table x as select a as b, c as d from t where b > 1 order by b + 1
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.c IDENTITY
--   * <- shop.public.t.b FILTER
--   * <- shop.public.t.b SORT

create table x as select a as b, sum(v) as s from t group by a having b > 1 order by b
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   s <- shop.public.t.v AGGREGATION
--   * <- shop.public.t.a GROUP_BY
--   * <- shop.public.t.a SORT
--   * <- shop.public.t.b FILTER

create table x as table t
-- shop.public.x CREATE
-- reads shop.public.t
-- unresolved: Star

insert into u (a, b) select id, t from v t
-- shop.public.u
--   a <- shop.public.v.id IDENTITY
--   b <- shop.public.v.t IDENTITY
-- unresolved: AmbiguousColumn

create function f(a int) returns int language sql as $$ select max(v) from u where k = a $$;
insert into m (x) select f(t.b) from t
-- shop.public.m
--   x <- shop.public.t.b TRANSFORMATION
--   x <- shop.public.u.a FILTER
--   x <- shop.public.u.k FILTER
--   x <- shop.public.u.v AGGREGATION
-- unresolved: AmbiguousColumn

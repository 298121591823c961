INSERT INTO t (a) SELECT p.a FROM p JOIN q ON p.i = q.i WHERE flag = 1 GROUP BY grp ORDER BY srt
-- shop.t
--   a <- shop.p.a IDENTITY
--   * <- shop.p.i JOIN
--   * <- shop.q.i JOIN
-- unresolved: AmbiguousColumn 3

create table x as select a as b, b + c as d from t
-- shop.x CREATE
--   b <- shop.t.a IDENTITY
--   d <- shop.t.b TRANSFORMATION
--   d <- shop.t.c TRANSFORMATION

create table x as select a as b, sum(v) as s from t group by b having s > 1 order by b + 1
-- shop.x CREATE
--   b <- shop.t.a IDENTITY
--   s <- shop.t.v AGGREGATION
--   * <- shop.t.a GROUP_BY
--   * <- shop.t.a SORT
--   * <- shop.t.v FILTER
-- unresolved: AmbiguousColumn 2

begin select max(id) into v from t; insert into u (a) select v from w; end
-- shop.u
--   a <- shop.w.v IDENTITY
-- reads shop.t
-- unresolved: AmbiguousColumn

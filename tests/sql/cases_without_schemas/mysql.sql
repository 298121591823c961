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

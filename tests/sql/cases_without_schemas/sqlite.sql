create table x as select a as b, c as d from t where b > 1
-- x CREATE
--   b <- t.a IDENTITY
--   d <- t.c IDENTITY
--   * <- t.b FILTER
-- unresolved: AmbiguousColumn

create table x as select a as b, sum(v) as s from t group by b
-- x CREATE
--   b <- t.a IDENTITY
--   s <- t.v AGGREGATION
--   * <- t.a GROUP_BY
-- unresolved: AmbiguousColumn

create table x as select upper(a) as a, max(v) as s, k || 'x' as k2 from t group by k, a
-- x CREATE
--   a <- t.a TRANSFORMATION
--   s <- t.v AGGREGATION
--   k2 <- t.k TRANSFORMATION
--   * <- t.a GROUP_BY
--   * <- t.k GROUP_BY

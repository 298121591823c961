create table x as select a as b, sum(v) as s from t group by a, b having s > 1 order by b
-- shop.x CREATE
--   b <- shop.t.a IDENTITY
--   s <- shop.t.v AGGREGATION
--   * <- shop.t.a GROUP_BY
--   * <- shop.t.a SORT
--   * <- shop.t.b GROUP_BY
--   * <- shop.t.v FILTER

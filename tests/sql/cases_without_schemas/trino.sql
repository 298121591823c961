create table x as select a as b, sum(v) as s from t group by a, b having b > 1 order by b + 1
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   s <- shop.public.t.v AGGREGATION
--   * <- shop.public.t.a GROUP_BY
--   * <- shop.public.t.a SORT
--   * <- shop.public.t.b FILTER
--   * <- shop.public.t.b GROUP_BY

select a as b, b + c as d into x from t
-- shop.dbo.x CREATE
--   b <- shop.dbo.t.a IDENTITY
--   d <- shop.dbo.t.b TRANSFORMATION
--   d <- shop.dbo.t.c TRANSFORMATION

select a as b, sum(v) as s into x from t group by a, b having b > 1 order by b
-- shop.dbo.x CREATE
--   b <- shop.dbo.t.a IDENTITY
--   s <- shop.dbo.t.v AGGREGATION
--   * <- shop.dbo.t.a GROUP_BY
--   * <- shop.dbo.t.a SORT
--   * <- shop.dbo.t.b FILTER
--   * <- shop.dbo.t.b GROUP_BY

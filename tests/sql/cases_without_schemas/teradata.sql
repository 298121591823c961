create table x as (select a as b, b + 1 as d from t where b > 2) with data
-- shop.x CREATE
--   b <- shop.t.a IDENTITY
--   d <- shop.t.a TRANSFORMATION
--   * <- shop.t.b FILTER
-- unresolved: AmbiguousColumn 2

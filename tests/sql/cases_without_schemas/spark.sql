create table x as select a as b, b + c as d from (select * from t) s
-- shop.x CREATE
--   b <- shop.t.a IDENTITY
--   d <- shop.t.a TRANSFORMATION
--   d <- shop.t.c TRANSFORMATION
-- unresolved: AmbiguousColumn
-- unresolved: Star

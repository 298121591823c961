create table x as select a as b, b + c as d from t
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.a TRANSFORMATION
--   d <- shop.public.t.c TRANSFORMATION
-- unresolved: AmbiguousColumn

create temp table s (like mart); delete from mart using s where mart.id = s.id
-- shop.public.mart
--   * <- shop.public.mart.id JOIN

create table x as select a as b, c as d from (select a, c from t) s where b > 1
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.c IDENTITY
--   * <- shop.public.t.a FILTER

create table x as select a as b, c as d from t where b > 1
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.c IDENTITY
--   * <- shop.public.t.b FILTER
-- unresolved: AmbiguousColumn

insert into t (id, total) select id, v from u on conflict (id) do update set TOTAL = excluded.total, note = excluded.note
-- shop.public.t
--   id <- shop.public.u.id IDENTITY
--   total <- shop.public.u.v IDENTITY
--   note <-

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

create table made as unpivot t on a, b into name n value v
-- shop.public.made CREATE
--   n <-
--   v <- shop.public.t.a IDENTITY
--   v <- shop.public.t.b IDENTITY
--   * <- shop.public.t.a FILTER
--   * <- shop.public.t.b FILTER
-- unresolved: Star

create table made as select state.replace(customer, 'x').upper() u from raw
-- shop.public.made CREATE
--   u <- shop.public.raw.customer TRANSFORMATION
--   u <- shop.public.raw.state TRANSFORMATION

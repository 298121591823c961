create table x as select a as b, b + c as d from t
-- shop.public.X CREATE
--   B <- shop.public.T.A IDENTITY
--   D <- shop.public.T.B TRANSFORMATION
--   D <- shop.public.T.C TRANSFORMATION

declare v number := 5; begin insert into m (id, total) select id, v from t where amount > v; end;
-- shop.public.M
--   ID <- shop.public.T.ID IDENTITY
--   TOTAL <- shop.public.T.V IDENTITY
--   * <- shop.public.T.AMOUNT FILTER
--   * <- shop.public.T.V FILTER
-- unresolved: AmbiguousColumn 2

merge into m t using r s on (t.id = s.id) when matched then update set t.total = s.amount delete where t.total = 0
-- shop.public.M
--   TOTAL <- shop.public.R.AMOUNT IDENTITY
--   * <- shop.public.M.ID JOIN
--   * <- shop.public.R.AMOUNT FILTER
--   * <- shop.public.R.ID JOIN

insert into t (a, b) select object_id, o.object_value from objects o
-- shop.public.T
--   A <- shop.public.OBJECTS.OBJECT_ID IDENTITY
--   B <- shop.public.OBJECTS.OBJECT_VALUE IDENTITY

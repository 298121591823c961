CREATE TABLE d.m AS SELECT x, item FROM d.t, UNNEST(items) AS item
-- shop.d.m CREATE
--   x <- shop.d.t.x IDENTITY
--   item <- shop.d.t.items TRANSFORMATION
-- unresolved: AmbiguousColumn

CREATE TABLE d.m AS SELECT s FROM d.t, UNNEST([STRUCT(id AS a, amount AS b)]) AS s
-- shop.d.m CREATE
--   s <- shop.d.t.amount TRANSFORMATION
--   s <- shop.d.t.id TRANSFORMATION

create table x as select a as b, b + c as d from t
-- shop.public.x CREATE
--   b <- shop.public.t.a IDENTITY
--   d <- shop.public.t.b TRANSFORMATION
--   d <- shop.public.t.c TRANSFORMATION

create table o clone t
-- shop.public.o CREATE
-- reads shop.public.t
-- unresolved: Star

merge m t using s on t.id = s.id when not matched then insert row
-- shop.public.m
--   * <- shop.public.m.id JOIN
--   * <- shop.public.s.id JOIN
-- unresolved: Star
-- unresolved: TargetColumns

create table made as select logs.id, (select p.v from unnest(event_params) p where key = 'x') v
from logs
-- shop.public.made CREATE
--   id <- shop.public.logs.id IDENTITY
--   v <- shop.public.logs.event_params FILTER
--   v <- shop.public.logs.event_params TRANSFORMATION
-- unresolved: AmbiguousColumn

create table made as select tag, t.id from t, unnest(tags) tag where tag > 3 order by tag
-- shop.public.made CREATE
--   tag <- shop.public.t.tags TRANSFORMATION
--   id <- shop.public.t.id IDENTITY
--   * <- shop.public.t.tags FILTER
--   * <- shop.public.t.tags SORT

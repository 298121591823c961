create table made with (format = 'PARQUET') as select id, t.a, t.o from raw cross join
unnest(split(state, ',')) with ordinality as t (a, o)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.state TRANSFORMATION
--   o <-

create table made as select id, m['a'] x, element_at(m, 'b') y, transform(split(state, ','), s
-> s || customer) z, reduce(split(state, ','), 0, (a, s) -> a + length(s) + amount, a -> a) q,
try_cast(state as integer) c, approx_distinct(id) over (partition by state) d, max_by(customer,
amount) over () e from (select id, state, customer, amount, map(array['a'], array[customer]) m
from raw)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   x <- shop.public.raw.customer TRANSFORMATION
--   y <- shop.public.raw.customer TRANSFORMATION
--   z <- shop.public.raw.customer TRANSFORMATION
--   z <- shop.public.raw.state TRANSFORMATION
--   q <- shop.public.raw.amount TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION
--   d <- shop.public.raw.id AGGREGATION
--   d <- shop.public.raw.state WINDOW
--   e <- shop.public.raw.amount CONDITIONAL
--   e <- shop.public.raw.customer AGGREGATION

create table made as select cast(row(id, customer) as row(a integer, b varchar)).b b from raw
-- shop.public.made CREATE
--   b <- shop.public.raw.customer TRANSFORMATION

create table made as select listagg(state, ',') within group (order by amount) l from raw
-- shop.public.made CREATE
--   l <- shop.public.raw.amount SORT
--   l <- shop.public.raw.state AGGREGATION

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then delete when
matched then update set total = s.amount + t.total when not matched then insert (id, customer,
total) values (s.id, s.customer, s.amount)
-- shop.public.mart
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.amount TRANSFORMATION
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.raw.state FILTER

create table made as select * from table(my.system.query(query => 'select a from b'))
-- shop.public.made CREATE
-- unresolved: Star
-- opaque: QUERY

create table made as select id from raw for version as of 5
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

create table made as select json_extract_scalar(state, '$.a') a, json_value(state, 'lax $.b') b
from raw
-- shop.public.made CREATE
--   a <- shop.public.raw.state TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

create table made as select a from raw, json_table(state, 'lax $' columns (a varchar path 'lax
$.a'))
-- shop.public.made CREATE
--   a <- shop.public.raw.state TRANSFORMATION

create or replace view v as select id, count(*) filter (where amount > 0) n, grouping(id) g from
raw group by grouping sets ((id), (state))
-- shop.public.v OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   n <- shop.public.raw.amount FILTER
--   g <-
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

insert into mart (id, total) select id, sum(amount) from raw group by rollup (id, state)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select row_number() over (partition by state order by amount range between
interval '1' day preceding and current row) from raw
-- shop.public.made CREATE
--   _col0 <- shop.public.raw.amount WINDOW
--   _col0 <- shop.public.raw.state WINDOW

with t as (select id from raw) select * from t
-- reads shop.public.raw

delete from mart where exists (select 1 from raw where raw.id = mart.id)
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.raw.id FILTER

create table made as table raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made as (select id from raw) with no data
-- shop.public.made CREATE

create materialized view mv as select id from raw
-- shop.public.mv CREATE
--   id <- shop.public.raw.id IDENTITY

refresh materialized view mv
-- opaque: REFRESH

create table made as select customer, fa, st from raw match_recognize (partition by customer
order by id measures a.amount as fa, last(state) as st one row per match pattern (a b+) define b
as b.amount > 1) m
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   fa <- shop.public.raw.amount AGGREGATION
--   st <- shop.public.raw.state AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id SORT

create table made as select id, max(amount) from raw group by id
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   _col1 <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.id GROUP_BY

create table made as select id, t.a, t.o from raw cross join unnest(split(state, ',')) with
ordinality as t (a, o)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.state TRANSFORMATION
--   o <-

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.public.made CREATE
--   id <- shop.public.archive.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   v <- shop.public.archive.v IDENTITY
--   v <- shop.public.orders.v IDENTITY

create table made as select prev.items.price as before, curr.items.price as after from prev.items
join curr.items on prev.items.id = curr.items.id
-- shop.public.made CREATE
--   before <- shop.prev.items.price IDENTITY
--   after <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

create table made as select id, "$path" as p from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   p <-

create table made as select u.p, u.q, u.n from raw cross join unnest(array[customer], array[state])
with ordinality as u(p, q, n)
-- shop.public.made CREATE
--   p <- shop.public.raw.customer TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION
--   n <-

explain analyze insert into mart (id) select id from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

CREATE TABLE x AS SELECT id, p, q FROM raw CROSS JOIN UNNEST(ARRAY[amount], ARRAY[state,
customer]) AS t(p, q)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   p <- shop.public.raw.amount TRANSFORMATION
--   q <- shop.public.raw.customer TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, k, v, n FROM raw CROSS JOIN UNNEST(MAP(ARRAY[state], ARRAY[amount]))
WITH ORDINALITY AS t(k, v, n)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION
--   n <-

CREATE TABLE x AS SELECT "$path", "$file_modified_time", id FROM raw
-- shop.public.x CREATE
--   $path <-
--   $file_modified_time <-
--   id <- shop.public.raw.id IDENTITY

CREATE TABLE x AS SELECT now() a, current_timestamp b, uuid() c, random() d, localtime e,
current_catalog f, e() g, infinity() h FROM raw
-- shop.public.x CREATE
--   a <-
--   b <-
--   c <-
--   d <-
--   e <-
--   f <-
--   g <-
--   h <-
-- reads shop.public.raw

CREATE TABLE o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw GROUP BY
customer, state HAVING sum(amount) > 3
-- shop.public.o CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   amount <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

EXPLAIN ANALYZE VERBOSE INSERT INTO mart (id) SELECT id FROM raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

CREATE TABLE x AS SELECT t.x, t.y FROM raw CROSS JOIN UNNEST(ARRAY[ROW(id, state), ROW(amount,
customer)]) AS t(x, y)
-- shop.public.x CREATE
--   x <- shop.public.raw.amount TRANSFORMATION
--   x <- shop.public.raw.id TRANSFORMATION
--   y <- shop.public.raw.customer TRANSFORMATION
--   y <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT r.a FROM (SELECT CAST(ROW(id, state) AS ROW(a BIGINT, b VARCHAR)) AS r
FROM raw)
-- shop.public.x CREATE
--   a <- shop.public.raw.id TRANSFORMATION

CREATE TABLE x AS SELECT l.*, r.* FROM prev.items l JOIN curr.items r USING (id)
-- shop.public.x CREATE
--   price <- shop.prev.items.price IDENTITY
--   price <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

CREATE TABLE x AS WITH RECURSIVE t(x, y) AS (SELECT id, amount FROM raw UNION ALL SELECT x + 1, y
+ 1 FROM t WHERE x < 5) SELECT * FROM t
-- shop.public.x CREATE
--   x <- shop.public.raw.id IDENTITY
--   x <- shop.public.raw.id TRANSFORMATION
--   y <- shop.public.raw.amount IDENTITY
--   y <- shop.public.raw.amount TRANSFORMATION
--   * <- shop.public.raw.id FILTER

create table made as select r.* as (p, q), r.a from (select cast(row(id, state) as row(a bigint, b
varchar)) as r from raw)
-- shop.public.made CREATE
--   p <- shop.public.raw.id TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION

create table made as select cast(id as varchar), try_cast(amount as bigint), json_extract(state,
'$.a'), (customer) from raw
-- shop.public.made CREATE
--   _col0 <- shop.public.raw.id TRANSFORMATION
--   _col1 <- shop.public.raw.amount TRANSFORMATION
--   _col2 <- shop.public.raw.state TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY

create table out1 as select r.id, t.k, t.v from raw r cross join unnest(map(array[r.id],
array[r.amount])) as t(k, v)
-- shop.public.out1 CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <- shop.public.raw.id TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION

create table out1 as select t.k, t.v, t.s from raw r cross join unnest(r.customer, array[r.state])
as t(k, v, s)
-- shop.public.out1 CREATE
--   k <- shop.public.raw.customer TRANSFORMATION
--   k <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.customer TRANSFORMATION
--   v <- shop.public.raw.state TRANSFORMATION
--   s <- shop.public.raw.customer TRANSFORMATION
--   s <- shop.public.raw.state TRANSFORMATION

execute immediate 'insert into mart (id, customer, total) select id, customer, amount from raw'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

create table x as select r.b.c as c, r.b.d.e as e, r.a from (select cast(row(id, row(state, amount))
as row(a bigint, b row(c varchar, d bigint))) as r from raw) t
-- shop.public.x CREATE
--   c <- shop.public.raw.amount TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION
--   e <- shop.public.raw.amount TRANSFORMATION
--   e <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION

create table m as select row(id, amount)[1] as a, cast(row(id, state) as row(p int, q varchar))[2]
as b, array[id, amount][1] as c from raw
-- shop.public.m CREATE
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.state TRANSFORMATION
--   c <- shop.public.raw.amount TRANSFORMATION
--   c <- shop.public.raw.id TRANSFORMATION

create table t (id int, all int, session_user int, window int); create table m as select all, window,
max(session_user) as c from t group by all, window order by all
-- shop.public.t CREATE
-- shop.public.m CREATE
--   all <- shop.public.t.all IDENTITY
--   window <- shop.public.t.window IDENTITY
--   c <- shop.public.t.session_user AGGREGATION
--   * <- shop.public.t.all GROUP_BY
--   * <- shop.public.t.all SORT
--   * <- shop.public.t.window GROUP_BY

create table t (id int, grain varchar, a timestamp); create table m as select date_trunc(grain, a) as
b, date_add(grain, 1, a) as c, date_diff('day', a, a) as d from t
-- shop.public.t CREATE
-- shop.public.m CREATE
--   b <- shop.public.t.a TRANSFORMATION
--   b <- shop.public.t.grain TRANSFORMATION
--   c <- shop.public.t.a TRANSFORMATION
--   c <- shop.public.t.grain TRANSFORMATION
--   d <- shop.public.t.a TRANSFORMATION

create table made as select id, amount as default from raw; update made set id = default
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   default <- shop.public.raw.amount IDENTITY
-- shop.public.made
--   id <- shop.public.made.default IDENTITY
--   default <- shop.public.made.default IDENTITY

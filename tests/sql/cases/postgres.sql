insert into other (id, note) select id, state from raw returning id
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY

create table made as select r.state::jsonb -> 'a' ->> 'b' x, r.state::json #>> '{a,b}' y,
jsonb_agg(r.*) z, row_to_json(r) w, to_jsonb(r) - 'id' v, (r).id u, r from raw r group by
r.state, r.*, r.id
-- shop.public.made CREATE
--   x <- shop.public.raw.state TRANSFORMATION
--   y <- shop.public.raw.state TRANSFORMATION
--   z <- shop.public.raw.amount AGGREGATION
--   z <- shop.public.raw.customer AGGREGATION
--   z <- shop.public.raw.id AGGREGATION
--   z <- shop.public.raw.state AGGREGATION
--   w <- shop.public.raw.amount TRANSFORMATION
--   w <- shop.public.raw.customer TRANSFORMATION
--   w <- shop.public.raw.id TRANSFORMATION
--   w <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.customer TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION
--   v <- shop.public.raw.state TRANSFORMATION
--   u <- shop.public.raw.id IDENTITY
--   r <- shop.public.raw.amount TRANSFORMATION
--   r <- shop.public.raw.customer TRANSFORMATION
--   r <- shop.public.raw.id TRANSFORMATION
--   r <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select count(*), sum(amount), customer::text, case when id > 1 then state
end, coalesce(state, customer), id + 1, max(id) as m from raw group by 3, 4, 5, 6
-- shop.public.made CREATE
--   count <-
--   sum <- shop.public.raw.amount AGGREGATION
--   customer <- shop.public.raw.customer TRANSFORMATION
--   case <- shop.public.raw.id CONDITIONAL
--   case <- shop.public.raw.state TRANSFORMATION
--   coalesce <- shop.public.raw.customer CONDITIONAL
--   coalesce <- shop.public.raw.customer TRANSFORMATION
--   coalesce <- shop.public.raw.state CONDITIONAL
--   coalesce <- shop.public.raw.state TRANSFORMATION
--    <- shop.public.raw.id TRANSFORMATION
--   m <- shop.public.raw.id AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY
-- unresolved: UnnamedColumn

create table made as select distinct on (customer) id, amount from raw order by customer, amount
desc
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.customer SORT

create table made as select id, unnest(string_to_array(state, ',')) u, g from raw,
generate_series(1, raw.id) g
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   u <- shop.public.raw.state TRANSFORMATION
--   g <- shop.public.raw.id TRANSFORMATION

create table made as select x.a, x.b from raw, jsonb_to_recordset(raw.state::jsonb) as x(a int,
b text)
-- shop.public.made CREATE
--   a <- shop.public.raw.state TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

create table made as select x.* from raw r, lateral (select o.v, r.customer c from orders o
where o.id = r.id limit 1) x
-- shop.public.made CREATE
--   v <- shop.public.orders.v IDENTITY
--   c <- shop.public.raw.customer IDENTITY
--   * <- shop.public.orders.id FILTER
--   * <- shop.public.raw.id FILTER

create table made as select * from raw natural join orders
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   cid <- shop.public.orders.cid IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select * from raw left join orders using (id)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   cid <- shop.public.orders.cid IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select a.id from raw a full join orders b using (id)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select id from raw a full join orders b using (id)
-- shop.public.made CREATE
--   id <- shop.public.orders.id CONDITIONAL
--   id <- shop.public.orders.id TRANSFORMATION
--   id <- shop.public.raw.id CONDITIONAL
--   id <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

insert into mart select * from (values (1, 'a', 2)) v
-- shop.public.mart
--   id <-
--   customer <-
--   total <-

update mart m set (customer, total) = (r.customer, r.amount) from raw r where r.id = m.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

update mart set (customer, total) = (select customer, amount from raw where raw.id = mart.id)
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.id FILTER
--   customer <- shop.public.raw.customer IDENTITY
--   customer <- shop.public.raw.id FILTER
--   total <- shop.public.mart.id FILTER
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.id FILTER

delete from mart m using raw r, orders o where r.id = m.id and o.id = r.id and o.v > 3
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.id JOIN

with moved as (delete from raw where amount < 0 returning *) insert into mart (id, customer,
total) select id, customer, amount from moved
-- shop.public.raw
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.amount FILTER

with up as (update mart set total = raw.amount from raw where raw.id = mart.id returning
mart.id, raw.state) insert into other select * from up
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.other
--   id <- shop.public.mart.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

merge into mart using raw on mart.id = raw.id when matched then do nothing when not matched then
insert values (raw.id, raw.customer, raw.amount)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

merge into mart using raw on mart.id = raw.id when not matched by source then delete when not
matched then insert (id) values (raw.id) when matched then update set (customer, total) =
(raw.customer, raw.amount)
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

copy mart (id, customer) from '/x.csv' csv
-- shop.public.mart
-- file /x.csv
-- unresolved: FileColumns

copy raw (id, state) to '/x.csv' csv
-- /x.csv
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

copy raw to program 'gzip > x'
-- opaque: COPY PROGRAM

copy (select 1 from raw) to stdout
-- reads shop.public.raw

create temp table t (like raw); insert into t select * from raw; insert into mart (id) select id
from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create temp table t as table raw; update t set amount = o.v from orders o where o.id = t.id;
insert into mart (id, total) select id, amount from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.orders.v IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create temp table t as table raw; delete from t using orders o where o.id = t.id; insert into
mart (id, total) select id, amount from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create temp table t as table raw; merge into t using orders o on t.id = o.id when matched then
update set amount = o.v; insert into mart (id, total) select id, amount from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.orders.v IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create temp table t as table raw; truncate t; insert into mart (id) select id from t
-- shop.public.mart
--   id <-
-- reads shop.public.raw

create temp table t as table raw; alter table t rename column id to k; insert into mart (id)
select k from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

alter table raw rename column id to k; insert into mart (id) select k from raw
-- shop.public.raw ALTER
-- shop.public.mart
--   id <- shop.public.raw.k IDENTITY
-- reads shop.public.raw

alter table other add column extra text; insert into other select id, customer, state from raw
-- shop.public.other ALTER
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.customer IDENTITY
--   extra <- shop.public.raw.state IDENTITY

create unlogged table made as select id from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

create materialized view mv as select id from raw with data
-- shop.public.mv CREATE
--   id <- shop.public.raw.id IDENTITY

refresh materialized view mv
-- opaque: REFRESH

select id into made from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

insert into mart (id, customer) select * from dblink('x', 'select a, b from c') as t(a int, b
text)
-- shop.public.mart
--   id <-
--   customer <-
-- opaque: DBLINK

insert into mart (id) select f.a from my_func(3) f
-- shop.public.mart
--   id <-
-- opaque: MY_FUNC

insert into mart (id) select my_func(3)
-- shop.public.mart
--   id <-
-- opaque: MY_FUNC

insert into "Mart" ("Id") select "Id" from "Raw"
-- shop.public.Mart
--   Id <- shop.public.Raw.Id IDENTITY

insert into mart (id, customer) select id, overlay(state placing customer from 1) from raw
tablesample system (10)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer TRANSFORMATION
--   customer <- shop.public.raw.state TRANSFORMATION

insert into mart (id) select id from only raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made as select array(select v from orders o where o.id = r.id) a, exists (select 1
from orders o where o.id = r.id) e, id in (select cid from customers) i, (id, state) = (select
id, note from other limit 1) q, amount > all (select v from orders) al from raw r
-- shop.public.made CREATE
--   a <- shop.public.orders.id FILTER
--   a <- shop.public.orders.v TRANSFORMATION
--   a <- shop.public.raw.id FILTER
--   e <- shop.public.orders.id FILTER
--   e <- shop.public.raw.id FILTER
--   i <- shop.public.customers.cid TRANSFORMATION
--   i <- shop.public.raw.id TRANSFORMATION
--   q <- shop.public.other.id TRANSFORMATION
--   q <- shop.public.other.note TRANSFORMATION
--   q <- shop.public.raw.id TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION
--   al <- shop.public.orders.v TRANSFORMATION
--   al <- shop.public.raw.amount TRANSFORMATION

create table made as select percentile_cont(0.5) within group (order by amount) p, mode() within
group (order by state) m, string_agg(state, ',' order by id) s, array_agg(distinct customer) a,
bool_or(amount > 1) b, count(distinct state) c, json_object_agg(id, state) j, first_value(state)
over (partition by customer order by id) f, ntile(4) over (order by amount) n from raw group by
customer, state, id, amount
-- shop.public.made CREATE
--   p <- shop.public.raw.amount AGGREGATION
--   m <- shop.public.raw.state AGGREGATION
--   s <- shop.public.raw.id SORT
--   s <- shop.public.raw.state AGGREGATION
--   a <- shop.public.raw.customer AGGREGATION
--   b <- shop.public.raw.amount AGGREGATION
--   c <- shop.public.raw.state AGGREGATION masking
--   j <- shop.public.raw.id AGGREGATION
--   j <- shop.public.raw.state AGGREGATION
--   f <- shop.public.raw.customer WINDOW
--   f <- shop.public.raw.id WINDOW
--   f <- shop.public.raw.state AGGREGATION
--   n <- shop.public.raw.amount WINDOW
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select id from raw where (customer, state) in (select name, cid::text from
customers) order by amount limit (select max(v) from orders)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.customers.cid FILTER
--   * <- shop.public.customers.name FILTER
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.state FILTER

insert into mart (id) select id from raw where day = '{{ ds }}'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- unresolved: Column

create table made as select id, %(x)s as x, :y as y from raw where amount > %s
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   x <-
--   y <-
--   * <- shop.public.raw.amount FILTER

insert into mart (id) values (%s)
-- shop.public.mart
--   id <-

create table made as select id from raw union select id from orders intersect select cid from
customers
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.customers.cid JOIN
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id GROUP_BY

create table made as (select id from raw order by amount limit 3) union all (select id from
orders order by v limit 1)
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.v SORT
--   * <- shop.public.raw.amount SORT

select * from crosstab('select 1') as ct(a int, b int)
-- opaque: CROSSTAB

create table made as select * from rows from (generate_series(1,2), unnest(array[1,2])) as x(a,
b)
-- shop.public.made CREATE
--   a <-
--   b <-

insert into mart (id) overriding system value select id from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table part partition of mart for values from (1) to (2)
-- shop.public.part CREATE

create table made as execute p
-- shop.public.made CREATE
-- opaque: EXECUTE

create rule r as on insert to raw do also insert into other values (new.id, new.state)
-- nothing

create function f() returns int as $$ insert into mart select 1; select 1 $$ language sql;
select f()
-- opaque: F

select f(id) from raw
-- reads shop.public.raw

create table made as select grouping(id) g, id from raw group by cube (id, state)
-- shop.public.made CREATE
--   g <-
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select a.x from (select id as x from raw) a, (select max(v) mv from orders)
b where a.x > b.mv
-- shop.public.made CREATE
--   x <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.v JOIN
--   * <- shop.public.raw.id JOIN

set search_path to stage, public; insert into t2 select raw.id from raw
-- shop.stage.t2
--   id <- shop.public.raw.id IDENTITY
-- unresolved: TargetColumns

insert into mart (id) select id from (select * from raw offset 3) x fetch first 3 rows with ties
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

alter table other drop column note; insert into other select id from raw
-- shop.public.other ALTER
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY

create table made as select jsonb_agg(r.*) z, count(*) n, count(r.*) m, row(r.*) w from raw r
-- shop.public.made CREATE
--   z <- shop.public.raw.amount AGGREGATION
--   z <- shop.public.raw.customer AGGREGATION
--   z <- shop.public.raw.id AGGREGATION
--   z <- shop.public.raw.state AGGREGATION
--   n <-
--   m <-
--   w <- shop.public.raw.amount TRANSFORMATION
--   w <- shop.public.raw.customer TRANSFORMATION
--   w <- shop.public.raw.id TRANSFORMATION
--   w <- shop.public.raw.state TRANSFORMATION

insert into mart (id) select my_func(3); insert into mart (id) select nextval('s'); insert into
mart(id) select my_func(raw.id) from raw
-- shop.public.mart
--   id <-
-- shop.public.mart
--   id <-
-- shop.public.mart
--   id <- shop.public.raw.id TRANSFORMATION
-- opaque: MY_FUNC

select refresh_mart(); select count(*), now() from raw
-- reads shop.public.raw
-- opaque: REFRESH_MART

select * from rows from (generate_series(1,2), unnest(array[1,2])) as x(a, b)
-- nothing

create table made as select x.count from (select count(*), sum(amount) from raw) x where x.sum >
1
-- shop.public.made CREATE
--   count <-
--   * <- shop.public.raw.amount FILTER

create table made as select x.count, x.sum from (select count(*), sum(amount) from raw) x
-- shop.public.made CREATE
--   count <-
--   sum <- shop.public.raw.amount AGGREGATION

create table made as select 's3cret', count(*), 3
-- shop.public.made CREATE
--    <-
--   count <-
--    <-

copy mart from program 'gzip > x'
-- opaque: COPY PROGRAM

copy mart from stdin
-- shop.public.mart
-- unresolved: FileColumns

insert into other (id, note) select id, state from raw on conflict (id) do update set note =
excluded.note || note
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.other.note TRANSFORMATION
--   note <- shop.public.raw.state IDENTITY
--   note <- shop.public.raw.state TRANSFORMATION

create table made as select r.id from raw r join customers c on r.id = c.cid, orders o where
substr(c.name, 1, 2) = substr(o.cid::text, 1, 2)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.customers.cid JOIN
--   * <- shop.public.customers.name JOIN
--   * <- shop.public.orders.cid JOIN
--   * <- shop.public.raw.id JOIN

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.public.made CREATE
--   id <- shop.public.archive.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   v <- shop.public.archive.v IDENTITY
--   v <- shop.public.orders.v IDENTITY

create table made as with raw as (select id from raw except select id from orders), orders as
(select id from orders where v > (with orders as (select max(v) as v from orders) select v from
orders)) select raw.id from raw join orders on orders.id = raw.id
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id JOIN

create table made as with recursive orders as (select id, cid from customers join raw using (cid)
union all select o.id, o.cid from orders o) select * from orders
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   cid <- shop.public.customers.cid IDENTITY
--   * <- shop.public.customers.cid JOIN

create table made as with recursive a as (select id from b), b as (select id from raw) select *
from a
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

create table made as with a as (select id from b), b as (select id from raw) select * from a, b
-- shop.public.made CREATE
--   id <- shop.public.b.id IDENTITY
--   id <- shop.public.raw.id IDENTITY

create table made as select prev.items.price as before, curr.items.price as after from prev.items
join curr.items on prev.items.id = curr.items.id
-- shop.public.made CREATE
--   before <- shop.prev.items.price IDENTITY
--   after <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

create table made as select shop.prev.items.price as a, items.price as b from prev.items, curr.items
-- shop.public.made CREATE
--   a <- shop.prev.items.price IDENTITY
--   b <-
-- reads shop.curr.items
-- unresolved: AmbiguousColumn

update curr.items set price = prev.items.price from prev.items where prev.items.id = curr.items.id
-- shop.curr.items
--   id <- shop.curr.items.id IDENTITY
--   price <- shop.prev.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then update set
total = s.amount + t.total when matched then delete
-- shop.public.mart
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.amount TRANSFORMATION
--   total <- shop.public.raw.state CONDITIONAL
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.raw.state FILTER

merge into mart t using raw s on t.id = s.id when not matched and s.state = 'x' then insert
(id, total) values (s.id, 1) when not matched and s.amount > 0 then insert (id, total) values
(s.id, 2)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <-
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.raw.state FILTER

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then do nothing when
matched then delete
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.raw.state FILTER

create table made as select p.id, amount, name from people p join archive a on p.pid = a.person
-- shop.public.made CREATE
--   id <- shop.public.people.id IDENTITY
--   amount <-
--   name <-
--   * <- shop.public.archive.person JOIN
--   * <- shop.public.people.pid JOIN
-- unresolved: AmbiguousColumn 2

create table made as select * from people p join archive a on p.pid = a.person
-- shop.public.made CREATE
--   * <- shop.public.archive.person JOIN
--   * <- shop.public.people.pid JOIN
-- unresolved: Star

create table made as select p.*, a.note from people p join archive a on p.pid = a.person
-- shop.public.made CREATE
--   note <- shop.public.archive.note IDENTITY
--   * <- shop.public.archive.person JOIN
--   * <- shop.public.people.pid JOIN
-- unresolved: Star

create table made as select amount, v from raw join archive a on a.x = raw.id join orders o on o.id
= raw.id
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   * <- shop.public.archive.x JOIN
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select id from orders union select id from raw union all select id from mart
-- shop.public.made CREATE
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

create table made as select id from orders union all select id from raw intersect select id from
mart
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id JOIN

create table made as select ctid, id, raw.xmin from raw where tableoid > 0
-- shop.public.made CREATE
--   ctid <-
--   id <- shop.public.raw.id IDENTITY
--   xmin <-

create table made as select p.ctid, c from people p
-- shop.public.made CREATE
--   ctid <-
--   c <- shop.public.people.c IDENTITY

insert into other select id + 1, upper(note) from other
-- shop.public.other
--   id <- shop.public.other.id TRANSFORMATION
--   note <- shop.public.other.note TRANSFORMATION
-- reads shop.public.other

insert into mart (id) select id from other; insert into other (id) select id from raw
-- shop.public.mart
--   id <- shop.public.other.id IDENTITY
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
-- reads shop.public.other

create table made as select id from raw; insert into other (id) select id from made
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
-- shop.public.other
--   id <- shop.public.made.id IDENTITY

update mart m set total = m.total + (select max(total) from mart) where m.id > 3
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total AGGREGATION
--   total <- shop.public.mart.total TRANSFORMATION
--   * <- shop.public.mart.id FILTER
-- reads shop.public.mart

update mart set total = o.total from mart o where o.id = mart.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
-- reads shop.public.mart

select id, v into films_all from orders union all select id, amount from raw
-- shop.public.films_all CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   v <- shop.public.raw.amount IDENTITY

select swap_partitions_between_tables('raw', '2024-01-01', '2024-01-31', 'mart')
-- shop.public.raw ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
-- shop.public.mart ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
-- reads shop.public.mart
-- reads shop.public.raw

select move_partitions_to_table('raw', '2024-01-01', '2024-01-31', 'mart')
-- shop.public.mart ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY

alter table mart attach partition raw for values from (1) to (2)
-- shop.public.mart ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY

create table made as select u.p, u.q from raw, unnest(string_to_array(customer, ','),
string_to_array(state, ',')) as u(p, q)
-- shop.public.made CREATE
--   p <- shop.public.raw.customer TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION

create table made as select u.p, u.q, u.n from raw cross join unnest(array[customer], array[state])
with ordinality as u(p, q, n)
-- shop.public.made CREATE
--   p <- shop.public.raw.customer TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION
--   n <-

create temporary table tmp on commit drop as select id from raw; insert into mart (id) select id
from tmp
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made (z, y) as select id, amount from raw
-- shop.public.made CREATE
--   z <- shop.public.raw.id IDENTITY
--   y <- shop.public.raw.amount IDENTITY

explain analyze insert into mart (id) select id from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

explain (analyze, buffers off) delete from mart where id > 3
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id FILTER

explain insert into mart (id) select id from raw; explain (analyze false) delete from mart
-- nothing

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.public.made CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state FILTER

create table made as select json_agg(state order by id) as j, id from raw group by id limit (select
max(v) from orders)
-- shop.public.made CREATE
--   j <- shop.public.raw.id SORT
--   j <- shop.public.raw.state AGGREGATION
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.id GROUP_BY

CREATE TABLE x AS WITH a AS (SELECT id FROM raw), b AS (WITH a AS (SELECT v AS id FROM orders
UNION ALL SELECT id FROM a) SELECT * FROM a) SELECT * FROM b
-- shop.public.x CREATE
--   id <- shop.public.orders.v IDENTITY
--   id <- shop.public.raw.id IDENTITY

INSERT INTO mart (id, total) WITH mart AS (SELECT id, amount FROM raw) SELECT m.id, m.amount FROM
mart m JOIN public.mart p ON p.id = m.id
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- reads shop.public.mart

CREATE TABLE x AS WITH raw AS (SELECT id FROM raw WHERE id IN (SELECT cid FROM raw r2 JOIN orders
ON true)) SELECT id FROM raw WHERE EXISTS (SELECT 1 FROM raw z WHERE z.id = raw.id)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.cid FILTER
--   * <- shop.public.raw.id FILTER

CREATE TABLE x AS WITH RECURSIVE orders AS (SELECT id, v FROM raw JOIN public.orders USING (id)),
t AS (SELECT id FROM orders UNION SELECT t.id + 1 FROM t) SELECT * FROM t
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id JOIN

CREATE TABLE x AS SELECT shop.prev.items.price AS b, curr.items.price AS a FROM shop.prev.items,
shop.curr.items WHERE shop.prev.items.id = curr.items.id
-- shop.public.x CREATE
--   b <- shop.prev.items.price IDENTITY
--   a <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

CREATE TABLE x AS SELECT items.price, i.price AS p2 FROM prev.items i JOIN curr.items ON i.id =
items.id
-- shop.public.x CREATE
--   price <- shop.curr.items.price IDENTITY
--   p2 <- shop.prev.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

UPDATE curr.items SET price = prev.items.price + curr.items.price FROM prev.items WHERE
prev.items.id = curr.items.id
-- shop.curr.items
--   id <- shop.curr.items.id IDENTITY
--   price <- shop.curr.items.price TRANSFORMATION
--   price <- shop.prev.items.price TRANSFORMATION
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

CREATE TABLE x AS SELECT prev.items.*, curr.items.price AS p FROM prev.items JOIN curr.items
USING (id)
-- shop.public.x CREATE
--   id <- shop.prev.items.id IDENTITY
--   price <- shop.prev.items.price IDENTITY
--   p <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

CREATE TABLE x AS SELECT id, (SELECT max(items.price) FROM curr.items WHERE items.id =
prev.items.id) AS m FROM prev.items
-- shop.public.x CREATE
--   id <- shop.prev.items.id IDENTITY
--   m <- shop.curr.items.id FILTER
--   m <- shop.curr.items.price AGGREGATION
--   m <- shop.prev.items.id FILTER

DELETE FROM curr.items USING prev.items WHERE curr.items.id = prev.items.id AND prev.items.price
> 2
-- shop.curr.items
--   id <- shop.curr.items.id IDENTITY
--   price <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN
--   * <- shop.prev.items.price FILTER

INSERT INTO curr.items SELECT * FROM prev.items ON CONFLICT (id) DO UPDATE SET price =
curr.items.price + excluded.price
-- shop.curr.items
--   id <- shop.prev.items.id IDENTITY
--   price <- shop.curr.items.price TRANSFORMATION
--   price <- shop.prev.items.price IDENTITY
--   price <- shop.prev.items.price TRANSFORMATION

CREATE TABLE x AS SELECT to_jsonb(p) AS j FROM prev.items p, curr.items
-- shop.public.x CREATE
--   j <- shop.prev.items.id TRANSFORMATION
--   j <- shop.prev.items.price TRANSFORMATION
-- reads shop.curr.items

UPDATE "Sales" SET "Total" = s."Amount" FROM "Stage" s WHERE s."Id" = "Sales"."Id"
-- shop.public.Sales
--   Id <- shop.public.Sales.Id IDENTITY
--   Total <- shop.public.Stage.Amount IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY
--   * <- shop.public.Sales.Id JOIN
--   * <- shop.public.Stage.Id JOIN

MERGE INTO other t USING raw s ON t.id = s.id WHEN MATCHED AND s.amount > 3 THEN DO NOTHING WHEN
MATCHED THEN UPDATE SET (id, note) = ROW(s.id, s.state) WHEN NOT MATCHED THEN INSERT VALUES
(s.id, s.state) RETURNING merge_action(), t.*
-- shop.public.other
--   id <- shop.public.raw.amount CONDITIONAL
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.amount CONDITIONAL
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

CREATE TABLE m AS SELECT amount, foo FROM raw JOIN unknown_t u ON u.k = raw.id
-- shop.public.m CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   foo <- shop.public.unknown_t.foo IDENTITY
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.unknown_t.k JOIN

CREATE TABLE m AS SELECT id FROM raw JOIN orders ON raw.id = orders.id
-- shop.public.m CREATE
--   id <-
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN
-- unresolved: AmbiguousColumn

CREATE TABLE x AS SELECT id FROM raw UNION ALL SELECT id FROM orders INTERSECT SELECT id FROM
other
-- shop.public.x CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.other.id JOIN

CREATE TABLE x AS (SELECT id FROM raw UNION SELECT id FROM orders) EXCEPT ALL (SELECT id FROM
other ORDER BY note LIMIT 3)
-- shop.public.x CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.other.id JOIN
--   * <- shop.public.other.note SORT
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id JOIN

CREATE TABLE x AS SELECT id, state FROM raw UNION ALL VALUES (1, 'a') ORDER BY 2 LIMIT 3
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.state SORT

CREATE TABLE x AS SELECT id FROM raw UNION (WITH o AS (SELECT cid AS id FROM orders) SELECT id
FROM o)
-- shop.public.x CREATE
--   id <- shop.public.orders.cid IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.cid GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

CREATE TABLE x AS SELECT r.id, p, q, o FROM raw r, unnest(string_to_array(r.state, ','),
string_to_array(r.customer, ',')) WITH ORDINALITY AS u(p, q, o)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   p <- shop.public.raw.state TRANSFORMATION
--   q <- shop.public.raw.customer TRANSFORMATION
--   o <-

CREATE TABLE x AS SELECT a, b FROM raw, ROWS FROM (unnest(string_to_array(state, ',')),
generate_series(1, raw.amount)) AS t(a, b)
-- shop.public.x CREATE
--   a <- shop.public.raw.state TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION

CREATE TABLE x AS SELECT id, k, v FROM raw CROSS JOIN LATERAL (VALUES ('amount', amount), ('id',
id)) AS t(k, v)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.id IDENTITY

SELECT * INTO TEMP t FROM raw; CREATE TABLE x AS SELECT amount FROM t
-- shop.public.x CREATE
--   amount <- shop.public.raw.amount IDENTITY

BEGIN; ALTER TABLE mart RENAME TO mart_old; ALTER TABLE raw RENAME TO mart; DROP TABLE mart_old;
COMMIT; CREATE TABLE x AS SELECT amount FROM mart
-- shop.public.mart_old RENAME
-- shop.public.mart RENAME
-- shop.public.mart_old DROP
-- shop.public.x CREATE
--   amount <- shop.public.mart.amount IDENTITY

CREATE TEMPORARY TABLE t ON COMMIT DROP AS SELECT id, amount FROM raw; INSERT INTO mart (id,
total) SELECT id, amount FROM t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

CREATE TEMP TABLE t (id INT, a INT) ON COMMIT PRESERVE ROWS; INSERT INTO t SELECT id, amount FROM
raw; INSERT INTO mart (id, total) SELECT id, a FROM t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

CREATE TABLE x AS SELECT ctid, tableoid::regclass AS t, xmin, r.ctid AS c2, current_user AS u,
session_user AS su, current_date AS d, localtimestamp AS l FROM raw r
-- shop.public.x CREATE
--   ctid <-
--   t <-
--   xmin <-
--   c2 <-
--   u <-
--   su <-
--   d <-
--   l <-
-- reads shop.public.raw

INSERT INTO other (id, note) VALUES (nextval('s'), pg_backend_pid()::text || txid_current() ||
inet_client_addr())
-- shop.public.other
--   id <-
--   note <-

EXPLAIN (ANALYZE, BUFFERS) INSERT INTO mart (id) SELECT id FROM raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

EXPLAIN (ANALYZE false) INSERT INTO mart (id) SELECT id FROM raw
-- nothing

EXPLAIN ANALYZE CREATE TABLE x AS SELECT id FROM raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY

CREATE TABLE o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw GROUP BY
customer, state HAVING sum(amount) > 3 ORDER BY amount
-- shop.public.o CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   amount <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE o AS SELECT id AS amount, amount AS id FROM raw ORDER BY amount + 1, id
-- shop.public.o CREATE
--   amount <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.amount SORT

EXPLAIN (VERBOSE, ANALYZE ON) WITH c AS (SELECT id FROM raw) DELETE FROM mart USING c WHERE
mart.id = c.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS $$ SELECT max(v) FROM orders WHERE id = $1
$$; CREATE TABLE y AS SELECT f(id) AS a FROM raw
-- shop.public.y CREATE
--   a <- shop.public.orders.id FILTER
--   a <- shop.public.orders.v AGGREGATION
--   a <- shop.public.raw.id TRANSFORMATION

CREATE FUNCTION f(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$; CREATE TABLE
y AS SELECT f(id) AS a FROM raw
-- shop.public.y CREATE
--   a <- shop.public.raw.id TRANSFORMATION
-- opaque: F

CREATE TABLE x AS SELECT q.a1, q.a2 FROM (SELECT raw.id AS a1, other.id AS a2 FROM raw JOIN other
ON raw.id = other.id) q
-- shop.public.x CREATE
--   a1 <- shop.public.raw.id IDENTITY
--   a2 <- shop.public.other.id IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

WITH c AS (SELECT t.amount AS m FROM raw t) INSERT INTO mart (total) SELECT sum((SELECT max(m)
FROM c)) FROM c
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

CREATE TABLE x AS (SELECT i.id AS k, i.state AS s FROM raw i UNION ALL SELECT other.id,
other.note FROM other)
-- shop.public.x CREATE
--   k <- shop.public.other.id IDENTITY
--   k <- shop.public.raw.id IDENTITY
--   s <- shop.public.other.note IDENTITY
--   s <- shop.public.raw.state IDENTITY

CREATE TABLE x AS (SELECT * FROM prev.items UNION SELECT * FROM curr.items UNION SELECT id, v
FROM orders)
-- shop.public.x CREATE
--   id <- shop.curr.items.id IDENTITY
--   id <- shop.prev.items.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   price <- shop.curr.items.price IDENTITY
--   price <- shop.prev.items.price IDENTITY
--   price <- shop.public.orders.v IDENTITY
--   * <- shop.curr.items.id GROUP_BY
--   * <- shop.curr.items.price GROUP_BY
--   * <- shop.prev.items.id GROUP_BY
--   * <- shop.prev.items.price GROUP_BY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.v GROUP_BY

CREATE TEMPORARY TABLE tmp ON COMMIT DROP AS SELECT a.id, b.f1, b.f2 FROM raw AS a CROSS JOIN
LATERAL (VALUES ('s', a.amount), ('t', a.id)) AS b (f1, f2); INSERT INTO mart (id, customer,
total) SELECT * FROM tmp
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <-
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.id IDENTITY

CREATE TABLE x AS SELECT r.*, l.price AS p2 FROM prev.items l JOIN curr.items r USING (id)
-- shop.public.x CREATE
--   id <- shop.curr.items.id IDENTITY
--   price <- shop.curr.items.price IDENTITY
--   p2 <- shop.prev.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

CREATE TABLE x AS WITH RECURSIVE t(a, b) AS (SELECT id, amount FROM raw UNION ALL SELECT b, a
FROM t WHERE a < 5) SELECT a, b FROM t
-- shop.public.x CREATE
--   a <- shop.public.raw.amount IDENTITY
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id FILTER

CREATE TABLE x AS SELECT id FROM raw WHERE customer = (SELECT customer FROM other ORDER BY note
LIMIT 1)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.other.note FILTER
--   * <- shop.public.raw.customer FILTER

CREATE TABLE x AS SELECT DISTINCT ON (customer) raw.* FROM raw ORDER BY customer, amount DESC
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.customer SORT

INSERT INTO mart (id) SELECT id FROM raw TABLESAMPLE SYSTEM (10) REPEATABLE (2)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

CREATE TABLE x AS SELECT id, sum(amount) OVER (ORDER BY id RANGE BETWEEN amount PRECEDING AND
CURRENT ROW) AS s FROM raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   s <- shop.public.raw.amount AGGREGATION
--   s <- shop.public.raw.id WINDOW
-- unresolved: Unread

SELECT id FROM raw ORDER BY id FETCH FIRST (SELECT max(v) FROM orders) ROWS ONLY
-- reads shop.public.raw
-- reads shop.public.orders

CREATE TABLE x AS SELECT a.id FROM raw a JOIN LATERAL (SELECT * FROM orders o WHERE o.id = a.id)
l ON l.v > a.amount
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id FILTER
--   * <- shop.public.orders.v JOIN
--   * <- shop.public.raw.amount JOIN
--   * <- shop.public.raw.id FILTER

INSERT INTO other SELECT id, state FROM raw ON CONFLICT (id) WHERE note > 'a' DO UPDATE SET note
= (SELECT max(name) FROM customers)
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.customers.name AGGREGATION
--   note <- shop.public.raw.state IDENTITY

COPY (SELECT id, state FROM raw WHERE amount > (SELECT max(v) FROM orders)) TO '/tmp/x.csv'
-- /tmp/x.csv
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.amount FILTER

UPDATE mart SET total = DEFAULT WHERE CURRENT OF cur
-- opaque: Unparsed

CREATE TABLE x AS SELECT XMLELEMENT(NAME foo, state) AS e, EXTRACT(YEAR FROM customer::date) AS
y, OVERLAY(state PLACING customer FROM 1) AS o, POSITION(state IN customer) AS p, state COLLATE
"C" AS c, (state, customer)::text AS r FROM raw
-- shop.public.x CREATE
--   e <- shop.public.raw.state TRANSFORMATION
--   y <- shop.public.raw.customer TRANSFORMATION
--   o <- shop.public.raw.customer TRANSFORMATION
--   o <- shop.public.raw.state TRANSFORMATION
--   p <- shop.public.raw.customer TRANSFORMATION
--   p <- shop.public.raw.state TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION
--   r <- shop.public.raw.customer TRANSFORMATION
--   r <- shop.public.raw.state TRANSFORMATION

MERGE INTO mart USING (SELECT * FROM raw) r ON mart.id = r.id WHEN NOT MATCHED BY SOURCE AND
mart.total > (SELECT max(v) FROM orders) THEN DELETE WHEN MATCHED THEN UPDATE SET total =
r.amount
-- shop.public.mart
--   total <- shop.public.raw.amount IDENTITY
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.mart.total FILTER
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.id JOIN

update mart set total = default, customer = r.customer from raw r where r.id = mart.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <-
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table x as select r.id, e.* from raw r, jsonb_each_text(r.state) as e
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   key <- shop.public.raw.state TRANSFORMATION
--   value <- shop.public.raw.state TRANSFORMATION

with u as (update other set note = r.state from raw r where r.id = other.id returning old.note as
was, new.note as becomes, other.id) insert into mart (id, customer, total) select id, was, becomes
from u
-- shop.public.other
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.mart
--   id <- shop.public.other.id IDENTITY
--   customer <- shop.public.other.note IDENTITY
--   total <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

create view v with (security_barrier) as select id from raw where state = current_user with local
check option
-- shop.public.v CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.state FILTER

create table made as select elem->>'a' as a, ord, n.ordinality as o from raw cross join lateral
jsonb_array_elements(state::jsonb) with ordinality as t(elem, ord), string_to_table(state, ',') with
ordinality as n
-- shop.public.made CREATE
--   a <- shop.public.raw.state TRANSFORMATION
--   ord <-
--   o <-

create table made as select user, q.user as u, "user" as v from (select id as "user" from raw) q
-- shop.public.made CREATE
--   user <-
--   u <- shop.public.raw.id IDENTITY
--   v <- shop.public.raw.id IDENTITY

update mart set total[1] = r.amount, (customer).f = r.state from raw r where r.id = mart.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer TRANSFORMATION
--   customer <- shop.public.raw.state TRANSFORMATION
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.amount TRANSFORMATION
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select r.id, first_value(r.amount) over w, sum(r.amount) over w from raw r
window w as (partition by r.state order by r.id)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   first_value <- shop.public.raw.amount AGGREGATION
--   first_value <- shop.public.raw.id WINDOW
--   first_value <- shop.public.raw.state WINDOW
--   sum <- shop.public.raw.amount AGGREGATION
--   sum <- shop.public.raw.id WINDOW
--   sum <- shop.public.raw.state WINDOW

create table made as select id::text, (string_to_array(state, ','))[1], arr[1], state::json->'a',
date '2020-01-01', (r.customer) from (select *, array[amount] as arr from raw) r
-- shop.public.made CREATE
--   id <- shop.public.raw.id TRANSFORMATION
--    <- shop.public.raw.state TRANSFORMATION
--   arr <- shop.public.raw.amount TRANSFORMATION
--    <- shop.public.raw.state TRANSFORMATION
--    <-
--   customer <- shop.public.raw.customer IDENTITY
-- unresolved: UnnamedColumn 2

create table made (like raw including all, z int); insert into made select *, 3 from raw
-- shop.public.made CREATE
-- shop.public.made
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   z <-

create table made as select distinct on (state) id, amount as state from raw order by state
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.amount SORT

create table made as select distinct on (upper(state), 1) id, amount as state from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

alter table raw alter column state type text using customer || state
-- shop.public.raw ALTER
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.customer TRANSFORMATION
--   state <- shop.public.raw.state TRANSFORMATION
-- shop.public.raw ALTER

create temp table t as select id, amount, state from raw; alter table t alter column amount type
text using state; insert into other (note) select amount from t
-- shop.public.other
--   note <- shop.public.raw.state IDENTITY

create table made as select id from raw union all select id from orders limit (select max(total)
from mart) offset (select min(cid) from customers)
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.customers.cid FILTER
--   * <- shop.public.mart.total FILTER

create temp view v as select id, total from mart; update v set total = raw.amount from raw where
raw.id = v.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create temp view v as select id as k, total as t from mart; create temp view w (a, b) as select t,
k from v; insert into w (b, a) select id, amount from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

create temp view v as select * from mart where total > 3; delete from v using raw where raw.id =
v.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.mart.total FILTER
--   * <- shop.public.raw.id JOIN

create temp table t as select id, amount from raw; create temp view v as select id as k from t;
update v set k = 3; insert into mart (id) select id from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create view v as select id as k, total as t from mart; insert into v select id, amount from raw;
drop view v; create table v (k int, t int); insert into v select id, cid from orders
-- shop.public.v CREATE
--   k <- shop.public.mart.id IDENTITY
--   t <- shop.public.mart.total IDENTITY
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
-- shop.public.v DROP
-- shop.public.v CREATE
-- shop.public.v
--   k <- shop.public.orders.id IDENTITY
--   t <- shop.public.orders.cid IDENTITY

create table made (id int, a int, b int generated always as (a * 2) stored, c int default 3);
insert into made (id, a) select id, amount from raw; delete from made where id > 3
-- shop.public.made CREATE
-- shop.public.made
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.amount TRANSFORMATION
-- shop.public.made
--   id <- shop.public.made.id IDENTITY
--   a <- shop.public.made.a IDENTITY
--   b <- shop.public.made.b IDENTITY
--   c <- shop.public.made.c IDENTITY
--   * <- shop.public.made.id FILTER

create table made (id int, a int, b int generated always as (a * 2) stored); update made set a =
r.amount from raw r where r.id = made.id; alter table made rename to y; update y set id = 3
-- shop.public.made CREATE
-- shop.public.made
--   id <- shop.public.made.id IDENTITY
--   a <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.amount TRANSFORMATION
--   * <- shop.public.made.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.y
--   id <- shop.public.made.id IDENTITY
--   a <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.amount TRANSFORMATION
--   * <- shop.public.made.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.y RENAME
-- shop.public.y
--   id <-
--   a <- shop.public.y.a IDENTITY
--   b <- shop.public.y.b IDENTITY

alter table raw add column b int generated always as (amount * 2) stored; insert into raw (id,
amount) select id, cid from orders
-- shop.public.raw ALTER
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   b <- shop.public.raw.amount TRANSFORMATION
-- shop.public.raw ALTER
-- shop.public.raw
--   id <- shop.public.orders.id IDENTITY
--   amount <- shop.public.orders.cid IDENTITY
--   b <- shop.public.orders.cid TRANSFORMATION

create table out1 as select u.* from raw r, unnest(array[r.id], array[r.amount]) with ordinality as
u(a, b, n)
-- shop.public.out1 CREATE
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION
--   n <-

create table out1 partition of mart for values in (1); insert into out1 select id, customer, amount
from raw
-- shop.public.out1 CREATE
-- shop.public.out1
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

create table out1 as select g.d from generate_series(1, (select max(id) from orders)) g(d)
-- shop.public.out1 CREATE
--   d <- shop.public.orders.id AGGREGATION

create rule r as on insert to mart do instead insert into other (id) values (new.id); insert into
mart (id, total) select id, amount from raw
-- reads shop.public.raw
-- opaque: TRIGGER

create view v as select id, total from mart; create trigger tr instead of insert on v for each row
execute function f(); insert into v select id, amount from raw
-- shop.public.v CREATE
--   id <- shop.public.mart.id IDENTITY
--   total <- shop.public.mart.total IDENTITY
-- reads shop.public.raw
-- opaque: TRIGGER

create function f() returns int as 'begin; x' language sql; insert into mart (id, customer) select
id, 'BEGIN' from raw where state = 'PROCEDURE'; delete from mart where customer = 'BEGIN'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <-
--   * <- shop.public.raw.state FILTER
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.customer FILTER

create index rule on raw (id); create index on other (trigger); insert into raw (id) select id
from other
-- shop.public.raw
--   id <- shop.public.other.id IDENTITY

create rule kept as on update to mart do instead nothing; insert into mart (id) select id from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- opaque: TRIGGER

create trigger rule before insert on raw for each row execute function f(instead); insert into raw
(id) select id from other
-- shop.public.raw
--   id <- shop.public.other.id IDENTITY
-- opaque: TRIGGER

alter table other add column if not exists note text; insert into mart (id, customer) select * from
other
-- shop.public.other ALTER
-- shop.public.mart
--   id <- shop.public.other.id IDENTITY
--   customer <- shop.public.other.note IDENTITY
-- reads shop.public.other

create table x as select y.* from orders o, xmltable('/a' passing o.v columns p int path 'p', q
text path 'q') y
-- shop.public.x CREATE
--   p <- shop.public.orders.v TRANSFORMATION
--   q <- shop.public.orders.v TRANSFORMATION

do $$ begin insert into mart (id, total) select id, amount from raw; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

do $$ declare v int; begin select max(id) into v from raw; insert into mart (id) values (v); end $$
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

do $$ declare v int; begin v := (select max(amount) from raw); insert into mart (total) values (v);
end $$
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

do $$ declare v int; begin v := (select max(amount) from raw); insert into mart (total) values (v);
end $$
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

do $$ declare r record; begin for r in select id, amount from raw loop insert into mart (id, total)
values (r.id, r.amount); end loop; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

do $$ declare v int := 3; begin insert into mart (id, total) select id, v from raw; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <-

do $$ declare c cursor for select id, amount from raw; r record; begin open c; loop fetch c into r;
exit when not found; insert into mart (id, total) values (r.id, r.amount); end loop; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

do $$ begin for r in execute 'select id from raw' loop insert into mart (id) values (r.id); end
loop; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

do $$ declare v int; w bigint; begin select max(id) into v from raw; select max(amount) into strict
w from raw; insert into mart (id, total) values (v, w); end $$
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION
--   total <- shop.public.raw.amount AGGREGATION

do $$ declare v int; begin select max(id), max(amount) into v, w from raw; insert into mart (id,
total) values (v, w); end $$
-- shop.public.mart
--   id <-
--   total <-
-- unresolved: Column
-- opaque: Unparsed

do language plpython3u $$ plpy.execute("insert into mart select 1") $$
-- opaque: DO

do $$ begin insert into mart (id) select id from raw; end $$ language plpgsql
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

do $$ declare r record; begin insert into mart (id, customer) select id, state from raw returning *
into strict r; insert into other (id, note) values (r.id, r.customer); end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.state IDENTITY
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY

create table event as select id, case when amount > 1 then 2 end x from raw; create view task as
select id from event
-- shop.public.event CREATE
--   id <- shop.public.raw.id IDENTITY
--   x <- shop.public.raw.amount CONDITIONAL
-- shop.public.task CREATE
--   id <- shop.public.event.id IDENTITY

insert into mart (id, customer) select id, jsonb_array_elements(state -> 'x') ->> 'y' from raw
where (state ->> 'd')::date > now()
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.state FILTER

insert into mart (id, customer) select id, jsonb_array_elements(state -> 'x') from raw where
jsonb_typeof(state -> customer) = 'a'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.state FILTER

insert into mart (id, customer) select id, coalesce(state -> 'x', customer) from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer CONDITIONAL
--   customer <- shop.public.raw.customer TRANSFORMATION
--   customer <- shop.public.raw.state CONDITIONAL
--   customer <- shop.public.raw.state TRANSFORMATION

insert into mart (id, customer) select count(distinct state -> 'x'), string_agg(state ->> 'a', ','
order by state -> 'b' ) || coalesce(state -> 'x' ->> 'y', customer -> 'z') from raw group by
state, customer
-- shop.public.mart
--   id <- shop.public.raw.state AGGREGATION masking
--   customer <- shop.public.raw.customer CONDITIONAL
--   customer <- shop.public.raw.customer TRANSFORMATION
--   customer <- shop.public.raw.state AGGREGATION
--   customer <- shop.public.raw.state CONDITIONAL
--   customer <- shop.public.raw.state SORT
--   customer <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

do $$ declare r record; begin for r in select id, amount from raw loop execute 'insert into mart
(id, total) values ($1, $2)' using r.id, r.amount; end loop; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

do $$ declare n int; begin execute 'select max(id) from raw' into n; insert into mart (id) values
(n); end $$
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

do $$ declare r record; begin select id, amount into r from raw where state = 'x'; insert into
mart (id, total) values (r.id, r.amount); end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.state FILTER
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.state FILTER

do $$ declare r record; begin select id, amount into strict r from raw where state = 'x'; insert
into mart (id, total) values (r.id, r.amount); end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.state FILTER
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.state FILTER

create table made as select date_trunc(state, customer) d, date_trunc('day', customer) e,
date_trunc('century', customer) c from raw where id = $1
-- shop.public.made CREATE
--   d <- shop.public.raw.customer TRANSFORMATION
--   d <- shop.public.raw.state TRANSFORMATION
--   e <- shop.public.raw.customer TRANSFORMATION
--   c <- shop.public.raw.customer TRANSFORMATION
--   * <- shop.public.raw.id FILTER

create recursive view v (n) as select id from raw union all select n + 1 from v where n < 3
-- shop.public.v CREATE
--   n <- shop.public.raw.id IDENTITY
--   n <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.raw.id FILTER

with t as ((select id from raw)) insert into mart (id) select id from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made as with recursive t as ((select id from orders union all select o.v from orders
o join t on o.id = t.id)) select id from t
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.orders.v IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v JOIN

create table made as with t as ((select id from raw order by amount limit 3) limit 2) select id
from t
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount SORT

with c as (update mart set total = r.amount from raw r where r.id = mart.id returning mart.*,
r.state) insert into other (id, note) select id, state from c
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.other
--   id <- shop.public.mart.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

with d as (delete from raw r returning r.*) insert into mart (id, total) select id, amount from d
-- shop.public.raw
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

with u as (update mart set total = r.amount from raw r where r.id = mart.id returning *) insert
into other (id, note) select u.customer, u.state from u
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.other
--   id <- shop.public.mart.customer IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table m as select @ amount as a, @ (id - amount) as b, @-@ state as c from raw where @ id > 1
-- shop.public.m CREATE
--   a <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.id TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.id FILTER

create table t (id int, interval int, values int); create table m as select interval + 1 as a,
interval - id as b, interval * 2 as c, coalesce(values, 0) as d, id + interval '1 day' as e from t
-- shop.public.t CREATE
-- shop.public.m CREATE
--   a <- shop.public.t.interval TRANSFORMATION
--   b <- shop.public.t.id TRANSFORMATION
--   b <- shop.public.t.interval TRANSFORMATION
--   c <- shop.public.t.interval TRANSFORMATION
--   d <- shop.public.t.values CONDITIONAL
--   d <- shop.public.t.values TRANSFORMATION
--   e <- shop.public.t.id TRANSFORMATION

create table m as select id, amount as a from raw with no data; insert into m select id, total from
mart
-- shop.public.m CREATE
-- shop.public.m
--   id <- shop.public.mart.id IDENTITY
--   a <- shop.public.mart.total IDENTITY

create temporary table m as select id, amount as a from raw with no data; insert into m (a) select
total from mart; create table n as select id, a from m
-- shop.public.n CREATE
--   id <-
--   a <- shop.public.mart.total IDENTITY

create materialized view m as select id from raw with no data
-- shop.public.m CREATE
--   id <- shop.public.raw.id IDENTITY

create table t (id int, regexp int, rlike int); create table m as select regexp + 1 as a, rlike
- id as b, id ~ current_user as c from t where not regexp is null
-- shop.public.t CREATE
-- shop.public.m CREATE
--   a <- shop.public.t.regexp TRANSFORMATION
--   b <- shop.public.t.id TRANSFORMATION
--   b <- shop.public.t.rlike TRANSFORMATION
--   c <- shop.public.t.id TRANSFORMATION
--   * <- shop.public.t.regexp FILTER

create temp table pg_temp.kept as select id, amount from raw; create table pg_temp.more as select * from kept; create table made as select amount from more
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY

do $$ declare r record; a int[]; begin select id, total into r from mart; r.total := (select max(v)
from orders); select array_agg(id) into a from raw; a[1] := r.total; insert into mart (id, total)
values (a[2], r.total); end $$
-- shop.public.mart
--   id <- shop.public.orders.v AGGREGATION
--   id <- shop.public.raw.id AGGREGATION
--   total <- shop.public.orders.v AGGREGATION
-- reads shop.public.mart

do $$ declare r record; begin select id, note into r from other; insert into mart (id, total)
select id, amount from raw
returning id, total into strict r.id, r.note; insert into other (id, note) values (r.id, r.note);
end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.amount IDENTITY
-- reads shop.public.other

do $$ declare a int[]; begin select amount into a[1] from raw; select v into strict a[2] from
orders; insert into mart (total) values (a[1]); end $$
-- shop.public.mart
--   total <- shop.public.orders.v TRANSFORMATION
--   total <- shop.public.raw.amount TRANSFORMATION

do $$ declare a int; b int; begin for a, b in select id, amount from raw where state = 'x' loop
insert into mart (id, total) values (a, b); end loop; end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.state FILTER
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.state FILTER
--   * <- shop.public.raw.state FILTER

do $$ declare x int; begin foreach x in array (select array_agg(amount) from raw) loop insert into
mart (total) values (x); end loop; end $$
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

do $$ declare v int = 3; r record; begin v = (select max(amount) from raw); select id, v as w into r
from raw; r.w = v + 1; insert into mart (id, total) values (r.id, r.w); end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount AGGREGATION

do $$ begin for r in execute v_sql loop insert into mart (id) values (r.id); end loop; end $$
-- shop.public.mart
--   id <-
-- unresolved: Column
-- opaque: FOR

do $$ declare r record; begin select into a, b id, amount from raw; select into strict r o.id, v
from orders o; insert into mart (id, total, customer) values (a, b, r.v); end $$
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   customer <- shop.public.orders.v IDENTITY

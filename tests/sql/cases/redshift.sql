copy mart from 's3://bucket/in' iam_role 'arn' format as parquet
-- shop.public.mart
-- file s3://bucket/in
-- unresolved: FileColumns

copy mart (id, customer) from 's3://bucket/in' iam_role 'arn' csv
-- shop.public.mart
-- file s3://bucket/in
-- unresolved: FileColumns

unload ($$select id, state from raw$$) to 's3://bucket/out' iam_role 'arn' parquet
-- s3://bucket/out
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made distkey(id) sortkey(id) as select id from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

create table #t as select id from raw; insert into mart (id) select id from #t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

select id into temp t2 from raw; insert into mart (id) select id from t2
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

insert into mart (id) select id from raw qualify row_number() over (partition by id order by
amount) = 1
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id FILTER

update mart set total = s.amount from (select id, amount from raw) s where mart.id = s.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

delete from mart using raw where raw.id = mart.id
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

merge into mart using raw r on mart.id = r.id when matched then update set total = r.amount when
not matched then insert values (r.id, r.customer, r.amount)
-- shop.public.mart
--   total <- shop.public.raw.amount IDENTITY
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

merge into mart using raw r on mart.id = r.id remove duplicates
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.mart
-- unresolved: TargetColumns

alter table mart append from other
-- shop.public.mart ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.other.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY

create materialized view mv auto refresh yes as select id from raw
-- shop.public.mv CREATE
--   id <- shop.public.raw.id IDENTITY

refresh materialized view mv
-- opaque: REFRESH

create external table spectrum.x stored as parquet location 's3://b/x' as select id from raw
-- shop.spectrum.x CREATE
--   id <- shop.public.raw.id IDENTITY

call p()
-- opaque: CALL

create table made as select nvl(state, 'x') s, decode(state, 'a', 1, 2) d, listagg(customer,
',') within group (order by id) l, median(amount) m, approximate count(distinct id) n, getdate()
g from raw group by state
-- shop.public.made CREATE
--   s <- shop.public.raw.state CONDITIONAL
--   s <- shop.public.raw.state TRANSFORMATION
--   d <- shop.public.raw.state CONDITIONAL
--   l <- shop.public.raw.customer AGGREGATION
--   l <- shop.public.raw.id SORT
--   m <- shop.public.raw.amount AGGREGATION
--   n <- shop.public.raw.id AGGREGATION
--   g <-
--   * <- shop.public.raw.state GROUP_BY

select * into made from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made (like raw)
-- shop.public.made CREATE

create table made as select top 10 id from raw order by amount
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount SORT

create table made as select * exclude (state) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

begin; lock mart; delete from mart; insert into mart select id, customer, amount from raw; end;
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

prepare p as insert into mart select 1; execute p
-- opaque: EXECUTE

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.public.made CREATE
--   id <- shop.public.archive.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   v <- shop.public.archive.v IDENTITY
--   v <- shop.public.orders.v IDENTITY

create table made as select *, 4 as four exclude (state, id) from raw
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   four <-

CREATE TABLE x AS SELECT * FROM (SELECT id, amount, state FROM raw) UNPIVOT (v FOR n IN (amount,
state))
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.state FILTER

ALTER TABLE mart APPEND FROM stage_mart
-- shop.public.mart ALTER
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.stage_mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.stage_mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   total <- shop.public.stage_mart.total IDENTITY

INSERT INTO other SELECT 1, getdate() || sysdate || pg_last_copy_id() FROM raw
-- shop.public.other
--   id <-
--   note <-
-- reads shop.public.raw

CREATE TABLE o AS SELECT upper(state) AS cust, sum(amount) AS amt FROM raw GROUP BY cust HAVING
amt > 3
-- shop.public.o CREATE
--   cust <- shop.public.raw.state TRANSFORMATION
--   amt <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.state GROUP_BY

INSERT INTO mart (total) WITH a AS (SELECT amount FROM raw) SELECT amount FROM a
-- shop.public.mart
--   total <- shop.public.raw.amount IDENTITY

INSERT INTO other (id) SELECT sq.id FROM (SELECT raw.id FROM raw LEFT JOIN other ON raw.id =
other.id WHERE other.id IS NULL) AS sq
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.other.id FILTER
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN
-- reads shop.public.other

INSERT INTO mart (id, customer) SELECT id + 1 AS customer, customer AS c2 FROM raw
-- shop.public.mart
--   id <- shop.public.raw.id TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY

CREATE MATERIALIZED VIEW x AS (WITH c AS (SELECT MAX(id) AS m FROM raw WHERE state = 'a') SELECT
cid, v FROM orders WHERE id = (SELECT m FROM c))
-- shop.public.x CREATE
--   cid <- shop.public.orders.cid IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   * <- shop.public.orders.id FILTER
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.state FILTER

merge into mart using (select id, customer, amount from raw) as s on mart.id = s.id remove
duplicates
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

unload ('select id, state from raw where state = \'a\'') to 's3://b/o_' iam_role 'x'
-- s3://b/o_
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.state FILTER

create table made backup yes sortkey auto encode auto as select id from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY

create external table d (f varchar(10), g int) partitioned by (y int) stored as parquet location
's3://x'; insert into mart select * from d
-- shop.public.d CREATE
-- shop.public.mart
--   id <- shop.public.d.f IDENTITY
--   customer <- shop.public.d.g IDENTITY
--   total <- shop.public.d.y IDENTITY

declare curs cursor for select id from raw; fetch all from curs
-- reads shop.public.raw
-- opaque: FETCH

insert into mart (id, customer) select id, e."$path" from spectrum.events e where e."$size" > 3
-- shop.public.mart
--   id <- shop.spectrum.events.id IDENTITY
--   customer <-

create temp table #s as select * from raw; update other set note = #s.state from #s where #s.id
= other.id
-- shop.public.other
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

create table t as select id as "variadic", state from raw; create table m as select variadic + 1 as a,
coalesce(variadic, 3) as b from t where variadic > 3
-- shop.public.t CREATE
--   variadic <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
-- shop.public.m CREATE
--   a <- shop.public.t.variadic TRANSFORMATION
--   b <- shop.public.t.variadic CONDITIONAL
--   b <- shop.public.t.variadic TRANSFORMATION
--   * <- shop.public.t.variadic FILTER

create or replace table made as select id, item.sku as sku, item from raw,
unnest(json_extract_array(state)) as item with offset as o where item is not null
-- shop.public.made OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   sku <- shop.public.raw.state TRANSFORMATION
--   item <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.state FILTER

create table made as select id, o, i from raw cross join unnest(split(state, ',')) i with offset
o
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   o <-
--   i <- shop.public.raw.state TRANSFORMATION

create table made as select id, struct(customer as c, amount as a) s, array_agg(struct(state,
amount) order by id desc limit 1)[offset(0)].state x from raw group by id, customer, amount
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   s <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.customer TRANSFORMATION
--   x <- shop.public.raw.id SORT
--   x <- shop.public.raw.state AGGREGATION
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

create table made as select as struct id, state from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

merge `shop.public.mart` t using (select * from raw) s on t.id = s.id when matched and s.state =
'x' then update set total = s.amount when not matched by target then insert (id, customer,
total) values (id, customer, amount) when not matched by source then delete
-- shop.public.mart
--   total <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.state CONDITIONAL
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

insert into mart (id, customer, total) select id, customer, amount from raw where _partitiontime
> '2024-01-01'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

export data options (uri = 'gs://bucket/out/*.csv', format = 'CSV') as select id, state from raw
-- gs://bucket/out/*.csv
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

load data into mart from files (format = 'CSV', uris = ['gs://bucket/in.csv'])
-- shop.public.mart
-- file gs://bucket/in.csv
-- unresolved: FileColumns

create table made as select * from raw pivot (sum(amount) as s, count(*) as n for state in ('a'
as x, 'b' as y))
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   s_x <- shop.public.raw.amount AGGREGATION
--   s_x <- shop.public.raw.state CONDITIONAL
--   n_x <- shop.public.raw.state CONDITIONAL
--   s_y <- shop.public.raw.amount AGGREGATION
--   s_y <- shop.public.raw.state CONDITIONAL
--   n_y <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select * from raw unpivot (val for nam in (amount, id))
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   nam <-
--   val <- shop.public.raw.amount IDENTITY
--   val <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id FILTER

create table made as select approx_count_distinct(id) n, any_value(state having max amount) s,
safe_divide(amount, id) d from raw group by amount, id
-- shop.public.made CREATE
--   n <- shop.public.raw.id AGGREGATION
--   s <- shop.public.raw.amount CONDITIONAL
--   s <- shop.public.raw.state AGGREGATION
--   d <- shop.public.raw.amount TRANSFORMATION
--   d <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

create table made clone raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create snapshot table made clone raw
-- opaque: CREATE

create table made copy raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made as select * from `other-project.ds.tab_*` where _table_suffix = '2024'
-- shop.public.made CREATE
-- reads other-project.ds.tab_*
-- unresolved: Star

create temp table t as select id from raw; insert mart (id) select id from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

declare x int64 default 5; set x = (select max(id) from raw); insert into mart (id) select x
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

begin insert into mart (id) select id from raw; exception when error then select 1; end
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- opaque: EXCEPTION

create temp function f(x int64) as (x + 1); insert into mart (id) select f(id) from raw
-- shop.public.mart
--   id <- shop.public.raw.id TRANSFORMATION

if exists (select 1 from raw) then insert into mart(id) select id from raw; end if
-- opaque: IF

execute immediate 'insert into mart select 1'
-- opaque: EXECUTE

for r in (select id from raw) do insert into mart (id) values (r.id); end for
-- opaque: ForIn

update mart set total = total + (select sum(amount) from raw where raw.id = mart.id) where true
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.id FILTER
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.amount AGGREGATION
--   total <- shop.public.raw.id FILTER

delete from mart where id not in (select id from raw)
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.raw.id FILTER

create table made as from raw |> where amount > 3 |> aggregate sum(amount) as s group by state
|> order by s
-- shop.public.made CREATE
--   state <- shop.public.raw.state IDENTITY
--   s <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.state GROUP_BY

create table made as select r.id, (select count(*) from unnest(split(r.state)) x where x =
r.customer) n, array(select x from unnest(split(r.state)) x) a from raw r
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <- shop.public.raw.customer FILTER
--   n <- shop.public.raw.state FILTER
--   a <- shop.public.raw.state TRANSFORMATION

create table made as select id from ml.predict(model m, (select id, amount from raw))
-- shop.public.made CREATE
--   id <- shop.public.raw.amount TRANSFORMATION
--   id <- shop.public.raw.id TRANSFORMATION
-- opaque: Predict

create table made as select * from external_query('conn', 'select a from b')
-- shop.public.made CREATE
-- unresolved: Star
-- opaque: EXTERNAL_QUERY

insert into mart (id, customer) select id, to_json_string(t) from raw t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.amount TRANSFORMATION
--   customer <- shop.public.raw.customer TRANSFORMATION
--   customer <- shop.public.raw.id TRANSFORMATION
--   customer <- shop.public.raw.state TRANSFORMATION

create table made as select format_date('%Y', x.d) y, row_number() over w n from (select id,
current_date() d, amount from raw) x window w as (partition by x.id order by x.amount)
-- shop.public.made CREATE
--   y <-
--   n <- shop.public.raw.amount WINDOW
--   n <- shop.public.raw.id WINDOW

create or replace view v options(description='x') as select distinct id from raw
-- shop.public.v OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.id GROUP_BY

create table made partition by date(ts) cluster by id as select current_timestamp() ts, id from
raw
-- shop.public.made CREATE
--   ts <-
--   id <- shop.public.raw.id IDENTITY

truncate table mart
-- shop.public.mart TRUNCATE

declare x int64 default (select max(id) from raw); set x = x + (select min(v) from orders);
insert into mart (id) select x
-- shop.public.mart
--   id <- shop.public.orders.v AGGREGATION
--   id <- shop.public.raw.id AGGREGATION

create table made as select array_agg(struct(state, amount) order by id desc limit
1)[offset(0)].state x, any_value(state having max amount) y, array_agg(distinct customer ignore
nulls order by id limit 3) z from raw
-- shop.public.made CREATE
--   x <- shop.public.raw.id SORT
--   x <- shop.public.raw.state AGGREGATION
--   y <- shop.public.raw.amount CONDITIONAL
--   y <- shop.public.raw.state AGGREGATION
--   z <- shop.public.raw.customer AGGREGATION
--   z <- shop.public.raw.id SORT

create table made as select sum(id), state, max(amount) from raw group by state
-- shop.public.made CREATE
--   f0_ <- shop.public.raw.id AGGREGATION
--   state <- shop.public.raw.state IDENTITY
--   f1_ <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.state GROUP_BY

merge mart t using orders s on false when not matched then insert row when not matched by source
and t.id > 3 then update set total = 0
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.orders.cid IDENTITY
--   total <- shop.public.mart.id CONDITIONAL
--   total <- shop.public.orders.v IDENTITY

create procedure p() begin insert into mart (id) select id from raw; insert into other (id)
select id from raw; end; insert into mart (id) select cid from orders
-- shop.public.mart
--   id <- shop.public.orders.cid IDENTITY

begin insert into mart (id) select id from raw; insert into other (id) select cid from orders;
exception when error then select 1; end
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- shop.public.other
--   id <- shop.public.orders.cid IDENTITY
-- opaque: EXCEPTION

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

update sales set total = s.amount from stage s where s.id = sales.id
-- shop.public.Sales
--   Id <- shop.public.Sales.Id IDENTITY
--   Total <- shop.public.Stage.Amount IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY
--   * <- shop.public.Sales.Id JOIN
--   * <- shop.public.Stage.Id JOIN

insert into sales (ID, total) select id, AMOUNT from stage
-- shop.public.Sales
--   Id <- shop.public.Stage.Id IDENTITY
--   Total <- shop.public.Stage.Amount IDENTITY

merge into SALES t using STAGE s on T.ID = S.ID when matched then update set TOTAL = s.amount
when not matched then insert (id, TOTAL) values (s.id, s.amount)
-- shop.public.Sales
--   Total <- shop.public.Stage.Amount IDENTITY
--   Id <- shop.public.Sales.Id IDENTITY
--   Id <- shop.public.Stage.Id IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY
--   * <- shop.public.Sales.Id JOIN
--   * <- shop.public.Stage.Id JOIN

create table Made as select ID, s.total as T from SALES s
-- shop.public.Made CREATE
--   ID <- shop.public.Sales.Id IDENTITY
--   T <- shop.public.Sales.Total IDENTITY

create table made as select id, v from orders left union all by name select amount, id from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.orders.v IDENTITY

create table made as select id, v from orders inner union all by name select amount, id from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY

create table made as select id, v from orders full outer union all by name select amount, id from
raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

create table made as select id, v from orders union all corresponding select amount, id from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY

create table made as select id, v from orders full union all corresponding by (id) select amount, id
from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY

create table made as select id, v from orders except distinct corresponding select amount, id from
raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

insert into other select id + 1, upper(note) from other
-- shop.public.other
--   id <- shop.public.other.id TRANSFORMATION
--   note <- shop.public.other.note TRANSFORMATION
-- reads shop.public.other

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.public.made CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.state GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id GROUP_BY

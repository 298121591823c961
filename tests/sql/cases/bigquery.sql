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
--   val <- shop.public.raw.amount IDENTITY
--   val <- shop.public.raw.id IDENTITY
--   nam <-
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
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

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
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- opaque: IF

execute immediate 'insert into mart select 1'
-- shop.public.mart
--   id <-

for r in (select id from raw) do insert into mart (id) values (r.id); end for
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

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

CREATE TABLE public.x AS WITH orders AS (SELECT id FROM public.orders) SELECT id FROM orders
EXCEPT DISTINCT SELECT cid FROM public.customers
-- shop.public.x CREATE
--   id <- shop.public.orders.id IDENTITY
--   * <- shop.public.customers.cid JOIN
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.id JOIN

MERGE public.Sales t USING public.Stage s ON t.ID = s.id WHEN MATCHED THEN UPDATE SET TOTAL =
s.AMOUNT WHEN NOT MATCHED THEN INSERT ROW
-- shop.public.Sales
--   Total <- shop.public.Stage.Amount IDENTITY
--   Id <- shop.public.Sales.Id IDENTITY
--   Id <- shop.public.Stage.Id IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY
--   * <- shop.public.Sales.Id JOIN
--   * <- shop.public.Stage.Id JOIN

MERGE public.other t USING (SELECT id, state FROM public.raw) s ON t.id = s.id WHEN NOT MATCHED
BY TARGET THEN INSERT ROW WHEN NOT MATCHED BY SOURCE AND t.note = 'x' THEN UPDATE SET note =
'gone'
-- shop.public.other
--   id <- shop.public.other.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.other.note CONDITIONAL
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

CREATE TABLE public.x AS SELECT id, state FROM public.raw FULL OUTER UNION ALL BY NAME SELECT
note AS state, id FROM public.other
-- shop.public.x CREATE
--   id <- shop.public.other.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.other.note IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT id, state FROM public.raw INNER UNION ALL BY NAME SELECT note AS
state, id AS zz FROM public.other
-- shop.public.x CREATE
--   state <- shop.public.other.note IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT id, state FROM public.raw UNION ALL BY NAME ON (state) SELECT
note AS state, id FROM public.other
-- shop.public.x CREATE
--   state <- shop.public.other.note IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT * FROM public.raw UNPIVOT ((a, b) FOR q IN ((id, amount) AS 's1',
(customer, state) AS 's2'))
-- shop.public.x CREATE
--   a <- shop.public.raw.customer IDENTITY
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.state IDENTITY
--   q <-
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.state FILTER

CREATE TABLE public.x AS SELECT * FROM (SELECT id, amount, state FROM public.raw) PIVOT
(SUM(amount) AS s, COUNT(*) AS c FOR state IN ('a', 'b' AS bee))
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   s_a <- shop.public.raw.amount AGGREGATION
--   s_a <- shop.public.raw.state CONDITIONAL
--   c_a <- shop.public.raw.state CONDITIONAL
--   s_bee <- shop.public.raw.amount AGGREGATION
--   s_bee <- shop.public.raw.state CONDITIONAL
--   c_bee <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE public.x AS SELECT id, item, off FROM public.raw, UNNEST(SPLIT(state)) AS item WITH
OFFSET AS off
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   item <- shop.public.raw.state TRANSFORMATION
--   off <-

CREATE OR REPLACE TABLE public.mart AS SELECT id, customer, total + 1 AS total FROM public.mart
-- shop.public.mart OVERWRITE
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total TRANSFORMATION
-- reads shop.public.mart

CREATE TABLE public.x CLONE public.raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x COPY public.raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT s.* FROM (SELECT STRUCT(id AS a, state AS b) AS s FROM
public.raw)
-- shop.public.x CREATE
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT r.* FROM (SELECT ARRAY_AGG(t ORDER BY t.amount DESC LIMIT
1)[OFFSET(0)] AS r FROM public.raw t GROUP BY t.id)
-- shop.public.x CREATE
--   id <- shop.public.raw.amount SORT
--   id <- shop.public.raw.id AGGREGATION
--   customer <- shop.public.raw.amount SORT
--   customer <- shop.public.raw.customer AGGREGATION
--   amount <- shop.public.raw.amount AGGREGATION
--   amount <- shop.public.raw.amount SORT
--   state <- shop.public.raw.amount SORT
--   state <- shop.public.raw.state AGGREGATION
--   * <- shop.public.raw.id GROUP_BY

CREATE TABLE public.x AS SELECT latest.* FROM (SELECT (SELECT AS STRUCT id, state) AS latest FROM
public.raw)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT s.a, s.b FROM (SELECT STRUCT(id AS a, state AS b) AS s FROM
public.raw)
-- shop.public.x CREATE
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT s.* EXCEPT (a) FROM (SELECT STRUCT(id AS a, state AS b) AS s FROM
public.raw) AS q
-- shop.public.x CREATE
--   b <- shop.public.raw.state IDENTITY

CREATE TABLE public.x AS SELECT raw.state.*, id FROM public.raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
-- unresolved: Star

CREATE TABLE public.x AS SELECT u.a, u.b FROM public.raw, UNNEST([STRUCT(id AS a, state AS b),
STRUCT(amount, customer)]) AS u
-- shop.public.x CREATE
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.customer TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE public.x AS SELECT id, _PARTITIONTIME AS pt FROM public.raw WHERE _TABLE_SUFFIX >
'2020' AND _PARTITIONDATE = CURRENT_DATE
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   pt <-

CREATE TABLE public.x AS SELECT GENERATE_UUID() a, CURRENT_TIMESTAMP() b, SESSION_USER() c,
RAND() d, @@project_id e, CURRENT_DATETIME('UTC') f FROM public.raw
-- shop.public.x CREATE
--   a <-
--   b <-
--   c <-
--   d <-
--   e <-
--   f <-
-- reads shop.public.raw

CREATE TABLE public.o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM public.raw
GROUP BY customer HAVING amount > 3 ORDER BY amount
-- shop.public.o CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   amount <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.amount SORT
--   * <- shop.public.raw.state GROUP_BY

CREATE TEMP FUNCTION f(x INT64) AS (x * 2); CREATE TABLE public.y AS SELECT f(amount) AS a FROM
public.raw
-- shop.public.y CREATE
--   a <- shop.public.raw.amount TRANSFORMATION

CREATE TEMP FUNCTION js(x STRING) RETURNS STRING LANGUAGE js AS """ return x; """; CREATE TABLE
public.y AS SELECT js(state) AS a FROM public.raw
-- shop.public.y CREATE
--   a <- shop.public.raw.state TRANSFORMATION
-- opaque: JS

CREATE OR REPLACE TABLE public.x AS (SELECT *, MIN(t) OVER (PARTITION BY t ORDER BY t) AS m FROM
(SELECT state AS t, id AS c FROM public.raw UNION ALL SELECT note, id FROM public.other))
-- shop.public.x OVERWRITE
--   t <- shop.public.other.note IDENTITY
--   t <- shop.public.raw.state IDENTITY
--   c <- shop.public.other.id IDENTITY
--   c <- shop.public.raw.id IDENTITY
--   m <- shop.public.other.note AGGREGATION
--   m <- shop.public.other.note WINDOW
--   m <- shop.public.raw.state AGGREGATION
--   m <- shop.public.raw.state WINDOW

CREATE TABLE public.x AS WITH d AS (SELECT [STRUCT(id AS a, state AS b)] AS col FROM public.raw)
SELECT b FROM d CROSS JOIN UNNEST(col)
-- shop.public.x CREATE
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE public.x AS SELECT (SELECT AS STRUCT raw.* EXCEPT (state)) AS s FROM public.raw
-- shop.public.x CREATE
--   s <- shop.public.raw.amount IDENTITY
--   s <- shop.public.raw.customer IDENTITY
--   s <- shop.public.raw.id IDENTITY

CREATE TABLE public.x AS SELECT * REPLACE ((SELECT AS STRUCT p.* EXCEPT (b)) AS p) FROM (SELECT
id, STRUCT(amount AS a, state AS b) AS p FROM public.raw)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   p <- shop.public.raw.amount IDENTITY

CREATE TABLE public.x AS SELECT id AS my_id, CONCAT(id, state) AS full_name FROM public.raw GROUP
BY my_id, full_name
-- shop.public.x CREATE
--   my_id <- shop.public.raw.id IDENTITY
--   full_name <- shop.public.raw.id TRANSFORMATION
--   full_name <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE public.x AS SELECT (SELECT MAX(u) FROM UNNEST([1, d.amount]) AS u WHERE u < d.id) AS
m FROM public.raw AS d
-- shop.public.x CREATE
--   m <- shop.public.raw.amount AGGREGATION
--   m <- shop.public.raw.amount FILTER
--   m <- shop.public.raw.id FILTER

CREATE TABLE public.x PARTITION BY DATE(ts) OPTIONS (description = 'x') AS SELECT id,
CURRENT_TIMESTAMP() AS ts FROM public.raw WINDOW w AS (PARTITION BY state)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   ts <-
-- unresolved: Unread

declare a, b string; set (a, b) = (select as struct max(state), min(customer) from raw where id >
3); insert into other (note) values (a)
-- shop.public.other
--   note <- shop.public.raw.id FILTER
--   note <- shop.public.raw.state AGGREGATION

create table x as from raw |> where amount > 3 |> select id, upper(state) as s |> extend id + 1 as k
|> set s = concat(s, 'x'), k = if(k > 1, k, id) |> rename k as kk |> drop id
-- shop.public.x CREATE
--   s <- shop.public.raw.state TRANSFORMATION
--   kk <- shop.public.raw.id CONDITIONAL
--   kk <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.raw.amount FILTER

create table made as from raw |> as r |> left join orders as o on r.id = o.id |> select r.state, o.v
-- shop.public.made CREATE
--   state <- shop.public.raw.state IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select as value struct(id as a, state as b) from raw where amount > 3
-- shop.public.made CREATE
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER

create table made as select t.id, t.n from (select as value q from (select id, amount + 1 as n from
raw) q) t
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <- shop.public.raw.amount TRANSFORMATION

set @@dataset_id = 'stage'; set @@dataset_project_id = 'p'; insert into t (id) select id from u
-- p.stage.t
--   id <- p.stage.u.id IDENTITY

create or replace model m options (model_type = 'linear_reg') as select id, amount as label from raw
-- reads shop.public.raw
-- opaque: MODEL

update mart set total.f = r.state, mart.total.g = r.amount, id = 1 from raw r where r.id = mart.id
-- shop.public.mart
--   id <-
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.amount TRANSFORMATION
--   total <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select * from (select customer, id, amount from raw) pivot (sum(amount) for id
in (1, -2, 1.5, 4 as four))
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   _1 <- shop.public.raw.amount AGGREGATION
--   _1 <- shop.public.raw.id CONDITIONAL
--   _minus_2 <- shop.public.raw.amount AGGREGATION
--   _minus_2 <- shop.public.raw.id CONDITIONAL
--   _1_point_5 <- shop.public.raw.amount AGGREGATION
--   _1_point_5 <- shop.public.raw.id CONDITIONAL
--   four <- shop.public.raw.amount AGGREGATION
--   four <- shop.public.raw.id CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

create table made as select cast(id as string), arr[0], json_extract(state, '$.a'), (customer),
t.amount from (select *, [id] as arr from raw) t
-- shop.public.made CREATE
--   f0_ <- shop.public.raw.id TRANSFORMATION
--   f1_ <- shop.public.raw.id TRANSFORMATION
--   f2_ <- shop.public.raw.state TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

if (select count(*) from raw) > 3 then insert into other select id, state from raw; elseif true then
delete from other where true; else truncate table mart; end if; while (select max(id) from orders) <
3 do insert into mart (id) select id from raw; end while; loop insert into mart (id) select cid from
orders; end loop
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
-- shop.public.other
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note IDENTITY
-- shop.public.mart TRUNCATE
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- shop.public.mart
--   id <- shop.public.orders.cid IDENTITY
-- opaque: IF
-- opaque: WHILE

insert into other select * except (customer, state) from raw unpivot (v for m in (id, amount))
-- shop.public.other
--   id <- shop.public.raw.amount IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   note <-
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id FILTER

create table made as select * from raw unpivot ((v, w) for m in ((id, amount) as 'a', (amount, id)
as 'b'))
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.id IDENTITY
--   w <- shop.public.raw.amount IDENTITY
--   w <- shop.public.raw.id IDENTITY
--   m <-
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id FILTER

create table out1 as select u from unnest((select array_agg(state) from raw)) u
-- shop.public.out1 CREATE
--   u <- shop.public.raw.state AGGREGATION

create table out1 as from raw |> where state = '|>' |> set amount = concat(amount, ',', '(') |>
drop customer |> rename state as s
-- shop.public.out1 CREATE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.state FILTER

if (select count(*) from raw where state = 'THEN') > 0 then insert into mart (id, total) select id,
amount from raw where state = 'END IF'; end if
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.state FILTER
-- opaque: IF

create table out1 as select * from unnest([struct(1 as a, 'x' as b)]) s join raw on raw.id = s.a
-- shop.public.out1 CREATE
--   a <-
--   b <-
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.id JOIN

create table out1 as select s.a, b, s as whole, off from raw, unnest([struct(amount as a, state as
b), struct(id, customer)]) s with offset off where s.b > 'x'
-- shop.public.out1 CREATE
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.customer TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION
--   whole <- shop.public.raw.amount TRANSFORMATION
--   whole <- shop.public.raw.customer TRANSFORMATION
--   whole <- shop.public.raw.id TRANSFORMATION
--   whole <- shop.public.raw.state TRANSFORMATION
--   off <-
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.state FILTER

create table out1 as select r.id, s.* from raw r, unnest([struct(r.amount as a, struct(r.state as
c) as b)]) as s
-- shop.public.out1 CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

create table made as select s, s.b from raw, unnest([struct(id as a, amount as b)]) as s
-- shop.public.made CREATE
--   s <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION

execute immediate """insert into mart (id) select id from raw where id = ?""" using 3
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.id FILTER

execute immediate concat('insert into mart (id) ', 'select id from raw')
-- opaque: EXECUTE

execute immediate 'select max(id) from raw' into d
-- reads shop.public.raw

insert into mart (id, total) select id, amount from `shop.public.raw$20230101`; merge
`shop.public.mart$20230101` m using raw r on m.id = r.id when matched then update set total =
r.amount
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
-- shop.public.mart
--   total <- shop.public.raw.amount IDENTITY
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

declare x int64 default 0; while x < 3 do insert into mart (id) values (x); set x = (select max(id)
from raw); end while;
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION
-- opaque: WHILE

declare x, y int64; for r in (select id, amount from raw) do insert into mart (id, total) values (x,
y); set y = x; set x = r.amount; end for
-- shop.public.mart
--   id <- shop.public.raw.amount IDENTITY
--   total <- shop.public.raw.amount IDENTITY

declare x int64; set x = (select max(v) from orders); loop insert into mart (id) values (x); set x =
(select max(id) from raw); if x > 3 then leave; end if; end loop;
-- shop.public.mart
--   id <- shop.public.orders.v AGGREGATION
--   id <- shop.public.raw.id AGGREGATION
-- opaque: IF

declare x, y int64; set x = (select max(amount) from raw); set y = x; insert into mart (total)
values (y)
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

declare x int64; if rand() > 0.5 then set x = (select max(amount) from raw); else set x = (select
max(v) from orders); end if; insert into mart (total) values (x)
-- shop.public.mart
--   total <- shop.public.orders.v AGGREGATION
--   total <- shop.public.raw.amount AGGREGATION

declare x int64; set x = (select max(amount) from raw); set x = (select max(v) from orders); insert
into mart (total) values (x)
-- shop.public.mart
--   total <- shop.public.orders.v AGGREGATION
-- reads shop.public.raw

declare x int64; set x = (select count(*) from raw where id > 3); if x > 0 then insert into mart
(id) select id from other; end if
-- shop.public.mart
--   id <- shop.public.other.id IDENTITY
-- reads shop.public.raw
-- opaque: IF

for r in (select id, amount from raw where state = 'a') do insert into mart (id, total) values
(r.id, r.amount + 1); end for
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.state FILTER
--   total <- shop.public.raw.amount TRANSFORMATION
--   total <- shop.public.raw.state FILTER
--   * <- shop.public.raw.state FILTER

for r in (with c as (select id from raw) select * from c) do update mart set total = 1 where id =
r.id; delete from other where id = r.id; end for
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <-
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.raw.id FILTER
-- shop.public.other
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note IDENTITY
--   * <- shop.public.other.id FILTER
--   * <- shop.public.raw.id FILTER

create table public.x as with t as (select id, [struct(amount as m)] as arr from public.raw) select
id, a.m, o from t, t.arr as a with offset as o where a.m > 1
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   m <- shop.public.raw.amount TRANSFORMATION
--   o <-
--   * <- shop.public.raw.amount FILTER

create table public.x as select n.id, tags, o from public.nested n left join n.lines.tags with
offset o
-- shop.public.x CREATE
--   id <- shop.public.nested.id IDENTITY
--   tags <- shop.public.nested.lines TRANSFORMATION
--   o <-

create table made as select id, sku from raw, unnest(json_query_array(state)) as item
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   sku <- shop.public.raw.state TRANSFORMATION

create table made as select id, (select max(p.x) from unnest(state) p where y > amount) v from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.raw.amount FILTER
--   v <- shop.public.raw.state AGGREGATION
--   v <- shop.public.raw.state FILTER

declare y int64 default 3; create table made as select id, (select max(p.x) from unnest(state) p
where z > y) v from raw, unnest(raw.customer) c with offset o where o > y
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.raw.state AGGREGATION
--   v <- shop.public.raw.state FILTER

execute immediate 'insert into mart (id, total) select id, ? from raw where id > @y' using 3, 4 as
y
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <-
--   * <- shop.public.raw.id FILTER

declare x int64 default (select max(id) from raw); execute immediate 'insert into mart (id) values
(@p)' using x as p
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

declare x int64; execute immediate 'select max(id), min(amount) from raw where id > ?' into x, y
using 3; insert into mart (id, total) values (x, y)
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION
--   id <- shop.public.raw.id FILTER
--   total <- shop.public.raw.amount AGGREGATION
--   total <- shop.public.raw.id FILTER

create table t (id int64, current_date date); create table m as select current_date as a,
current_date() as b from t
-- shop.public.t CREATE
-- shop.public.m CREATE
--   a <- shop.public.t.current_date IDENTITY
--   b <-
-- unresolved: AmbiguousColumn

create temp table _session.kept as select id, amount from raw; create table made as select amount from kept
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY

create temp table items as select id, amount as price from raw; create table made as select price from prev.items
-- shop.public.made CREATE
--   price <- shop.prev.items.price IDENTITY
-- reads shop.public.raw

create table made as from raw |> as r |> join orders as o on r.id = o.id |> where r.amount > 3
|> aggregate max(o.v) as top, sum(r.amount) as a group by r.state as s |> pivot (sum(a) for s in
('x', 'y'))
-- shop.public.made CREATE
--   top <- shop.public.orders.v AGGREGATION
--   x <- shop.public.raw.amount AGGREGATION
--   x <- shop.public.raw.state CONDITIONAL
--   y <- shop.public.raw.amount AGGREGATION
--   y <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v GROUP_BY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id JOIN
--   * <- shop.public.raw.state GROUP_BY

create table made as from raw |> distinct |> aggregate sum(amount) as a |> extend a + 1 as b; create
table more as from other |> select distinct id, upper(note) as n |> select n
-- shop.public.made CREATE
--   a <- shop.public.raw.amount AGGREGATION
--   b <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY
-- shop.public.more CREATE
--   n <- shop.public.other.note TRANSFORMATION
--   * <- shop.public.other.id GROUP_BY
--   * <- shop.public.other.note GROUP_BY

create table made as with r as (select * from raw) select id, amount * customer as amount from r |>
where amount > 3 |> aggregate sum(amount) as s group by id
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   s <- shop.public.raw.amount AGGREGATION
--   s <- shop.public.raw.customer AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id GROUP_BY

create table made as from raw |> as orders |> join orders as o on o.id = orders.id |> select o.v,
orders.amount |> as orders |> where v in (select cid from orders) |> select orders.amount
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   * <- shop.public.orders.cid FILTER
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.id JOIN

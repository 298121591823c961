insert into mart by name select id, amount as total from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

create table made as select * exclude (state) replace (upper(customer) as customer) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer TRANSFORMATION
--   amount <- shop.public.raw.amount IDENTITY

create table made as select max(columns(*)) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id AGGREGATION
--   customer <- shop.public.raw.customer AGGREGATION
--   amount <- shop.public.raw.amount AGGREGATION
--   state <- shop.public.raw.state AGGREGATION

create table made as select * from 'x.csv'
-- shop.public.made CREATE
-- reads x.csv
-- unresolved: Star

create table made as select a, b from read_csv('x.csv')
-- shop.public.made CREATE
--   a <- x.csv.a IDENTITY
--   b <- x.csv.b IDENTITY

create table made as select a from read_parquet(['a.parquet', 'b.parquet']) r
-- shop.public.made CREATE
--   a <- a.parquet.a IDENTITY
--   a <- b.parquet.a IDENTITY

copy mart from 'x.csv' (header)
-- shop.public.mart
-- file x.csv
-- unresolved: FileColumns

copy (select id, state from raw) to 'out.parquet' (format parquet)
-- out.parquet
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY

copy raw to 'out.csv'
-- out.csv
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

export database 'x'
-- opaque: Unparsed

create table made as pivot raw on state using sum(amount) group by customer
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY
-- unresolved: Pivot

create table made as unpivot mart on id, total into name n value v
-- shop.public.made CREATE
--   customer <- shop.public.mart.customer IDENTITY
--   n <-
--   v <- shop.public.mart.id IDENTITY
--   v <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.mart.total FILTER

create table made as select unnest(string_split(state, ',')) u, id from raw
-- shop.public.made CREATE
--   u <- shop.public.raw.state TRANSFORMATION
--   id <- shop.public.raw.id IDENTITY

create table made as select struct_pack(a := id, b := state) s, {'a': id} t, [id, amount] l,
list_transform([id], x -> x + amount) lt, [x + 1 for x in [id, amount] if x > 1] lc from raw
-- shop.public.made CREATE
--   s <- shop.public.raw.id TRANSFORMATION
--   s <- shop.public.raw.state TRANSFORMATION
--   t <- shop.public.raw.id TRANSFORMATION
--   l <- shop.public.raw.amount TRANSFORMATION
--   l <- shop.public.raw.id TRANSFORMATION
--   lt <- shop.public.raw.amount TRANSFORMATION
--   lt <- shop.public.raw.id TRANSFORMATION
--   lc <- shop.public.raw.amount TRANSFORMATION
--   lc <- shop.public.raw.id TRANSFORMATION

create table made as select id, lead(amount) over win as n from raw window win as (partition by
state order by id rows between unbounded preceding and current row)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <- shop.public.raw.amount TRANSFORMATION
--   n <- shop.public.raw.id WINDOW
--   n <- shop.public.raw.state WINDOW

create table made as select * from raw positional join other
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   id_1 <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note IDENTITY

create table made as select r.id from raw r semi join orders o using (id)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.raw.id JOIN

create or replace macro add(a, b) as a + b; insert into mart (id) select add(id, amount) from
raw
-- shop.public.mart
--   id <- shop.public.raw.amount TRANSFORMATION
--   id <- shop.public.raw.id TRANSFORMATION

insert or replace into other select id, state from raw
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY

insert into other (id, note) values (1, 'a') on conflict do update set note = excluded.note
-- shop.public.other
--   id <-
--   note <-

create table made as select * from raw using sample 10
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

summarize raw
-- nothing

create table made as from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create temp table t as select id from raw; insert into mart(id) select id from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made as select arg_max(customer, amount) a, list(state order by id) l,
histogram(id) h, quantile_cont(amount, 0.5) q from raw
-- shop.public.made CREATE
--   a <- shop.public.raw.amount CONDITIONAL
--   a <- shop.public.raw.customer AGGREGATION
--   l <- shop.public.raw.id SORT
--   l <- shop.public.raw.state AGGREGATION
--   h <- shop.public.raw.id AGGREGATION
--   q <- shop.public.raw.amount AGGREGATION

attach 'x.db' as o; insert into o.main.t select id from raw
-- o.main.t
--   id <- shop.public.raw.id IDENTITY
-- unresolved: TargetColumns

insert into made select * from generate_series(1, 10) g(i)
-- shop.public.made
--   i <-
-- unresolved: TargetColumns

create table made as with recursive t(n) as (select min(id) from raw union all select n + 1 from
t where n < 5) select n from t
-- shop.public.made CREATE
--   n <- shop.public.raw.id AGGREGATION
--   * <- shop.public.raw.id FILTER

create table made as select [x + 1 for x in [id, amount] if x > customer] lc from raw
-- shop.public.made CREATE
--   lc <- shop.public.raw.amount TRANSFORMATION
--   lc <- shop.public.raw.customer TRANSFORMATION
--   lc <- shop.public.raw.id TRANSFORMATION

create table made as select max(columns(*)), columns(*) from other
-- shop.public.made CREATE
--   id <- shop.public.other.id AGGREGATION
--   note <- shop.public.other.note AGGREGATION
--   id_1 <- shop.public.other.id IDENTITY
--   note_1 <- shop.public.other.note IDENTITY

create table made as select a, b as c from 'x.csv'
-- shop.public.made CREATE
--   a <- x.csv.a IDENTITY
--   c <- x.csv.b IDENTITY

create table made as select a from read_parquet(['a.parquet', 's3://b/b.parquet']) r
-- shop.public.made CREATE
--   a <- a.parquet.a IDENTITY
--   a <- s3://b/b.parquet.a IDENTITY

insert into mart (id) select i from generate_series(1, 10) g(i)
-- shop.public.mart
--   id <-

create table made as select a from read_csv('x.csv', header = true)
-- shop.public.made CREATE
--   a <- x.csv.a IDENTITY

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

update curr.items set price = prev.items.price from prev.items where prev.items.id = curr.items.id
-- shop.curr.items
--   id <- shop.curr.items.id IDENTITY
--   price <- shop.prev.items.price IDENTITY
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

create table Made as select ID, s.total as T, upper(s.NOTE) as N from SALES s
-- shop.public.Made CREATE
--   Id <- shop.public.Sales.Id IDENTITY
--   T <- shop.public.Sales.Total IDENTITY
--   N <- shop.public.Sales.Note TRANSFORMATION

insert into sales by name select ID, AMOUNT as TOTAL from Stage
-- shop.public.Sales
--   Id <- shop.public.Stage.Id IDENTITY
--   Total <- shop.public.Stage.Amount IDENTITY

merge into other using (select state as note, id from raw) s on other.id = s.id when matched then
update when not matched then insert by name
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

merge into other using (select id, state from raw) s using (id) when not matched then insert
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select p.id, amount, name from people p join archive a on p.pid = a.person
-- shop.public.made CREATE
--   id <- shop.public.people.id IDENTITY
--   amount <-
--   name <-
--   * <- shop.public.archive.person JOIN
--   * <- shop.public.people.pid JOIN
-- unresolved: AmbiguousColumn 2

create table made as select id from orders union all select id from raw intersect select id from
mart
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id JOIN

create table made as select id, v from orders union all by name select v, id from orders union all
select id, amount from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   v <- shop.public.orders.v IDENTITY
--   v <- shop.public.raw.amount IDENTITY

create table made as select id from orders union all by name select amount, id from raw
-- shop.public.made CREATE
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

create table made as select rowid as r, id from raw
-- shop.public.made CREATE
--   r <-
--   id <- shop.public.raw.id IDENTITY

create table made as select * from raw unpivot (val for month in (columns(* exclude (id, customer))))
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   month <-
--   val <- shop.public.raw.amount IDENTITY
--   val <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.state FILTER

create table made as pivot raw on state in ('a', 'b') using sum(amount) as s group by customer
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   a_s <- shop.public.raw.amount AGGREGATION
--   a_s <- shop.public.raw.state CONDITIONAL
--   b_s <- shop.public.raw.amount AGGREGATION
--   b_s <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select * from (unpivot raw on columns(* exclude (id)) into name n value v)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.customer IDENTITY
--   v <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.state FILTER

create table made as select u.p, u.q from raw, unnest(string_to_array(customer, ','),
string_to_array(state, ',')) as u(p, q)
-- shop.public.made CREATE
--   p <- shop.public.raw.customer TRANSFORMATION
--   q <- shop.public.raw.state TRANSFORMATION

explain analyze insert into mart (id) select id from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.public.made CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.id GROUP_BY

create table made as select map {id: amount} as m, last_value(state order by id) over (order by
amount) as l from raw
-- shop.public.made CREATE
--   m <- shop.public.raw.amount TRANSFORMATION
--   m <- shop.public.raw.id TRANSFORMATION
--   l <- shop.public.raw.amount WINDOW
--   l <- shop.public.raw.id SORT
--   l <- shop.public.raw.state AGGREGATION

create table made as select * from raw pivot (sum(amount) for state in ('a', 'b') group by customer)
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   a <- shop.public.raw.amount AGGREGATION
--   a <- shop.public.raw.state CONDITIONAL
--   b <- shop.public.raw.amount AGGREGATION
--   b <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select min(columns(* replace (id + amount as amount))) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id AGGREGATION
--   customer <- shop.public.raw.customer AGGREGATION
--   amount <- shop.public.raw.amount AGGREGATION
--   amount <- shop.public.raw.id AGGREGATION
--   state <- shop.public.raw.state AGGREGATION

create table made as select a.id from raw a join orders b nearest 1 by distance abs(a.amount - b.v)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.v JOIN
--   * <- shop.public.raw.amount JOIN

CREATE TABLE x AS WITH b AS (SELECT id FROM a), a AS (SELECT v AS id FROM orders) SELECT b.id
FROM b
-- shop.public.x CREATE
--   id <- shop.public.a.id IDENTITY
-- reads shop.public.orders

INSERT INTO SALES (ID, NOTE) SELECT id, STATE FROM RAW
-- shop.public.Sales
--   Id <- shop.public.raw.id IDENTITY
--   Note <- shop.public.raw.state IDENTITY

INSERT INTO sales BY NAME SELECT amount AS total, id FROM stage
-- shop.public.Sales
--   Total <- shop.public.Stage.Amount IDENTITY
--   Id <- shop.public.Stage.Id IDENTITY

CREATE TABLE x AS SELECT * FROM SALES
-- shop.public.x CREATE
--   Id <- shop.public.Sales.Id IDENTITY
--   Total <- shop.public.Sales.Total IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY

INSERT INTO sales (id, total) SELECT id, amount FROM stage ON CONFLICT (ID) DO UPDATE SET TOTAL =
EXCLUDED.TOTAL, Note = excluded.NOTE
-- shop.public.Sales
--   Id <- shop.public.Stage.Id IDENTITY
--   Total <- shop.public.Stage.Amount IDENTITY
--   Note <-

MERGE INTO other t USING (SELECT state AS note, id FROM raw) s ON t.id = s.id WHEN MATCHED THEN
UPDATE SET * WHEN NOT MATCHED THEN INSERT *
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

MERGE INTO other USING (SELECT id, state AS note FROM raw) s USING (id) WHEN MATCHED THEN UPDATE
WHEN NOT MATCHED THEN INSERT BY NAME
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

CREATE TABLE x AS SELECT id, amount FROM raw UNION BY NAME SELECT v AS amount, cid FROM orders
UNION ALL BY NAME SELECT note AS cid FROM other
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.orders.v IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   cid <- shop.public.orders.cid IDENTITY
--   cid <- shop.public.other.note IDENTITY
--   * <- shop.public.orders.cid GROUP_BY
--   * <- shop.public.orders.v GROUP_BY
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.id GROUP_BY

CREATE TABLE x AS WITH u AS (SELECT id AS k, state AS s FROM raw UNION ALL BY NAME SELECT note AS
s, id AS k FROM other) SELECT s FROM u
-- shop.public.x CREATE
--   s <- shop.public.other.note IDENTITY
--   s <- shop.public.raw.state IDENTITY

CREATE TABLE x AS SELECT id, amount FROM raw INTERSECT ALL SELECT id, v FROM orders
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v JOIN
--   * <- shop.public.raw.amount JOIN
--   * <- shop.public.raw.id JOIN

CREATE TABLE x AS SELECT * FROM raw UNPIVOT (val FOR nm IN (COLUMNS('a.*')))
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   nm <-
--   val <-
-- unresolved: Columns

CREATE TABLE x AS UNPIVOT raw ON COLUMNS(* EXCLUDE (id, state)) INTO NAME n VALUE v
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER

CREATE TABLE x AS WITH p AS (PIVOT raw ON state IN ('a', 'b') USING sum(amount) AS t, max(id) AS
m GROUP BY customer) SELECT * FROM p
-- shop.public.x CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   a_t <- shop.public.raw.amount AGGREGATION
--   a_t <- shop.public.raw.state CONDITIONAL
--   a_m <- shop.public.raw.id AGGREGATION
--   a_m <- shop.public.raw.state CONDITIONAL
--   b_t <- shop.public.raw.amount AGGREGATION
--   b_t <- shop.public.raw.state CONDITIONAL
--   b_m <- shop.public.raw.id AGGREGATION
--   b_m <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE x AS SELECT * FROM (UNPIVOT (SELECT id, amount, customer FROM raw) ON amount,
customer INTO NAME n VALUE v)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER

CREATE TABLE x AS FROM raw UNPIVOT (v FOR n IN (* EXCLUDE (id, state)))
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER

CREATE TABLE x AS SELECT id, unnest([amount, id]) AS a, unnest(string_split(state, ',')) AS b
FROM raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT rowid, filename FROM raw
-- shop.public.x CREATE
--   rowid <-
--   filename <-
-- reads shop.public.raw

CREATE TABLE x AS SELECT nextval('s') a, uuid() b, current_schema() c, today() d,
get_current_timestamp() e, current_setting('x') f, txid_current() g, random() h FROM raw
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
customer HAVING amount > 3
-- shop.public.o CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   amount <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer GROUP_BY

CREATE MACRO f(x) AS x + (SELECT max(v) FROM orders); CREATE TABLE y AS SELECT f(id) AS a FROM
raw
-- shop.public.y CREATE
--   a <- shop.public.orders.v AGGREGATION
--   a <- shop.public.raw.id TRANSFORMATION

CREATE MACRO g(x) AS TABLE SELECT id, amount FROM raw WHERE customer = x; CREATE TABLE y AS
SELECT amount FROM g('a')
-- shop.public.y CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.customer FILTER

CREATE TABLE x AS WITH c AS (SELECT * FROM (SELECT customer, state, id FROM raw) PIVOT (count(id)
FOR state IN ('2024-10', '2024-11'))) SELECT c.customer, c."2024-10" AS m10 FROM c
-- shop.public.x CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   m10 <- shop.public.raw.id AGGREGATION masking
--   m10 <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE x AS SELECT state, nm AS period, v AS amt FROM (SELECT * FROM raw UNPIVOT (v FOR nm
IN (COLUMNS(* EXCLUDE (state)))))
-- shop.public.x CREATE
--   state <- shop.public.raw.state IDENTITY
--   period <-
--   amt <- shop.public.raw.amount IDENTITY
--   amt <- shop.public.raw.customer IDENTITY
--   amt <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id FILTER

CREATE TABLE x AS SELECT customer, arg_max(state, amount) AS s, list(id ORDER BY amount) AS l
FROM raw GROUP BY customer
-- shop.public.x CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   s <- shop.public.raw.amount CONDITIONAL
--   s <- shop.public.raw.state AGGREGATION
--   l <- shop.public.raw.amount SORT
--   l <- shop.public.raw.id AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY

create table x as select a.*, b.* from other a, other b
-- shop.public.x CREATE
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note IDENTITY
--   id_1 <- shop.public.other.id IDENTITY
--   note_1 <- shop.public.other.note IDENTITY

create table x as select {'a': id, 'b': state} as s, s.b as t from raw
-- shop.public.x CREATE
--   s <- shop.public.raw.id TRANSFORMATION
--   s <- shop.public.raw.state TRANSFORMATION
--   t <- shop.public.raw.state IDENTITY

create table x as select id from raw where columns('id|amount') > 0
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.state FILTER
-- unresolved: Columns

insert into mart by position select id, customer, amount from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY

create table made as select state.upper().concat(customer) a, r.amount.sum() b from raw r
-- shop.public.made CREATE
--   a <- shop.public.raw.customer TRANSFORMATION
--   a <- shop.public.raw.state TRANSFORMATION
--   b <- shop.public.raw.amount AGGREGATION

set schema = 'x'; insert into t (id) select id from u; set search_path = 'y,public'; insert into t2
(id) select id from raw
-- shop.x.t
--   id <- shop.x.u.id IDENTITY
-- shop.y.t2
--   id <- shop.public.raw.id IDENTITY

create table made as select columns('^a'), min(columns(['ID', 'amount'])), columns(lambda c: c like
'%t%') as z from raw
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   id <- shop.public.raw.id AGGREGATION
--   amount_1 <- shop.public.raw.amount AGGREGATION
--   z <- shop.public.raw.customer IDENTITY
--   z_1 <- shop.public.raw.amount IDENTITY
--   z_2 <- shop.public.raw.state IDENTITY

create table made as select * like 'a%', unnest({'p': id, 'q': state}), * not like '%t%' from raw
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   p <- shop.public.raw.id IDENTITY
--   q <- shop.public.raw.state IDENTITY
--   id <- shop.public.raw.id IDENTITY

create table made as select coalesce(*columns('id|amount')) as c from raw
-- shop.public.made CREATE
--    <- shop.public.raw.amount TRANSFORMATION
--    <- shop.public.raw.customer TRANSFORMATION
--    <- shop.public.raw.id TRANSFORMATION
--    <- shop.public.raw.state TRANSFORMATION
-- unresolved: Columns
-- unresolved: UnnamedColumn

create table made as select s['b'] as b, s['b'][1] as c, [id, amount][id] as d, map {'k':
state}['k'] as m from (select id, amount, state, {'a': amount, 'b': state} as s from raw)
-- shop.public.made CREATE
--   b <- shop.public.raw.state IDENTITY
--   c <- shop.public.raw.state TRANSFORMATION
--   d <- shop.public.raw.amount TRANSFORMATION
--   d <- shop.public.raw.id TRANSFORMATION
--   m <- shop.public.raw.state TRANSFORMATION

create table made as select w.n from (select row_number() over win as n, id as win from raw window
win as (order by amount)) w where w.win > 3
-- shop.public.made CREATE
--   n <- shop.public.raw.amount WINDOW
--   * <- shop.public.raw.id FILTER

create table made as select id::varchar, [amount][1], state->'a', (customer) from raw
-- shop.public.made CREATE
--    <- shop.public.raw.id TRANSFORMATION
--    <- shop.public.raw.amount TRANSFORMATION
--    <- shop.public.raw.state TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY
-- unresolved: UnnamedColumn 3

create table made as select distinct on (state) id, amount as state from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.amount IDENTITY
--   * <- shop.public.raw.amount GROUP_BY

create temp table t (a int, b int generated always as (a + 1)); insert into t select id from raw;
create table made as select b from t
-- shop.public.made CREATE
--   b <- shop.public.raw.id TRANSFORMATION

create table out1 as select unnest([{'a': id, 'b': amount}], max_depth := 2) from raw
-- shop.public.out1 CREATE
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION

create table out1 as select unnest([{'a': id, 'b': {'c': amount, 'd': state}}], recursive := true),
customer from raw
-- shop.public.out1 CREATE
--   a <- shop.public.raw.id TRANSFORMATION
--   c <- shop.public.raw.amount TRANSFORMATION
--   d <- shop.public.raw.state TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY

create table out1 as select unnest(state, max_depth := 2) from raw
-- shop.public.out1 CREATE
--    <- shop.public.raw.state TRANSFORMATION
-- unresolved: Columns
-- unresolved: UnnamedColumn

create table out1 as select columns('(.)m.*') as '\0_x', columns('^(i|s)') + 1 as 'n_\1' from raw
-- shop.public.out1 CREATE
--   customer_x <- shop.public.raw.customer IDENTITY
--   amount_x <- shop.public.raw.amount IDENTITY
--   n_i <- shop.public.raw.id TRANSFORMATION
--   n_s <- shop.public.raw.state TRANSFORMATION

copy (select id, amount from raw) to 'x.parquet' (format parquet, partition_by (id))
-- x.parquet
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

create table out1 as select struct_extract({'a': id, 'b': state}, 'a') as x, struct_extract(s, 'b')
y from (select {'b': amount, 'c': id} s from raw r join other using (id)) q, raw
-- shop.public.out1 CREATE
--   x <- shop.public.raw.id IDENTITY
--   y <- shop.public.raw.amount IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

create table out1 as select unnest([[id], [amount]], max_depth := 2) as u from raw
-- shop.public.out1 CREATE
--   u <- shop.public.raw.amount TRANSFORMATION
--   u <- shop.public.raw.id TRANSFORMATION
-- unresolved: Columns

install httpfs; load httpfs; create secret s (type s3); force checkpoint; prepare q as select 1;
insert into other select id, state from raw
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY

create table made as with recursive t as (with x as (select id from raw) select id from x union
all select o.v from orders o join t on o.id = t.id) select id from t
-- shop.public.made CREATE
--   id <- shop.public.orders.v IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.orders.v JOIN
--   * <- shop.public.raw.id JOIN

create table made as select (state || customer).upper() u, (case when amount > 1 then state
end).lower() l, list_transform([amount], x -> x + id).list_sum() s, (select max(v) from orders o
where o.cid = raw.customer).abs() m from raw
-- shop.public.made CREATE
--   u <- shop.public.raw.customer TRANSFORMATION
--   u <- shop.public.raw.state TRANSFORMATION
--   l <- shop.public.raw.amount CONDITIONAL
--   l <- shop.public.raw.state TRANSFORMATION
--   s <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.id TRANSFORMATION
--   m <- shop.public.orders.cid FILTER
--   m <- shop.public.orders.v AGGREGATION
--   m <- shop.public.raw.customer FILTER

create table made as select state.replace(customer, 'x').upper() u,
raw.state.concat(raw.customer).lower() v from raw
-- shop.public.made CREATE
--   u <- shop.public.raw.customer TRANSFORMATION
--   u <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.customer TRANSFORMATION
--   v <- shop.public.raw.state TRANSFORMATION

insert into mart (id, customer) select id, json_extract_string(state -> '$.x', 'a') from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.state TRANSFORMATION

insert into mart (id, customer) select id, list_transform([state], x -> x -> 'a') from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.state TRANSFORMATION

create temp recursive view v (n) as select id from raw union all select n + 1 from v where n < 3;
insert into mart (id) select n from v
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   id <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.raw.id FILTER

create table m as select row(id, amount)[2] as a, struct_extract(row(id, amount), 1) as b, row(id,
amount)[3] as c from raw
-- shop.public.m CREATE
--   a <- shop.public.raw.amount IDENTITY
--   b <- shop.public.raw.id IDENTITY
--   c <- shop.public.raw.amount TRANSFORMATION
--   c <- shop.public.raw.id TRANSFORMATION

create table t (id int, current_date int, current_user int, "any" int); create table m as select
current_date, t.current_user + 1 as b, u.current_user * 2 as z, t.any as c, true as d from t
join t as u using (current_date)
-- shop.public.t CREATE
-- shop.public.m CREATE
--   current_date <- shop.public.t.current_date IDENTITY
--   b <- shop.public.t.current_user TRANSFORMATION
--   z <- shop.public.t.current_user TRANSFORMATION
--   c <- shop.public.t.any IDENTITY
--   d <-
--   * <- shop.public.t.current_date JOIN

create table t (id int, "all" int, v int); create table m as select id, v from t order by t.all; create
table o as select id, v from t order by "all"; create table p as select id, v from t order by all
-- shop.public.t CREATE
-- shop.public.m CREATE
--   id <- shop.public.t.id IDENTITY
--   v <- shop.public.t.v IDENTITY
--   * <- shop.public.t.all SORT
--   * <- shop.public.t.id SORT
--   * <- shop.public.t.v SORT
-- shop.public.o CREATE
--   id <- shop.public.t.id IDENTITY
--   v <- shop.public.t.v IDENTITY
--   * <- shop.public.t.all SORT
--   * <- shop.public.t.id SORT
--   * <- shop.public.t.v SORT
-- shop.public.p CREATE
--   id <- shop.public.t.id IDENTITY
--   v <- shop.public.t.v IDENTITY
--   * <- shop.public.t.all SORT
--   * <- shop.public.t.id SORT
--   * <- shop.public.t.v SORT
-- unresolved: AmbiguousColumn 3

create table t (id int, grain text, a timestamp); create table m as select date_trunc(grain, a) as b,
date_part(grain, a) as c, date_diff(grain, a, a) as d, date_trunc('day', a) as e from t
-- shop.public.t CREATE
-- shop.public.m CREATE
--   b <- shop.public.t.a TRANSFORMATION
--   b <- shop.public.t.grain TRANSFORMATION
--   c <- shop.public.t.a TRANSFORMATION
--   c <- shop.public.t.grain TRANSFORMATION
--   d <- shop.public.t.a TRANSFORMATION
--   d <- shop.public.t.grain TRANSFORMATION
--   e <- shop.public.t.a TRANSFORMATION

insert overwrite table mart partition (id = 3) select customer, amount from raw
-- shop.public.mart
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   id <-

insert into mart by name select id, amount as total from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

insert into mart replace where id > 3 select id, customer, amount from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id FILTER

create or replace table made using delta partitioned by (id) as select id, explode(split(state,
',')) e from raw
-- shop.public.made OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   e <- shop.public.raw.state TRANSFORMATION

create table made as select id, e, p from raw lateral view posexplode(split(state, ',')) t as p,
e
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   e <- shop.public.raw.state TRANSFORMATION
--   p <- shop.public.raw.state TRANSFORMATION

create table made as select id, col from raw lateral view outer explode(split(state, ','))
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   col <- shop.public.raw.state TRANSFORMATION

create table made as select r.id, t.k, t.v from raw r, lateral explode(map(r.state, r.amount))
as t(k, v)
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION

create table made shallow clone raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made deep clone raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

copy into mart from '/path' fileformat = csv
-- shop.public.mart
-- file /path
-- unresolved: FileColumns

copy into mart from (select _c0 id, upper(_c1) customer from '/path') fileformat = csv
-- shop.public.mart
--   id <- /path._c0 IDENTITY
--   customer <- /path._c1 TRANSFORMATION

create temporary view v as select id from raw; insert into mart (id) select id from v
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create or replace temp view v using csv options (path '/x'); insert into mart (id) select id
from v
-- shop.public.mart
--   id <-
-- unresolved: Column

cache table t as select id from raw; insert into mart (id) select id from t
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

create table made as select state:a.b::int x, named_struct('a', id).a y, filter(array(id,
amount), x -> x > amount) f, count_if(amount > 1) n, first(customer, true) fi, struct(*) s from
raw group by all
-- shop.public.made CREATE
--   x <- shop.public.raw.state TRANSFORMATION
--   y <- shop.public.raw.id IDENTITY
--   f <- shop.public.raw.amount TRANSFORMATION
--   f <- shop.public.raw.id TRANSFORMATION
--   n <- shop.public.raw.amount AGGREGATION masking
--   fi <- shop.public.raw.customer AGGREGATION
--   s <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.customer TRANSFORMATION
--   s <- shop.public.raw.id TRANSFORMATION
--   s <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.raw.amount GROUP_BY
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

create table made as select * except (state) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY

create streaming table st as select * from stream read_files('/path')
-- shop.public.st CREATE
-- reads /path
-- unresolved: Star

create table made as select * from csv.`/path/x.csv`
-- shop.public.made CREATE
-- reads /path/x.csv
-- unresolved: Star

create table made as select * from read_files('/path')
-- shop.public.made CREATE
-- reads /path
-- unresolved: Star

insert into mart (id) select id from identifier('raw')
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

execute immediate 'insert into mart select 1'
-- shop.public.mart
--   id <-

declare variable x int default (select max(id) from raw); insert into mart (id) values (x)
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

set variable x = (select max(id) from raw); insert into mart(id) select x
-- shop.public.mart
--   id <- shop.public.raw.id AGGREGATION

optimize mart zorder by (id)
-- nothing

vacuum mart
-- nothing

restore table mart to version as of 3
-- opaque: Unparsed

msck repair table mart
-- nothing

insert overwrite directory '/out' using csv select id from raw
-- /out OVERWRITE
--   id <- shop.public.raw.id IDENTITY

from raw insert into mart (id) select id insert into other (id) select id
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY

update mart set total = (select max(amount) from raw where raw.id = mart.id) where id in (select
id from raw)
-- shop.public.mart
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.id FILTER
--   total <- shop.public.raw.amount AGGREGATION
--   total <- shop.public.raw.id FILTER
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.raw.id FILTER

truncate table mart
-- shop.public.mart TRUNCATE

begin insert into mart(id) select id from raw; end
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY

select * from raw tablesample (10 percent)
-- reads shop.public.raw

create table made as select transform(id, amount) using 'cat' as (a, b) from raw
-- shop.public.made CREATE
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.id TRANSFORMATION
-- opaque: Transform

refresh table mart
-- nothing

create table made as select struct(*) s, to_json(struct(* except (state))) t, hash(*) h from raw
-- shop.public.made CREATE
--   s <- shop.public.raw.amount TRANSFORMATION
--   s <- shop.public.raw.customer TRANSFORMATION
--   s <- shop.public.raw.id TRANSFORMATION
--   s <- shop.public.raw.state TRANSFORMATION
--   t <- shop.public.raw.amount TRANSFORMATION
--   t <- shop.public.raw.customer TRANSFORMATION
--   t <- shop.public.raw.id TRANSFORMATION
--   h <- shop.public.raw.amount TRANSFORMATION masking
--   h <- shop.public.raw.customer TRANSFORMATION masking
--   h <- shop.public.raw.id TRANSFORMATION masking
--   h <- shop.public.raw.state TRANSFORMATION masking

create table made as select a from csv.`/path/x.csv`
-- shop.public.made CREATE
--   a <- /path/x.csv.a IDENTITY

from raw insert into mart (id) select id insert into other (id) select id where state = 'x'
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.state FILTER

create streaming table st as select * from stream(raw)
-- shop.public.st CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

create table made as select state.*, id from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
-- unresolved: Star

alter view v as select id from raw
-- shop.public.v ALTER
--   id <- shop.public.raw.id IDENTITY

create table made as select * from raw unpivot include nulls ((v, w) for n in ((id, amount) as
first, (amount, id) as second))
-- shop.public.made CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   n <-
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.id IDENTITY
--   w <- shop.public.raw.amount IDENTITY
--   w <- shop.public.raw.id IDENTITY

create table made as select id from raw union select cid from orders order by all
-- shop.public.made CREATE
--   id <- shop.public.orders.cid IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.orders.cid GROUP_BY
--   * <- shop.public.orders.cid SORT
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.id SORT

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
-- shop.public.made CREATE
--   ID <- shop.public.Sales.Id IDENTITY
--   T <- shop.public.Sales.Total IDENTITY

merge into other t using (select id, state as note, amount from raw) s on t.id = s.id when matched
then update set * when not matched then insert *
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

merge with schema evolution into other t using (select id, amount from raw) s on t.id = s.id when
matched then update set * when not matched then insert *
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   note <- shop.public.other.note IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

merge into archive t using raw s on t.id = s.id when matched then update set *
-- shop.public.archive
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   * <- shop.public.archive.id JOIN
--   * <- shop.public.raw.id JOIN
-- unresolved: TargetColumns

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

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then update set
total = 1 when matched then update set customer = s.customer when not matched by source and
t.total > 3 then update set total = 0 when not matched by source then delete
-- shop.public.mart
--   total <- shop.public.mart.total CONDITIONAL
--   total <- shop.public.mart.total IDENTITY
--   total <- shop.public.raw.state CONDITIONAL
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   customer <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.mart.total FILTER
--   * <- shop.public.raw.id JOIN

create table made as select id, _metadata.file_path as p from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   p <-

insert overwrite table other select id, upper(note) from other
-- shop.public.other OVERWRITE
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note TRANSFORMATION
-- reads shop.public.other

create or replace table other as select id, note from other
-- shop.public.other OVERWRITE
--   id <- shop.public.other.id IDENTITY
--   note <- shop.public.other.note IDENTITY
-- reads shop.public.other

create table made as select * from raw unpivot (val for month in (* exclude (id, customer)))
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   month <-
--   val <- shop.public.raw.amount IDENTITY
--   val <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.state FILTER

create table made as select m, v from raw lateral view stack(2, 'jan', id, 'feb', amount) s as m, v
-- shop.public.made CREATE
--   m <-
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION

create table made as select stack(2, 'jan', id, customer, 'feb', amount, state) as (m, v, w) from raw
-- shop.public.made CREATE
--   m <-
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION
--   w <- shop.public.raw.customer TRANSFORMATION
--   w <- shop.public.raw.state TRANSFORMATION

create table made as select s.* from raw, lateral stack(2, 'jan', id, 'feb', amount) as s(m, v)
-- shop.public.made CREATE
--   m <-
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION

create table made as select posexplode(split(state, ',')) as (p, c), id from raw
-- shop.public.made CREATE
--   p <- shop.public.raw.state TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION
--   id <- shop.public.raw.id IDENTITY

create table made as select inline(array(struct(id, customer), struct(amount, state))) as (p, c)
from raw
-- shop.public.made CREATE
--   p <- shop.public.raw.amount TRANSFORMATION
--   p <- shop.public.raw.id TRANSFORMATION
--   c <- shop.public.raw.customer TRANSFORMATION
--   c <- shop.public.raw.state TRANSFORMATION

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

create table made as select upper(id) as id, sum(amount) as state from raw group by id having id = 'x'
and max(state) > 3
-- shop.public.made CREATE
--   id <- shop.public.raw.id TRANSFORMATION
--   state <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state FILTER

insert into mart replace where total > 3 select id, customer, amount from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.total FILTER

MERGE INTO SALES t USING STAGE s ON t.ID = s.ID WHEN MATCHED THEN UPDATE SET TOTAL = s.AMOUNT
-- shop.public.Sales
--   Total <- shop.public.Stage.Amount IDENTITY
--   Id <- shop.public.Sales.Id IDENTITY
--   Note <- shop.public.Sales.Note IDENTITY
--   * <- shop.public.Sales.Id JOIN
--   * <- shop.public.Stage.Id JOIN

INSERT OVERWRITE sales (ID, NOTE) SELECT ID, 'x' FROM stage
-- shop.public.Sales OVERWRITE
--   Id <- shop.public.Stage.Id IDENTITY
--   Note <-

MERGE INTO other AS t USING (SELECT id, upper(state) AS note, amount FROM raw) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN
DELETE
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.raw.state TRANSFORMATION
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

MERGE WITH SCHEMA EVOLUTION INTO other AS t USING raw s ON t.id = s.id WHEN MATCHED THEN UPDATE
SET * WHEN NOT MATCHED THEN INSERT *
-- shop.public.other
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   note <- shop.public.other.note IDENTITY
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

MERGE INTO other t USING (SELECT id, note, v FROM orders JOIN (SELECT id AS oid, state AS note
FROM raw) ON oid = id) s ON t.id = s.id WHEN MATCHED AND s.v > t.id THEN UPDATE SET *
-- shop.public.other
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.orders.v CONDITIONAL
--   id <- shop.public.other.id CONDITIONAL
--   note <- shop.public.orders.v CONDITIONAL
--   note <- shop.public.other.id CONDITIONAL
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.other.id JOIN
--   * <- shop.public.raw.id JOIN

MERGE INTO mart t USING raw s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * EXCEPT (total)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

CREATE TABLE x AS SELECT * FROM (SELECT id, amount, state, customer FROM raw) PIVOT (sum(amount)
AS s, max(id) AS m FOR (state, customer) IN (('a', 'b') AS ab, ('c', 'd') AS cd))
-- shop.public.x CREATE
--   ab_s <- shop.public.raw.amount AGGREGATION
--   ab_s <- shop.public.raw.customer CONDITIONAL
--   ab_s <- shop.public.raw.state CONDITIONAL
--   ab_m <- shop.public.raw.customer CONDITIONAL
--   ab_m <- shop.public.raw.id AGGREGATION
--   ab_m <- shop.public.raw.state CONDITIONAL
--   cd_s <- shop.public.raw.amount AGGREGATION
--   cd_s <- shop.public.raw.customer CONDITIONAL
--   cd_s <- shop.public.raw.state CONDITIONAL
--   cd_m <- shop.public.raw.customer CONDITIONAL
--   cd_m <- shop.public.raw.id AGGREGATION
--   cd_m <- shop.public.raw.state CONDITIONAL
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.state GROUP_BY

CREATE TABLE x AS SELECT * FROM raw UNPIVOT INCLUDE NULLS (val FOR nm IN (amount AS a, customer
AS c))
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   state <- shop.public.raw.state IDENTITY
--   nm <-
--   val <- shop.public.raw.amount IDENTITY
--   val <- shop.public.raw.customer IDENTITY

CREATE TABLE x AS SELECT * FROM raw UNPIVOT ((v1, v2) FOR g IN ((id, amount) AS one, (customer,
state) AS two))
-- shop.public.x CREATE
--   g <-
--   v1 <- shop.public.raw.customer IDENTITY
--   v1 <- shop.public.raw.id IDENTITY
--   v2 <- shop.public.raw.amount IDENTITY
--   v2 <- shop.public.raw.state IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.state FILTER

CREATE TABLE x AS SELECT id, k, v FROM raw LATERAL VIEW stack(2, 'am', amount, 'id', id) s AS k,
v
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <-
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION

CREATE TABLE x AS SELECT id, pos, it FROM raw LATERAL VIEW posexplode(split(state, ',')) t AS
pos, it
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   pos <- shop.public.raw.state TRANSFORMATION
--   it <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, k, v FROM raw LATERAL VIEW explode(map('a', amount, customer,
state)) t AS k, v
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   k <- shop.public.raw.customer TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, inline(array(struct(amount AS a, state AS b), struct(id, customer)))
FROM raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.customer TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, a, b FROM raw LATERAL VIEW inline(array(struct(amount, state),
struct(id, customer))) t AS a, b
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.amount TRANSFORMATION
--   a <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.customer TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, a, b FROM raw LATERAL VIEW json_tuple(state, 'a', 'b') t AS a, b
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   a <- shop.public.raw.state TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT r.id, t.* FROM raw r, LATERAL explode(split(r.state, ',')) AS t(item)
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   item <- shop.public.raw.state TRANSFORMATION

CREATE TABLE x AS SELECT id, stack(2, 'jan', amount, 'feb', id) AS (m, v) FROM raw
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   m <-
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.id TRANSFORMATION

INSERT OVERWRITE mart REPLACE WHERE id > 3 SELECT * FROM mart WHERE total > 1
-- shop.public.mart OVERWRITE
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   total <- shop.public.mart.total IDENTITY
--   * <- shop.public.mart.id FILTER
--   * <- shop.public.mart.total FILTER
-- reads shop.public.mart

CREATE OR REPLACE TABLE mart DEEP CLONE raw
-- shop.public.mart OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state IDENTITY

CREATE TABLE x AS SELECT _metadata.file_path AS p, id, _metadata.row_index AS ri FROM raw
-- shop.public.x CREATE
--   p <-
--   id <- shop.public.raw.id IDENTITY
--   ri <-

CREATE TABLE x AS SELECT current_user() a, uuid() b, now() c, input_file_name() d,
monotonically_increasing_id() e, current_catalog() f, current_database() g, spark_partition_id()
h, rand() i, version() j, current_timezone() k FROM raw
-- shop.public.x CREATE
--   a <-
--   b <-
--   c <-
--   d <-
--   e <-
--   f <-
--   g <-
--   h <-
--   i <-
--   j <-
--   k <-
-- reads shop.public.raw

CREATE TABLE o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw GROUP BY
customer HAVING amount > 3
-- shop.public.o CREATE
--   customer <- shop.public.raw.state TRANSFORMATION
--   amount <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer GROUP_BY

CREATE FUNCTION f(x INT) RETURNS INT RETURN x + (SELECT max(v) FROM orders); CREATE TABLE y AS
SELECT f(id) AS a FROM raw
-- shop.public.y CREATE
--   a <- shop.public.orders.v AGGREGATION
--   a <- shop.public.raw.id TRANSFORMATION

CREATE TABLE x AS SELECT id AS amount, amount AS a2, amount + 1 AS a3 FROM raw
-- shop.public.x CREATE
--   amount <- shop.public.raw.id IDENTITY
--   a2 <- shop.public.raw.amount IDENTITY
--   a3 <- shop.public.raw.amount TRANSFORMATION

CREATE TABLE y AS WITH x AS (SELECT id, amount FROM raw) SELECT x.id, (SELECT MAX(x2.amount) FROM
x AS x2 WHERE x2.id = x.id) AS mx FROM x
-- shop.public.y CREATE
--   id <- shop.public.raw.id IDENTITY
--   mx <- shop.public.raw.amount AGGREGATION
--   mx <- shop.public.raw.id FILTER

CREATE TABLE x AS SELECT customer, max(struct(amount, state)).state AS s FROM raw GROUP BY
customer
-- shop.public.x CREATE
--   customer <- shop.public.raw.customer IDENTITY
--   s <- shop.public.raw.amount AGGREGATION
--   s <- shop.public.raw.state AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY

INSERT INTO mart BY NAME SELECT id, amount AS total, customer FROM raw DISTRIBUTE BY state SORT
BY amount
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.amount SORT

create table x as select t.*, id from raw lateral view outer explode(array(id, amount)) t
-- shop.public.x CREATE
--   col <- shop.public.raw.amount TRANSFORMATION
--   col <- shop.public.raw.id TRANSFORMATION
--   id <- shop.public.raw.id IDENTITY

create table x as select id, t.key, t.value from raw lateral view explode(map(id, amount)) t
-- shop.public.x CREATE
--   id <- shop.public.raw.id IDENTITY
--   key <- shop.public.raw.id TRANSFORMATION
--   value <- shop.public.raw.amount TRANSFORMATION

create table x as from raw |> where id > 1 |> extend id + 1 as q |> aggregate max(q) as q group
by upper(state) as state, customer
-- shop.public.x CREATE
--   state <- shop.public.raw.state TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY
--   q <- shop.public.raw.id AGGREGATION
--   * <- shop.public.raw.customer GROUP_BY
--   * <- shop.public.raw.id FILTER
--   * <- shop.public.raw.state GROUP_BY

create table made as (from raw |> set state = upper(state) |> drop customer, id)
-- shop.public.made CREATE
--   amount <- shop.public.raw.amount IDENTITY
--   state <- shop.public.raw.state TRANSFORMATION

set catalog d; insert into t2 (id) select id from u
-- d.default.t2
--   id <- d.default.u.id IDENTITY

merge into mart t using raw r on t.id = r.id when matched then update set t.total.f = r.state
-- shop.public.mart
--   total <- shop.public.mart.total TRANSFORMATION
--   total <- shop.public.raw.state TRANSFORMATION
--   id <- shop.public.mart.id IDENTITY
--   customer <- shop.public.mart.customer IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table made as select id, posexplode(split(state, ',')) from raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   pos <- shop.public.raw.state TRANSFORMATION
--   col <- shop.public.raw.state TRANSFORMATION

create table made as select stack(2, 'a', id, 'b', amount), customer from raw
-- shop.public.made CREATE
--   col0 <-
--   col1 <- shop.public.raw.amount TRANSFORMATION
--   col1 <- shop.public.raw.id TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY

create table made as select inline(array(struct(amount as a, state as b))), explode(map(id,
customer)) from raw
-- shop.public.made CREATE
--   a <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION
--   key <- shop.public.raw.id TRANSFORMATION
--   value <- shop.public.raw.customer TRANSFORMATION

create table made as select cast(id as string), state:a.b, try_cast(amount as int), customer from
raw
-- shop.public.made CREATE
--   id <- shop.public.raw.id TRANSFORMATION
--   b <- shop.public.raw.state TRANSFORMATION
--    <- shop.public.raw.amount TRANSFORMATION
--   customer <- shop.public.raw.customer IDENTITY
-- unresolved: UnnamedColumn

create table made (a int, b int generated always as (a + 1)); merge into made using raw on raw.id =
made.a when matched then update set a = raw.amount when not matched then insert (a) values (raw.id)
-- shop.public.made CREATE
-- shop.public.made
--   a <- shop.public.raw.amount IDENTITY
--   a <- shop.public.raw.id IDENTITY
--   b <- shop.public.raw.amount TRANSFORMATION
--   b <- shop.public.raw.id TRANSFORMATION
--   * <- shop.public.made.a JOIN
--   * <- shop.public.raw.id JOIN

insert into mart replace using (id) select id, customer, amount from raw
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   customer <- shop.public.raw.customer IDENTITY
--   total <- shop.public.raw.amount IDENTITY
--   * <- shop.public.mart.id JOIN
--   * <- shop.public.raw.id JOIN

create table p (id int, a int) using parquet partitioned by (id); insert into p select amount, state
from raw; create table q (id int, a int) partitioned by (id); insert into q select amount, state
from raw
-- shop.public.p CREATE
-- shop.public.p
--   a <- shop.public.raw.amount IDENTITY
--   id <- shop.public.raw.state IDENTITY
-- shop.public.q CREATE
-- shop.public.q
--   id <- shop.public.raw.amount IDENTITY
--   a <- shop.public.raw.state IDENTITY

merge into delta.`s3://b/t` t using raw u on t.id = u.id when matched then update set t.total =
u.amount
-- s3://b/t
--   total <- shop.public.raw.amount IDENTITY
--   * <- s3://b/t.id JOIN
--   * <- shop.public.raw.id JOIN

insert overwrite delta.`/data/t` select id, amount from raw; insert into other select id, amount
from delta.`/data/t@v3`
-- /data/t OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
-- shop.public.other
--   id <- /data/t.id IDENTITY
--   note <- /data/t.amount IDENTITY
-- unresolved: TargetColumns

create or replace table delta.`/data/t` as select id, amount from raw; insert into other select
* from delta.`/data/t`
-- /data/t OVERWRITE
--   id <- shop.public.raw.id IDENTITY
--   amount <- shop.public.raw.amount IDENTITY
-- shop.public.other
--   id <- /data/t.id IDENTITY
--   note <- /data/t.amount IDENTITY

update delta.`/data/t` set total = 3 where id = 4; delete from parquet.`/data/u` where id = 4;
drop table delta.`/data/t`
-- /data/t
--   total <-
--   * <- /data/t.id FILTER
-- /data/u
--   * <- /data/u.id FILTER
-- /data/t DROP

use catalog lake; insert into t (id) select id from shop.public.raw; use schema s; insert into t
(id) select id from shop.public.raw
-- lake.default.t
--   id <- shop.public.raw.id IDENTITY
-- lake.s.t
--   id <- shop.public.raw.id IDENTITY

begin declare v int; select max(id) into v from raw; insert into other select v, state from raw;
end
-- shop.public.other
--   id <- shop.public.raw.id AGGREGATION
--   note <- shop.public.raw.state IDENTITY

execute immediate 'insert into mart (id) select id from raw where id = ?' using 3
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   * <- shop.public.raw.id FILTER

declare variable x int; declare variable y int; set var x = (select max(amount) from raw); set var y
= x; insert into mart (total) values (y)
-- shop.public.mart
--   total <- shop.public.raw.amount AGGREGATION

begin for r as select id, amount from raw do insert into mart (id, total) values (r.id, amount); end
for; end
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <- shop.public.raw.amount IDENTITY

MERGE INTO customers t USING (SELECT cid, note AS name FROM orders JOIN other USING (id)) s ON t.cid = s.cid WHEN MATCHED THEN UPDATE SET * EXCEPT (name) WHEN NOT MATCHED THEN INSERT * EXCEPT (name)
-- shop.public.customers
--   cid <- shop.public.orders.cid IDENTITY
--   name <- shop.public.customers.name IDENTITY
--   * <- shop.public.customers.cid JOIN
--   * <- shop.public.orders.cid JOIN
--   * <- shop.public.orders.id JOIN
--   * <- shop.public.other.id JOIN

MERGE WITH SCHEMA EVOLUTION INTO customers t USING orders s ON t.cid = s.cid WHEN MATCHED THEN UPDATE SET * EXCEPT (v) WHEN NOT MATCHED THEN INSERT * EXCEPT (v)
-- shop.public.customers
--   cid <- shop.public.orders.cid IDENTITY
--   id <- shop.public.orders.id IDENTITY
--   name <- shop.public.customers.name IDENTITY
--   * <- shop.public.customers.cid JOIN
--   * <- shop.public.orders.cid JOIN

execute immediate 'insert into mart (id, total) select id, :a from raw' using (3 as a)
-- shop.public.mart
--   id <- shop.public.raw.id IDENTITY
--   total <-

create table made as select window.start s, window.end e, sum(amount) a from raw group by
window(state, '1 hour')
-- shop.public.made CREATE
--   s <- shop.public.raw.state TRANSFORMATION
--   e <- shop.public.raw.state TRANSFORMATION
--   a <- shop.public.raw.amount AGGREGATION
--   * <- shop.public.raw.state GROUP_BY

create table made as select id, upper(state) as state, amount * customer as amount from raw |> where
amount > (select v + 1 as v from orders |> aggregate max(v)) |> aggregate sum(amount) as s group by
state
-- shop.public.made CREATE
--   state <- shop.public.raw.state TRANSFORMATION
--   s <- shop.public.raw.amount AGGREGATION
--   s <- shop.public.raw.customer AGGREGATION
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.state GROUP_BY

insert into other select id, state from raw union all select id, v from orders |> where state > 'x'
|> select distinct *
-- shop.public.other
--   id <- shop.public.orders.id IDENTITY
--   id <- shop.public.raw.id IDENTITY
--   note <- shop.public.orders.v IDENTITY
--   note <- shop.public.raw.state IDENTITY
--   * <- shop.public.orders.id GROUP_BY
--   * <- shop.public.orders.v FILTER
--   * <- shop.public.orders.v GROUP_BY
--   * <- shop.public.raw.id GROUP_BY
--   * <- shop.public.raw.state FILTER
--   * <- shop.public.raw.state GROUP_BY

create table made as from raw |> where id > 3 |> unpivot (v for k in (amount, customer)) |> select
state, v
-- shop.public.made CREATE
--   state <- shop.public.raw.state IDENTITY
--   v <- shop.public.raw.amount IDENTITY
--   v <- shop.public.raw.customer IDENTITY
--   * <- shop.public.raw.amount FILTER
--   * <- shop.public.raw.customer FILTER
--   * <- shop.public.raw.id FILTER

create table made as from raw |> set amount = coalesce((from orders |> select distinct v |> aggregate
max(v)), amount), state = upper(state) |> select amount, state
-- shop.public.made CREATE
--   amount <- shop.public.orders.v AGGREGATION
--   amount <- shop.public.orders.v CONDITIONAL
--   amount <- shop.public.orders.v GROUP_BY
--   amount <- shop.public.raw.amount CONDITIONAL
--   amount <- shop.public.raw.amount TRANSFORMATION
--   state <- shop.public.raw.state TRANSFORMATION

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.made CREATE
--   id <- shop.archive.id IDENTITY
--   id <- shop.orders.id IDENTITY
--   v <- shop.archive.v IDENTITY
--   v <- shop.orders.v IDENTITY

create table made as select id, _part as p from raw
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   p <-

exchange tables raw and mart
-- shop.raw OVERWRITE
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
-- shop.mart OVERWRITE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- reads shop.mart
-- reads shop.raw

alter table mart replace partition 202401 from raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

alter table raw move partition 202401 to table mart
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

insert into mart select id, customer, amount from raw as r final prewhere state = 'x' where r.id > 2
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.raw.id FILTER
--   * <- shop.raw.state FILTER

insert into mart select id, any(customer), sumIf(amount, state = 'x') from raw group by id
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer AGGREGATION
--   total <- shop.raw.amount AGGREGATION
--   total <- shop.raw.state FILTER
--   * <- shop.raw.id GROUP_BY

create table made engine = Memory as select id, amount, part from raw array join amount,
splitByChar(',', state) as part
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount TRANSFORMATION
--   part <- shop.raw.state TRANSFORMATION

create table made engine = Memory as select id + 1 as id, id as j, upper(state) as state, b as c,
amount as b from raw where id > 3
-- shop.made CREATE
--   id <- shop.raw.id TRANSFORMATION
--   j <- shop.raw.id TRANSFORMATION
--   state <- shop.raw.state TRANSFORMATION
--   c <- shop.raw.amount IDENTITY
--   b <- shop.raw.amount IDENTITY
--   * <- shop.raw.id FILTER

create materialized view mv to mart as select id, customer, amount as total from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.made CREATE
--   customer <- shop.raw.state TRANSFORMATION
--   a <- shop.raw.amount AGGREGATION
--   * <- shop.raw.state GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.amount AGGREGATION
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id GROUP_BY

create table made engine = Memory as with sum(amount) as total, (select max(v) from orders) as most
select id, total, most + 1 as more from raw group by id
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   more <- shop.orders.v AGGREGATION
--   * <- shop.raw.id GROUP_BY

CREATE TABLE x ENGINE=Memory AS SELECT id FROM raw UNION DISTINCT SELECT id FROM orders UNION ALL
SELECT id FROM other
-- shop.x CREATE
--   id <- shop.orders.id IDENTITY
--   id <- shop.other.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   * <- shop.orders.id GROUP_BY
--   * <- shop.raw.id GROUP_BY

CREATE TABLE x ENGINE=Memory AS SELECT id, a, b FROM raw ARRAY JOIN splitByChar(',', state) AS a,
splitByChar(',', customer) AS b
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   a <- shop.raw.state TRANSFORMATION
--   b <- shop.raw.customer TRANSFORMATION

EXCHANGE TABLES raw AND orders; CREATE TABLE x ENGINE=Memory AS SELECT v FROM raw
-- shop.raw OVERWRITE
--   id <- shop.orders.id IDENTITY
--   cid <- shop.orders.cid IDENTITY
--   v <- shop.orders.v IDENTITY
-- shop.orders OVERWRITE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- shop.x CREATE
--   v <- shop.raw.v IDENTITY
-- reads shop.orders
-- reads shop.raw

ALTER TABLE mart REPLACE PARTITION '2024' FROM raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

CREATE TABLE x ENGINE=Memory AS SELECT id, sumIf(amount, state = 'x') AS s, argMax(customer,
amount) AS c, countIf(customer = 'y') AS n FROM raw FINAL PREWHERE id > 1 WHERE state != '' GROUP
BY id
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   s <- shop.raw.amount AGGREGATION
--   s <- shop.raw.state FILTER
--   c <- shop.raw.amount CONDITIONAL
--   c <- shop.raw.customer AGGREGATION
--   n <- shop.raw.customer AGGREGATION masking
--   * <- shop.raw.id FILTER
--   * <- shop.raw.id GROUP_BY
--   * <- shop.raw.state FILTER

CREATE TABLE x ENGINE=Memory AS SELECT id, item FROM raw LEFT ARRAY JOIN splitByChar(',', state)
AS item
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   item <- shop.raw.state TRANSFORMATION

CREATE TABLE x ENGINE=Memory AS SELECT id, quantileIf(0.9)(amount, customer = 'a') AS q,
groupArrayIf(state, amount > 1) AS g, uniqExactIf(id, amount > 2) AS u FROM raw GROUP BY id
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   q <- shop.raw.amount AGGREGATION
--   q <- shop.raw.customer FILTER
--   g <- shop.raw.amount FILTER
--   g <- shop.raw.state AGGREGATION
--   u <- shop.raw.amount FILTER
--   u <- shop.raw.id AGGREGATION
--   * <- shop.raw.id GROUP_BY

CREATE TABLE x ENGINE=Memory AS SELECT r.id, o.v FROM raw AS r ANY LEFT JOIN orders AS o ON r.id
= o.id WHERE r.customer GLOBAL IN (SELECT name FROM customers) ORDER BY r.amount LIMIT 2 BY
r.state
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   v <- shop.orders.v IDENTITY
--   * <- shop.customers.name FILTER
--   * <- shop.orders.id JOIN
--   * <- shop.raw.amount SORT
--   * <- shop.raw.customer FILTER
--   * <- shop.raw.id JOIN
--   * <- shop.raw.state FILTER

CREATE TABLE x ENGINE=Memory AS WITH amount * 2 AS dbl SELECT id, dbl FROM raw WHERE dbl > 3
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   dbl <- shop.raw.amount TRANSFORMATION
--   * <- shop.raw.amount FILTER

INSERT INTO mart SELECT id, customer, amount FROM raw SETTINGS max_threads = 1
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY

CREATE MATERIALIZED VIEW mv TO mart AS SELECT id, customer, sumState(amount) AS total FROM raw
GROUP BY id, customer
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   * <- shop.raw.customer GROUP_BY
--   * <- shop.raw.id GROUP_BY

INSERT INTO mart (id, total) SELECT id, arraySum(x -> x * amount, [1, 2]) FROM raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount TRANSFORMATION

CREATE TABLE x ENGINE=Memory AS SELECT _part, _partition_id, _table, rowNumberInAllBlocks() AS n,
generateUUIDv4() AS u, today() AS t, hostName() AS h FROM raw
-- shop.x CREATE
--   _part <-
--   _partition_id <-
--   _table <-
--   n <-
--   u <-
--   t <-
--   h <-
-- reads shop.raw

CREATE TABLE x ENGINE=Memory AS SELECT now64() a, randCanonical() b, currentDatabase() c,
version() d, yesterday() e, currentUser() f, rand64() g, blockNumber() h, now() i FROM raw
-- shop.x CREATE
--   a <-
--   b <-
--   c <-
--   d <-
--   e <-
--   f <-
--   g <-
--   h <-
--   i <-
-- reads shop.raw

CREATE TABLE o ENGINE=Memory AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw
GROUP BY customer HAVING amount > 3
-- shop.o CREATE
--   customer <- shop.raw.state TRANSFORMATION
--   amount <- shop.raw.amount AGGREGATION
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.state GROUP_BY

CREATE FUNCTION f AS (x, y) -> x + length(y); CREATE TABLE z ENGINE=Memory AS SELECT f(id, state)
AS a FROM raw
-- shop.z CREATE
--   a <- shop.raw.id TRANSFORMATION
--   a <- shop.raw.state TRANSFORMATION

CREATE TABLE x ENGINE=Memory AS SELECT customer, sum(amount) AS s, count() AS n, s / n AS a FROM
raw FINAL GROUP BY customer
-- shop.x CREATE
--   customer <- shop.raw.customer IDENTITY
--   s <- shop.raw.amount AGGREGATION
--   n <-
--   a <- shop.raw.amount AGGREGATION
--   * <- shop.raw.customer GROUP_BY

CREATE TABLE x ENGINE=Memory AS SELECT id FROM raw ORDER BY id WITH FILL FROM 1 TO 10 INTERPOLATE
(state AS state)
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   * <- shop.raw.id SORT
-- unresolved: Unread

ALTER TABLE mart UPDATE total = (SELECT max(amount) FROM raw) WHERE id > 1
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   * <- shop.mart.id FILTER

ALTER TABLE mart DELETE WHERE id IN (SELECT id FROM raw)
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id FILTER
--   * <- shop.raw.id FILTER

ALTER TABLE mart ADD COLUMN z Int64
-- shop.mart ALTER

create table x engine = Memory as select multiIf(amount > 1, state, id > 1, customer, 'x') m,
tuple(id, state).2 t, dictGet('d', 'name', id) n from raw
-- shop.x CREATE
--   m <- shop.raw.amount CONDITIONAL
--   m <- shop.raw.customer TRANSFORMATION
--   m <- shop.raw.id CONDITIONAL
--   m <- shop.raw.state TRANSFORMATION
--   t <- shop.raw.state IDENTITY
--   n <- shop.d.name IDENTITY
--   n <- shop.raw.id CONDITIONAL

create table x engine = Memory as select number n, id from numbers(10), raw
-- shop.x CREATE
--   n <-
--   id <- shop.raw.id IDENTITY

alter table mart move partition 1 to disk 'd'
-- nothing

create table x engine = Memory as select c.1 as a, t.c.2 as b from (select (id, state) as c from
raw) as t
-- shop.x CREATE
--   a <- shop.raw.id IDENTITY
--   b <- shop.raw.state IDENTITY

create table x engine = Memory as select c.1.2 as a, c.2 as b from (select ((id, state), amount)
as c from raw)
-- shop.x CREATE
--   a <- shop.raw.state IDENTITY
--   b <- shop.raw.amount IDENTITY

create table x engine = Memory as select (id, state) as p, p.1 as a, p.2 as b from raw
-- shop.x CREATE
--   p <- shop.raw.id TRANSFORMATION
--   p <- shop.raw.state TRANSFORMATION
--   a <- shop.raw.id IDENTITY
--   b <- shop.raw.state IDENTITY

create table made as raw engine = MergeTree order by id; insert into made select * from raw
-- shop.made CREATE
-- shop.made
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY

create table made clone as raw
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY

create table made engine = Memory as select argMaxIf(state, amount, id > 1) as a,
argMinState(customer, id) as b, argMax(state, amount) as c from raw
-- shop.made CREATE
--   a <- shop.raw.amount CONDITIONAL
--   a <- shop.raw.id FILTER
--   a <- shop.raw.state AGGREGATION
--   b <- shop.raw.customer AGGREGATION
--   b <- shop.raw.id CONDITIONAL
--   c <- shop.raw.amount CONDITIONAL
--   c <- shop.raw.state AGGREGATION

create materialized view mv engine = AggregatingMergeTree order by id populate as select id,
sumState(amount) as s from raw group by id
-- shop.mv CREATE
--   id <- shop.raw.id IDENTITY
--   s <- shop.raw.amount AGGREGATION
--   * <- shop.raw.id GROUP_BY

insert into table function s3('https://b/x.csv', 'CSV') select id, state from raw; insert into other
select id, note from url('https://b/y.csv', CSV, 'id Int, note String')
-- https://b/x.csv
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.state IDENTITY
-- shop.other
--   id <- https://b/y.csv.id IDENTITY
--   note <- https://b/y.csv.note IDENTITY

create table made engine = Memory as select columns('a'), * apply(toString), columns('id')
apply(toString) apply(max) from raw
-- shop.made CREATE
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
--   toString(id) <- shop.raw.id TRANSFORMATION
--   toString(customer) <- shop.raw.customer TRANSFORMATION
--   toString(amount) <- shop.raw.amount TRANSFORMATION
--   toString(state) <- shop.raw.state TRANSFORMATION
--   max(toString(id)) <- shop.raw.id AGGREGATION

create table made engine = Memory as select tupleElement(t, 'a') as a, tupleElement(t, 2) as b from
(select tuple(state as a, customer as b) as t from raw)
-- shop.made CREATE
--   a <- shop.raw.state IDENTITY
--   b <- shop.raw.customer IDENTITY

create table made (id Int64, a Int64 materialized id + 1, b Int64 alias a * 2, c Int64 default id *
3) engine = Memory; insert into made select amount, 1 from raw
-- shop.made CREATE
-- shop.made
--   id <- shop.raw.amount IDENTITY
--   c <-
--   a <- shop.raw.amount TRANSFORMATION
--   b <- shop.raw.amount TRANSFORMATION

create table out1 engine = Memory as select * replace (amount + 1 as id), id + 2 as b from raw
where id > 3
-- shop.out1 CREATE
--   id <- shop.raw.amount TRANSFORMATION
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
--   b <- shop.raw.amount TRANSFORMATION
--   * <- shop.raw.amount FILTER

create table out1 engine = Memory as select id + 2 as b, * replace (amount + 1 as id) from raw
-- shop.out1 CREATE
--   b <- shop.raw.id TRANSFORMATION
--   id <- shop.raw.amount TRANSFORMATION
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY

exchange tables raw and
-- opaque: EXCHANGE

create table x engine = Memory as select * from numbers(10)
-- shop.x CREATE
--   number <-

system flush logs; kill mutation where 1; exists table mart; check table mart; insert into other
select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

alter table mart modify column total Int first; insert into mart select id, customer, amount
from raw
-- shop.mart ALTER
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
-- unresolved: TargetColumns

insert into mart select id, dictGetString(customers, 'name', cid) as customer, v from orders
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.customers.name IDENTITY
--   customer <- shop.orders.cid CONDITIONAL
--   total <- shop.orders.v IDENTITY

insert into mart select id, dictGetOrDefault('shop.customers', 'name', toUInt64(cid), toString(v))
as customer, v from orders
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.customers.name TRANSFORMATION
--   customer <- shop.orders.cid CONDITIONAL
--   customer <- shop.orders.v TRANSFORMATION
--   total <- shop.orders.v IDENTITY

insert into mart select id, dictGet('customers', ('name', 'cid'), cid).1 as customer,
joinGetOrNull('raw', 'amount', id) from orders
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.customers.cid TRANSFORMATION
--   customer <- shop.customers.name TRANSFORMATION
--   customer <- shop.orders.cid CONDITIONAL
--   total <- shop.orders.id CONDITIONAL
--   total <- shop.raw.amount TRANSFORMATION

insert into mart select id, dictGet(concat('a', 'b'), 'name', cid), dictHas('customers', cid) from
orders
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.orders.cid TRANSFORMATION
--   total <- shop.orders.cid TRANSFORMATION
-- opaque: DICTGET
-- opaque: DICTHAS

create or replace dictionary d (cid UInt64, name String default '', n2 String expression
upper(name)) primary key cid source(clickhouse(table 'customers' db 'shop')) layout(flat())
lifetime(300); insert into mart select id, dictGet('d', 'n2', cid), v from orders
-- shop.d OVERWRITE
--   cid <- shop.customers.cid IDENTITY
--   name <- shop.customers.name IDENTITY
--   n2 <- shop.customers.name TRANSFORMATION
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.d.n2 IDENTITY
--   customer <- shop.orders.cid CONDITIONAL
--   total <- shop.orders.v IDENTITY

create dictionary d (cid UInt64, name String) primary key cid source(clickhouse(query 'select cid,
name from customers')) layout(flat()) lifetime(300)
-- shop.d CREATE
--   cid <- shop.customers.cid IDENTITY
--   name <- shop.customers.name IDENTITY

create table t (id Int64, select Int64, from Int64, current_date Date) engine = Memory; create
table m engine = Memory as select from, sum(select) as b, current_date as c, current_date() as
d, true as e from t group by from
-- shop.t CREATE
-- shop.m CREATE
--   from <- shop.t.from IDENTITY
--   b <- shop.t.select AGGREGATION
--   c <- shop.t.current_date IDENTITY
--   d <-
--   e <-
--   * <- shop.t.from GROUP_BY

create table t (on Int64, window Int64, n Int64) engine = Memory; create table m engine = Memory as
select on, window, max(n) as n from t group by on, window order by window
-- shop.t CREATE
-- shop.m CREATE
--   on <- shop.t.on IDENTITY
--   window <- shop.t.window IDENTITY
--   n <- shop.t.n AGGREGATION
--   * <- shop.t.on GROUP_BY
--   * <- shop.t.window GROUP_BY
--   * <- shop.t.window SORT

create table made engine = Memory as select id, amount as default from raw; alter table made update
id = default where id = 1
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   default <- shop.raw.amount IDENTITY
-- shop.made
--   id <- shop.made.default IDENTITY
--   default <- shop.made.default IDENTITY
--   * <- shop.made.id FILTER

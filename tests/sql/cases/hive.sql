insert into other select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

insert overwrite table other select id, upper(note) from other
-- shop.other OVERWRITE
--   id <- shop.other.id IDENTITY
--   note <- shop.other.note TRANSFORMATION
-- reads shop.other

alter table mart exchange partition (ds = '1') with table raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

create table made as select m, v from raw lateral view stack(2, 'jan', id, 'feb', amount) s as m, v
-- shop.made CREATE
--   m <-
--   v <- shop.raw.amount TRANSFORMATION
--   v <- shop.raw.id TRANSFORMATION

insert overwrite table other table customers
-- shop.other OVERWRITE
--   id <- shop.customers.cid IDENTITY
--   note <- shop.customers.name IDENTITY

INSERT INTO other SELECT id, col FROM raw LATERAL VIEW explode(array(state, customer)) t AS col
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.customer TRANSFORMATION
--   note <- shop.raw.state TRANSFORMATION

INSERT OVERWRITE TABLE mart PARTITION (total = 3) SELECT m.id, m.customer FROM mart m JOIN raw ON
raw.id = m.id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id JOIN
-- reads shop.mart

ALTER TABLE mart EXCHANGE PARTITION (total=3) WITH TABLE raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

FROM raw INSERT OVERWRITE TABLE other SELECT id, state INSERT INTO mart SELECT id, customer,
amount WHERE amount > 1
-- shop.other OVERWRITE
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.raw.amount FILTER

LOAD DATA INPATH '/x' OVERWRITE INTO TABLE raw
-- shop.raw OVERWRITE
-- file /x
-- unresolved: FileColumns

LOAD DATA INPATH '/x' OVERWRITE INTO TABLE raw PARTITION (state = 'x')
-- shop.raw
-- file /x
-- unresolved: FileColumns

TRUNCATE TABLE mart; INSERT INTO mart SELECT id, customer, amount FROM raw
-- shop.mart TRUNCATE
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY

INSERT OVERWRITE TABLE other SELECT a.id, get_json_object(b.el, '$.x') FROM (SELECT t.id,
split(t.s, ',') AS dd FROM (SELECT id, state AS s FROM raw WHERE amount > 1) t) a LATERAL VIEW
explode(a.dd) b AS el
-- shop.other OVERWRITE
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state TRANSFORMATION
--   * <- shop.raw.amount FILTER

with q as (select id, state from raw) from q insert overwrite table other select id, state where
id > 3
-- shop.other OVERWRITE
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY
--   * <- shop.raw.id FILTER

insert into table mart partition (total = 3) (customer, id) select state, id from raw
-- shop.mart
--   customer <- shop.raw.state IDENTITY
--   id <- shop.raw.id IDENTITY
--   total <-

create table d (f string) partitioned by (y int, m int); insert into d partition (y, m) select
state, id, amount from raw; insert overwrite table mart select * from d
-- shop.d CREATE
-- shop.d
--   f <- shop.raw.state IDENTITY
--   y <- shop.raw.id IDENTITY
--   m <- shop.raw.amount IDENTITY
-- shop.mart OVERWRITE
--   id <- shop.d.f IDENTITY
--   customer <- shop.d.y IDENTITY
--   total <- shop.d.m IDENTITY

create table d (f string) partitioned by (y int, m int); from raw insert into d partition (y = 3, m)
select state, amount insert into d partition (y, m) select customer, id, amount
-- shop.d CREATE
-- shop.d
--   f <- shop.raw.state IDENTITY
--   m <- shop.raw.amount IDENTITY
--   y <-
-- shop.d
--   f <- shop.raw.customer IDENTITY
--   y <- shop.raw.id IDENTITY
--   m <- shop.raw.amount IDENTITY

create table d partitioned by (id) as select id, state from raw; insert into d partition (id) select
customer, amount from raw
-- shop.d CREATE
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.state IDENTITY
-- shop.d
--   state <- shop.raw.customer IDENTITY
--   id <- shop.raw.amount IDENTITY

create table d (f string) partitioned by (y int); alter table d add columns (g int); insert into d
partition (y) select state, id, amount from raw; insert into mart select * from d
-- shop.d CREATE
-- shop.d ALTER
-- shop.d
--   f <- shop.raw.state IDENTITY
--   g <- shop.raw.id IDENTITY
--   y <- shop.raw.amount IDENTITY
-- shop.mart
--   id <- shop.d.f IDENTITY
--   customer <- shop.d.g IDENTITY
--   total <- shop.d.y IDENTITY

create table d (f string, g int) partitioned by (y int); alter table d replace columns (k int);
insert into d partition (y) select state, id from raw; alter table d partition (y = 3) add columns
(z int); alter table d change k l int; insert into d partition (y) select id, amount from raw
-- shop.d CREATE
-- shop.d ALTER
-- shop.d
--   l <- shop.raw.state IDENTITY
--   y <- shop.raw.id IDENTITY
-- shop.d ALTER
-- shop.d ALTER
-- shop.d
--   l <- shop.raw.id IDENTITY
--   y <- shop.raw.amount IDENTITY

alter table other replace columns (k int); insert into other select id from raw
-- shop.other ALTER
-- shop.other
--   id <- shop.raw.id IDENTITY
-- unresolved: TargetColumns

set hive.exec.dynamic.partition.mode=nonstrict; set mapred.job.name=my job; reload function;
insert into other select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

alter table mart change total total2 int first; insert into mart select id, customer, amount
from raw
-- shop.mart ALTER
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
-- unresolved: TargetColumns

create table x as select customer, grouping__id as g from raw group by customer with rollup
-- shop.x CREATE
--   customer <- shop.raw.customer IDENTITY
--   g <-
--   * <- shop.raw.customer GROUP_BY

create table x as (select id from raw sort by amount limit 3) union all select v from orders cluster
by id
-- shop.x CREATE
--   id <- shop.orders.v IDENTITY
--   id <- shop.raw.id IDENTITY
--   * <- shop.orders.v SORT
--   * <- shop.raw.amount SORT
--   * <- shop.raw.id SORT

create table x as select r.`(id|state)?+.+` from raw r
-- shop.x CREATE
--   (id|state)?+.+ <-
-- reads shop.raw
-- unresolved: Columns

create table t (id int, `values` int); create table m as select coalesce(values, id) as a, t.values
as b from t
-- shop.t CREATE
-- shop.m CREATE
--   a <- shop.t.id CONDITIONAL
--   a <- shop.t.id TRANSFORMATION
--   a <- shop.t.values CONDITIONAL
--   a <- shop.t.values TRANSFORMATION
--   b <- shop.t.values IDENTITY

create table iceberg.db.d (y int, f string) partitioned by (y); insert into iceberg.db.d select
state, id from raw
-- iceberg.db.d CREATE
-- iceberg.db.d
--   y <- shop.raw.state IDENTITY
--   f <- shop.raw.id IDENTITY

create table delta.`/x/d` (y int, f string) partitioned by (y); insert into delta.`/x/d` select
state, id from raw
-- /x/d CREATE
-- /x/d
--   y <- shop.raw.state IDENTITY
--   f <- shop.raw.id IDENTITY

create table d (y int, f string) using delta partitioned by (y); insert into d select state, id from
raw; create table i using iceberg partitioned by (y) as select id as y, state as f from raw; insert
into i select state, id from raw
-- shop.d CREATE
-- shop.d
--   y <- shop.raw.state IDENTITY
--   f <- shop.raw.id IDENTITY
-- shop.i CREATE
--   y <- shop.raw.id IDENTITY
--   f <- shop.raw.state IDENTITY
-- shop.i
--   y <- shop.raw.state IDENTITY
--   f <- shop.raw.id IDENTITY

use lake.db; create table d (y int, f string) partitioned by (y); insert into d (y, f) select id,
note from spark_catalog.shop.other; insert into d select note, id from spark_catalog.shop.other
-- lake.db.d CREATE
-- lake.db.d
--   y <- shop.other.id IDENTITY
--   f <- shop.other.note IDENTITY
-- lake.db.d
--   y <- shop.other.note IDENTITY
--   f <- shop.other.id IDENTITY

create table spark_catalog.shop.d (y int, f string) partitioned by (y); insert into d select state,
id from raw; create table e (Y int, f string) using parquet partitioned by (y); insert into e select
state, id from raw
-- shop.d CREATE
-- shop.d
--   f <- shop.raw.state IDENTITY
--   y <- shop.raw.id IDENTITY
-- shop.e CREATE
-- shop.e
--   f <- shop.raw.state IDENTITY
--   Y <- shop.raw.id IDENTITY

create table d (f string, y int) using parquet partitioned by (y); alter table d add column g int;
insert into d select state, id, amount from raw
-- shop.d CREATE
-- shop.d ALTER
-- shop.d
--   f <- shop.raw.state IDENTITY
--   g <- shop.raw.id IDENTITY
--   y <- shop.raw.amount IDENTITY

create table d (f string, y int) using delta partitioned by (y); alter table d add columns (g int);
insert into d select state, id, amount from raw
-- shop.d CREATE
-- shop.d ALTER
-- shop.d
--   f <- shop.raw.state IDENTITY
--   y <- shop.raw.id IDENTITY
--   g <- shop.raw.amount IDENTITY

alter table other add column (g int); alter table other add (h int); insert into other select id,
customer, amount, state from raw
-- shop.other ALTER
-- shop.other ALTER
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.customer IDENTITY
--   g <- shop.raw.amount IDENTITY
--   h <- shop.raw.state IDENTITY

create table x as select * from range(10) r join raw on raw.id = r.id
-- shop.x CREATE
--   id <-
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
--   * <- shop.raw.id JOIN

cache table raw
-- nothing

insert into delta.`/data/t` (id, v) select id, amount from raw
-- /data/t
--   id <- shop.raw.id IDENTITY
--   v <- shop.raw.amount IDENTITY

set spark.sql.defaultCatalog = lake; insert into db.t (id) select id from db.s
-- lake.db.t
--   id <- lake.db.s.id IDENTITY

set catalog lake; insert into t (id) select id from spark_catalog.shop.raw
-- lake.t
--   id <- shop.raw.id IDENTITY

use lake.db; insert into t (id) select s.id from s; set catalog spark_catalog; insert into t
(id) select id from shop.raw
-- lake.db.t
--   id <- lake.db.s.id IDENTITY
-- default.t
--   id <- shop.raw.id IDENTITY

set spark.databricks.delta.properties.defaults.x = true; set spark.x.schema = other; add jar
'/a.jar'; clear cache; reset spark.x; insert into other select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

alter table mart alter column total first; insert into mart select id, customer, amount from raw
-- shop.mart ALTER
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
-- unresolved: TargetColumns

create table made as select window.start s, customer, sum(amount) a from raw group by
window(state, '1 hour', '5 minutes'), customer having window.start > 3
-- shop.made CREATE
--   s <- shop.raw.state TRANSFORMATION
--   customer <- shop.raw.customer IDENTITY
--   a <- shop.raw.amount AGGREGATION
--   * <- shop.raw.customer GROUP_BY
--   * <- shop.raw.state FILTER
--   * <- shop.raw.state GROUP_BY

create table made as select session_window.start s, count(*) c from raw group by
session_window(state, '5 minutes')
-- shop.made CREATE
--   s <- shop.raw.state TRANSFORMATION
--   c <-
--   * <- shop.raw.state GROUP_BY

create table t (id int, values int, interval int); create table m as select coalesce(values, id) as
a, values + 1 as b, sum(values) as c, interval * 2 as d, id + interval 1 day as e from t group by
values; insert into t values 1, 2, 3
-- shop.t CREATE
-- shop.m CREATE
--   a <- shop.t.id CONDITIONAL
--   a <- shop.t.id TRANSFORMATION
--   a <- shop.t.values CONDITIONAL
--   a <- shop.t.values TRANSFORMATION
--   b <- shop.t.values TRANSFORMATION
--   c <- shop.t.values AGGREGATION
--   d <- shop.t.interval TRANSFORMATION
--   e <- shop.t.id TRANSFORMATION
--   * <- shop.t.values GROUP_BY
-- shop.t
--   id <-

create table t (id int, `any` int, all int, distinct int, fetch int, current_date date, from
int); create table m as select any + 1 as a, coalesce(all, 0) as b, sum(distinct) as c, fetch,
current_date, current_timestamp() as e, from from t where id = any(array(1)) group by all
-- shop.t CREATE
-- shop.m CREATE
--   a <- shop.t.any TRANSFORMATION
--   b <- shop.t.all CONDITIONAL
--   b <- shop.t.all TRANSFORMATION
--   c <- shop.t.distinct AGGREGATION
--   fetch <- shop.t.fetch IDENTITY
--    <- shop.t.current_date IDENTITY
--   e <-
--   from <- shop.t.from IDENTITY
--   * <- shop.t.all GROUP_BY
--   * <- shop.t.any GROUP_BY
--   * <- shop.t.current_date GROUP_BY
--   * <- shop.t.fetch GROUP_BY
--   * <- shop.t.from GROUP_BY
--   * <- shop.t.id FILTER
-- unresolved: UnnamedColumn

create table t (id int); create table m as select session_user.id, current_date.id + 1 as b from t
as session_user join t as current_date on session_user.id = current_date.id
-- shop.t CREATE
-- shop.m CREATE
--   id <- shop.t.id IDENTITY
--   b <- shop.t.id TRANSFORMATION
--   * <- shop.t.id JOIN

create table made as select id, amount as default from raw; update made set id = default; update
mart set total = default
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   default <- shop.raw.amount IDENTITY
-- shop.made
--   id <- shop.made.default IDENTITY
--   default <- shop.made.default IDENTITY
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-

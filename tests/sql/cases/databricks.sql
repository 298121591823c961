insert overwrite table mart partition (id = 3) select customer, amount from raw
-- shop.public.mart OVERWRITE
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
--   k <- shop.public.raw.amount TRANSFORMATION
--   k <- shop.public.raw.state TRANSFORMATION
--   v <- shop.public.raw.amount TRANSFORMATION
--   v <- shop.public.raw.state TRANSFORMATION

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
--   y <- shop.public.raw.id TRANSFORMATION
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
-- opaque: EXECUTE

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

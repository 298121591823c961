create multiset volatile table vt, no log, no fallback as (select id, state as s from raw) with data
primary index (id) on commit preserve rows; insert into other sel id, s from vt
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

merge into other t using (select id, state from raw) s on t.id = s.id when matched then update set
note = s.state when not matched then insert (s.id, s.state)
-- shop.other
--   note <- shop.raw.state IDENTITY
--   id <- shop.other.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   * <- shop.other.id JOIN
--   * <- shop.raw.id JOIN

locking row for access select id from raw; insert into other locking table raw for access select id,
state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

replace view v as locking row for access select ID, state mod 3 m, zeroifnull(amount) z from RAW
-- shop.v OVERWRITE
--   ID <- shop.raw.id IDENTITY
--   m <- shop.raw.state TRANSFORMATION
--   z <- shop.raw.amount CONDITIONAL
--   z <- shop.raw.amount TRANSFORMATION

collect statistics column (id) on raw; create table Made as (sel top 10 id, amount * 2 as dbl, dbl +
1 as tri from raw qualify row_number() over (partition by state order by id) = 1) with data no
primary index
-- shop.Made CREATE
--   id <- shop.raw.id IDENTITY
--   dbl <- shop.raw.amount TRANSFORMATION
--   tri <- shop.raw.amount TRANSFORMATION
--   * <- shop.raw.id FILTER
--   * <- shop.raw.state FILTER

update mart from raw r set total = r.amount where r.id = mart.id; del from other where id in (sel id
from raw)
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id JOIN
-- shop.other
--   id <- shop.other.id IDENTITY
--   note <- shop.other.note IDENTITY
--   * <- shop.other.id FILTER
--   * <- shop.raw.id FILTER

set session database s2; insert into t (id) select id from u
-- s2.t
--   id <- s2.u.id IDENTITY

locking table raw for access insert into mart (id, customer) select id, 'LOCKING' from raw where
state = 'FOR' qualify row_number() over (partition by id order by amount) = 1
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <-
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id FILTER
--   * <- shop.raw.state FILTER

bt; help table mart; insert into other select id, state from raw; et
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

insert into mart (id, total) select id (format '9(5)'), amount (decimal(10,2)) (title 'x') from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount TRANSFORMATION

create table shop.x as (select id (named i), (amount + 1) (int, format 'zz9') (named a), state
(char(3)) as s from raw) with data
-- shop.x CREATE
--   i <- shop.raw.id IDENTITY
--   a <- shop.raw.amount TRANSFORMATION
--   s <- shop.raw.state TRANSFORMATION

create table shop.x as (select id, state (casespecific) as st, customer (not casespecific) c, state
(char(10), uppercase) z, date (int) d from raw r where state (not cs) = 'a') with data
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   st <- shop.raw.state IDENTITY
--   c <- shop.raw.customer IDENTITY
--   z <- shop.raw.state TRANSFORMATION
--   d <-
--   * <- shop.raw.state FILTER

update mart from raw r set customer = r.state (uppercase) where r.id = mart.id and r.customer (cs) =
'a'
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.raw.state TRANSFORMATION
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.customer FILTER
--   * <- shop.raw.id JOIN

create table shop.x as (select trim(title) as t, td_day_of_week(date) as d, year(date) as y from
books) with data
-- shop.x CREATE
--   t <- shop.books.title TRANSFORMATION
--   d <-
--   y <-
-- opaque: TD_DAY_OF_WEEK

update mart set total = raw.amount where mart.id = raw.id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-
--   * <- shop.mart.id FILTER
-- unresolved: Column 2

update mart set total = 3 where id = 4 else insert into mart (id, total) values (4, 3)
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-
--   * <- shop.mart.id FILTER
-- shop.mart
--   id <-
--   total <-

insert into mart (1, 'x', (select max(id) from raw)); ins mart (2, 'y', 3)
-- shop.mart
--   id <-
--   customer <-
--   total <- shop.raw.id AGGREGATION
-- shop.mart
--   id <-
--   customer <-
--   total <-

locking raw for access insert into mart (id, total) select id, zeroifnull(amount) from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount CONDITIONAL
--   total <- shop.raw.amount TRANSFORMATION

insert into mart (id, total) select id, csum(amount, id) from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   total <- shop.raw.id WINDOW

create recursive view v (n, d) as (select id, 0 from raw where amount = 1 union all select o.cid,
v.d + 1 from orders o, v where o.id = v.n)
-- shop.v CREATE
--   n <- shop.orders.cid IDENTITY
--   n <- shop.raw.id IDENTITY
--   d <-
--   * <- shop.orders.cid JOIN
--   * <- shop.orders.id JOIN
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id JOIN

create table m as raw with no data; create table n as (select id, amount as a from raw) with no data
primary index (id)
-- shop.m CREATE
-- shop.n CREATE

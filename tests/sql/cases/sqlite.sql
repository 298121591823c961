insert into other select id, state from raw on conflict (id) do update set note = excluded.note
-- other
--   id <- raw.id IDENTITY
--   note <- raw.state IDENTITY

update other set note = (select state from raw where raw.id = other.id)
-- other
--   id <- other.id IDENTITY
--   note <- other.id FILTER
--   note <- raw.id FILTER
--   note <- raw.state IDENTITY

update other set note = raw.state from raw where raw.id = other.id returning note
-- other
--   id <- other.id IDENTITY
--   note <- raw.state IDENTITY
--   * <- other.id JOIN
--   * <- raw.id JOIN

replace into other (id, note) select id, state from raw
-- other
--   id <- raw.id IDENTITY
--   note <- raw.state IDENTITY

create table made as select json_extract(state, '$.a') a, j.value v from raw,
json_each(raw.state) j
-- made CREATE
--   a <- raw.state TRANSFORMATION
--   v <- raw.state TRANSFORMATION

create table made as select state ->> '$.a' a, iif(amount > 1, id, 0) b, id || state c,
group_concat(state, ',') g from raw
-- made CREATE
--   a <- raw.state TRANSFORMATION
--   b <- raw.amount CONDITIONAL
--   b <- raw.id TRANSFORMATION
--   c <- raw.id TRANSFORMATION
--   c <- raw.state TRANSFORMATION
--   g <- raw.state AGGREGATION

create temp table t as select id from raw; insert into mart (id) select id from temp.t
-- mart
--   id <- raw.id IDENTITY

create view v as select id from raw; insert into mart(id) select id from v
-- v CREATE
--   id <- raw.id IDENTITY
-- mart
--   id <- v.id IDENTITY

attach 'x.db' as o; insert into o.t select id, state from raw
-- o.t
--   id <- raw.id IDENTITY
--   state <- raw.state IDENTITY
-- unresolved: TargetColumns

insert into mart default values
-- mart

delete from mart where id in (select id from raw)
-- mart
--   id <- mart.id IDENTITY
--   customer <- mart.customer IDENTITY
--   total <- mart.total IDENTITY
--   * <- mart.id FILTER
--   * <- raw.id FILTER

create trigger t after insert on raw begin insert into other select new.id, new.state; end
-- nothing

attach 'x.db' as o; insert into o.t select id, state from raw; insert into main.other select id,
state from raw
-- o.t
--   id <- raw.id IDENTITY
--   state <- raw.state IDENTITY
-- other
--   id <- raw.id IDENTITY
--   note <- raw.state IDENTITY
-- unresolved: TargetColumns

create trigger t after insert on raw begin insert into other select new.id, new.state; delete
from mart where id = case when new.id > 1 then 1 end; end; insert into mart (id) select id from
raw
-- mart
--   id <- raw.id IDENTITY

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- made CREATE
--   id <- archive.id IDENTITY
--   v <- archive.v IDENTITY

update sales set total = s.amount from stage s where s.id = sales.id
-- Sales
--   Id <- Sales.Id IDENTITY
--   Total <- Stage.Amount IDENTITY
--   Note <- Sales.Note IDENTITY
--   * <- Sales.Id JOIN
--   * <- Stage.Id JOIN

insert into sales (ID, total) select id, AMOUNT from stage
-- Sales
--   Id <- Stage.Id IDENTITY
--   Total <- Stage.Amount IDENTITY

create table Made as select ID, s.total as T, upper(s.NOTE) as N from SALES s
-- Made CREATE
--   Id <- Sales.Id IDENTITY
--   T <- Sales.Total IDENTITY
--   N <- Sales.Note TRANSFORMATION

insert into sales (id, total) select id, amount from stage where true on conflict (id) do update
set TOTAL = EXCLUDED.total + Sales.TOTAL
-- Sales
--   Id <- Stage.Id IDENTITY
--   Total <- Sales.Total TRANSFORMATION
--   Total <- Stage.Amount IDENTITY
--   Total <- Stage.Amount TRANSFORMATION

create table made as select rowid as r, id from raw
-- made CREATE
--   r <-
--   id <- raw.id IDENTITY

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- made CREATE
--   customer <- raw.state TRANSFORMATION
--   a <- raw.amount AGGREGATION
--   * <- raw.customer GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- made CREATE
--   id <- raw.id IDENTITY
--   state <- raw.amount AGGREGATION
--   * <- raw.id GROUP_BY
--   * <- raw.state FILTER

UPDATE SALES SET TOTAL = total + 1 WHERE ID = 2
-- Sales
--   Id <- Sales.Id IDENTITY
--   Total <- Sales.Total TRANSFORMATION
--   Note <- Sales.Note IDENTITY
--   * <- Sales.Id FILTER

REPLACE INTO sales (ID, Total) SELECT id, amount FROM STAGE
-- Sales
--   Id <- Stage.Id IDENTITY
--   Total <- Stage.Amount IDENTITY

CREATE TABLE new_raw AS SELECT id, upper(state) AS state FROM raw; DROP TABLE raw; ALTER TABLE
new_raw RENAME TO raw
-- new_raw CREATE
--   id <- raw.id IDENTITY
--   state <- raw.state TRANSFORMATION
-- raw DROP
-- raw
--   id <- raw.id IDENTITY
--   state <- raw.state TRANSFORMATION
-- raw RENAME
-- reads raw

CREATE TABLE x AS SELECT rowid, _rowid_ AS b, raw.oid AS o FROM raw
-- x CREATE
--   rowid <-
--   b <-
--   o <-
-- reads raw

CREATE TABLE x AS SELECT random() a, datetime('now') b, strftime('%Y', 'now') c,
last_insert_rowid() d, sqlite_version() e, total_changes() f, randomblob(4) g, date('now') h,
time('now') i FROM raw
-- x CREATE
--   a <-
--   b <-
--   c <-
--   d <-
--   e <-
--   f <-
--   g <-
--   h <-
--   i <-
-- reads raw

CREATE TABLE o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw GROUP BY
customer HAVING amount > 3
-- o CREATE
--   customer <- raw.state TRANSFORMATION
--   amount <- raw.amount AGGREGATION
--   * <- raw.amount FILTER
--   * <- raw.customer GROUP_BY

create table x as select id, note as ID, note as id from other
-- x CREATE
--   id <- other.id IDENTITY
--   ID:1 <- other.note IDENTITY
--   id:2 <- other.note IDENTITY

update or ignore other set (note, id) = (select state, amount from raw where raw.id = other.id)
-- other
--   id <- other.id FILTER
--   id <- raw.amount IDENTITY
--   id <- raw.id FILTER
--   note <- other.id FILTER
--   note <- raw.id FILTER
--   note <- raw.state IDENTITY

create table made as select r.id, value from raw r, json_each(r.state, '$.a') where json_each.key =
'k'
-- made CREATE
--   id <- raw.id IDENTITY
--   value <- raw.state TRANSFORMATION
--   * <- raw.state FILTER

create table made as select customer, max(amount) filter (where id > 1) as m, count(*) over
(partition by state) as n, state || 'x' as s from raw group by state
-- made CREATE
--   customer <- raw.amount CONDITIONAL
--   customer <- raw.customer IDENTITY
--   m <- raw.amount AGGREGATION
--   m <- raw.id FILTER
--   n <- raw.state WINDOW
--   s <- raw.state TRANSFORMATION
--   * <- raw.state GROUP_BY

create table made (b int as (a + 1) virtual, a int, c int); insert into made select amount, id from
raw
-- made CREATE
-- made
--   a <- raw.amount IDENTITY
--   c <- raw.id IDENTITY
--   b <- raw.amount TRANSFORMATION

create view v as select id, total from mart; create trigger tr instead of insert on v begin insert
into other (id, note) values (new.id, new.total); end; insert into v select id, amount from raw
-- v CREATE
--   id <- mart.id IDENTITY
--   total <- mart.total IDENTITY
-- reads raw
-- opaque: TRIGGER

create trigger tr after insert on mart begin insert into other (id, note) values (new.id,
new.total); end; insert into mart (id, total) select id, amount from raw
-- mart
--   id <- raw.id IDENTITY
--   total <- raw.amount IDENTITY
-- opaque: TRIGGER

create table x as select * from generate_series(1, 3)
-- x CREATE
--   value <-

create table made as with recursive t(n, p) as (select id, cid from orders where v = 1 union all
select o.id, t.p from orders o join t on o.cid = t.n union all select r.id, t.n from raw r join t
on r.amount = t.n) select n, p from t
-- made CREATE
--   n <- orders.id IDENTITY
--   n <- raw.id IDENTITY
--   p <- orders.cid IDENTITY
--   p <- orders.id IDENTITY
--   p <- raw.id IDENTITY
--   * <- orders.cid JOIN
--   * <- orders.id JOIN
--   * <- orders.v FILTER
--   * <- raw.amount JOIN
--   * <- raw.id JOIN

insert into mart (id, customer) select id, upper(state -> 'x') from raw
-- mart
--   id <- raw.id IDENTITY
--   customer <- raw.state TRANSFORMATION

create table temp (id int); insert into temp select id from raw; create table m as select id
from main.temp
-- temp CREATE
-- temp
--   id <- raw.id IDENTITY
-- m CREATE
--   id <- temp.id IDENTITY

create table t (id int, true int, current_user int, current_date int, fetch int, "any" int);
create table m as select true, current_user || 'x' as b, current_date as c, fetch + 1 as d, any
- 1 as e from t where false is null
-- t CREATE
-- m CREATE
--   true <- t.true IDENTITY
--   b <- t.current_user TRANSFORMATION
--   c <-
--   d <- t.fetch TRANSFORMATION
--   e <- t.any TRANSFORMATION

with c as (select id from raw) insert or replace into mart (id) select id from c
-- mart
--   id <- raw.id IDENTITY

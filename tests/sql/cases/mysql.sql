insert into mart (id, customer, total) select id, customer, amount from raw on duplicate key
update total = values(total) + mart.total
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total TRANSFORMATION
--   total <- shop.raw.amount IDENTITY
--   total <- shop.raw.amount TRANSFORMATION

insert into mart (id, total) select id, amount from raw as new on duplicate key update total =
new.amount
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount IDENTITY

insert into mart set id = 1, total = (select max(amount) from raw)
-- shop.mart
--   id <-
--   total <- shop.raw.amount AGGREGATION

insert ignore into other (id, note) select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

replace into other (id, note) values (1, (select max(state) from raw))
-- shop.other
--   id <-
--   note <- shop.raw.state AGGREGATION

load data infile '/x.csv' into table mart fields terminated by ','
-- shop.mart
-- file /x.csv
-- unresolved: FileColumns

select id, state from raw into outfile '/tmp/x.csv'
-- opaque: Unparsed

update mart, raw set mart.total = raw.amount where mart.id = raw.id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id JOIN

delete mart from mart join raw on raw.id = mart.id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id JOIN

delete m, o from mart m join other o on o.id = m.id where m.total > 1
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.mart.total FILTER
--   * <- shop.other.id JOIN
-- shop.other
--   id <- shop.other.id IDENTITY
--   note <- shop.other.note IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.mart.total FILTER
--   * <- shop.other.id JOIN

create table t select id, state from raw
-- shop.t CREATE
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.state IDENTITY

create table t like raw
-- shop.t CREATE

create temporary table t select id from raw; insert into mart (id) select id from t
-- shop.mart
--   id <- shop.raw.id IDENTITY

update mart m left join raw r using (id) set m.total = r.amount, m.customer = 'x' where r.id is
null
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <-
--   total <- shop.raw.amount IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id FILTER
--   * <- shop.raw.id JOIN

update mart m join raw r on r.id = m.id join other o on o.id = m.id set m.total = r.amount,
o.note = r.state
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.other.id JOIN
--   * <- shop.raw.id JOIN
-- shop.other
--   id <- shop.other.id IDENTITY
--   note <- shop.raw.state IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.other.id JOIN
--   * <- shop.raw.id JOIN

insert into mart (id, customer) select id, group_concat(distinct state order by amount separator
',') from raw group by id
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.amount SORT
--   customer <- shop.raw.state AGGREGATION
--   * <- shop.raw.id GROUP_BY

with recursive c as (select id, 1 as lvl from raw union all select o.cid, c.lvl + 1 from orders
o join c on o.id = c.id) select * from c
-- reads shop.raw
-- reads shop.orders

insert into mart (id) with c as (select id from raw) select id from c
-- shop.mart
--   id <- shop.raw.id IDENTITY

insert into mart(id, customer) select jt.a, jt.b from raw, json_table(state, '$[*]' columns (a
int path '$.a', b varchar(3) path '$.b')) jt
-- shop.mart
--   id <- shop.raw.state TRANSFORMATION
--   customer <- shop.raw.state TRANSFORMATION

set @x := (select max(id) from raw); insert into mart (id) values (@x)
-- shop.mart
--   id <- shop.raw.id AGGREGATION

insert into shop2.t select * from raw
-- shop2.t
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- unresolved: TargetColumns

rename table raw to raw2, mart to mart2
-- shop.raw2 RENAME
-- shop.mart2 RENAME

truncate mart
-- shop.mart TRUNCATE

create or replace view v as select id from raw
-- shop.v OVERWRITE
--   id <- shop.raw.id IDENTITY

insert into mart (id, total) table other
-- shop.mart
--   id <- shop.other.id IDENTITY
--   total <- shop.other.note IDENTITY

insert into mart values row(1, 'a', 2)
-- shop.mart
--   id <-
--   customer <-
--   total <-

prepare s from 'insert into mart select 1'; execute s
-- opaque: EXECUTE

select max(id), min(state) into @x, @y from raw where amount > 1; insert into mart (id,
customer) values (@x, @y)
-- shop.mart
--   id <- shop.raw.amount FILTER
--   id <- shop.raw.id AGGREGATION
--   customer <- shop.raw.amount FILTER
--   customer <- shop.raw.state AGGREGATION

insert into mart values row(1, (select max(state) from raw), 2)
-- shop.mart
--   id <-
--   customer <- shop.raw.state AGGREGATION
--   total <-

insert into mart (id, total) select id, amount from raw as new on duplicate key update total =
new.amount + mart.total
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.mart.total TRANSFORMATION
--   total <- shop.raw.amount IDENTITY
--   total <- shop.raw.amount TRANSFORMATION

insert into mart (id, total) values (1, (select max(amount) from raw)) as new on duplicate key
update total = new.total
-- shop.mart
--   id <-
--   total <- shop.raw.amount AGGREGATION

insert into mart (id, customer, total) select id, customer, amount from raw on duplicate key
update total = values(total) + total
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total TRANSFORMATION
--   total <- shop.raw.amount IDENTITY
--   total <- shop.raw.amount TRANSFORMATION

select max(id) into @x from raw; insert into mart(id) values (@x)
-- shop.mart
--   id <- shop.raw.id AGGREGATION

begin; insert into mart (id) select id from raw; commit
-- shop.mart
--   id <- shop.raw.id IDENTITY

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.made CREATE
--   id <- shop.archive.id IDENTITY
--   id <- shop.orders.id IDENTITY
--   v <- shop.archive.v IDENTITY
--   v <- shop.orders.v IDENTITY

create table made as select prev.items.price as before, curr.items.price as after from prev.items
join curr.items on prev.items.id = curr.items.id
-- shop.made CREATE
--   before <- prev.items.price IDENTITY
--   after <- curr.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN

update curr.items join prev.items on prev.items.id = curr.items.id set curr.items.price =
prev.items.price
-- curr.items
--   id <- curr.items.id IDENTITY
--   price <- prev.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN

update curr.items c, prev.items p set c.price = p.price, p.price = 0 where p.id = c.id
-- curr.items
--   id <- curr.items.id IDENTITY
--   price <- prev.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN
-- prev.items
--   id <- prev.items.id IDENTITY
--   price <-
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN

delete curr.items from curr.items join prev.items on prev.items.id = curr.items.id
-- curr.items
--   id <- curr.items.id IDENTITY
--   price <- curr.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN

update people p join archive a on a.id = p.id set note = a.text
-- reads shop.people
-- reads shop.archive
-- unresolved: AmbiguousColumn
-- opaque: Update

update sales set total = s.amount from stage s where s.id = sales.id
-- shop.Sales
--   Id <- shop.Sales.Id IDENTITY
--   Total <- shop.Stage.Amount IDENTITY
--   Note <- shop.Sales.Note IDENTITY
--   * <- shop.Sales.Id JOIN
--   * <- shop.Stage.Id JOIN

insert into sales (ID, total) select id, AMOUNT from stage
-- shop.Sales
--   Id <- shop.Stage.Id IDENTITY
--   Total <- shop.Stage.Amount IDENTITY

create table Made as select ID, s.total as T from SALES s
-- shop.Made CREATE
--   ID <- shop.Sales.Id IDENTITY
--   T <- shop.Sales.Total IDENTITY

create table made as select p.id, amount, name from people p join archive a on p.pid = a.person
-- shop.made CREATE
--   id <- shop.people.id IDENTITY
--   amount <-
--   name <-
--   * <- shop.archive.person JOIN
--   * <- shop.people.pid JOIN
-- unresolved: AmbiguousColumn 2

alter table mart exchange partition p0 with table raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY
-- shop.raw ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- reads shop.raw
-- reads shop.mart

rename table mart to mart_old, raw to mart
-- shop.mart_old RENAME
-- shop.mart OVERWRITE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY

rename table mart to tmp, raw to mart, tmp to raw
-- shop.mart OVERWRITE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- shop.raw OVERWRITE
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
-- reads shop.raw
-- reads shop.mart

create table made (z int, amount int) as select id, amount from raw
-- shop.made CREATE
--   z <-
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount IDENTITY

select @r := max(id) from raw where state = 'x'; insert into mart (id, total) select @r, 1
-- shop.mart
--   id <- shop.raw.id AGGREGATION
--   id <- shop.raw.state FILTER
--   total <-

analyze format=json update mart set total = id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.id IDENTITY

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.made CREATE
--   customer <- shop.raw.state TRANSFORMATION
--   a <- shop.raw.amount AGGREGATION
--   * <- shop.raw.customer GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.amount AGGREGATION
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id GROUP_BY

create table made as select upper(id) as id, sum(amount) as state from raw group by id having id = 'x'
and max(state) > 3
-- shop.made CREATE
--   id <- shop.raw.id TRANSFORMATION
--   state <- shop.raw.amount AGGREGATION
--   * <- shop.raw.id FILTER
--   * <- shop.raw.id GROUP_BY
--   * <- shop.raw.state FILTER

INSERT INTO other SELECT id, (WITH customers AS (SELECT state AS name FROM raw) SELECT max(name)
FROM customers) FROM orders
-- shop.other
--   id <- shop.orders.id IDENTITY
--   note <- shop.raw.state AGGREGATION

DELETE curr.items FROM curr.items JOIN prev.items ON curr.items.id = prev.items.id WHERE
prev.items.price > 3
-- curr.items
--   id <- curr.items.id IDENTITY
--   price <- curr.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN
--   * <- prev.items.price FILTER

UPDATE curr.items JOIN prev.items ON curr.items.id = prev.items.id SET curr.items.price =
prev.items.price, prev.items.price = 0
-- curr.items
--   id <- curr.items.id IDENTITY
--   price <- prev.items.price IDENTITY
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN
-- prev.items
--   id <- prev.items.id IDENTITY
--   price <-
--   * <- curr.items.id JOIN
--   * <- prev.items.id JOIN

INSERT INTO Sales (id, total) SELECT id, amount FROM Stage ON DUPLICATE KEY UPDATE TOTAL =
VALUES(total) + Sales.total
-- shop.Sales
--   Id <- shop.Stage.Id IDENTITY
--   Total <- shop.Sales.Total TRANSFORMATION
--   Total <- shop.Stage.Amount IDENTITY
--   Total <- shop.Stage.Amount TRANSFORMATION

CREATE TABLE s2 LIKE Sales; INSERT INTO s2 SELECT * FROM Sales
-- shop.s2 CREATE
-- shop.s2
--   Id <- shop.Sales.Id IDENTITY
--   Total <- shop.Sales.Total IDENTITY
--   Note <- shop.Sales.Note IDENTITY

CREATE TABLE x AS (SELECT id FROM raw LIMIT 2) UNION ALL (SELECT id FROM orders ORDER BY v LIMIT
2) ORDER BY id
-- shop.x CREATE
--   id <- shop.orders.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   * <- shop.orders.id SORT
--   * <- shop.orders.v SORT
--   * <- shop.raw.id SORT

CREATE TABLE x AS SELECT r.id, j.a FROM raw r, JSON_TABLE(r.state, '$[*]' COLUMNS (n FOR
ORDINALITY, a INT PATH '$.a')) j
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   a <- shop.raw.state TRANSFORMATION

CREATE TABLE mart_new AS SELECT id, state AS customer, amount AS total FROM raw; RENAME TABLE
mart TO mart_old, mart_new TO mart
-- shop.mart_new CREATE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.state IDENTITY
--   total <- shop.raw.amount IDENTITY
-- shop.mart_old RENAME
-- shop.mart OVERWRITE
--   id <- shop.mart_new.id IDENTITY
--   customer <- shop.mart_new.customer IDENTITY
--   total <- shop.mart_new.total IDENTITY

INSERT INTO mart SELECT * FROM mart WHERE id > 2
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id FILTER
-- reads shop.mart

INSERT INTO other (id, note) SELECT LAST_INSERT_ID(), CONCAT(UTC_TIMESTAMP(), CURRENT_USER(),
UUID_SHORT(), FOUND_ROWS(), USER()) FROM raw
-- shop.other
--   id <-
--   note <-
-- reads shop.raw

CREATE TABLE o (z INT, id BIGINT) AS SELECT id, amount FROM raw
-- shop.o CREATE
--   z <-
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount IDENTITY

CREATE TABLE o (PRIMARY KEY (id), KEY k (amount)) SELECT id, amount FROM raw
-- shop.o CREATE
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount IDENTITY

CREATE TABLE o (z INT AUTO_INCREMENT PRIMARY KEY, w VARCHAR(10) DEFAULT 'x') IGNORE SELECT id AS
w, state FROM raw
-- shop.o CREATE
--   z <-
--   w <- shop.raw.id IDENTITY
--   state <- shop.raw.state IDENTITY

SET @t := 0; INSERT INTO mart (id, total) SELECT id, @t := @t + amount FROM raw ORDER BY id
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount TRANSFORMATION
--   * <- shop.raw.id SORT

SELECT max(amount), min(id) INTO @a, @b FROM raw; INSERT INTO mart (id, total) VALUES (@b, @a)
-- shop.mart
--   id <- shop.raw.id AGGREGATION
--   total <- shop.raw.amount AGGREGATION

INSERT INTO mart (id, total) SELECT id, @r := IF(@p = customer, @r + 1, 1) AS rnk FROM raw,
(SELECT @r := 0, @p := NULL) vars
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.customer CONDITIONAL

CREATE TABLE o AS SELECT upper(state) AS customer, sum(amount) AS amount FROM raw GROUP BY
customer HAVING amount > 3 ORDER BY amount
-- shop.o CREATE
--   customer <- shop.raw.state TRANSFORMATION
--   amount <- shop.raw.amount AGGREGATION
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.amount SORT
--   * <- shop.raw.customer GROUP_BY

CREATE TABLE o AS SELECT id AS amount, amount AS id FROM raw ORDER BY amount + 1, id
-- shop.o CREATE
--   amount <- shop.raw.id IDENTITY
--   id <- shop.raw.amount IDENTITY
--   * <- shop.raw.amount SORT

EXPLAIN INSERT INTO mart (id) SELECT id FROM raw
-- nothing

ANALYZE UPDATE mart SET total = 3
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-

SET @x = (SELECT max(amount) FROM raw), @y = 3; UPDATE mart SET total = @x + @y WHERE id =
(SELECT @z := min(id) FROM orders)
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   * <- shop.mart.id FILTER
--   * <- shop.orders.id FILTER

CREATE TABLE o LIKE raw; CREATE TABLE p SELECT * FROM o
-- shop.o CREATE
-- shop.p CREATE
--   id <- shop.o.id IDENTITY
--   customer <- shop.o.customer IDENTITY
--   amount <- shop.o.amount IDENTITY
--   state <- shop.o.state IDENTITY

SELECT max(amount), min(id) FROM raw INTO @a, @b; INSERT INTO mart (id, total) VALUES (@b, @a)
-- shop.mart
--   id <- shop.raw.id AGGREGATION
--   total <- shop.raw.amount AGGREGATION

SET @x = (SELECT max(amount) FROM raw), @y = 3; UPDATE mart SET total = @x + @y
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount AGGREGATION

CREATE VIEW v AS WITH c AS (SELECT cid FROM customers) SELECT k.cid AS a, o.v AS b FROM ((orders
AS o JOIN c AS k ON o.cid = k.cid))
-- shop.v CREATE
--   a <- shop.customers.cid IDENTITY
--   b <- shop.orders.v IDENTITY
--   * <- shop.customers.cid JOIN
--   * <- shop.orders.cid JOIN

UPDATE mart m INNER JOIN (SELECT cid, sum(v) AS s FROM orders GROUP BY cid) b ON b.cid = m.id SET
m.total = m.total * b.s
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total TRANSFORMATION
--   total <- shop.orders.v AGGREGATION
--   * <- shop.mart.id JOIN
--   * <- shop.orders.cid GROUP_BY
--   * <- shop.orders.cid JOIN

CREATE TABLE x AS SELECT id FROM raw AS a WHERE a.id IN (SELECT MAX(b.cid) FROM orders AS b UNION
ALL SELECT MAX(c.id) FROM other AS c)
-- shop.x CREATE
--   id <- shop.raw.id IDENTITY
--   * <- shop.orders.cid FILTER
--   * <- shop.other.id FILTER
--   * <- shop.raw.id FILTER

REPLACE INTO mart (id, customer) SELECT STRAIGHT_JOIN o.id, c.name FROM orders o JOIN customers c
USING (cid)
-- shop.mart
--   id <- shop.orders.id IDENTITY
--   customer <- shop.customers.name IDENTITY
--   * <- shop.customers.cid JOIN
--   * <- shop.orders.cid JOIN

UPDATE mart SET total = 1 ORDER BY customer LIMIT 3
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <-
--   * <- shop.mart.customer SORT

create table x as select elt(id, state, customer) e from raw
-- shop.x CREATE
--   e <- shop.raw.customer TRANSFORMATION
--   e <- shop.raw.id CONDITIONAL
--   e <- shop.raw.state TRANSFORMATION

create table x as select jt.*, id from raw, json_table(state, '$[*]' columns (a int path '$.a',
nested path '$.b[*]' columns (b int path '$'))) jt
-- shop.x CREATE
--   a <- shop.raw.state TRANSFORMATION
--   b <- shop.raw.state TRANSFORMATION
--   id <- shop.raw.id IDENTITY

create or replace view v (a, b) as select id, state from raw with check option; insert low_priority
ignore into other (id, note) select id, state from raw; update low_priority ignore other set note =
'x'
-- shop.v OVERWRITE
--   a <- shop.raw.id IDENTITY
--   b <- shop.raw.state IDENTITY
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY
-- shop.other
--   id <- shop.other.id IDENTITY
--   note <-

update (select id, max(amount) as a from raw group by id) r join mart m using (id) set m.total = r.a
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id GROUP_BY
--   * <- shop.raw.id JOIN

insert into mart (id, customer, total) values (1, 'a', (select max(amount) from raw)) as new(m, n,
p) on duplicate key update total = p + m, customer = concat(customer, n)
-- shop.mart
--   id <-
--   customer <- shop.mart.customer TRANSFORMATION
--   total <- shop.raw.amount AGGREGATION

create table made as values row(1, 2), row(3, (select max(id) from raw))
-- shop.made CREATE
--   column_0 <-
--   column_1 <- shop.raw.id AGGREGATION

create view v as select m.id as k, m.total as t, r.amount as a from mart m join raw r on r.id =
m.id; update v set a = 3, t = k
-- shop.v CREATE
--   k <- shop.mart.id IDENTITY
--   t <- shop.mart.total IDENTITY
--   a <- shop.raw.amount IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.id JOIN
-- shop.raw
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <-
--   state <- shop.raw.state IDENTITY
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.v.k IDENTITY

create table made (id int, twice int as (id * 2)) as select id from raw
-- shop.made CREATE
--   twice <- shop.raw.id TRANSFORMATION
--   id <- shop.raw.id IDENTITY

create table made (id int, n int as (id * 2), m int as (n + 1), d int default (id + 3)); insert
into made (ID) select amount from raw; insert into made (id, d) select 1, id from raw
-- shop.made CREATE
-- shop.made
--   id <- shop.raw.amount IDENTITY
--   n <- shop.raw.amount TRANSFORMATION
--   m <- shop.raw.amount TRANSFORMATION
--   d <- shop.raw.amount TRANSFORMATION
-- shop.made
--   id <-
--   d <- shop.raw.id IDENTITY
--   n <-
--   m <-

load data local infile '/x.csv' replace into table mart fields terminated by ',' lines terminated
by '\n' ignore 1 lines (id, @c, total) set customer = upper(@c)
-- shop.mart
-- file /x.csv
-- unresolved: FileColumns

create trigger tr after insert on mart for each row insert into other (id, note) values (new.id,
new.total); insert into mart (id, total) select id, amount from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount IDENTITY
-- opaque: TRIGGER

select max(id) into @m from raw where state = 'INTO'; insert into mart (id, customer) select @m,
'VALUES' from other where note in ('(', 'INTO')
-- shop.mart
--   id <- shop.raw.id AGGREGATION
--   id <- shop.raw.state FILTER
--   customer <-
--   * <- shop.other.note FILTER

alter table other add column g int first, add column h int after id; insert into other select id,
customer, amount, state from raw
-- shop.other ALTER
-- shop.other
--   g <- shop.raw.id IDENTITY
--   id <- shop.raw.customer IDENTITY
--   h <- shop.raw.amount IDENTITY
--   note <- shop.raw.state IDENTITY

lock tables mart write; check table mart; insert into other select id, state from raw; unlock
tables
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

begin select max(id) into v from raw; insert into other select v, state from raw; end
-- shop.other
--   id <- shop.raw.id AGGREGATION
--   note <- shop.raw.state IDENTITY

alter table mart modify total int first; insert into mart select id, customer, amount from raw
-- shop.mart ALTER
-- shop.mart
--   total <- shop.raw.id IDENTITY
--   id <- shop.raw.customer IDENTITY
--   customer <- shop.raw.amount IDENTITY

alter table mart change total sum int after id; insert into mart select amount, id, customer
from raw
-- shop.mart ALTER
-- shop.mart
--   id <- shop.raw.amount IDENTITY
--   sum <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY

alter table mart change total sum int, add column y int; insert into mart select amount, id,
customer, 1 from raw
-- shop.mart ALTER
-- shop.mart
--   id <- shop.raw.amount IDENTITY
--   customer <- shop.raw.id IDENTITY
--   sum <- shop.raw.customer IDENTITY
--   y <-

set @x = (select max(v) from orders); repeat insert into mart (id) values (@x); set @x = (select
max(id) from raw); until @x > 3 end repeat
-- shop.mart
--   id <- shop.orders.v AGGREGATION
--   id <- shop.raw.id AGGREGATION
-- opaque: Unparsed

set @x = (select max(amount) from raw); set @y = @x; insert into mart (total) values (@y)
-- shop.mart
--   total <- shop.raw.amount AGGREGATION

set @x = (select max(amount) from raw); while @x > 1 do set @x = (select max(v) from orders); end
while; insert into mart (total) values (@x)
-- shop.mart
--   total <- shop.orders.v AGGREGATION
--   total <- shop.raw.amount AGGREGATION
-- opaque: WHILE

set @x = (select max(amount) from raw); while @x > 1 do insert into mart (id) select id from other;
end while
-- shop.mart
--   id <- shop.other.id IDENTITY
-- reads shop.raw
-- opaque: WHILE

for r in (select id, amount from raw) do insert into mart (id, total) values (r.id, r.amount); end
for
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount IDENTITY

declare c cursor for select id, amount from raw; open c; fetch c into x, y; insert into mart (id,
total) values (x, y); close c
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount IDENTITY

delete from m using mart m join raw r on m.id = r.id where r.amount is null
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id JOIN

delete from a, b using mart a join other b on a.id = b.id
-- shop.mart
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.other.id JOIN
-- shop.other
--   id <- shop.other.id IDENTITY
--   note <- shop.other.note IDENTITY
--   * <- shop.mart.id JOIN
--   * <- shop.other.id JOIN

insert into mart (id, customer) select id, upper(state -> '$.x') from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.state TRANSFORMATION

insert into other (id, note) values row(1, (select max(state) from raw)) as n on duplicate key
update note = concat(n.note, other.note)
-- shop.other
--   id <-
--   note <- shop.other.note TRANSFORMATION
--   note <- shop.raw.state AGGREGATION

create temporary table shop.kept as select id, amount from raw; create table made as select amount from kept
-- shop.made CREATE
--   amount <- shop.raw.amount IDENTITY

create temporary table items as select id, amount as price from raw; create table made as select price from prev.items
-- shop.made CREATE
--   price <- prev.items.price IDENTITY
-- reads shop.raw

create table t (id int, _gb18030 int, session_user int, `window` int); create table m as select
_gb18030 + 1 as a, _utf8'x' as b, t._gb18030 as c, session_user as d from t where window > 1
-- shop.t CREATE
-- shop.m CREATE
--   a <- shop.t._gb18030 TRANSFORMATION
--   b <-
--   c <- shop.t._gb18030 IDENTITY
--   d <- shop.t.session_user IDENTITY
--   * <- shop.t.window FILTER

/*!40101 SET NAMES utf8 */; /*M!999999\- enable the sandbox mode */ /*!50001 CREATE */ /*!50013
DEFINER=`root`@`localhost` SQL SECURITY DEFINER */ /*!50001 VIEW `v` AS select `id`, `amount` from
`raw` where `state` <> 'x' */; insert into mart (id, customer) select /* a */ o.id /*! + cid */,
'/*! v */' from orders o
-- shop.v CREATE
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   * <- shop.raw.state FILTER
-- shop.mart
--   id <- shop.orders.cid TRANSFORMATION
--   id <- shop.orders.id TRANSFORMATION
--   customer <-

insert into mart select id, customer, amount from raw qualify row_number() over (partition by
customer order by amount desc) = 1
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER FILTER

create or replace table f as select r.id, f.value:name::string as n, f.index as i from raw r,
lateral flatten(input => parse_json(r.state):items) f
-- SHOP.PUBLIC.F OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   N <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   I <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

create table f as select f.value as v from raw, table(flatten(raw.state)) f where f.key > 1
-- SHOP.PUBLIC.F CREATE
--   V <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

create table f as select id, value:a as a from raw, lateral flatten(input => state)
-- SHOP.PUBLIC.F CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   A <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

merge into mart t using (select id, customer, amount from raw) s on t.id = s.id when matched and
s.amount is null then delete when matched then update set t.total = s.amount, customer =
s.customer when not matched then insert (id, customer, total) values (s.id, s.customer,
s.amount)
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   * <- SHOP.PUBLIC.MART.ID JOIN
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.ID JOIN

create table p as select * from (select customer, state, amount from raw) pivot (sum(amount) for
state in ('a', 'b')) as p (customer, a_sum, b_sum)
-- SHOP.PUBLIC.P CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   A_SUM <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   A_SUM <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   B_SUM <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   B_SUM <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY

create table p as select * from (select customer, state, amount from raw) pivot (sum(amount) for
state in ('a', 'b'))
-- SHOP.PUBLIC.P CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   'a' <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   'a' <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   'b' <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   'b' <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY

create table p as select * from mart unpivot (val for nam in (id, total))
-- SHOP.PUBLIC.P CREATE
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   NAM <-
--   VAL <- SHOP.PUBLIC.MART.ID IDENTITY
--   VAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
--   * <- SHOP.PUBLIC.MART.ID FILTER
--   * <- SHOP.PUBLIC.MART.TOTAL FILTER

insert overwrite into other select id, state from raw
-- SHOP.PUBLIC.OTHER OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY

insert all into other (id, note) values (id, state) into mart (id, customer) values (id,
customer) select id, customer, state from raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY

insert first when amount > 10 then into other (id, note) values (id, state) else into mart (id,
customer) values (id, customer) select id, customer, state, amount from raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER

create table x as select * exclude (state) rename (id as k) from raw
-- SHOP.PUBLIC.X CREATE
--   K <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

create table x as select * ilike '%id%' from raw
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

copy into mart from @stage/path/ file_format = (type = csv)
-- SHOP.PUBLIC.MART
-- file @stage/path/
-- unresolved: FileColumns

copy into mart (id, customer) from (select $1, upper($2) from @stage/path/ t)
-- SHOP.PUBLIC.MART
--   ID <-
--   CUSTOMER <-
-- reads @stage/path/
-- unresolved: Position 2

copy into @stage/out from (select id, state from raw)
-- @stage/out
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

copy into 's3://bucket/out/' from raw file_format = (type = parquet)
-- s3://bucket/out/
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

execute immediate $$ begin insert into mart select 1; end $$
-- SHOP.PUBLIC.MART
--   ID <-

call proc('x')
-- opaque: CALL

create or replace temporary table t as select id from raw; insert into mart(id) select id from t
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

create transient table t like raw
-- SHOP.PUBLIC.T CREATE

create table t clone raw
-- SHOP.PUBLIC.T CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

create table x as select object_construct('a', id, 'b', state) as o, array_agg(amount) within
group (order by id) as arr, iff(amount > 0, id, null) as c, nvl(state, customer) n,
zeroifnull(amount) z, decode(state, 'a', id, amount) d from raw group by 1, 3, 4, 5, 6
-- SHOP.PUBLIC.X CREATE
--   O <- SHOP.PUBLIC.RAW.ID TRANSFORMATION
--   O <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   ARR <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   ARR <- SHOP.PUBLIC.RAW.ID SORT
--   C <- SHOP.PUBLIC.RAW.AMOUNT CONDITIONAL
--   C <- SHOP.PUBLIC.RAW.ID TRANSFORMATION
--   N <- SHOP.PUBLIC.RAW.CUSTOMER CONDITIONAL
--   N <- SHOP.PUBLIC.RAW.CUSTOMER TRANSFORMATION
--   N <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   N <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   Z <- SHOP.PUBLIC.RAW.AMOUNT CONDITIONAL
--   Z <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   D <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   D <- SHOP.PUBLIC.RAW.ID TRANSFORMATION
--   D <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   * <- SHOP.PUBLIC.RAW.AMOUNT GROUP_BY
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY

create table x as select id, lag(amount) ignore nulls over (partition by customer order by id)
as p, sum(amount) over (order by id rows between 1 preceding and current row) s,
conditional_change_event(state) over (order by id) e from raw
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   P <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   P <- SHOP.PUBLIC.RAW.CUSTOMER WINDOW
--   P <- SHOP.PUBLIC.RAW.ID WINDOW
--   S <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   S <- SHOP.PUBLIC.RAW.ID WINDOW
--   E <- SHOP.PUBLIC.RAW.ID WINDOW
--   E <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

create dynamic table d target_lag = '1 minute' warehouse = w as select id from raw
-- SHOP.PUBLIC.D CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

insert into mart (id) select id from raw at (timestamp => '2024-01-01'::timestamp)
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

create table x as select "id" from raw
-- SHOP.PUBLIC.X CREATE
--   id <- SHOP.PUBLIC.RAW.ID IDENTITY

update mart set total = r.amount from raw r where r.id = mart.id and r.state = 'x'
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   * <- SHOP.PUBLIC.MART.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

delete from mart using raw r where r.id = mart.id
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
--   * <- SHOP.PUBLIC.MART.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN

insert into mart (id) select id from identifier('raw')
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

insert into mart (id) select id from table('raw')
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

select id from raw; create table y as select * from table(result_scan(last_query_id()))
-- SHOP.PUBLIC.Y CREATE
-- reads SHOP.PUBLIC.RAW
-- unresolved: Star
-- opaque: RESULT_SCAN

create table x as select * from raw sample (10)
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

create table x as select t.* from raw asof join orders t match_condition (raw.id >= t.id) on
raw.customer = t.cid
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   CID <- SHOP.PUBLIC.ORDERS.CID IDENTITY
--   V <- SHOP.PUBLIC.ORDERS.V IDENTITY
--   * <- SHOP.PUBLIC.ORDERS.CID JOIN
--   * <- SHOP.PUBLIC.ORDERS.ID JOIN
--   * <- SHOP.PUBLIC.RAW.CUSTOMER JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN

create table x as select v.a, v.b from values (1, 2), (3, 4) as v (a, b)
-- SHOP.PUBLIC.X CREATE
--   A <-
--   B <-

create view v as select id, (select max(v) from orders o where o.cid = r.customer) m from raw r
-- SHOP.PUBLIC.V CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   M <- SHOP.PUBLIC.ORDERS.CID FILTER
--   M <- SHOP.PUBLIC.ORDERS.V AGGREGATION
--   M <- SHOP.PUBLIC.RAW.CUSTOMER FILTER

create materialized view v as select id from raw
-- SHOP.PUBLIC.V CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

alter table raw swap with mart
-- SHOP.PUBLIC.RAW OVERWRITE
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
-- SHOP.PUBLIC.MART OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- reads SHOP.PUBLIC.MART
-- reads SHOP.PUBLIC.RAW

create stream s on table raw
-- SHOP.PUBLIC.S CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

create task t warehouse = w schedule = '1 minute' as insert into mart(id) select id from raw
-- nothing

set x = (select max(id) from raw); insert into mart (id) select $x; insert into mart (id,
customer) select $2, $1 from raw
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID AGGREGATION
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.ID IDENTITY

insert into mart (id) select id from table(my_fn(3)) t
-- SHOP.PUBLIC.MART
--   ID <-
-- opaque: MY_FN

copy into mart (id, customer) from (select $1:id, t.$2 from @stage/path/ t)
-- SHOP.PUBLIC.MART
--   ID <-
--   CUSTOMER <-
-- reads @stage/path/
-- unresolved: Position 2

insert all into other (id, note) values (id, state) into mart (id, customer) values (id,
customer) select id, customer, state from raw where state = 'x'
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.RAW.STATE FILTER
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

insert all into other into mart (id, customer) values ($1, $2) select id, state from raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.STATE IDENTITY

insert into mart (id) select id from identifier('raw'); insert into mart (id) select t.id from
table('PUBLIC.raw') t; insert into identifier('mart') (id) select id from raw
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

insert into mart (id) select id from identifier($x)
-- SHOP.PUBLIC.MART
--   ID <-
-- opaque: DynamicIdentifier

insert into identifier($x) (id) select id from raw
-- opaque: DynamicIdentifier

insert all into other into mart (id, customer) values ($2, $1) select id, state from raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.ID IDENTITY

begin let x := 3; insert into mart (id) select id from raw; return x; end
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

create table x as select customer, fa from raw match_recognize (partition by customer order by
id measures first(amount) as fa one row per match pattern (a b+) define b as b.amount > 1)
-- SHOP.PUBLIC.X CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   FA <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID SORT

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.ARCHIVE.ID IDENTITY
--   V <- SHOP.PUBLIC.ARCHIVE.V IDENTITY

create table made as select prev.items.price as before, curr.items.price as after from prev.items
join curr.items on prev.items.id = curr.items.id
-- SHOP.PUBLIC.MADE CREATE
--   BEFORE <- SHOP.PREV.ITEMS.PRICE IDENTITY
--   AFTER <- SHOP.CURR.ITEMS.PRICE IDENTITY
--   * <- SHOP.CURR.ITEMS.ID JOIN
--   * <- SHOP.PREV.ITEMS.ID JOIN

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then update set
total = s.amount + t.total when matched then delete
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL TRANSFORMATION
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   TOTAL <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.MART.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

create table made as select p.id, amount, name from people p join archive a on p.pid = a.person
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.PEOPLE.ID IDENTITY
--   AMOUNT <-
--   NAME <-
--   * <- SHOP.PUBLIC.ARCHIVE.PERSON JOIN
--   * <- SHOP.PUBLIC.PEOPLE.PID JOIN
-- unresolved: AmbiguousColumn 2

create table made as select metadata$filename f, s.nextval n, id from raw
-- SHOP.PUBLIC.MADE CREATE
--   F <-
--   N <-
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

alter table raw swap with shop.public.mart; insert into orders (id, v) select id, total from raw
-- SHOP.PUBLIC.RAW OVERWRITE
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
-- SHOP.PUBLIC.MART OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.ORDERS
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   V <- SHOP.PUBLIC.RAW.TOTAL IDENTITY
-- reads SHOP.PUBLIC.MART
-- reads SHOP.PUBLIC.RAW

alter table archive swap with people
-- SHOP.PUBLIC.ARCHIVE OVERWRITE
-- SHOP.PUBLIC.PEOPLE OVERWRITE
-- reads SHOP.PUBLIC.PEOPLE
-- reads SHOP.PUBLIC.ARCHIVE
-- unresolved: TargetColumns 2

create table made as select * from raw unpivot (val for month in (* exclude (id, customer)))
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   MONTH <-
--   VAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   VAL <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

create table made as select * from raw pivot (sum(amount) for state in (select v from orders))
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.ORDERS.V GROUP_BY
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY
-- unresolved: Pivot
-- unresolved: Star

create table made as select * from raw pivot (sum(amount) for state in (any order by state))
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY
-- unresolved: Pivot
-- unresolved: Star

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- SHOP.PUBLIC.MADE CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   A <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY

CREATE TABLE X AS WITH ORDERS AS (SELECT ID, V FROM ORDERS WHERE V > (SELECT MAX(V) FROM ORDERS))
SELECT * FROM ORDERS
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   V <- SHOP.PUBLIC.ORDERS.V IDENTITY
--   * <- SHOP.PUBLIC.ORDERS.V FILTER

CREATE TABLE X AS SELECT PREV.ITEMS.PRICE AS B, CURR.ITEMS.PRICE AS A FROM PREV.ITEMS JOIN
CURR.ITEMS ON PREV.ITEMS.ID = CURR.ITEMS.ID GROUP BY PREV.ITEMS.PRICE, CURR.ITEMS.PRICE HAVING
MAX(CURR.ITEMS.ID) > 1
-- SHOP.PUBLIC.X CREATE
--   B <- SHOP.PREV.ITEMS.PRICE IDENTITY
--   A <- SHOP.CURR.ITEMS.PRICE IDENTITY
--   * <- SHOP.CURR.ITEMS.ID FILTER
--   * <- SHOP.CURR.ITEMS.ID JOIN
--   * <- SHOP.CURR.ITEMS.PRICE GROUP_BY
--   * <- SHOP.PREV.ITEMS.ID JOIN
--   * <- SHOP.PREV.ITEMS.PRICE GROUP_BY

MERGE INTO OTHER T USING (SELECT ID, STATE AS NOTE FROM RAW) S ON T.ID = S.ID WHEN MATCHED THEN
UPDATE ALL BY NAME WHEN NOT MATCHED THEN INSERT ALL BY NAME
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.OTHER.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN

CREATE TABLE X AS SELECT ID, STATE FROM RAW UNION ALL BY NAME SELECT NOTE AS STATE, ID FROM OTHER
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.OTHER.ID IDENTITY
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   STATE <- SHOP.PUBLIC.OTHER.NOTE IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

CREATE TABLE X AS SELECT * FROM RAW UNPIVOT (VAL FOR NM IN (AMOUNT AS 'a', CUSTOMER AS 'c')) AS U
(I, S, N, V)
-- SHOP.PUBLIC.X CREATE
--   I <- SHOP.PUBLIC.RAW.ID IDENTITY
--   S <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   N <-
--   V <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   V <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER FILTER

CREATE TABLE X AS SELECT * FROM RAW PIVOT (SUM(AMOUNT) FOR STATE IN (ANY ORDER BY STATE))
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY
-- unresolved: Pivot
-- unresolved: Star

CREATE TABLE X AS SELECT * FROM RAW PIVOT (SUM(AMOUNT) FOR STATE IN (SELECT NOTE FROM OTHER)) P
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   * <- SHOP.PUBLIC.OTHER.NOTE GROUP_BY
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY
-- unresolved: Pivot
-- unresolved: Star

CREATE TABLE X AS SELECT * FROM RAW PIVOT (SUM(AMOUNT) FOR STATE IN ('a','b') DEFAULT ON NULL
(0)) AS P (ID, CUST, A, B)
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUST <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   A <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   A <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   B <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   B <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY

CREATE TABLE X AS SELECT ID, F.VALUE, F.INDEX, F.KEY, F.SEQ FROM RAW, LATERAL FLATTEN(INPUT =>
STATE) F
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   VALUE <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   INDEX <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   KEY <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   SEQ <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

CREATE TABLE RAW_NEW AS SELECT ID, STATE FROM OTHER JOIN RAW USING (ID); ALTER TABLE RAW SWAP
WITH RAW_NEW; CREATE TABLE X AS SELECT STATE FROM RAW
-- SHOP.PUBLIC.RAW_NEW CREATE
--   ID <- SHOP.PUBLIC.OTHER.ID IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.OTHER.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN
-- SHOP.PUBLIC.RAW OVERWRITE
--   ID <- SHOP.PUBLIC.RAW_NEW.ID IDENTITY
--   STATE <- SHOP.PUBLIC.RAW_NEW.STATE IDENTITY
-- SHOP.PUBLIC.RAW_NEW OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.X CREATE
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- reads SHOP.PUBLIC.RAW

CREATE OR REPLACE TABLE MART CLONE RAW AT (OFFSET => -60)
-- SHOP.PUBLIC.MART OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY

INSERT OVERWRITE INTO OTHER SELECT ID, NOTE FROM OTHER
-- SHOP.PUBLIC.OTHER OVERWRITE
--   ID <- SHOP.PUBLIC.OTHER.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.OTHER.NOTE IDENTITY
-- reads SHOP.PUBLIC.OTHER

INSERT INTO OTHER (ID, NOTE) SELECT S.NEXTVAL, METADATA$FILENAME FROM RAW
-- SHOP.PUBLIC.OTHER
--   ID <-
--   NOTE <-
-- reads SHOP.PUBLIC.RAW

INSERT INTO MART (ID, CUSTOMER, TOTAL) SELECT ID, CUSTOMER, AMOUNT FROM RAW WHERE METADATA$ACTION
= 'INSERT' AND METADATA$ISUPDATE = FALSE
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

INSERT INTO OTHER SELECT SEQ4(), CURRENT_REGION() || CURRENT_ROLE() || SYSDATE() ||
CURRENT_DATABASE() || CURRENT_SCHEMA() || CURRENT_VERSION() || CURRENT_TIMESTAMP(3) FROM
TABLE(GENERATOR(ROWCOUNT => 3))
-- SHOP.PUBLIC.OTHER
--   ID <-
--   NOTE <-

CREATE TABLE O AS SELECT UPPER(STATE) AS CUSTOMER, SUM(AMOUNT) AS AMOUNT FROM RAW GROUP BY
CUSTOMER HAVING AMOUNT > 3
-- SHOP.PUBLIC.O CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY

CREATE TABLE O AS SELECT AMOUNT * 2 AS DBL, DBL + 1 AS TRI FROM RAW WHERE TRI > 3 QUALIFY
ROW_NUMBER() OVER (PARTITION BY CUSTOMER ORDER BY DBL) = 1
-- SHOP.PUBLIC.O CREATE
--   DBL <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   TRI <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER FILTER

CREATE FUNCTION F(X INT) RETURNS INT AS 'select max(v) from orders'; CREATE TABLE Y AS SELECT
F(ID) AS A FROM RAW
-- SHOP.PUBLIC.Y CREATE
--   A <- SHOP.PUBLIC.ORDERS.V AGGREGATION
--   A <- SHOP.PUBLIC.RAW.ID TRANSFORMATION

CREATE FUNCTION F(X INT) RETURNS TABLE (A INT) AS 'select v from orders where id = X'; CREATE
TABLE Y AS SELECT A FROM TABLE(F(3))
-- SHOP.PUBLIC.Y CREATE
--   A <-
--   * <- SHOP.PUBLIC.ORDERS.ID FILTER
-- unresolved: Column

MERGE INTO OTHER USING (SELECT $1:id::INT AS ID, $1:note::STRING AS NOTE FROM @stage/files
(PATTERN => '.*')) N ON N.ID = OTHER.ID WHEN MATCHED THEN UPDATE SET NOTE = N.NOTE WHEN NOT
MATCHED THEN INSERT (ID, NOTE) VALUES (N.ID, N.NOTE)
-- SHOP.PUBLIC.OTHER
--   NOTE <-
--   ID <- SHOP.PUBLIC.OTHER.ID IDENTITY
--   * <- SHOP.PUBLIC.OTHER.ID JOIN
-- reads @stage/files
-- unresolved: Position 2

CREATE TABLE X AS WITH S AS (SELECT ID, STATE, AMOUNT FROM RAW) SELECT F.ID, F.C1 FROM S PIVOT
(MAX(AMOUNT) FOR STATE IN ('a', 'b')) AS F (ID, C1, C2)
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   C1 <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   C1 <- SHOP.PUBLIC.RAW.STATE CONDITIONAL
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.STATE GROUP_BY

INSERT INTO MART (ID, TOTAL) SELECT ID + 1 AS K, K * 2 FROM RAW
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID TRANSFORMATION
--   TOTAL <- SHOP.PUBLIC.RAW.ID TRANSFORMATION

CREATE TABLE X AS SELECT F.VALUE:ext::STRING AS E FROM RAW R JOIN TABLE(FLATTEN(R.STATE)) F
-- SHOP.PUBLIC.X CREATE
--   E <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

CREATE TABLE X AS SELECT R.ID, F.VALUE:a:b::INT AS E FROM RAW R, LATERAL FLATTEN(INPUT =>
R.STATE:items, OUTER => TRUE) F, LATERAL FLATTEN(INPUT => F.VALUE:more) G
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   E <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION

CREATE TABLE W CLONE RAW; UPDATE W SET AMOUNT = 0; ALTER TABLE RAW SWAP WITH W
-- SHOP.PUBLIC.W CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.W
--   ID <- SHOP.PUBLIC.W.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.W.CUSTOMER IDENTITY
--   AMOUNT <-
--   STATE <- SHOP.PUBLIC.W.STATE IDENTITY
-- SHOP.PUBLIC.RAW OVERWRITE
--   ID <- SHOP.PUBLIC.W.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.W.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.W.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.W.STATE IDENTITY
-- SHOP.PUBLIC.W OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- reads SHOP.PUBLIC.RAW

CREATE TABLE X AS SELECT ID, ROW_NUMBER() OVER (PARTITION BY CUSTOMER ORDER BY AMOUNT DESC) AS RN
FROM RAW QUALIFY RN = 1
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   RN <- SHOP.PUBLIC.RAW.AMOUNT WINDOW
--   RN <- SHOP.PUBLIC.RAW.CUSTOMER WINDOW
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER FILTER

COPY INTO OTHER (ID, NOTE) FROM (SELECT T.$1, T.$2 || 'x' FROM @stage/x T)
-- SHOP.PUBLIC.OTHER
--   ID <-
--   NOTE <-
-- reads @stage/x
-- unresolved: Position 2

CREATE TABLE X AS SELECT ID FROM RAW AT (TIMESTAMP => (SELECT MAX(V) FROM ORDERS))
-- SHOP.PUBLIC.X CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
-- unresolved: Unread 2

SELECT ID FROM RAW SAMPLE (10) SEED (3)
-- reads SHOP.PUBLIC.RAW

CREATE TABLE X AS SELECT * FROM RAW MATCH_RECOGNIZE (PARTITION BY CUSTOMER ORDER BY ID MEASURES
LAST(AMOUNT) AS L PATTERN (A B+) DEFINE B AS AMOUNT > PREV(AMOUNT))
-- SHOP.PUBLIC.X CREATE
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   L <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
--   * <- SHOP.PUBLIC.RAW.CUSTOMER GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID SORT

INSERT ALL WHEN AMOUNT > 1 THEN INTO MART (ID, TOTAL) VALUES (ID, AMOUNT) ELSE INTO OTHER (ID,
NOTE) VALUES (ID, STATE) SELECT ID, AMOUNT, STATE FROM RAW
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER

create or replace stream s on table raw append_only = true; insert into other (id, note) select
id, state from s where metadata$action = 'INSERT'
-- SHOP.PUBLIC.S CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.RAW.CUSTOMER IDENTITY
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.S.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.S.STATE IDENTITY

create table x as select f.*, r.id from raw r, table(flatten(r.state)) f
-- SHOP.PUBLIC.X CREATE
--   SEQ <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   KEY <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   PATH <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   INDEX <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   VALUE <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   THIS <- SHOP.PUBLIC.RAW.STATE TRANSFORMATION
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

insert into shop..other (id) select id from shop..raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

create table made as select id, sum(amount) as s from raw group by all order by all
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   S <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION
--   * <- SHOP.PUBLIC.RAW.AMOUNT SORT
--   * <- SHOP.PUBLIC.RAW.ID GROUP_BY
--   * <- SHOP.PUBLIC.RAW.ID SORT

begin if (exists (select 1 from orders)) then insert into other select id, state from raw; else
delete from other; end if; end
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.OTHER.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.OTHER.NOTE IDENTITY
-- reads SHOP.PUBLIC.ORDERS
-- opaque: IF

insert first when amount > 10 then into mart (id, total) values (id, amount) into other (id, note)
values (id, state) else into orders (id) values (id) select id, amount, state from raw
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER
-- SHOP.PUBLIC.ORDERS
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   * <- SHOP.PUBLIC.RAW.AMOUNT FILTER

create or replace table out1 comment = 'AS SELECT' as select id from raw where state = 'WITH'
-- SHOP.PUBLIC.OUT1 OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

use schema s; use database d; insert into t (id) select id from shop.public.raw
-- D.PUBLIC.T
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

put file:///a @st; list @st; undrop table mart; insert into other select id, state from raw
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY

begin select max(id) into :v from raw; insert into other select :v, state from raw; end
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID AGGREGATION
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY

execute immediate $$ begin insert into mart (id, total) select id, amount from raw; delete from mart
where id = 3; end; $$
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
--   * <- SHOP.PUBLIC.MART.ID FILTER

execute immediate 'insert into mart (id) select ?' using (x)
-- SHOP.PUBLIC.MART
--   ID <-
-- unresolved: Column

set x = (select max(amount) from raw); set y = $x; insert into mart (total) select $y from raw
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION

begin let v := (select max(amount) from raw); insert into mart (total) values (:v); end;
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION

begin let v := (select max(amount) from raw); insert into mart (total) values (:v); end;
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT AGGREGATION

declare v int default (select max(id) from raw); begin let w int := v + 1; insert into mart (total)
select :w from raw; end;
-- SHOP.PUBLIC.MART
--   TOTAL <- SHOP.PUBLIC.RAW.ID AGGREGATION

begin let rs resultset := (select id from raw); for r in rs do insert into mart (id) values (r.id);
end for; end;
-- SHOP.PUBLIC.MART
--   ID <-
-- unresolved: Column
-- opaque: FOR
-- opaque: Unparsed

begin let c cursor for select id from raw; open c; fetch c into v; insert into mart (id) values
(:v); end;
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

let x := 3
-- nothing

if (1 = 2) then create or replace temporary table t as select id from raw; else create or replace
temporary table t as select id from orders; end if; insert into mart (id) select id from t
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

declare c cursor for select id, amount from raw; begin for r in c do insert into mart (id, total)
values (r.id, r.amount); end for; end;
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

begin for i in 1 to 10 do insert into mart (id, total) select id, amount from raw; end for; end;
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

declare c cursor for select id, amount from raw; begin for r in c do insert into mart (id, total)
values (r.id, r.amount); end for; end;
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

begin let c cursor for select id from raw; open c; fetch c into v; insert into mart (id) values
(:v); close c; end;
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

declare x int default (select max(id) from raw); begin execute immediate 'insert into mart (id,
total) select id, ? from orders where v > ?' using (x, x); end
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.ID AGGREGATION
--   * <- SHOP.PUBLIC.ORDERS.V FILTER
--   * <- SHOP.PUBLIC.RAW.ID FILTER

select id, amount from raw ->> insert into mart (id, total) select $1, $2 from $1
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

select id, amount a from raw where state = 'x' ->> select id, v from orders ->> insert into mart
(id, total) select x.id, y.a from $1 x join $2 y on x.id = y.id
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY
--   * <- SHOP.PUBLIC.ORDERS.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

delete from mart ->> select id from raw ->> insert into other (id) select id from $1
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.MART.ID IDENTITY
--   CUSTOMER <- SHOP.PUBLIC.MART.CUSTOMER IDENTITY
--   TOTAL <- SHOP.PUBLIC.MART.TOTAL IDENTITY
-- SHOP.PUBLIC.OTHER
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

begin let c1 cursor for select id, amount from raw where state = 'x'; for r in c1 do let v :=
r.amount * 2; insert into mart (id, total) values (:r.id, :v); end for; end
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   ID <- SHOP.PUBLIC.RAW.STATE FILTER
--   TOTAL <- SHOP.PUBLIC.RAW.AMOUNT TRANSFORMATION
--   TOTAL <- SHOP.PUBLIC.RAW.STATE FILTER
--   * <- SHOP.PUBLIC.RAW.STATE FILTER

create table made as with t as ((select id from raw union all select id from orders)), u as
(((select id from t))) select id from u
-- SHOP.PUBLIC.MADE CREATE
--   ID <- SHOP.PUBLIC.ORDERS.ID IDENTITY
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY

create table t (id int, fetch int, k text, v int); create table m as select fetch * 2 as a from
t; create table n as select * from t pivot (sum(v) for k in (any)) as p
-- SHOP.PUBLIC.T CREATE
-- SHOP.PUBLIC.M CREATE
--   A <- SHOP.PUBLIC.T.FETCH TRANSFORMATION
-- SHOP.PUBLIC.N CREATE
--   ID <- SHOP.PUBLIC.T.ID IDENTITY
--   FETCH <- SHOP.PUBLIC.T.FETCH IDENTITY
--   * <- SHOP.PUBLIC.T.FETCH GROUP_BY
--   * <- SHOP.PUBLIC.T.ID GROUP_BY
--   * <- SHOP.PUBLIC.T.K GROUP_BY
-- unresolved: Pivot
-- unresolved: Star

create temporary table shop.public.kept as select id, amount from raw; create table made as select amount from kept
-- SHOP.PUBLIC.MADE CREATE
--   AMOUNT <- SHOP.PUBLIC.RAW.AMOUNT IDENTITY

create temporary table items as select id, amount as price from raw; insert into mart (id, total) select i.id, p.price from public.items i join prev.items p on p.id = i.id
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   TOTAL <- SHOP.PREV.ITEMS.PRICE IDENTITY
--   * <- SHOP.PREV.ITEMS.ID JOIN
--   * <- SHOP.PUBLIC.RAW.ID JOIN

create table t (id int, session_user int, current_role int); create table m as select session_user
as a, current_role as b, current_role() as c, current_user as d from t order by t.id
-- SHOP.PUBLIC.T CREATE
-- SHOP.PUBLIC.M CREATE
--   A <- SHOP.PUBLIC.T.SESSION_USER IDENTITY
--   B <- SHOP.PUBLIC.T.CURRENT_ROLE IDENTITY
--   C <-
--   D <-
--   * <- SHOP.PUBLIC.T.ID SORT

begin insert into mart (id) select id from raw; let n := sqlrowcount; insert into other (id, note)
values (:n, sqlerrm); end
-- SHOP.PUBLIC.MART
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
-- SHOP.PUBLIC.OTHER
--   ID <-
--   NOTE <-

insert overwrite all into mart (id) values (id) into other (id, note) values (id, state) select id,
state from raw
-- SHOP.PUBLIC.MART OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
-- SHOP.PUBLIC.OTHER OVERWRITE
--   ID <- SHOP.PUBLIC.RAW.ID IDENTITY
--   NOTE <- SHOP.PUBLIC.RAW.STATE IDENTITY

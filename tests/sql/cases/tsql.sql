select id, state into #t from public.raw; insert into mart (id) select id from #t
-- shop.dbo.mart
--   id <- shop.public.raw.id IDENTITY

declare @x int; select @x = max(id) from raw; insert into mart (id) values (@x)
-- shop.dbo.mart
--   id <- shop.dbo.raw.id AGGREGATION

insert into mart (id) output inserted.id into other (id) select id from raw
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY

merge mart as t using raw as s on t.id = s.id when matched then update set t.total = s.amount
when not matched by target then insert (id, total) values (s.id, s.amount) output $action,
inserted.id;
-- shop.dbo.mart
--   total <- shop.dbo.raw.amount IDENTITY
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

update m set m.total = r.amount from mart m inner join raw r on r.id = m.id where r.state = 'x'
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.raw.state FILTER

delete m from mart m join raw r on r.id = m.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

select top (10) r.id, x.v into made from raw r cross apply (select max(v) v from orders o where
o.cid = r.customer) x
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   v <- shop.dbo.orders.v AGGREGATION
--   * <- shop.dbo.orders.cid FILTER
--   * <- shop.dbo.raw.customer FILTER

select r.id, j.a into made from raw r cross apply openjson(r.state) with (a int '$.a') j
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.state TRANSFORMATION

insert into mart (id) exec my_proc 3
-- shop.dbo.mart
-- opaque: Execute

exec my_proc @x = 3
-- opaque: Execute

if exists (select 1 from raw) begin insert into mart (id) select id from raw end
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- opaque: IF

with c as (select *, row_number() over (partition by customer order by id) rn from raw) delete
from c where rn > 1
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.raw.customer FILTER
--   * <- shop.dbo.raw.id FILTER

select string_agg(state, ',') within group (order by id) s, isnull(customer, 'x') c, iif(amount
> 1, id, 0) i, try_convert(int, state) t, datediff(day, customer, state) d into made from raw
group by customer, id, amount, state
-- shop.dbo.made CREATE
--   s <- shop.dbo.raw.id SORT
--   s <- shop.dbo.raw.state AGGREGATION
--   c <- shop.dbo.raw.customer CONDITIONAL
--   c <- shop.dbo.raw.customer TRANSFORMATION
--   i <- shop.dbo.raw.amount CONDITIONAL
--   i <- shop.dbo.raw.id TRANSFORMATION
--   t <- shop.dbo.raw.state TRANSFORMATION
--   d <- shop.dbo.raw.customer TRANSFORMATION
--   d <- shop.dbo.raw.state TRANSFORMATION
--   * <- shop.dbo.raw.amount GROUP_BY
--   * <- shop.dbo.raw.customer GROUP_BY
--   * <- shop.dbo.raw.id GROUP_BY
--   * <- shop.dbo.raw.state GROUP_BY

select id = r.id, [odd name] = r.state into [dbo].[made] from [public].[raw] r
-- shop.dbo.made CREATE
--   id <- shop.public.raw.id IDENTITY
--   odd name <- shop.public.raw.state IDENTITY

declare @t table (id int); insert into @t select id from raw; insert into mart (id) select id
from @t
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

bulk insert mart from 'x.csv'
-- shop.dbo.mart
-- file x.csv
-- unresolved: FileColumns

truncate table mart
-- shop.dbo.mart TRUNCATE

select * into made from raw for json auto
-- shop.dbo.made CREATE
--    <- shop.dbo.raw.amount TRANSFORMATION
--    <- shop.dbo.raw.customer TRANSFORMATION
--    <- shop.dbo.raw.id TRANSFORMATION
--    <- shop.dbo.raw.state TRANSFORMATION
-- unresolved: UnnamedColumn

with c as (select id, total from mart) update c set total = id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.id IDENTITY

insert into mart (id) output inserted.id into @ids select id from raw; insert into other (id)
select id from @ids
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
-- unresolved: TargetColumns

create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.dbo.made CREATE
--   id <- shop.dbo.archive.id IDENTITY
--   v <- shop.dbo.archive.v IDENTITY

create table made as select prev.items.price as before, curr.items.price as after from prev.items
join curr.items on prev.items.id = curr.items.id
-- shop.dbo.made CREATE
--   before <- shop.prev.items.price IDENTITY
--   after <- shop.curr.items.price IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

update sales set total = s.amount from stage s where s.id = sales.id
-- shop.dbo.Sales
--   Id <- shop.dbo.Sales.Id IDENTITY
--   Total <- shop.dbo.Stage.Amount IDENTITY
--   Note <- shop.dbo.Sales.Note IDENTITY
--   * <- shop.dbo.Sales.Id JOIN
--   * <- shop.dbo.Stage.Id JOIN

insert into sales (ID, total) select id, AMOUNT from stage
-- shop.dbo.Sales
--   Id <- shop.dbo.Stage.Id IDENTITY
--   Total <- shop.dbo.Stage.Amount IDENTITY

merge into SALES t using STAGE s on T.ID = S.ID when matched then update set TOTAL = s.amount
when not matched then insert (id, TOTAL) values (s.id, s.amount)
-- shop.dbo.Sales
--   Total <- shop.dbo.Stage.Amount IDENTITY
--   Id <- shop.dbo.Sales.Id IDENTITY
--   Id <- shop.dbo.Stage.Id IDENTITY
--   Note <- shop.dbo.Sales.Note IDENTITY
--   * <- shop.dbo.Sales.Id JOIN
--   * <- shop.dbo.Stage.Id JOIN

create table Made as select ID, s.total as T from SALES s
-- shop.dbo.Made CREATE
--   ID <- shop.dbo.Sales.Id IDENTITY
--   T <- shop.dbo.Sales.Total IDENTITY

merge into mart t using raw s on t.id = s.id when matched and s.state = 'x' then update set
total = s.amount + t.total when matched then delete
-- shop.dbo.mart
--   total <- shop.dbo.mart.total TRANSFORMATION
--   total <- shop.dbo.raw.amount TRANSFORMATION
--   total <- shop.dbo.raw.state CONDITIONAL
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.raw.state FILTER

create table made as select id from orders union all select id from raw intersect select id from
mart
-- shop.dbo.made CREATE
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id GROUP_BY
--   * <- shop.dbo.raw.id JOIN

update m set total = m.total + 1 from mart m join raw r on r.id = m.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total TRANSFORMATION
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

select id, v into films_all from orders union all select id, amount from raw
-- shop.dbo.films_all CREATE
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   v <- shop.dbo.orders.v IDENTITY
--   v <- shop.dbo.raw.amount IDENTITY

alter table dbo.mart switch partition 1 to dbo.raw partition 2
-- shop.dbo.raw ALTER
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY

declare @x int select @x = max(id) from raw insert into mart (id) select @x from orders update mart
set total = 1 where id = 2
-- shop.dbo.mart
--   id <- shop.dbo.raw.id AGGREGATION
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
--   * <- shop.dbo.mart.id FILTER
-- reads shop.dbo.orders

select id, case when id > 1 then amount end as a into #a from raw
insert into mart (id, total) select id, a from #a
go
delete from mart where id in (select id from orders) if @@rowcount > 0 print 'x'
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount TRANSFORMATION
--   total <- shop.dbo.raw.id CONDITIONAL
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id FILTER
--   * <- shop.dbo.orders.id FILTER

drop table if exists #a select id into #a from raw union all select id from orders insert into mart
(id) select id from #a exec my_proc
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
-- opaque: Execute

;with c as (select id from raw) insert into mart (id) select id from c select 1
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

create table dbo.x (id int) alter table dbo.x add c int insert into dbo.x select id, amount from raw
merge mart as t using raw as s on t.id = s.id when matched then update set total = s.amount when not
matched then insert (id) values (s.id); truncate table other
-- shop.dbo.x CREATE
-- shop.dbo.x ALTER
-- shop.dbo.x
--   id <- shop.dbo.raw.id IDENTITY
--   c <- shop.dbo.raw.amount IDENTITY
-- shop.dbo.mart
--   total <- shop.dbo.raw.amount IDENTITY
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.other TRUNCATE

create procedure p as begin insert into mart (id) select id from raw end
-- nothing

update m set total += r.amount, m.customer = r.customer from mart m join raw r on r.id = m.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   total <- shop.dbo.mart.total TRANSFORMATION
--   total <- shop.dbo.raw.amount TRANSFORMATION
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

insert into mart with (tablock) (id, total) select id, amount from raw with (nolock)
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY

update SR set total = r.amount from mart as sr, raw as r where r.id = sr.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

update dbo.mart set total = r.amount from dbo.mart as x join raw r on r.id = x.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

WITH mart AS (SELECT id, total FROM dbo.mart WHERE id > 1) UPDATE mart SET total = 0
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
--   * <- shop.dbo.mart.id FILTER

MERGE curr.items USING prev.items ON curr.items.id = prev.items.id WHEN MATCHED THEN UPDATE SET
price = prev.items.price WHEN NOT MATCHED THEN INSERT (id, price) VALUES (prev.items.id,
prev.items.price);
-- shop.curr.items
--   price <- shop.prev.items.price IDENTITY
--   id <- shop.curr.items.id IDENTITY
--   id <- shop.prev.items.id IDENTITY
--   * <- shop.curr.items.id JOIN
--   * <- shop.prev.items.id JOIN

MERGE INTO sales AS t USING stage AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.total =
s.amount WHEN NOT MATCHED THEN INSERT (id, total) VALUES (s.id, s.amount);
-- shop.dbo.Sales
--   Total <- shop.dbo.Stage.Amount IDENTITY
--   Id <- shop.dbo.Sales.Id IDENTITY
--   Id <- shop.dbo.Stage.Id IDENTITY
--   Note <- shop.dbo.Sales.Note IDENTITY
--   * <- shop.dbo.Sales.Id JOIN
--   * <- shop.dbo.Stage.Id JOIN

ALTER TABLE SALES ADD Extra INT; INSERT INTO sales (id, EXTRA) SELECT Id, amount FROM STAGE
-- shop.dbo.Sales ALTER
-- shop.dbo.Sales
--   Id <- shop.dbo.Stage.Id IDENTITY
--   Extra <- shop.dbo.Stage.Amount IDENTITY

UPDATE sales SET total = 1 OUTPUT inserted.ID, deleted.TOTAL INTO stage (ID, AMOUNT)
-- shop.dbo.Sales
--   Id <- shop.dbo.Sales.Id IDENTITY
--   Total <-
--   Note <- shop.dbo.Sales.Note IDENTITY
-- shop.dbo.Stage
--   Id <- shop.dbo.Sales.Id IDENTITY
--   Amount <- shop.dbo.Sales.Total IDENTITY

SELECT id, nm, val INTO x FROM (SELECT id, amount, state FROM raw) r UNPIVOT (val FOR nm IN
(amount, state)) AS u
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   nm <-
--   val <- shop.dbo.raw.amount IDENTITY
--   val <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.raw.amount FILTER
--   * <- shop.dbo.raw.state FILTER

SELECT id, [a], [b] INTO x FROM (SELECT id, amount, state FROM raw) s PIVOT (MAX(amount) FOR
state IN ([a], [b])) p
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.amount AGGREGATION
--   a <- shop.dbo.raw.state CONDITIONAL
--   b <- shop.dbo.raw.amount AGGREGATION
--   b <- shop.dbo.raw.state CONDITIONAL
--   * <- shop.dbo.raw.id GROUP_BY
--   * <- shop.dbo.raw.state GROUP_BY

SELECT id, k, v INTO x FROM raw CROSS APPLY (VALUES ('amount', amount), ('id', id)) AS t(k, v)
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   k <-
--   v <- shop.dbo.raw.amount IDENTITY
--   v <- shop.dbo.raw.id IDENTITY

SELECT r.id, j.a INTO x FROM raw r CROSS APPLY OPENJSON(r.state) WITH (a INT '$.a', b
NVARCHAR(10) '$.b') j
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.state TRANSFORMATION

SELECT id INTO #t FROM raw UNION SELECT id FROM orders; INSERT INTO mart (id) SELECT id FROM #t
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.orders.id GROUP_BY
--   * <- shop.dbo.raw.id GROUP_BY

ALTER TABLE raw SWITCH PARTITION 2 TO orders PARTITION 2
-- shop.dbo.orders ALTER
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   cid <- shop.dbo.orders.cid IDENTITY
--   v <- shop.dbo.orders.v IDENTITY

SELECT a.id, b.v INTO x FROM raw a INNER JOIN orders b ON a.id = b.id EXCEPT SELECT id, cid FROM
orders
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   v <- shop.dbo.orders.v IDENTITY
--   * <- shop.dbo.orders.cid JOIN
--   * <- shop.dbo.orders.id JOIN
--   * <- shop.dbo.orders.v GROUP_BY
--   * <- shop.dbo.orders.v JOIN
--   * <- shop.dbo.raw.id GROUP_BY
--   * <- shop.dbo.raw.id JOIN

UPDATE sr SET total = r.amount FROM mart AS sr JOIN raw r ON r.id = sr.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

DELETE sr FROM mart AS sr JOIN raw r ON r.id = sr.id WHERE r.state = 'x'
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.raw.state FILTER

UPDATE TOP (10) mart WITH (TABLOCK) SET total -= 1, customer = 'x' WHERE id > 1
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <-
--   total <- shop.dbo.mart.total TRANSFORMATION
--   * <- shop.dbo.mart.id FILTER

MERGE mart WITH (HOLDLOCK) AS t USING (VALUES (1, 'a')) AS s (id, c) ON t.id = s.id WHEN MATCHED
THEN UPDATE SET total += 1 WHEN NOT MATCHED THEN INSERT (id, customer) VALUES (s.id, s.c) OUTPUT
$action, inserted.id INTO other (note, id);
-- shop.dbo.mart
--   total <- shop.dbo.mart.total TRANSFORMATION
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
-- shop.dbo.other
--   note <-
--   id <- shop.dbo.mart.id IDENTITY
--   * <- shop.dbo.mart.id JOIN

INSERT INTO other (id, note) SELECT r.id, o.n FROM raw r OUTER APPLY (SELECT TOP 1 note AS n FROM
other WHERE other.id = r.id ORDER BY note) o
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.id FILTER
--   * <- shop.dbo.other.note SORT
--   * <- shop.dbo.raw.id FILTER
-- reads shop.dbo.other

INSERT INTO other (id, note) SELECT id, STUFF((SELECT ',' + x.state FROM raw x WHERE x.id = r.id
FOR XML PATH('')), 1, 1, '') FROM raw r
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.id FILTER
--   note <- shop.dbo.raw.state TRANSFORMATION

INSERT INTO other (id, note) SELECT $IDENTITY, @@ROWCOUNT FROM raw
-- shop.dbo.other
--   id <-
--   note <-
-- reads shop.dbo.raw

INSERT INTO other (id, note) SELECT @@IDENTITY, CONCAT(SUSER_SNAME(), APP_NAME(), HOST_NAME(),
ORIGINAL_LOGIN(), SYSTEM_USER, CURRENT_TIMESTAMP, IDENT_CURRENT('t'), XACT_STATE(), USER_NAME())
FROM raw
-- shop.dbo.other
--   id <-
--   note <-
-- reads shop.dbo.raw

IF OBJECT_ID('tempdb..#t') IS NOT NULL DROP TABLE #t
SELECT id, SUM(amount) AS s INTO #t FROM raw WITH (NOLOCK) GROUP BY id
UPDATE m SET m.total += t.s FROM mart AS m INNER JOIN #t AS t ON t.id = m.id
EXEC dbo.something
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total TRANSFORMATION
--   total <- shop.dbo.raw.amount AGGREGATION
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id GROUP_BY
--   * <- shop.dbo.raw.id JOIN
-- opaque: Execute

IF EXISTS (SELECT 1 FROM customers WHERE cid = 3) BEGIN INSERT INTO other SELECT id, state FROM
raw; UPDATE mart SET total = 1 END ELSE INSERT INTO other SELECT cid, name FROM customers
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
-- shop.dbo.other
--   id <- shop.dbo.customers.cid IDENTITY
--   note <- shop.dbo.customers.name IDENTITY
-- opaque: IF

WHILE (SELECT COUNT(*) FROM raw) > 3 BEGIN DELETE TOP (100) FROM raw WHERE id > 1 END
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.raw.id FILTER
-- opaque: WHILE BLOCK

UPDATE TOP (10) PERCENT mart WITH (TABLOCK) SET total -= 1, customer = 'x' WHERE id > 1
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <-
--   total <- shop.dbo.mart.total TRANSFORMATION
--   * <- shop.dbo.mart.id FILTER

DECLARE @i INT = 1
WHILE @i < 10
BEGIN
  INSERT INTO other (id, note) SELECT id, customer FROM mart WHERE id = @i
  SET @i = @i + 1
END
SELECT id INTO x FROM raw
-- shop.dbo.other
--   id <- shop.dbo.mart.id IDENTITY
--   note <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id FILTER
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY

IF @x = 1
  TRUNCATE TABLE mart
ELSE
  DELETE FROM mart WHERE id = 1
INSERT INTO mart (id) SELECT id FROM raw
-- shop.dbo.mart TRUNCATE
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id FILTER
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

BEGIN TRY
 BEGIN TRAN
 INSERT INTO other (id, note) SELECT id, customer FROM mart
 COMMIT
END TRY
BEGIN CATCH
 ROLLBACK
END CATCH
-- shop.dbo.other
--   id <- shop.dbo.mart.id IDENTITY
--   note <- shop.dbo.mart.customer IDENTITY

UPDATE a SET a.customer = b.state FROM mart AS a INNER JOIN raw b ON a.id = b.id AND a.customer =
b.customer WHERE a.total IS NULL
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.raw.state IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.customer JOIN
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.mart.total FILTER
--   * <- shop.dbo.raw.customer JOIN
--   * <- shop.dbo.raw.id JOIN

DELETE dst FROM dbo.mart dst WHERE EXISTS (SELECT 1 FROM dbo.raw dst WHERE dst.id = 3)
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.raw.id FILTER

SELECT r.[id] AS 'Key', CASE WHEN (r.[amount] <= GETDATE()) THEN 'True' ELSE r.[state] END AS
'Is' INTO x FROM [raw] r
-- shop.dbo.x CREATE
--   Key <- shop.dbo.raw.id IDENTITY
--   Is <- shop.dbo.raw.amount CONDITIONAL
--   Is <- shop.dbo.raw.state TRANSFORMATION

INSERT INTO other (id, note) SELECT r.id, x.v FROM raw r CROSS APPLY (SELECT MAX(v) AS v FROM
(VALUES (r.customer), (r.state)) AS t(v)) x
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.customer AGGREGATION
--   note <- shop.dbo.raw.state AGGREGATION

SELECT TOP (SELECT MAX(v) FROM orders) id INTO x FROM raw
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.orders.v FILTER

select id, (select v from orders o where o.id = r.id for json path) j into made from raw r
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   j <- shop.dbo.orders.id FILTER
--   j <- shop.dbo.orders.v TRANSFORMATION
--   j <- shop.dbo.raw.id FILTER

select r.id, d.list into made from raw r cross apply (select ',' + o.v from orders o where o.id =
r.id for xml path('')) d (list)
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   list <- shop.dbo.orders.v TRANSFORMATION
--   * <- shop.dbo.orders.id FILTER
--   * <- shop.dbo.raw.id FILTER

select choose(id, state, customer) d into made from raw
-- shop.dbo.made CREATE
--   d <- shop.dbo.raw.customer TRANSFORMATION
--   d <- shop.dbo.raw.id CONDITIONAL
--   d <- shop.dbo.raw.state TRANSFORMATION

select r.id, s.* into made from raw r cross apply openjson(r.state) s
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   key <- shop.dbo.raw.state TRANSFORMATION
--   value <- shop.dbo.raw.state TRANSFORMATION
--   type <- shop.dbo.raw.state TRANSFORMATION

delete mart from raw r where r.id = mart.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

delete from mart from raw r where r.id = mart.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

delete from other output deleted.id, deleted.note into mart (id, customer) where id = 1
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.id FILTER
-- shop.dbo.mart
--   id <- shop.dbo.other.id IDENTITY
--   customer <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.id FILTER

delete from other output deleted.id into mart (id)
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.other.id IDENTITY

delete from public.other output deleted.id into mart (id) from public.other o join raw r on r.id =
o.id
-- shop.public.other
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.public.other.id JOIN
-- shop.dbo.mart
--   id <- shop.public.other.id IDENTITY
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.public.other.id JOIN
-- reads shop.public.other

update other set note = r.state output deleted.note, inserted.note into mart (customer, total)
from raw r where r.id = other.id
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.other.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.mart
--   customer <- shop.dbo.other.note IDENTITY
--   total <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.other.id JOIN
--   * <- shop.dbo.raw.id JOIN

select id, state into #t from raw; select #t.id, o.v into made from #t join orders o on o.id =
#t.id where #t.state = 'x'
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   v <- shop.dbo.orders.v IDENTITY
--   * <- shop.dbo.orders.id JOIN
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.raw.state FILTER

create table #u (id int, z int); update #u set z = o.v from orders o where o.id = #u.id; insert
into mart (id, total) select #u.id, #u.z from #u
-- shop.dbo.mart
--   id <-
--   total <- shop.dbo.orders.v IDENTITY
--   * <- shop.dbo.orders.id JOIN

insert into mart (id, total) exec dbo.load_mart @day = 3
-- shop.dbo.mart
-- opaque: Execute

select r.id, t.c.value('(./@a)[1]', 'int') as a, r.state.STDistance(r.customer) s, dbo.f(r.id) as f
into made from raw r cross apply r.state.nodes('/root/a') as t(c)
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.state TRANSFORMATION
--   s <- shop.dbo.raw.customer TRANSFORMATION
--   s <- shop.dbo.raw.state TRANSFORMATION
--   f <- shop.dbo.raw.id TRANSFORMATION

select r.id, f.a into made from raw r cross apply dbo.my_fn(r.state) f
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.state TRANSFORMATION
-- opaque: MY_FN

select doc.value('a', 'int') as a, b.doc.query('b') as c, dbo.f(k) as d into made from nope b
-- shop.dbo.made CREATE
--   a <- shop.dbo.nope.doc TRANSFORMATION
--   c <- shop.dbo.nope.doc TRANSFORMATION
--   d <- shop.dbo.nope.k TRANSFORMATION

insert into shop..other (id) select id from shop..raw; select * into tempdb..#t from sales..raw;
insert into mart (id) select k from tempdb.dbo.#t
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.mart
--   id <- sales.dbo.raw.k IDENTITY
-- unresolved: Star

select next value for dbo.seq as n, id into made from raw
-- shop.dbo.made CREATE
--   n <-
--   id <- shop.dbo.raw.id IDENTITY

select r.id into made from openrowset(bulk 'https://acc/c/x.parquet', format = 'parquet') as r
-- shop.dbo.made CREATE
--   id <- https://acc/c/x.parquet.id IDENTITY

delete top (10) from o from other o inner join raw r on r.id = o.id where r.state = 'x'; merge top
(10) into other as t using raw as s on t.id = s.id when matched then delete;
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.id JOIN
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.raw.state FILTER
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.id JOIN
--   * <- shop.dbo.raw.id JOIN

select id, state into ##g from raw; insert into other select id, state from ##g
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY

declare @v int; update mart set @v = total = total + 1, customer = 'x' where id = 1; insert into
other (id) values (@v)
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <-
--   total <- shop.dbo.mart.total TRANSFORMATION
--   * <- shop.dbo.mart.id FILTER
-- shop.dbo.other
--   id <- shop.dbo.mart.id FILTER
--   id <- shop.dbo.mart.total TRANSFORMATION

begin try insert into mart (id) select id from raw end try begin catch throw end catch
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

select * into made from (select id, amount, customer from raw) r unpivot (v for m in (id, amount))
u
-- shop.dbo.made CREATE
--   customer <- shop.dbo.raw.customer IDENTITY
--   v <- shop.dbo.raw.amount IDENTITY
--   v <- shop.dbo.raw.id IDENTITY
--   m <-
--   * <- shop.dbo.raw.amount FILTER
--   * <- shop.dbo.raw.id FILTER

with c as (select id as k, total as t from mart) update c set t = k
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.id IDENTITY

with c as (select * from mart), d as (select c.id, c.total as t2 from c join raw on raw.id = c.id)
update d set t2 = 3 where id > 1
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
--   * <- shop.dbo.mart.id FILTER
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

with c (k, t) as (select id, total from mart) insert into c select id, amount from raw
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY

with c as (select id as k, total as t from mart) merge c using raw on raw.id = c.k when matched
then update set t = raw.amount when not matched then insert (k, t) values (raw.id, raw.amount);
-- shop.dbo.mart
--   total <- shop.dbo.raw.amount IDENTITY
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

select id, amount into #t from raw; with c as (select id as k, amount from #t) update c set amount
= k; insert into mart (id, total) select id, amount from #t
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   total <- shop.dbo.raw.id IDENTITY

create view dbo.v as select id as k, total as t from mart; update dbo.v set t = s.amount from raw s
where s.id = k
-- shop.dbo.v CREATE
--   k <- shop.dbo.mart.id IDENTITY
--   t <- shop.dbo.mart.total IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.raw.id JOIN
--   * <- shop.dbo.v.k JOIN

create table made (id int, b as (a * 2) persisted, a int); insert into made select id, amount from
raw; drop table made; create table made (a int, b int); insert into made (a) select id from raw
-- shop.dbo.made CREATE
-- shop.dbo.made
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.amount IDENTITY
--   b <- shop.dbo.raw.amount TRANSFORMATION
-- shop.dbo.made DROP
-- shop.dbo.made CREATE
-- shop.dbo.made
--   a <- shop.dbo.raw.id IDENTITY

INSERT INTO mart (id, total) SELECT id, amt FROM (DELETE FROM orders OUTPUT deleted.id, deleted.v
AS amt WHERE v > 3) d
-- shop.dbo.orders
--   id <- shop.dbo.orders.id IDENTITY
--   cid <- shop.dbo.orders.cid IDENTITY
--   v <- shop.dbo.orders.v IDENTITY
--   * <- shop.dbo.orders.v FILTER
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   total <- shop.dbo.orders.v IDENTITY
--   * <- shop.dbo.orders.v FILTER

INSERT INTO other (id, note) SELECT id, cust FROM (MERGE INTO mart AS t USING raw AS s ON t.id =
s.id WHEN MATCHED AND t.customer <> s.customer THEN UPDATE SET total = s.amount WHEN NOT MATCHED
THEN INSERT (id, total) VALUES (s.id, s.amount) OUTPUT $action AS act, s.id, s.customer AS cust) AS
d WHERE act = 'UPDATE'
-- shop.dbo.mart
--   total <- shop.dbo.mart.customer CONDITIONAL
--   total <- shop.dbo.raw.amount IDENTITY
--   total <- shop.dbo.raw.customer CONDITIONAL
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

SELECT id, REPLACE(state, '(', '') AS s INTO out1 FROM raw WHERE state = 'DELETE'
INSERT INTO mart (id) SELECT id FROM raw WHERE CHARINDEX('(', state) > 0 AND state <> 'END'
UPDATE mart SET total = 3 WHERE customer = 'UPDATE' AND id IN (SELECT id FROM other WHERE note LIKE ')')
-- shop.dbo.out1 CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   s <- shop.dbo.raw.state TRANSFORMATION
--   * <- shop.dbo.raw.state FILTER
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.raw.state FILTER
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
--   * <- shop.dbo.mart.customer FILTER
--   * <- shop.dbo.mart.id FILTER
--   * <- shop.dbo.other.id FILTER
--   * <- shop.dbo.other.note FILTER

SELECT [id] AS [SELECT], amount AS [END] INTO out1 FROM raw AS [UPDATE] WHERE [UPDATE].state IN
('IF', 'BEGIN')
-- shop.dbo.out1 CREATE
--   SELECT <- shop.dbo.raw.id IDENTITY
--   END <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.raw.state FILTER

CREATE TABLE log (a NVARCHAR(9) DEFAULT 'TRIGGER'); INSERT INTO log (a) SELECT state FROM raw WHERE
state = 'BEGIN'
-- shop.dbo.log CREATE
-- shop.dbo.log
--   a <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.raw.state FILTER

DELETE FROM mart WHERE customer = 'OUTPUT'
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.customer FILTER

INSERT INTO mart (id, customer) SELECT id, 'EXEC' FROM raw
INSERT INTO mart (id, customer) VALUES (1, 'EXEC')
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   customer <-
-- shop.dbo.mart
--   id <-
--   customer <-

DELETE raw OUTPUT deleted.id INTO other (id) WHERE state = 'x'
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
--   * <- shop.dbo.raw.state FILTER
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.raw.state FILTER

DELETE raw OUTPUT deleted.id INTO other (id)
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY

DELETE mart WHERE id IN (SELECT id FROM raw)
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id FILTER
--   * <- shop.dbo.raw.id FILTER

DECLARE @s NVARCHAR(20) = 'BEGIN; SELECT'
IF @s = 'END' BEGIN
  UPDATE mart SET customer = 'SET' WHERE total > 1
END
ELSE
  INSERT INTO mart (id, customer) SELECT id, CASE state WHEN 'IF' THEN 'ELSE' ELSE customer END FROM raw
PRINT 'DROP TABLE'
SELECT id INTO #x FROM raw WHERE state NOT IN ('GO', 'USE')
INSERT INTO other (id) SELECT id FROM #x
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <-
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.total FILTER
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer TRANSFORMATION
--   customer <- shop.dbo.raw.state CONDITIONAL
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.raw.state FILTER

insert into mart (id) select d.id from (delete top (10) from raw output deleted.id) as d
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

dbcc checkdb; update statistics mart; raiserror('x', 1, 1); insert into other select id, state
from raw; return
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY

exec('insert into mart (id) select id from raw')
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

exec sp_executesql N'insert into mart (id) select id from raw where id = @x', N'@x int', 3
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.raw.id FILTER

exec ('insert into mart (id) select id from raw') at linked
-- opaque: Execute

create or alter procedure p as declare @x int; insert into mart (id, total) select id, amount from
raw
go
insert into other (id, note) select id, state from raw
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY

declare @x int = 0; while @x < 3 begin insert into mart (id) values (@x); set @x = (select max(id)
from raw); end
-- shop.dbo.mart
--   id <- shop.dbo.raw.id AGGREGATION
-- opaque: IF

create table #t (id int); declare @i int = 0; while @i < 3 begin insert into mart (id) select id
from #t; insert into #t select id from raw; set @i += 1 end
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

declare @x int; if 1 = 2 set @x = (select max(amount) from raw) else set @x = (select max(v) from
orders); insert into mart (total) values (@x)
-- shop.dbo.mart
--   total <- shop.dbo.orders.v AGGREGATION
--   total <- shop.dbo.raw.amount AGGREGATION

if 1 = 2 select id into #t from raw else insert into #t select id from orders; insert into mart (id)
select id from #t
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY

declare @x int; select @x = max(amount) from raw; if @x > 0 insert into mart (id) select id from
other
-- shop.dbo.mart
--   id <- shop.dbo.other.id IDENTITY
-- reads shop.dbo.raw
-- opaque: IF

declare @x int; select @x = max(amount) from raw; while @x > 0 begin insert into mart (id) select id
from other; set @x -= 1 end
-- shop.dbo.mart
--   id <- shop.dbo.other.id IDENTITY
-- reads shop.dbo.raw
-- opaque: IF

declare @x int = 3; while @x > 0 begin insert into mart (id) select id from other; set @x -= 1 end
-- shop.dbo.mart
--   id <- shop.dbo.other.id IDENTITY

declare @x int = (select max(id) from raw) /* a while loop */; set @x = (select max(cid) from orders
where 'while' = 'loop') -- while
insert into mart (id) values (@x)
-- shop.dbo.mart
--   id <- shop.dbo.orders.cid AGGREGATION
-- reads shop.dbo.raw

declare @id int, @a int
declare c cursor local fast_forward for select id, amount from raw where state = 'x'
open c
fetch next from c into @id, @a
while @@fetch_status = 0
begin
  insert into mart (id, total) values (@id, @a)
  fetch next from c into @id, @a
end
close c
deallocate c
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   id <- shop.dbo.raw.state FILTER
--   total <- shop.dbo.raw.amount IDENTITY
--   total <- shop.dbo.raw.state FILTER
--   * <- shop.dbo.raw.state FILTER

select id, amount into x from raw order by id offset 3 rows fetch next 5 rows only; select [open],
[close] into y from raw
-- shop.dbo.x CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.raw.id SORT
-- shop.dbo.y CREATE
--   open <-
--   close <-
-- unresolved: Column 2

create table #log (id int, t int); update mart set total = 1 output inserted.id, deleted.total into
#log where id > 1; insert into other (id, note) select id, t from #log
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <-
--   * <- shop.dbo.mart.id FILTER
-- shop.dbo.other
--   id <- shop.dbo.mart.id IDENTITY
--   note <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id FILTER

declare @log table (id int, t int); insert into mart (id, total) output inserted.id, inserted.total
into @log (id, t) select id, amount from raw; insert into other (id, note) select id, t from @log
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.amount IDENTITY

merge into dbo.mart as t using raw s on t.id = s.id when matched then update set total = s.amount
output $action, inserted.id, deleted.total into [dbo].audit (act, id, old);
-- shop.dbo.mart
--   total <- shop.dbo.raw.amount IDENTITY
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.audit
--   act <-
--   id <- shop.dbo.mart.id IDENTITY
--   old <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

with t(n, p) as (select id, cid from orders where v = 1 union all select o.id, t.p from orders o
join t on o.cid = t.n union all select r.id, t.n from raw r join t on r.amount = t.n) insert into
mart (id, total) select n, p from t
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.orders.cid IDENTITY
--   total <- shop.dbo.orders.id IDENTITY
--   total <- shop.dbo.raw.id IDENTITY
--   * <- shop.dbo.orders.cid JOIN
--   * <- shop.dbo.orders.id JOIN
--   * <- shop.dbo.orders.v FILTER
--   * <- shop.dbo.raw.amount JOIN
--   * <- shop.dbo.raw.id JOIN

insert into mart (id, customer) select id, (select name + ',' from customers c where c.cid =
r.customer for xml path(''), type).value('.', 'varchar(max)') from raw r
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.customers.cid FILTER
--   customer <- shop.dbo.customers.name TRANSFORMATION
--   customer <- shop.dbo.raw.customer FILTER

select id, cast('<x>' + replace(state, ',', '</x><x>') + '</x>' as xml).query('/x').value('.',
'int') a into made from raw
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   a <- shop.dbo.raw.state TRANSFORMATION

select r.id, t.c.value('.', 'varchar(10)') v into made from (select id, cast('<x>' + state +
'</x>' as xml) as d from raw) r cross apply d.nodes('/x') as t(c)
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   v <- shop.dbo.raw.state TRANSFORMATION

declare @t table (id int, a int, d as a * 2); insert into @t (id, a) select id, amount from raw;
update t set a = o.v from @t t join orders o on o.id = t.id; insert into mart (id, total) select
id, d from @t
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.orders.v TRANSFORMATION
--   total <- shop.dbo.raw.amount TRANSFORMATION
--   * <- shop.dbo.orders.id JOIN
--   * <- shop.dbo.raw.id JOIN

create view dbo.task as select id, amount from raw; create table dbo.event (id int); insert into
dbo.event select id from dbo.task
-- shop.dbo.task CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
-- shop.dbo.event CREATE
-- shop.dbo.event
--   id <- shop.dbo.task.id IDENTITY

declare @m int = (select max(v) from orders); exec sp_executesql N'insert into mart (id, total)
select id, @p from raw where state = ''@p''', N'@p int', @p = @m
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.orders.v AGGREGATION
--   * <- shop.dbo.raw.state FILTER

exec sp_executesql N'select @r = max(id) from raw', N'@r int output', @r = @z output; insert into
mart (id) values (@z)
-- shop.dbo.mart
--   id <- shop.dbo.raw.id AGGREGATION

declare @m int = (select max(v) from orders); exec sp_executesql N'insert into mart (id, total)
select @q, @p from raw', N'@p int, @q int', @m, 3
-- shop.dbo.mart
--   id <-
--   total <- shop.dbo.orders.v AGGREGATION
-- reads shop.dbo.raw

if @x = 1 begin delete from other; end
insert into mart (id) select id from raw
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

begin print 'x' insert into mart (id) select id from raw end
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

print 'start'
insert into mart (id) select id from raw;
print 'done' insert into other (id) select id from orders
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.orders.id IDENTITY

update statistics mart insert into mart (id) select id from raw
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

declare c cursor for select id from raw; declare @x int; open c; fetch next from c into @x
while @@fetch_status = 0
begin
fetch next from c into @x
insert into mart (id) values (@x)
end
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY

set nocount on;
begin try
  begin tran;
  insert into mart (id) select id from raw;
  commit tran;
end try
begin catch
  rollback;
end catch
insert into other (id) select id from orders
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.orders.id IDENTITY

while @i < 3 begin insert into mart (id) select id from raw; set @i += 1; end
insert into other (id) select id from orders
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.orders.id IDENTITY

if @x = 1 begin insert into mart (id) select id from raw; end else begin insert into other (id)
select id from orders; end update customers set name = 'x'
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.orders.id IDENTITY
-- shop.dbo.customers
--   cid <- shop.dbo.customers.cid IDENTITY
--   name <-

set transaction isolation level read uncommitted
create index i on mart (id) with (online = on)
insert into mart (id) select id from raw
create sequence s start with 1
throw 50001, 'x', 1
update statistics mart with fullscan
insert into other (id) select id from orders
return 3
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
-- shop.dbo.other
--   id <- shop.dbo.orders.id IDENTITY

select format(id, state, customer) f, format(amount, 'N2') g, format(cast(amount as int), @f) h
into made from raw
-- shop.dbo.made CREATE
--   f <- shop.dbo.raw.customer TRANSFORMATION
--   f <- shop.dbo.raw.id TRANSFORMATION
--   f <- shop.dbo.raw.state TRANSFORMATION
--   g <- shop.dbo.raw.amount TRANSFORMATION
--   h <- shop.dbo.raw.amount TRANSFORMATION

with t as ((select id from raw union all select id from orders)) insert into mart (id) select id
from t
-- shop.dbo.mart
--   id <- shop.dbo.orders.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY

declare @d table (id int, customer int, amount int, state int); delete from raw output deleted.*
into @d; insert into mart (id, total) select id, amount from @d
-- shop.dbo.raw
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY

update mart set total = r.amount output inserted.*, deleted.total into audit (id, customer,
new_total, old_total) from raw r where r.id = mart.id
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.audit
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   new_total <- shop.dbo.raw.amount IDENTITY
--   old_total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

insert into other (id, note) output inserted.* into mart (id, customer) select id, state from raw
-- shop.dbo.other
--   id <- shop.dbo.raw.id IDENTITY
--   note <- shop.dbo.raw.state IDENTITY
-- shop.dbo.mart
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.state IDENTITY

merge mart as t using raw as s on t.id = s.id when matched then update set total = s.amount when
not matched then insert (id, total) values (s.id, s.amount) output $action, inserted.*,
deleted.total into audit (act, id, customer, total, old);
-- shop.dbo.mart
--   total <- shop.dbo.raw.amount IDENTITY
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN
-- shop.dbo.audit
--   act <-
--   id <- shop.dbo.mart.id IDENTITY
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.raw.amount IDENTITY
--   old <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.mart.id JOIN
--   * <- shop.dbo.raw.id JOIN

insert into raw (amount, id) output inserted.* into archive (a, b, c, d) select v, id from orders
-- shop.dbo.raw
--   amount <- shop.dbo.orders.v IDENTITY
--   id <- shop.dbo.orders.id IDENTITY
-- shop.dbo.archive
--   a <- shop.dbo.orders.id IDENTITY
--   b <-
--   c <- shop.dbo.orders.v IDENTITY
--   d <-

create table t (id int, interval int); select interval + 1 as a, interval - id as b into m from t
-- shop.dbo.t CREATE
-- shop.dbo.m CREATE
--   a <- shop.dbo.t.interval TRANSFORMATION
--   b <- shop.dbo.t.id TRANSFORMATION
--   b <- shop.dbo.t.interval TRANSFORMATION

create table log (id int, old varchar(9), act varchar(9)); delete from other output deleted.id
into log (id) where note is null; merge mart as t using stage s on t.id = s.id when not matched
by source then delete output $action, deleted.customer into log (act, old)
-- shop.dbo.log CREATE
-- shop.dbo.other
--   id <- shop.dbo.other.id IDENTITY
--   note <- shop.dbo.other.note IDENTITY
--   * <- shop.dbo.other.note FILTER
-- shop.dbo.log
--   id <- shop.dbo.other.id IDENTITY
--   * <- shop.dbo.other.note FILTER
-- shop.dbo.mart
--   id <- shop.dbo.mart.id IDENTITY
--   customer <- shop.dbo.mart.customer IDENTITY
--   total <- shop.dbo.mart.total IDENTITY
--   * <- shop.dbo.Stage.Id JOIN
--   * <- shop.dbo.mart.id JOIN
-- shop.dbo.log
--   act <-
--   old <- shop.dbo.mart.customer IDENTITY
--   * <- shop.dbo.Stage.Id JOIN
--   * <- shop.dbo.mart.id JOIN

create table t (id int, true int, go int); select true as a, go as b, current_user as c into m
from t
-- shop.dbo.t CREATE
-- shop.dbo.m CREATE
--   a <- shop.dbo.t.true IDENTITY
--   b <- shop.dbo.t.go IDENTITY
--   c <-

create table t (id int, localtime int, [current_role] int, [session_user] int); select localtime as
a, current_role as b, session_user as c into m from t
-- shop.dbo.t CREATE
-- shop.dbo.m CREATE
--   a <- shop.dbo.t.localtime IDENTITY
--   b <- shop.dbo.t.current_role IDENTITY
--   c <-

declare @x xml = (select state from raw where id = 3); insert into other (id, note) select
t.c.value('@id', 'int'), u.d.value('.', 'varchar(9)') from @x.nodes('/r/i') as t(c) cross apply
t.c.nodes('n') as u(d)
-- shop.dbo.other
--   id <- shop.dbo.raw.id FILTER
--   id <- shop.dbo.raw.state TRANSFORMATION
--   note <- shop.dbo.raw.id FILTER
--   note <- shop.dbo.raw.state TRANSFORMATION

insert into openquery(linked, 'select id from t') select id from raw
-- reads shop.dbo.raw
-- opaque: OPENQUERY

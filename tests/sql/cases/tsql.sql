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
-- opaque: Unparsed

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
-- opaque: Unparsed

truncate table mart
-- shop.dbo.mart TRUNCATE

select * into made from raw for json auto
-- shop.dbo.made CREATE
--   id <- shop.dbo.raw.id IDENTITY
--   customer <- shop.dbo.raw.customer IDENTITY
--   amount <- shop.dbo.raw.amount IDENTITY
--   state <- shop.dbo.raw.state IDENTITY

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

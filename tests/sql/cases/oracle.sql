insert into mart (id) select id from raw where rownum < 3 and state(+) = 'x'
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.STATE FILTER

merge into mart t using raw s on (t.id = s.id) when matched then update set t.total = s.amount
where s.state = 'x' delete where s.amount = 0 when not matched then insert (id) values (s.id)
where s.state = 'y'
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   TOTAL <- shop.public.RAW.STATE CONDITIONAL
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

create table made as select id, level lvl, sys_connect_by_path(state, '/') p, prior customer c
from raw start with customer is null connect by prior id = customer
-- shop.public.MADE CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   LVL <-
--   P <- shop.public.RAW.STATE TRANSFORMATION
--   C <- shop.public.RAW.CUSTOMER TRANSFORMATION
--   * <- shop.public.RAW.CUSTOMER FILTER
--   * <- shop.public.RAW.ID FILTER

insert all when amount > 1 then into mart (id, total) values (id, amount) else into other (id,
note) values (id, state) select id, amount, state from raw
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.RAW.STATE IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER

create table made as select listagg(state, ',') within group (order by id) l, nvl2(state, id,
amount) n, decode(state, 'a', id, amount) d, max(amount) keep (dense_rank last order by id) k
from raw group by state, id, amount
-- shop.public.MADE CREATE
--   L <- shop.public.RAW.ID SORT
--   L <- shop.public.RAW.STATE AGGREGATION
--   N <- shop.public.RAW.AMOUNT TRANSFORMATION
--   N <- shop.public.RAW.ID TRANSFORMATION
--   N <- shop.public.RAW.STATE CONDITIONAL
--   D <- shop.public.RAW.AMOUNT TRANSFORMATION
--   D <- shop.public.RAW.ID TRANSFORMATION
--   D <- shop.public.RAW.STATE CONDITIONAL
--   K <- shop.public.RAW.AMOUNT AGGREGATION
--   K <- shop.public.RAW.ID WINDOW
--   * <- shop.public.RAW.AMOUNT GROUP_BY
--   * <- shop.public.RAW.ID GROUP_BY
--   * <- shop.public.RAW.STATE GROUP_BY

begin insert into mart (id) select id from raw; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY

create table made as select * from (select state, amount from raw) pivot (sum(amount) as s for
state in ('a' as a, 'b' as b))
-- shop.public.MADE CREATE
--   A_S <- shop.public.RAW.AMOUNT AGGREGATION
--   A_S <- shop.public.RAW.STATE CONDITIONAL
--   B_S <- shop.public.RAW.AMOUNT AGGREGATION
--   B_S <- shop.public.RAW.STATE CONDITIONAL
--   * <- shop.public.RAW.STATE GROUP_BY

create table made as select id, rownum r, rowid x, sysdate d, user u from raw
-- shop.public.MADE CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   R <-
--   X <-
--   D <-
--   U <-

create global temporary table t on commit preserve rows as select id from raw
-- reads shop.public.RAW

insert /*+ append */ into mart (id) select id from raw@remote
-- shop.public.MART
--   ID <- shop.public.RAW@REMOTE.ID IDENTITY

create table made as select r.id, x.column_value v from raw r, table(split(r.state)) x
-- opaque: Unparsed

update (select m.total t, r.amount a from mart m join raw r on r.id = m.id) set t = a
-- opaque: Unparsed

insert into mart (id, total) select seq.nextval, amount from raw where rownum < 3
-- shop.public.MART
--   ID <-
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

create table made as select rownum r, level l, p.rowid i, amount from people p
-- shop.public.MADE CREATE
--   R <-
--   L <-
--   I <-
--   AMOUNT <- shop.public.PEOPLE.AMOUNT IDENTITY

alter table mart exchange partition p0 with table raw
-- shop.public.MART ALTER
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   TOTAL <- shop.public.MART.TOTAL IDENTITY
-- shop.public.RAW ALTER
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <- shop.public.RAW.AMOUNT IDENTITY
--   STATE <- shop.public.RAW.STATE IDENTITY
-- reads shop.public.RAW
-- reads shop.public.MART

merge into mart t using raw s on (t.id = s.id) when matched then update set t.total = s.amount delete
where t.total = 0 when not matched then insert (id, total) values (s.id, s.amount) where s.state = 'y'
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.MART.TOTAL FILTER
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

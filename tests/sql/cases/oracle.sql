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
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.ID JOIN

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
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

MERGE INTO OTHER T USING RAW S ON (T.ID = S.ID) WHEN MATCHED THEN UPDATE SET T.NOTE = S.STATE
WHERE S.AMOUNT > 1 DELETE WHERE T.NOTE = 'x' WHEN NOT MATCHED THEN INSERT (ID, NOTE) VALUES
(S.ID, S.STATE) WHERE S.CUSTOMER IS NOT NULL
-- shop.public.OTHER
--   NOTE <- shop.public.RAW.AMOUNT CONDITIONAL
--   NOTE <- shop.public.RAW.STATE IDENTITY
--   ID <- shop.public.OTHER.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.OTHER.ID JOIN
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.CUSTOMER FILTER
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

CREATE TABLE X AS SELECT ID FROM RAW MINUS SELECT ID FROM OTHER
-- shop.public.X CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.OTHER.ID JOIN
--   * <- shop.public.RAW.ID GROUP_BY
--   * <- shop.public.RAW.ID JOIN

CREATE TABLE X AS SELECT * FROM (SELECT ID, AMOUNT, STATE FROM RAW) PIVOT (SUM(AMOUNT) AS TOT FOR
STATE IN ('a' AS A, 'b' AS B))
-- shop.public.X CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   A_TOT <- shop.public.RAW.AMOUNT AGGREGATION
--   A_TOT <- shop.public.RAW.STATE CONDITIONAL
--   B_TOT <- shop.public.RAW.AMOUNT AGGREGATION
--   B_TOT <- shop.public.RAW.STATE CONDITIONAL
--   * <- shop.public.RAW.ID GROUP_BY
--   * <- shop.public.RAW.STATE GROUP_BY

CREATE TABLE X AS SELECT R.ID, J.A, J.B FROM RAW R, JSON_TABLE(R.STATE, '$' COLUMNS (A
VARCHAR2(10) PATH '$.a', B NUMBER PATH '$.b')) J
-- shop.public.X CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   A <- shop.public.RAW.STATE TRANSFORMATION
--   B <- shop.public.RAW.STATE TRANSFORMATION

ALTER TABLE MART EXCHANGE PARTITION P1 WITH TABLE RAW INCLUDING INDEXES
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

MERGE INTO MART M USING (SELECT ID, SUM(AMOUNT) A FROM RAW GROUP BY ID) R ON (M.ID = R.ID) WHEN
MATCHED THEN UPDATE SET M.TOTAL = R.A DELETE WHERE (M.TOTAL = 0)
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT AGGREGATION
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.ID GROUP_BY
--   * <- shop.public.RAW.ID JOIN

INSERT INTO OTHER (ID, NOTE) SELECT R.ID, O.V FROM RAW R, ORDERS O WHERE R.ID = O.ID(+) START
WITH R.STATE = 'a' CONNECT BY PRIOR R.ID = R.AMOUNT ORDER SIBLINGS BY R.CUSTOMER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.ORDERS.V IDENTITY
--   * <- shop.public.ORDERS.ID JOIN
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.CUSTOMER SORT
--   * <- shop.public.RAW.ID FILTER
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

INSERT INTO OTHER (ID, NOTE) SELECT SEQ_X.NEXTVAL, STATE FROM RAW WHERE ROWNUM <= 10 ORDER BY
ORA_ROWSCN
-- shop.public.OTHER
--   ID <-
--   NOTE <- shop.public.RAW.STATE IDENTITY

INSERT INTO OTHER (ID, NOTE) SELECT LEVEL, USER FROM DUAL CONNECT BY LEVEL <= 10
-- shop.public.OTHER
--   ID <-
--   NOTE <-
-- reads shop.public.DUAL

INSERT INTO OTHER (ID, NOTE) SELECT SYSDATE - 1, SYS_GUID() FROM DUAL
-- shop.public.OTHER
--   ID <-
--   NOTE <-
-- reads shop.public.DUAL

INSERT INTO OTHER (ID, NOTE) SELECT UID, SYS_CONTEXT('USERENV', 'SESSION_USER') || DBTIMEZONE ||
SESSIONTIMEZONE || CURRENT_DATE || LOCALTIMESTAMP || USERENV('LANG') FROM RAW WHERE
CONNECT_BY_ISLEAF = 1
-- shop.public.OTHER
--   ID <-
--   NOTE <-
-- reads shop.public.RAW

CREATE TABLE X AS SELECT * FROM (SELECT E.AMOUNT FROM RAW E ORDER BY E.ID) WHERE ROWNUM = 1
-- shop.public.X CREATE
--   AMOUNT <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.RAW.ID SORT

CREATE VIEW V (A, B) AS SELECT ID, STATE FROM RAW
-- shop.public.V CREATE
--   A <- shop.public.RAW.ID IDENTITY
--   B <- shop.public.RAW.STATE IDENTITY

UPDATE (SELECT R.AMOUNT, O.V FROM RAW R JOIN ORDERS O ON R.ID = O.ID) SET AMOUNT = V
-- shop.public.RAW
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <- shop.public.ORDERS.V IDENTITY
--   STATE <- shop.public.RAW.STATE IDENTITY
--   * <- shop.public.ORDERS.ID JOIN
--   * <- shop.public.RAW.ID JOIN

INSERT INTO OTHER SELECT ID, STATE FROM RAW MODEL DIMENSION BY (ID) MEASURES (AMOUNT) RULES
(AMOUNT[1] = 2)
-- opaque: Unparsed

merge into mart t using raw s on (t.id = s.id) when matched then update set t.total = s.amount
delete where t.total = 0 when not matched then insert (id, total) values (s.id, default)
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.ID JOIN

update (select m.total t, r.amount a from mart m join raw r on m.id = r.id where r.state = 'x')
set t = a
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

update (select * from mart where id > 3) set total = id
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.MART.ID IDENTITY
--   * <- shop.public.MART.ID FILTER

create table made as select r.state.extract('/a').getStringVal() x, state.extract(r.customer) y,
pkg.f(id) z from raw r
-- shop.public.MADE CREATE
--   X <- shop.public.RAW.STATE TRANSFORMATION
--   Y <- shop.public.RAW.CUSTOMER TRANSFORMATION
--   Y <- shop.public.RAW.STATE TRANSFORMATION
--   Z <- shop.public.RAW.ID TRANSFORMATION

alter session set current_schema = stage; insert into t (id) select id from u
-- shop.STAGE.T
--   ID <- shop.STAGE.U.ID IDENTITY

create materialized view mv (a, b) build deferred refresh force start with sysdate next sysdate + 1
enable query rewrite as select id, state from raw
-- shop.public.MV CREATE
--   A <- shop.public.RAW.ID IDENTITY
--   B <- shop.public.RAW.STATE IDENTITY

create private temporary table ora$ptt_x on commit drop definition as select id from raw; insert
into mart (id) select id from ora$ptt_x
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY

insert into other values (:1, :2); insert into mart (id) select id from raw where amount > :3 log
errors into err reject limit unlimited; truncate table mart drop storage; lock table raw in
exclusive mode
-- shop.public.OTHER
--   ID <-
--   NOTE <-
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
-- shop.public.MART TRUNCATE

create table made as select * from (select customer, state, amount from raw) pivot (sum(amount) as s
for state in ('a', 'b' as bb, 3))
-- shop.public.MADE CREATE
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   'a'_S <- shop.public.RAW.AMOUNT AGGREGATION
--   'a'_S <- shop.public.RAW.STATE CONDITIONAL
--   BB_S <- shop.public.RAW.AMOUNT AGGREGATION
--   BB_S <- shop.public.RAW.STATE CONDITIONAL
--   3_S <- shop.public.RAW.AMOUNT AGGREGATION
--   3_S <- shop.public.RAW.STATE CONDITIONAL
--   * <- shop.public.RAW.CUSTOMER GROUP_BY
--   * <- shop.public.RAW.STATE GROUP_BY

begin if x > 1 then insert into other select id, state from raw; elsif case when x = 2 then 1 end =
1 then update other set note = 'x'; end if; end;
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.RAW.STATE IDENTITY
-- shop.public.OTHER
--   ID <- shop.public.OTHER.ID IDENTITY
--   NOTE <-

create table made as select * from raw match_recognize (partition by customer order by id measures
match_number() as mn, last(u.amount) as la all rows per match pattern (a b*) subset u = (a, b)
define b as b.amount > prev(b.amount))
-- shop.public.MADE CREATE
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <- shop.public.RAW.AMOUNT IDENTITY
--   STATE <- shop.public.RAW.STATE IDENTITY
--   MN <-
--   LA <- shop.public.RAW.AMOUNT AGGREGATION
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.CUSTOMER GROUP_BY
--   * <- shop.public.RAW.ID SORT

create table made as select t.column_value as c, r.id from raw r, table(r.state) t where
column_value > 3
-- shop.public.MADE CREATE
--   C <- shop.public.RAW.STATE TRANSFORMATION
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.STATE FILTER

insert all when amount > 10 then into mart (id, total) values (id, amount) into other (id, note)
values (id, state) when state = 'x' then into orders (id) values (id) else into customers (cid)
values (id) into prev.items (id) values (id) select id, amount, state from raw
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.RAW.STATE IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
-- shop.public.ORDERS
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.STATE FILTER
-- shop.public.CUSTOMERS
--   CID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.STATE FILTER
-- shop.PREV.ITEMS
--   ID <- shop.public.RAW.ID IDENTITY
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.STATE FILTER

update (select * from mart) q set q.total = (select max(v) from orders o where o.id = q.id) where
q.customer = 'x'
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.MART.ID FILTER
--   TOTAL <- shop.public.ORDERS.ID FILTER
--   TOTAL <- shop.public.ORDERS.V AGGREGATION
--   * <- shop.public.MART.CUSTOMER FILTER

delete (select m.* from mart m join raw r on r.id = m.id)
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.MART.TOTAL IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.ID JOIN

insert into (select id, total from mart) values (1, (select max(v) from orders))
-- shop.public.MART
--   ID <-
--   TOTAL <- shop.public.ORDERS.V AGGREGATION

merge into mart t using raw s on (t.id = s.id) when matched then update set t.total = s.amount
where s.state <> 'WHEN' delete where s.state = 'DELETE'
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   TOTAL <- shop.public.RAW.STATE CONDITIONAL
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   * <- shop.public.MART.ID JOIN
--   * <- shop.public.RAW.ID JOIN
--   * <- shop.public.RAW.STATE FILTER

insert into mart (id, customer) select id, 'a:1' from raw where state = q'[it's ( DELETE WHERE]'
and amount = :1
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <-
--   * <- shop.public.RAW.AMOUNT FILTER
--   * <- shop.public.RAW.STATE FILTER

alter table other add (g int, h int); insert into other select id, customer, amount, state from raw
-- shop.public.OTHER ALTER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.RAW.CUSTOMER IDENTITY
--   G <- shop.public.RAW.AMOUNT IDENTITY
--   H <- shop.public.RAW.STATE IDENTITY

begin select max(id) into v from raw; insert into other select v, state from raw; end;
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID AGGREGATION
--   NOTE <- shop.public.RAW.STATE IDENTITY

begin select id, state into a, b from raw where id = 3; insert into other values (a, b); end;
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID FILTER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.RAW.ID FILTER
--   NOTE <- shop.public.RAW.STATE IDENTITY

begin execute immediate 'insert into mart (id) select id from raw'; execute immediate 'truncate
table other'; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
-- shop.public.OTHER TRUNCATE

begin execute immediate 'insert into mart (id) select id from ' || v; end;
-- opaque: EXECUTE

begin for r in (select id, amount from raw) loop v := v + r.amount; insert into mart (id, total)
values (r.id, v); end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT TRANSFORMATION

begin select max(amount) into v from raw; w := v; insert into mart (total) values (w); end;
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT AGGREGATION

declare v raw.amount%type; w number(10, 2); begin w := 3; select amount into v from raw where id =
w; update mart set total = v; end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   TOTAL <- shop.public.RAW.ID FILTER
-- opaque: DECLARE BLOCK

begin if v > 3 then w := 1; else select max(id) into w from raw; end if; insert into mart (id)
values (w); end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID AGGREGATION

begin p(a => 3); pkg.q(b => 4); insert into mart (id) select id from raw; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
-- opaque: BEGIN BLOCK
-- opaque: Dot

select :x, :new.y from raw where id = :1
-- reads shop.public.RAW

begin select max(amount) into v from raw; if v > 3 then select max(v) into v from orders; end if;
insert into mart (total) values (v); exception when others then v := 3; end;
-- shop.public.MART
--   TOTAL <- shop.public.ORDERS.V AGGREGATION
--   TOTAL <- shop.public.RAW.AMOUNT AGGREGATION
-- opaque: IF
-- opaque: Unparsed

begin for r in (select id, amount from raw) loop insert into mart (id, total) values (r.id,
r.amount); update other set note = 'x' where id = r.id; end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
-- shop.public.OTHER
--   ID <- shop.public.OTHER.ID IDENTITY
--   NOTE <-
--   * <- shop.public.OTHER.ID FILTER
--   * <- shop.public.RAW.ID FILTER

begin for i in 1..10 loop insert into mart (id, total) select id, amount from raw where id = i; end
loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.RAW.ID FILTER

declare v number := 5; begin insert into mart (id, total) select id, v from raw where amount > v;
end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <-
--   * <- shop.public.RAW.AMOUNT FILTER

declare v number := 5; w number := f(v); begin insert into mart (id, total) select id, w from raw
where amount > v; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <-
--   * <- shop.public.RAW.AMOUNT FILTER
-- opaque: F

declare cursor c is select id, amount from raw; begin for r in c loop insert into mart (id, total)
values (r.id, r.amount); end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

begin for r in (select * from raw) loop insert into mart (id, total) select r.id, o.v from orders o
where o.cid = r.amount; end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.ORDERS.V IDENTITY
--   * <- shop.public.ORDERS.CID FILTER
--   * <- shop.public.RAW.AMOUNT FILTER

declare cursor c is select id, amount from raw; begin for r in c loop insert into mart (id, total)
values (r.id, r.amount); end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

declare cursor c(p number) is select id, amount from raw; v number; w number; begin open c(3); loop
fetch c into v, w; exit when c%notfound; insert into mart (id, total) values (v, w); end loop; close
c; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

begin open c for v_sql; fetch c into v; insert into mart (id) values (v); end;
-- shop.public.MART
--   ID <-
-- unresolved: Column
-- opaque: FETCH
-- opaque: Unparsed

begin open c for select id from raw; fetch c into v; insert into mart (id) values (v); end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY

begin fetch c bulk collect into arr limit 100; forall i in 1..arr.count insert into mart (id) values
(arr(i)); end;
-- shop.public.MART
--   ID <-
-- unresolved: Column
-- opaque: ARR
-- opaque: FETCH

begin for r in c(10) loop insert into mart (id) values (r.id); end loop; end;
-- shop.public.MART
--   ID <-
-- unresolved: Column
-- opaque: FOR

declare cursor c is select * from unknown_table; begin for r in c loop insert into mart (id) values
(r.id); end loop; end;
-- shop.public.MART
--   ID <-
-- reads shop.public.UNKNOWN_TABLE
-- unresolved: Column
-- unresolved: Star
-- opaque: FOR

declare v number; w varchar2(10) := 'x'; begin select amount into v from raw; insert into mart (id,
customer) values (v, w); end;
-- shop.public.MART
--   ID <- shop.public.RAW.AMOUNT IDENTITY
--   CUSTOMER <-

begin for r in (select id from raw where state = 'x') loop insert into mart (id, total) select cid,
3 from orders; end loop; insert into other (id) select id from raw; end;
-- shop.public.MART
--   ID <- shop.public.ORDERS.CID IDENTITY
--   TOTAL <-
--   * <- shop.public.RAW.STATE FILTER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY

begin open c for select id from raw where state = 'x'; fetch c into v; insert into mart (id) values
(v); close c; insert into other (id) select id from raw; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   ID <- shop.public.RAW.STATE FILTER
--   * <- shop.public.RAW.STATE FILTER
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY

begin update mart set total = 1 where id = 3 returning id, customer into v, w; insert into other
(id, note) values (v, w); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <-
--   * <- shop.public.MART.ID FILTER
-- shop.public.OTHER
--   ID <- shop.public.MART.ID FILTER
--   ID <- shop.public.MART.ID IDENTITY
--   NOTE <- shop.public.MART.CUSTOMER IDENTITY
--   NOTE <- shop.public.MART.ID FILTER

insert into other (id, note) values (:1, :2) returning id into :3
-- shop.public.OTHER
--   ID <-
--   NOTE <-

update raw r set (state) = (select name from customers c where c.cid = r.customer)
-- shop.public.RAW
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <- shop.public.RAW.AMOUNT IDENTITY
--   STATE <- shop.public.CUSTOMERS.CID FILTER
--   STATE <- shop.public.CUSTOMERS.NAME IDENTITY
--   STATE <- shop.public.RAW.CUSTOMER FILTER

create table made as select rtrim(xmlagg(xmlelement(e, state, ',').extract('//text()') order by
id).getclobval(), ',') l, customer from raw group by customer
-- shop.public.MADE CREATE
--   L <- shop.public.RAW.ID SORT
--   L <- shop.public.RAW.STATE AGGREGATION
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   * <- shop.public.RAW.CUSTOMER GROUP_BY

declare n number; begin select max(amount) into n from raw; execute immediate 'insert into mart
(id, total) select id, :1 from raw where state = :2' using in n, 'x'; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT AGGREGATION
--   * <- shop.public.RAW.STATE FILTER

declare n number; begin execute immediate 'select max(amount) from raw where id = :b' into n using
3; insert into mart (total) values (n); end;
-- shop.public.MART
--   TOTAL <- shop.public.RAW.AMOUNT AGGREGATION
--   TOTAL <- shop.public.RAW.ID FILTER

declare r raw%rowtype; begin select * into r from raw where state = 'x'; insert into mart (id,
total) values (r.id, r.amount); end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   ID <- shop.public.RAW.STATE FILTER
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   TOTAL <- shop.public.RAW.STATE FILTER

begin select id, amount bulk collect into a, b from raw where state = 'x'; forall i in a.first ..
a.last save exceptions update mart set total = b(i) where id = a(i); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   TOTAL <- shop.public.RAW.STATE FILTER
--   * <- shop.public.MART.ID FILTER
--   * <- shop.public.RAW.ID FILTER
--   * <- shop.public.RAW.STATE FILTER

declare cursor c is select id, amount from raw; begin open c; loop fetch c bulk collect into a, b
limit 100; forall i in 1 .. a.count insert into mart (id, total) values (a(i), b(i)); exit when
c%notfound; end loop; close c; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

begin update mart set total = 3 returning id bulk collect into a; forall i in 1 .. a.count insert
into other (id) values (a(i)); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <-
-- shop.public.OTHER
--   ID <- shop.public.MART.ID IDENTITY

begin select * bulk collect into x from raw; for i in 1 .. x.count loop insert into mart (id,
total) values (x(i).id, x(i).amount); end loop; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

begin execute immediate 'select id from raw' bulk collect into a; forall i in 1 .. a.count execute
immediate 'insert into mart (id) values (:1)' using a(i); end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY

create table made as select json_arrayagg(state order by id) ja from raw
-- shop.public.MADE CREATE
--   JA <- shop.public.RAW.ID SORT
--   JA <- shop.public.RAW.STATE AGGREGATION

declare r mart%rowtype; v number; begin select * into r from mart; select max(v) into v from orders;
r.total := v; select min(cid) into r.customer from customers; insert into mart (id, customer, total)
values (r.id, r.customer, r.total); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.CUSTOMERS.CID AGGREGATION
--   TOTAL <- shop.public.ORDERS.V AGGREGATION
-- reads shop.public.MART

begin select max(amount), min(state) into r.a, r.b from raw; pkg.seen := r.b; insert into other (id,
note) values (r.a, pkg.seen); end;
-- shop.public.OTHER
--   ID <- shop.public.RAW.AMOUNT AGGREGATION
--   NOTE <- shop.public.RAW.STATE AGGREGATION

begin select * bulk collect into x from raw; select max(v) into v from orders; x(3).amount := v;
select id bulk collect into y from raw; y(y.count + 1) := v; insert into mart (id, total) values
(y(1), x(3).amount); end;
-- shop.public.MART
--   ID <- shop.public.ORDERS.V AGGREGATION
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.ORDERS.V AGGREGATION
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

declare r mart%rowtype; begin select * into r from mart; execute immediate 'select max(v),
min(cid) from orders' into
r.total, r.customer; insert into mart (id, customer, total) values (r.id, r.customer, r.total);
end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.ORDERS.CID AGGREGATION
--   TOTAL <- shop.public.ORDERS.V AGGREGATION
-- reads shop.public.MART

declare r mart%rowtype; begin update mart set total = 3 where id = 4 returning id, customer into
r.id, r.customer;
insert into other (id, note) values (r.id, r.customer); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <-
--   * <- shop.public.MART.ID FILTER
-- shop.public.OTHER
--   ID <- shop.public.MART.ID FILTER
--   ID <- shop.public.MART.ID IDENTITY
--   NOTE <- shop.public.MART.CUSTOMER IDENTITY
--   NOTE <- shop.public.MART.ID FILTER

declare x t_list; begin select amount into x(1) from raw; select v, cid into x(2), y(f(1, 2)).m from
orders; insert into mart (total, id) values (x(1), y(3).m); end;
-- shop.public.MART
--   TOTAL <- shop.public.ORDERS.V IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   ID <- shop.public.ORDERS.CID IDENTITY

declare cursor c is select id, amount from raw; begin open c; fetch c into x(1), y(i + 1).a; insert
into mart (id, total) values (x(1), y(3).a); end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY

begin update mart set total = 1 returning id, customer into x(1), y(2).m; execute immediate 'select
max(v) from orders' into x(2); insert into other (id, note) values (x(1), y(2).m); end;
-- shop.public.MART
--   ID <- shop.public.MART.ID IDENTITY
--   CUSTOMER <- shop.public.MART.CUSTOMER IDENTITY
--   TOTAL <-
-- shop.public.OTHER
--   ID <- shop.public.MART.ID IDENTITY
--   ID <- shop.public.ORDERS.V AGGREGATION
--   NOTE <- shop.public.MART.CUSTOMER IDENTITY

declare r raw%rowtype; begin select * into r from raw; r.amount := 3; insert into raw values r; s :=
r; update raw set row = s where id = 4; end;
-- shop.public.RAW
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <-
--   STATE <- shop.public.RAW.STATE IDENTITY
-- shop.public.RAW
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <-
--   STATE <- shop.public.RAW.STATE IDENTITY
--   * <- shop.public.RAW.ID FILTER
-- reads shop.public.RAW

declare r mart%rowtype; begin select id, customer, amount into r from raw; insert into mart values
r; r := f(3); insert into other values unknown_record; end;
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
-- shop.public.OTHER
-- unresolved: TargetColumns
-- opaque: F

begin select * bulk collect into x from raw; forall i in 1 .. x.count insert into raw values x(i);
end;
-- shop.public.RAW
--   ID <- shop.public.RAW.ID IDENTITY
--   CUSTOMER <- shop.public.RAW.CUSTOMER IDENTITY
--   AMOUNT <- shop.public.RAW.AMOUNT IDENTITY
--   STATE <- shop.public.RAW.STATE IDENTITY
-- reads shop.public.RAW

begin select max(amount) into v from raw; merge into other o using (select v as id, dummy as note
from dual) s on (o.id = s.id) when matched then update set note = s.note when not matched then
insert (id, note) values (s.id, v); end;
-- shop.public.OTHER
--   NOTE <- shop.public.DUAL.DUMMY IDENTITY
--   NOTE <- shop.public.RAW.AMOUNT AGGREGATION
--   ID <- shop.public.OTHER.ID IDENTITY
--   ID <- shop.public.RAW.AMOUNT AGGREGATION
--   * <- shop.public.OTHER.ID JOIN
--   * <- shop.public.RAW.AMOUNT JOIN

insert all into mart (id, total) values (id, a) into other (id, note) values (id, n) select r.id,
r.amount a, c.name n from raw r join customers c on c.cid = r.customer
-- shop.public.MART
--   ID <- shop.public.RAW.ID IDENTITY
--   TOTAL <- shop.public.RAW.AMOUNT IDENTITY
--   * <- shop.public.CUSTOMERS.CID JOIN
--   * <- shop.public.RAW.CUSTOMER JOIN
-- shop.public.OTHER
--   ID <- shop.public.RAW.ID IDENTITY
--   NOTE <- shop.public.CUSTOMERS.NAME IDENTITY
--   * <- shop.public.CUSTOMERS.CID JOIN
--   * <- shop.public.RAW.CUSTOMER JOIN

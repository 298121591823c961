insert into other select id, state from raw
-- shop.other
--   id <- shop.raw.id IDENTITY
--   note <- shop.raw.state IDENTITY

insert overwrite table other select id, upper(note) from other
-- shop.other OVERWRITE
--   id <- shop.other.id IDENTITY
--   note <- shop.other.note TRANSFORMATION
-- reads shop.other

alter table mart exchange partition (ds = '1') with table raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

create table made as select m, v from raw lateral view stack(2, 'jan', id, 'feb', amount) s as m, v
-- shop.made CREATE
--   m <-
--   v <- shop.raw.amount TRANSFORMATION
--   v <- shop.raw.id TRANSFORMATION

insert overwrite table other table customers
-- shop.other OVERWRITE
--   id <- shop.customers.cid IDENTITY
--   note <- shop.customers.name IDENTITY

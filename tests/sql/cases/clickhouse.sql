create table made as with orders as (select id, v from archive union all select id, v from orders)
select * from orders
-- shop.made CREATE
--   id <- shop.archive.id IDENTITY
--   id <- shop.orders.id IDENTITY
--   v <- shop.archive.v IDENTITY
--   v <- shop.orders.v IDENTITY

create table made as select id, _part as p from raw
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   p <-

exchange tables raw and mart
-- shop.raw OVERWRITE
--   id <- shop.mart.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   total <- shop.mart.total IDENTITY
-- shop.mart OVERWRITE
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   amount <- shop.raw.amount IDENTITY
--   state <- shop.raw.state IDENTITY
-- reads shop.mart
-- reads shop.raw

alter table mart replace partition 202401 from raw
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

alter table raw move partition 202401 to table mart
-- shop.mart ALTER
--   id <- shop.mart.id IDENTITY
--   id <- shop.raw.id IDENTITY
--   customer <- shop.mart.customer IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.mart.total IDENTITY

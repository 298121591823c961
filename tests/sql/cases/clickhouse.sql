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

insert into mart select id, customer, amount from raw as r final prewhere state = 'x' where r.id > 2
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY
--   * <- shop.raw.id FILTER
--   * <- shop.raw.state FILTER

insert into mart select id, any(customer), sumIf(amount, state = 'x') from raw group by id
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer AGGREGATION
--   total <- shop.raw.amount AGGREGATION
--   total <- shop.raw.state FILTER
--   * <- shop.raw.id GROUP_BY

create table made engine = Memory as select id, amount, part from raw array join amount,
splitByChar(',', state) as part
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   amount <- shop.raw.amount TRANSFORMATION
--   part <- shop.raw.state TRANSFORMATION

create table made engine = Memory as select id + 1 as id, id as j, upper(state) as state, b as c,
amount as b from raw where id > 3
-- shop.made CREATE
--   id <- shop.raw.id TRANSFORMATION
--   j <- shop.raw.id TRANSFORMATION
--   state <- shop.raw.state TRANSFORMATION
--   c <- shop.raw.amount IDENTITY
--   b <- shop.raw.amount IDENTITY
--   * <- shop.raw.id FILTER

create materialized view mv to mart as select id, customer, amount as total from raw
-- shop.mart
--   id <- shop.raw.id IDENTITY
--   customer <- shop.raw.customer IDENTITY
--   total <- shop.raw.amount IDENTITY

create table made as select upper(state) as customer, sum(amount) as a from raw group by customer
-- shop.made CREATE
--   customer <- shop.raw.state TRANSFORMATION
--   a <- shop.raw.amount AGGREGATION
--   * <- shop.raw.state GROUP_BY

create table made as select id, sum(amount) as state from raw group by id having state > 3
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   state <- shop.raw.amount AGGREGATION
--   * <- shop.raw.amount FILTER
--   * <- shop.raw.id GROUP_BY

create table made engine = Memory as with sum(amount) as total, (select max(v) from orders) as most
select id, total, most + 1 as more from raw group by id
-- shop.made CREATE
--   id <- shop.raw.id IDENTITY
--   total <- shop.raw.amount AGGREGATION
--   more <- shop.orders.v AGGREGATION
--   * <- shop.raw.id GROUP_BY

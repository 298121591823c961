create external table d (f string, g int) partitioned by (y int) stored as parquet location
's3://x'; insert into mart select * from d
-- shop.d CREATE
-- shop.mart
--   id <- shop.d.f IDENTITY
--   customer <- shop.d.g IDENTITY
--   total <- shop.d.y IDENTITY

create table d (y int, f string) partitioned by (y) location 's3://x' tblproperties ('table_type' =
'ICEBERG'); insert into d select id, state from raw
-- shop.d CREATE
-- shop.d
--   y <- shop.raw.id IDENTITY
--   f <- shop.raw.state IDENTITY

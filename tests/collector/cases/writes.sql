-- Commands that write, and how their columns meet the table's.

-- title: an insert casts to the table's types: still identity
INSERT INTO mart.wide SELECT id, name, 1.0 FROM raw.customers;
-- k     <- raw.customers.id   DIRECT:IDENTITY
-- name  <- raw.customers.name DIRECT:IDENTITY
-- total <-

-- title: a cast that the user wrote is a transformation
INSERT INTO mart.wide SELECT cast(id AS BIGINT) AS k, name, 1.0 FROM raw.customers;
-- k     <- raw.customers.id   DIRECT:TRANSFORMATION
-- name  <- raw.customers.name DIRECT:IDENTITY
-- total <-

-- title: an insert with a column list, in another order
INSERT INTO mart.wide (total, k) SELECT amount, id FROM raw.orders;
-- k     <- raw.orders.id     DIRECT:IDENTITY
-- name  <-
-- total <- raw.orders.amount DIRECT:IDENTITY

-- title: insert overwrite
INSERT OVERWRITE TABLE mart.wide SELECT a, b, c FROM raw.t1;
-- k     <- raw.t1.a DIRECT:IDENTITY
-- name  <- raw.t1.b DIRECT:IDENTITY
-- total <- raw.t1.c DIRECT:IDENTITY

-- title: partitions, static and dynamic
INSERT OVERWRITE TABLE mart.parts PARTITION (p = 'x', q) SELECT a, b FROM raw.t1;
-- v <- raw.t1.a DIRECT:IDENTITY
-- p <-
-- q <- raw.t1.b DIRECT:IDENTITY

-- title: reading a partition column
CREATE TABLE mart.of_parts AS SELECT v, p FROM raw.parts WHERE p = 'x';
-- v <- raw.parts.v DIRECT:IDENTITY
-- p <- raw.parts.p DIRECT:IDENTITY
-- * <- raw.parts.p INDIRECT:FILTER

-- title: create or replace through a view
CREATE TABLE mart.through_view AS SELECT total, upper(name) AS n FROM mart.v;
-- total <- raw.orders.amount  DIRECT:AGGREGATION
-- n     <- raw.customers.name DIRECT:TRANSFORMATION
-- *     <- raw.customers.id   INDIRECT:JOIN
-- *     <- raw.customers.name INDIRECT:GROUP_BY
-- *     <- raw.orders.cid     INDIRECT:JOIN

-- title: insert by name
INSERT INTO mart.wide BY NAME SELECT c AS total, b AS name, a AS k FROM raw.t1;
-- k     <- raw.t1.a DIRECT:IDENTITY
-- name  <- raw.t1.b DIRECT:IDENTITY
-- total <- raw.t1.c DIRECT:IDENTITY

-- title: insert overwrite of one static partition
INSERT OVERWRITE TABLE mart.parts PARTITION (p = 'y', q = 3) SELECT a FROM raw.t1;
-- v <- raw.t1.a DIRECT:IDENTITY
-- p <-
-- q <-

-- title: insert overwrite directory
INSERT OVERWRITE DIRECTORY '${root}/files/directory' USING parquet SELECT a + 1 AS x FROM raw.t1;
-- x <- raw.t1.a DIRECT:TRANSFORMATION

-- title: create view
CREATE OR REPLACE VIEW mart.view_of_orders (day, n) AS
SELECT day, count(id) AS c FROM raw.orders WHERE state = 'paid' GROUP BY day;
-- day <- raw.orders.day   DIRECT:IDENTITY
-- n   <- raw.orders.id    DIRECT:AGGREGATION masking
-- *   <- raw.orders.day   INDIRECT:GROUP_BY
-- *   <- raw.orders.state INDIRECT:FILTER

-- title: alter view
ALTER VIEW mart.altered AS SELECT name AS n FROM raw.customers;
-- n <- raw.customers.name DIRECT:IDENTITY

-- title: a partitioned and bucketed table
CREATE TABLE mart.bucketed USING parquet PARTITIONED BY (c) CLUSTERED BY (a) INTO 2 BUCKETS
AS SELECT a, b, c FROM raw.t1;
-- a <- raw.t1.a DIRECT:IDENTITY
-- b <- raw.t1.b DIRECT:IDENTITY
-- c <- raw.t1.c DIRECT:IDENTITY

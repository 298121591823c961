-- The tables that the cases read. Each statement ends with a semicolon.
CREATE DATABASE raw;
CREATE DATABASE mart;
CREATE TABLE raw.t1 (a INT, b INT, c INT) USING parquet;
CREATE TABLE raw.t2 (a INT, b INT, c INT) USING parquet;
CREATE TABLE raw.t3 (a INT, b INT, d STRING) USING parquet;
CREATE TABLE raw.texts (a STRING, b STRING, c STRING) USING parquet;
CREATE TABLE raw.orders (id BIGINT, cid INT, day DATE, amount DOUBLE, state STRING) USING parquet;
CREATE TABLE raw.customers (id INT, name STRING, active BOOLEAN, ssn STRING) USING parquet;
CREATE TABLE raw.nested (
  k INT, s STRUCT<x: INT, y: STRING>, items ARRAY<STRUCT<sku: STRING, n: INT>>,
  attrs MAP<STRING, STRING>, arr ARRAY<INT>, other ARRAY<INT>) USING parquet;
CREATE TABLE raw.odd (`a.b` INT, `a b` INT, `naïve` INT, Z INT) USING parquet;
CREATE TABLE raw.parts (v INT, p STRING) USING parquet PARTITIONED BY (p);
CREATE TABLE mart.wide (k BIGINT, name STRING, total DOUBLE) USING parquet;
CREATE TABLE mart.parts (v INT, p STRING, q INT) USING parquet PARTITIONED BY (p, q);
CREATE VIEW mart.altered AS SELECT id AS n FROM raw.customers;
INSERT INTO raw.t1 VALUES (1, 2, 3);
INSERT INTO raw.t2 VALUES (1, 2, 3);
INSERT INTO raw.t3 VALUES (1, 2, 'x');
INSERT INTO raw.orders VALUES (1, 1, DATE'2024-01-01', 2.5, 'paid');
INSERT INTO raw.customers VALUES (1, 'Ann', true, '123');
INSERT INTO raw.nested VALUES (1, named_struct('x', 1, 'y', 'y'),
  array(named_struct('sku', 's', 'n', 1)), map('m', 'v'), array(1, 2), array(3));
CREATE VIEW mart.v AS
SELECT c.name, sum(o.amount) AS total
FROM raw.orders o JOIN raw.customers c ON o.cid = c.id GROUP BY c.name;

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
-- The tables of TPC-H.
CREATE DATABASE tpch;
CREATE TABLE tpch.region (r_regionkey INT, r_name STRING, r_comment STRING) USING parquet;
CREATE TABLE tpch.nation (n_nationkey INT, n_name STRING, n_regionkey INT, n_comment STRING)
USING parquet;
CREATE TABLE tpch.supplier (
  s_suppkey INT, s_name STRING, s_address STRING, s_nationkey INT, s_phone STRING,
  s_acctbal DECIMAL(12, 2), s_comment STRING) USING parquet;
CREATE TABLE tpch.customer (
  c_custkey INT, c_name STRING, c_address STRING, c_nationkey INT, c_phone STRING,
  c_acctbal DECIMAL(12, 2), c_mktsegment STRING, c_comment STRING) USING parquet;
CREATE TABLE tpch.part (
  p_partkey INT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT,
  p_container STRING, p_retailprice DECIMAL(12, 2), p_comment STRING) USING parquet;
CREATE TABLE tpch.partsupp (
  ps_partkey INT, ps_suppkey INT, ps_availqty INT, ps_supplycost DECIMAL(12, 2),
  ps_comment STRING) USING parquet;
CREATE TABLE tpch.orders (
  o_orderkey INT, o_custkey INT, o_orderstatus STRING, o_totalprice DECIMAL(12, 2),
  o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT,
  o_comment STRING) USING parquet;
CREATE TABLE tpch.lineitem (
  l_orderkey INT, l_partkey INT, l_suppkey INT, l_linenumber INT, l_quantity DECIMAL(12, 2),
  l_extendedprice DECIMAL(12, 2), l_discount DECIMAL(12, 2), l_tax DECIMAL(12, 2),
  l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, l_commitdate DATE,
  l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, l_comment STRING) USING parquet;
-- The part of TPC-DS that the cases need.
CREATE DATABASE tpcds;
CREATE TABLE tpcds.date_dim (
  d_date_sk INT, d_date DATE, d_year INT, d_moy INT, d_qoy INT, d_week_seq INT,
  d_day_name STRING) USING parquet;
CREATE TABLE tpcds.item (
  i_item_sk INT, i_item_id STRING, i_item_desc STRING, i_brand STRING, i_class STRING,
  i_category STRING, i_manufact_id INT, i_current_price DECIMAL(7, 2)) USING parquet;
CREATE TABLE tpcds.store (
  s_store_sk INT, s_store_id STRING, s_store_name STRING, s_state STRING, s_city STRING)
USING parquet;
CREATE TABLE tpcds.customer (
  c_customer_sk INT, c_customer_id STRING, c_first_name STRING, c_last_name STRING,
  c_current_addr_sk INT, c_current_cdemo_sk INT, c_birth_year INT) USING parquet;
CREATE TABLE tpcds.customer_address (
  ca_address_sk INT, ca_city STRING, ca_state STRING, ca_zip STRING) USING parquet;
CREATE TABLE tpcds.customer_demographics (
  cd_demo_sk INT, cd_gender STRING, cd_marital_status STRING) USING parquet;
CREATE TABLE tpcds.warehouse (w_warehouse_sk INT, w_warehouse_name STRING) USING parquet;
CREATE TABLE tpcds.inventory (
  inv_date_sk INT, inv_item_sk INT, inv_warehouse_sk INT, inv_quantity_on_hand INT)
USING parquet;
CREATE TABLE tpcds.store_sales (
  ss_sold_date_sk INT, ss_item_sk INT, ss_customer_sk INT, ss_store_sk INT, ss_promo_sk INT,
  ss_ticket_number INT, ss_quantity INT, ss_sales_price DECIMAL(7, 2),
  ss_ext_sales_price DECIMAL(7, 2), ss_net_profit DECIMAL(7, 2)) USING parquet;
CREATE TABLE tpcds.store_returns (
  sr_returned_date_sk INT, sr_item_sk INT, sr_customer_sk INT, sr_ticket_number INT,
  sr_store_sk INT, sr_return_amt DECIMAL(7, 2)) USING parquet;
CREATE TABLE tpcds.catalog_sales (
  cs_sold_date_sk INT, cs_item_sk INT, cs_bill_customer_sk INT, cs_order_number INT,
  cs_warehouse_sk INT, cs_quantity INT, cs_ext_sales_price DECIMAL(7, 2),
  cs_ext_discount_amt DECIMAL(7, 2), cs_net_profit DECIMAL(7, 2)) USING parquet;
CREATE TABLE tpcds.web_sales (
  ws_sold_date_sk INT, ws_item_sk INT, ws_bill_customer_sk INT, ws_order_number INT,
  ws_warehouse_sk INT, ws_quantity INT, ws_ext_sales_price DECIMAL(7, 2),
  ws_net_profit DECIMAL(7, 2)) USING parquet;
CREATE TABLE mart.structs (k BIGINT, q STRUCT<m: BIGINT, n: STRING>) USING parquet;
CREATE TABLE raw.deep (
  s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<c: INT, d: STRING>>,
  m MAP<STRING, STRUCT<e: INT, f: STRING>>) USING parquet;
CREATE TABLE raw.turned (
  m MAP<STRING, STRUCT<y: STRING, x: INT>>, l ARRAY<STRUCT<y: STRING, x: INT>>,
  s STRUCT<y: STRING, x: INT>) USING parquet;
CREATE TABLE mart.deep (
  s STRUCT<x: BIGINT, y: STRING>, l ARRAY<STRUCT<x: BIGINT, y: STRING>>,
  m MAP<STRING, STRUCT<x: BIGINT, y: STRING>>) USING parquet;

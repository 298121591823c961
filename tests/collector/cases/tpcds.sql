-- Questions in the manner of TPC-DS, in our own words: channels, rollups, windows, several CTEs.

-- title: a rollup with a rank within each level
CREATE TABLE mart.d1 AS
SELECT sum(ss_net_profit) / sum(ss_ext_sales_price) AS margin, i_category, i_class,
  grouping(i_category) + grouping(i_class) AS level,
  rank() OVER (
    PARTITION BY grouping(i_category) + grouping(i_class),
      CASE WHEN grouping(i_class) = 0 THEN i_category END
    ORDER BY sum(ss_net_profit) / sum(ss_ext_sales_price)) AS place
FROM tpcds.store_sales, tpcds.date_dim, tpcds.item, tpcds.store
WHERE d_year = 2001 AND d_date_sk = ss_sold_date_sk AND i_item_sk = ss_item_sk
  AND s_store_sk = ss_store_sk AND s_state IN ('TN', 'AL')
GROUP BY ROLLUP (i_category, i_class)
ORDER BY level DESC, CASE WHEN level = 0 THEN i_category END, place;
-- margin     <- tpcds.store_sales.ss_ext_sales_price DIRECT:AGGREGATION
-- margin     <- tpcds.store_sales.ss_net_profit      DIRECT:AGGREGATION
-- i_category <- tpcds.item.i_category                DIRECT:IDENTITY
-- i_class    <- tpcds.item.i_class                   DIRECT:IDENTITY
-- level      <-
-- place      <- tpcds.item.i_category                INDIRECT:WINDOW
-- place      <- tpcds.store_sales.ss_ext_sales_price INDIRECT:WINDOW
-- place      <- tpcds.store_sales.ss_net_profit      INDIRECT:WINDOW
-- *          <- tpcds.date_dim.d_date_sk             INDIRECT:JOIN
-- *          <- tpcds.date_dim.d_year                INDIRECT:FILTER
-- *          <- tpcds.item.i_category                INDIRECT:SORT, INDIRECT:GROUP_BY
-- *          <- tpcds.item.i_class                   INDIRECT:GROUP_BY
-- *          <- tpcds.item.i_item_sk                 INDIRECT:JOIN
-- *          <- tpcds.store.s_state                  INDIRECT:FILTER
-- *          <- tpcds.store.s_store_sk               INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_ext_sales_price INDIRECT:SORT
-- *          <- tpcds.store_sales.ss_item_sk         INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_net_profit      INDIRECT:SORT
-- *          <- tpcds.store_sales.ss_sold_date_sk    INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_store_sk        INDIRECT:JOIN

-- title: three channels in one rollup
CREATE TABLE mart.d2 AS
WITH sold AS (
  SELECT 'store' AS channel, concat('s', s_store_id) AS id, ss_ext_sales_price AS sales,
    ss_net_profit AS profit
  FROM tpcds.store_sales JOIN tpcds.store ON s_store_sk = ss_store_sk
  UNION ALL
  SELECT 'catalog', concat('c', w_warehouse_name), cs_ext_sales_price, cs_net_profit
  FROM tpcds.catalog_sales JOIN tpcds.warehouse ON w_warehouse_sk = cs_warehouse_sk
  UNION ALL
  SELECT 'web', concat('w', ws_warehouse_sk), ws_ext_sales_price, ws_net_profit
  FROM tpcds.web_sales)
SELECT channel, id, sum(sales) AS sales, sum(profit) AS profit
FROM sold GROUP BY ROLLUP (channel, id) ORDER BY channel, id LIMIT 100;
-- channel <-
-- id      <- tpcds.store.s_store_id                 DIRECT:TRANSFORMATION
-- id      <- tpcds.warehouse.w_warehouse_name       DIRECT:TRANSFORMATION
-- id      <- tpcds.web_sales.ws_warehouse_sk        DIRECT:TRANSFORMATION
-- sales   <- tpcds.catalog_sales.cs_ext_sales_price DIRECT:AGGREGATION
-- sales   <- tpcds.store_sales.ss_ext_sales_price   DIRECT:AGGREGATION
-- sales   <- tpcds.web_sales.ws_ext_sales_price     DIRECT:AGGREGATION
-- profit  <- tpcds.catalog_sales.cs_net_profit      DIRECT:AGGREGATION
-- profit  <- tpcds.store_sales.ss_net_profit        DIRECT:AGGREGATION
-- profit  <- tpcds.web_sales.ws_net_profit          DIRECT:AGGREGATION
-- *       <- tpcds.catalog_sales.cs_warehouse_sk    INDIRECT:JOIN
-- *       <- tpcds.store.s_store_id                 INDIRECT:SORT, INDIRECT:GROUP_BY
-- *       <- tpcds.store.s_store_sk                 INDIRECT:JOIN
-- *       <- tpcds.store_sales.ss_store_sk          INDIRECT:JOIN
-- *       <- tpcds.warehouse.w_warehouse_name       INDIRECT:SORT, INDIRECT:GROUP_BY
-- *       <- tpcds.warehouse.w_warehouse_sk         INDIRECT:JOIN
-- *       <- tpcds.web_sales.ws_warehouse_sk        INDIRECT:SORT, INDIRECT:GROUP_BY

-- title: customers who returned more than the average of their store
CREATE TABLE mart.d3 AS
WITH returned AS (
  SELECT sr_customer_sk AS customer, sr_store_sk AS store, sum(sr_return_amt) AS total
  FROM tpcds.store_returns, tpcds.date_dim
  WHERE sr_returned_date_sk = d_date_sk AND d_year = 2000
  GROUP BY sr_customer_sk, sr_store_sk)
SELECT c_customer_id
FROM returned one, tpcds.store, tpcds.customer
WHERE one.total > (SELECT avg(total) * 1.2 FROM returned two WHERE one.store = two.store)
  AND s_store_sk = one.store AND s_state = 'TN' AND one.customer = c_customer_sk
ORDER BY c_customer_id LIMIT 100;
-- c_customer_id <- tpcds.customer.c_customer_id            DIRECT:IDENTITY
-- *             <- tpcds.customer.c_customer_id            INDIRECT:SORT
-- *             <- tpcds.customer.c_customer_sk            INDIRECT:JOIN
-- *             <- tpcds.date_dim.d_date_sk                INDIRECT:JOIN, INDIRECT:FILTER
-- *             <- tpcds.date_dim.d_year                   INDIRECT:FILTER
-- *             <- tpcds.store.s_state                     INDIRECT:FILTER
-- *             <- tpcds.store.s_store_sk                  INDIRECT:JOIN
-- *             <- tpcds.store_returns.sr_customer_sk      INDIRECT:GROUP_BY, INDIRECT:JOIN, INDIRECT:FILTER
-- *             <- tpcds.store_returns.sr_return_amt       INDIRECT:FILTER
-- *             <- tpcds.store_returns.sr_returned_date_sk INDIRECT:JOIN, INDIRECT:FILTER
-- *             <- tpcds.store_returns.sr_store_sk         INDIRECT:GROUP_BY, INDIRECT:JOIN, INDIRECT:FILTER

-- title: growth in one channel against another
CREATE TABLE mart.d4 AS
WITH totals AS (
  SELECT c_customer_id AS id, c_last_name AS name, d_year AS year, sum(ss_ext_sales_price) AS total,
    's' AS channel
  FROM tpcds.customer JOIN tpcds.store_sales ON c_customer_sk = ss_customer_sk
  JOIN tpcds.date_dim ON ss_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_last_name, d_year
  UNION ALL
  SELECT c_customer_id, c_last_name, d_year, sum(ws_ext_sales_price), 'w'
  FROM tpcds.customer JOIN tpcds.web_sales ON c_customer_sk = ws_bill_customer_sk
  JOIN tpcds.date_dim ON ws_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, c_last_name, d_year)
SELECT b.id, b.name
FROM totals a JOIN totals b ON a.id = b.id
WHERE a.channel = 's' AND b.channel = 'w' AND a.year = b.year
  AND CASE WHEN a.total > 0 THEN b.total / a.total ELSE NULL END > 1;
-- id   <- tpcds.customer.c_customer_id         DIRECT:IDENTITY
-- name <- tpcds.customer.c_last_name           DIRECT:IDENTITY
-- *    <- tpcds.customer.c_customer_id         INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *    <- tpcds.customer.c_customer_sk         INDIRECT:JOIN
-- *    <- tpcds.customer.c_last_name           INDIRECT:GROUP_BY
-- *    <- tpcds.date_dim.d_date_sk             INDIRECT:JOIN
-- *    <- tpcds.date_dim.d_year                INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *    <- tpcds.store_sales.ss_customer_sk     INDIRECT:JOIN
-- *    <- tpcds.store_sales.ss_ext_sales_price INDIRECT:FILTER
-- *    <- tpcds.store_sales.ss_sold_date_sk    INDIRECT:JOIN
-- *    <- tpcds.web_sales.ws_bill_customer_sk  INDIRECT:JOIN
-- *    <- tpcds.web_sales.ws_ext_sales_price   INDIRECT:FILTER
-- *    <- tpcds.web_sales.ws_sold_date_sk      INDIRECT:JOIN

-- title: the rank of an item, best and worst side by side
CREATE TABLE mart.d5 AS
WITH averages AS (
  SELECT ss_item_sk AS item, avg(ss_net_profit) AS profit FROM tpcds.store_sales
  WHERE ss_store_sk = 4 GROUP BY ss_item_sk
  HAVING avg(ss_net_profit) > 0.9 * (
    SELECT avg(ss_net_profit) FROM tpcds.store_sales
    WHERE ss_store_sk = 4 AND ss_promo_sk IS NULL GROUP BY ss_store_sk))
SELECT up.place, i1.i_item_desc AS best, i2.i_item_desc AS worst
FROM (SELECT item, rank() OVER (ORDER BY profit) AS place FROM averages) up
JOIN (SELECT item, rank() OVER (ORDER BY profit DESC) AS place FROM averages) down
  ON up.place = down.place
JOIN tpcds.item i1 ON i1.i_item_sk = up.item JOIN tpcds.item i2 ON i2.i_item_sk = down.item
WHERE up.place < 11;
-- place <- tpcds.store_sales.ss_net_profit INDIRECT:WINDOW
-- best  <- tpcds.item.i_item_desc          DIRECT:IDENTITY
-- worst <- tpcds.item.i_item_desc          DIRECT:IDENTITY
-- *     <- tpcds.item.i_item_sk            INDIRECT:JOIN
-- *     <- tpcds.store_sales.ss_item_sk    INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *     <- tpcds.store_sales.ss_net_profit INDIRECT:JOIN, INDIRECT:FILTER
-- *     <- tpcds.store_sales.ss_promo_sk   INDIRECT:FILTER
-- *     <- tpcds.store_sales.ss_store_sk   INDIRECT:FILTER

-- title: customers of all three channels
CREATE TABLE mart.d6 AS
SELECT count(*) AS customers FROM (
  SELECT DISTINCT c_last_name, c_first_name, d_date
  FROM tpcds.store_sales JOIN tpcds.date_dim ON ss_sold_date_sk = d_date_sk
  JOIN tpcds.customer ON ss_customer_sk = c_customer_sk
  INTERSECT
  SELECT DISTINCT c_last_name, c_first_name, d_date
  FROM tpcds.catalog_sales JOIN tpcds.date_dim ON cs_sold_date_sk = d_date_sk
  JOIN tpcds.customer ON cs_bill_customer_sk = c_customer_sk) both;
-- customers <-
-- *         <- tpcds.catalog_sales.cs_bill_customer_sk INDIRECT:JOIN
-- *         <- tpcds.catalog_sales.cs_sold_date_sk     INDIRECT:JOIN
-- *         <- tpcds.customer.c_customer_sk            INDIRECT:JOIN
-- *         <- tpcds.customer.c_first_name             INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *         <- tpcds.customer.c_last_name              INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *         <- tpcds.date_dim.d_date                   INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *         <- tpcds.date_dim.d_date_sk                INDIRECT:JOIN
-- *         <- tpcds.store_sales.ss_customer_sk        INDIRECT:JOIN
-- *         <- tpcds.store_sales.ss_sold_date_sk       INDIRECT:JOIN

-- title: sold in the shop, never on the web
CREATE TABLE mart.d7 AS
SELECT c_last_name FROM tpcds.store_sales JOIN tpcds.customer ON ss_customer_sk = c_customer_sk
EXCEPT
SELECT c_last_name FROM tpcds.web_sales JOIN tpcds.customer ON ws_bill_customer_sk = c_customer_sk;
-- c_last_name <- tpcds.customer.c_last_name          DIRECT:IDENTITY
-- *           <- tpcds.customer.c_customer_sk        INDIRECT:JOIN
-- *           <- tpcds.customer.c_last_name          INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *           <- tpcds.store_sales.ss_customer_sk    INDIRECT:JOIN
-- *           <- tpcds.web_sales.ws_bill_customer_sk INDIRECT:JOIN

-- title: customers with a shop and another channel
CREATE TABLE mart.d8 AS
SELECT cd_gender, cd_marital_status, count(*) AS n
FROM tpcds.customer c, tpcds.customer_address ca, tpcds.customer_demographics
WHERE c.c_current_addr_sk = ca.ca_address_sk AND ca_state IN ('KY', 'GA')
  AND cd_demo_sk = c.c_current_cdemo_sk
  AND EXISTS (SELECT * FROM tpcds.store_sales, tpcds.date_dim
    WHERE c.c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk AND d_year = 2002)
  AND (EXISTS (SELECT * FROM tpcds.web_sales WHERE c.c_customer_sk = ws_bill_customer_sk)
    OR EXISTS (SELECT * FROM tpcds.catalog_sales WHERE c.c_customer_sk = cs_bill_customer_sk))
GROUP BY cd_gender, cd_marital_status
ORDER BY cd_gender;
-- cd_gender         <- tpcds.customer_demographics.cd_gender         DIRECT:IDENTITY
-- cd_marital_status <- tpcds.customer_demographics.cd_marital_status DIRECT:IDENTITY
-- n                 <-
-- *                 <- tpcds.catalog_sales.cs_bill_customer_sk       INDIRECT:FILTER
-- *                 <- tpcds.customer.c_current_addr_sk              INDIRECT:JOIN
-- *                 <- tpcds.customer.c_current_cdemo_sk             INDIRECT:JOIN
-- *                 <- tpcds.customer.c_customer_sk                  INDIRECT:FILTER
-- *                 <- tpcds.customer_address.ca_address_sk          INDIRECT:JOIN
-- *                 <- tpcds.customer_address.ca_state               INDIRECT:FILTER
-- *                 <- tpcds.customer_demographics.cd_demo_sk        INDIRECT:JOIN
-- *                 <- tpcds.customer_demographics.cd_gender         INDIRECT:SORT, INDIRECT:GROUP_BY
-- *                 <- tpcds.customer_demographics.cd_marital_status INDIRECT:GROUP_BY
-- *                 <- tpcds.date_dim.d_date_sk                      INDIRECT:FILTER
-- *                 <- tpcds.date_dim.d_year                         INDIRECT:FILTER
-- *                 <- tpcds.store_sales.ss_customer_sk              INDIRECT:FILTER
-- *                 <- tpcds.store_sales.ss_sold_date_sk             INDIRECT:FILTER
-- *                 <- tpcds.web_sales.ws_bill_customer_sk           INDIRECT:FILTER

-- title: excess discounts, against a correlated average
CREATE TABLE mart.d9 AS
SELECT sum(cs_ext_discount_amt) AS excess
FROM tpcds.catalog_sales, tpcds.item, tpcds.date_dim
WHERE i_manufact_id = 977 AND i_item_sk = cs_item_sk AND d_date_sk = cs_sold_date_sk
  AND cs_ext_discount_amt > (
    SELECT 1.3 * avg(cs_ext_discount_amt) FROM tpcds.catalog_sales, tpcds.date_dim
    WHERE cs_item_sk = i_item_sk AND d_date BETWEEN '2000-01-27' AND DATE'2000-01-27' + 90
      AND d_date_sk = cs_sold_date_sk);
-- excess <- tpcds.catalog_sales.cs_ext_discount_amt DIRECT:AGGREGATION
-- *      <- tpcds.catalog_sales.cs_ext_discount_amt INDIRECT:FILTER
-- *      <- tpcds.catalog_sales.cs_item_sk          INDIRECT:JOIN, INDIRECT:FILTER
-- *      <- tpcds.catalog_sales.cs_sold_date_sk     INDIRECT:JOIN, INDIRECT:FILTER
-- *      <- tpcds.date_dim.d_date                   INDIRECT:FILTER
-- *      <- tpcds.date_dim.d_date_sk                INDIRECT:JOIN, INDIRECT:FILTER
-- *      <- tpcds.item.i_item_sk                    INDIRECT:JOIN, INDIRECT:FILTER
-- *      <- tpcds.item.i_manufact_id                INDIRECT:FILTER

-- title: a running total, each channel with its own window
CREATE TABLE mart.d10 AS
WITH web AS (
  SELECT ws_item_sk AS item, d_date AS day,
    sum(sum(ws_ext_sales_price)) OVER (
      PARTITION BY ws_item_sk ORDER BY d_date
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
  FROM tpcds.web_sales JOIN tpcds.date_dim ON ws_sold_date_sk = d_date_sk
  GROUP BY ws_item_sk, d_date),
store AS (
  SELECT ss_item_sk AS item, d_date AS day,
    sum(sum(ss_ext_sales_price)) OVER (PARTITION BY ss_item_sk ORDER BY d_date) AS total
  FROM tpcds.store_sales JOIN tpcds.date_dim ON ss_sold_date_sk = d_date_sk
  GROUP BY ss_item_sk, d_date)
SELECT coalesce(web.item, store.item) AS item, web.day,
  max(web.total) OVER (PARTITION BY web.item ORDER BY web.day) AS top_web
FROM web FULL OUTER JOIN store ON web.item = store.item AND web.day = store.day;
-- item    <- tpcds.store_sales.ss_item_sk       DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- item    <- tpcds.web_sales.ws_item_sk         DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
-- day     <- tpcds.date_dim.d_date              DIRECT:IDENTITY
-- top_web <- tpcds.date_dim.d_date              INDIRECT:WINDOW
-- top_web <- tpcds.web_sales.ws_ext_sales_price DIRECT:AGGREGATION
-- top_web <- tpcds.web_sales.ws_item_sk         INDIRECT:WINDOW
-- *       <- tpcds.date_dim.d_date              INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *       <- tpcds.date_dim.d_date_sk           INDIRECT:JOIN
-- *       <- tpcds.store_sales.ss_item_sk       INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *       <- tpcds.store_sales.ss_sold_date_sk  INDIRECT:JOIN
-- *       <- tpcds.web_sales.ws_item_sk         INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *       <- tpcds.web_sales.ws_sold_date_sk    INDIRECT:JOIN

-- title: weekdays as columns, one year against the next
CREATE TABLE mart.d11 AS
WITH weeks AS (
  SELECT d_week_seq AS week,
    sum(CASE WHEN d_day_name = 'Sunday' THEN ss_sales_price ELSE NULL END) AS sunday,
    sum(CASE WHEN d_day_name = 'Monday' THEN ss_sales_price END) AS monday
  FROM tpcds.store_sales, tpcds.date_dim WHERE d_date_sk = ss_sold_date_sk GROUP BY d_week_seq)
SELECT a.week, round(a.sunday / b.sunday, 2) AS sunday, a.monday / b.monday AS monday
FROM weeks a, weeks b
WHERE a.week = b.week - 53;
-- week   <- tpcds.date_dim.d_week_seq         DIRECT:IDENTITY
-- sunday <- tpcds.date_dim.d_day_name         INDIRECT:CONDITIONAL
-- sunday <- tpcds.store_sales.ss_sales_price  DIRECT:AGGREGATION
-- monday <- tpcds.date_dim.d_day_name         INDIRECT:CONDITIONAL
-- monday <- tpcds.store_sales.ss_sales_price  DIRECT:AGGREGATION
-- *      <- tpcds.date_dim.d_date_sk          INDIRECT:JOIN
-- *      <- tpcds.date_dim.d_week_seq         INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *      <- tpcds.store_sales.ss_sold_date_sk INDIRECT:JOIN

-- title: stock before and after a day
CREATE TABLE mart.d12 AS
SELECT * FROM (
  SELECT w_warehouse_name, i_item_id,
    sum(CASE WHEN d_date < DATE'2000-03-11' THEN inv_quantity_on_hand ELSE 0 END) AS before,
    sum(CASE WHEN d_date >= DATE'2000-03-11' THEN inv_quantity_on_hand ELSE 0 END) AS after
  FROM tpcds.inventory JOIN tpcds.warehouse ON inv_warehouse_sk = w_warehouse_sk
  JOIN tpcds.item ON i_item_sk = inv_item_sk JOIN tpcds.date_dim ON inv_date_sk = d_date_sk
  WHERE i_current_price BETWEEN 0.99 AND 1.49
  GROUP BY w_warehouse_name, i_item_id) stock
WHERE CASE WHEN before > 0 THEN after / before ELSE NULL END >= 2.0 / 3.0;
-- w_warehouse_name <- tpcds.warehouse.w_warehouse_name     DIRECT:IDENTITY
-- i_item_id        <- tpcds.item.i_item_id                 DIRECT:IDENTITY
-- before           <- tpcds.date_dim.d_date                INDIRECT:CONDITIONAL
-- before           <- tpcds.inventory.inv_quantity_on_hand DIRECT:AGGREGATION
-- after            <- tpcds.date_dim.d_date                INDIRECT:CONDITIONAL
-- after            <- tpcds.inventory.inv_quantity_on_hand DIRECT:AGGREGATION
-- *                <- tpcds.date_dim.d_date                INDIRECT:FILTER
-- *                <- tpcds.date_dim.d_date_sk             INDIRECT:JOIN
-- *                <- tpcds.inventory.inv_date_sk          INDIRECT:JOIN
-- *                <- tpcds.inventory.inv_item_sk          INDIRECT:JOIN
-- *                <- tpcds.inventory.inv_quantity_on_hand INDIRECT:FILTER
-- *                <- tpcds.inventory.inv_warehouse_sk     INDIRECT:JOIN
-- *                <- tpcds.item.i_current_price           INDIRECT:FILTER
-- *                <- tpcds.item.i_item_id                 INDIRECT:GROUP_BY
-- *                <- tpcds.item.i_item_sk                 INDIRECT:JOIN
-- *                <- tpcds.warehouse.w_warehouse_name     INDIRECT:GROUP_BY
-- *                <- tpcds.warehouse.w_warehouse_sk       INDIRECT:JOIN

-- title: the share of a class
CREATE TABLE mart.d13 AS
SELECT i_item_id, i_class, sum(ws_ext_sales_price) AS revenue,
  sum(ws_ext_sales_price) * 100 / sum(sum(ws_ext_sales_price)) OVER (PARTITION BY i_class) AS ratio
FROM tpcds.web_sales, tpcds.item
WHERE ws_item_sk = i_item_sk AND i_category IN ('Sports', 'Books')
GROUP BY i_item_id, i_class
ORDER BY i_class, ratio;
-- i_item_id <- tpcds.item.i_item_id               DIRECT:IDENTITY
-- i_class   <- tpcds.item.i_class                 DIRECT:IDENTITY
-- revenue   <- tpcds.web_sales.ws_ext_sales_price DIRECT:AGGREGATION
-- ratio     <- tpcds.item.i_class                 INDIRECT:WINDOW
-- ratio     <- tpcds.web_sales.ws_ext_sales_price DIRECT:AGGREGATION
-- *         <- tpcds.item.i_category              INDIRECT:FILTER
-- *         <- tpcds.item.i_class                 INDIRECT:SORT, INDIRECT:GROUP_BY
-- *         <- tpcds.item.i_item_id               INDIRECT:GROUP_BY
-- *         <- tpcds.item.i_item_sk               INDIRECT:JOIN
-- *         <- tpcds.web_sales.ws_ext_sales_price INDIRECT:SORT
-- *         <- tpcds.web_sales.ws_item_sk         INDIRECT:JOIN

-- title: sales and returns by the same customer, with deviations
CREATE TABLE mart.d14 AS
SELECT i_item_id, s_store_id, count(ss_quantity) AS n, avg(ss_quantity) AS mean,
  stddev_samp(ss_quantity) / avg(ss_quantity) AS variation, sum(sr_return_amt) AS returned
FROM tpcds.store_sales JOIN tpcds.store_returns
  ON ss_customer_sk = sr_customer_sk AND ss_item_sk = sr_item_sk
    AND ss_ticket_number = sr_ticket_number
JOIN tpcds.store ON s_store_sk = ss_store_sk JOIN tpcds.item ON i_item_sk = ss_item_sk
GROUP BY i_item_id, s_store_id;
-- i_item_id  <- tpcds.item.i_item_id                 DIRECT:IDENTITY
-- s_store_id <- tpcds.store.s_store_id               DIRECT:IDENTITY
-- n          <- tpcds.store_sales.ss_quantity        DIRECT:AGGREGATION masking
-- mean       <- tpcds.store_sales.ss_quantity        DIRECT:AGGREGATION
-- variation  <- tpcds.store_sales.ss_quantity        DIRECT:AGGREGATION
-- returned   <- tpcds.store_returns.sr_return_amt    DIRECT:AGGREGATION
-- *          <- tpcds.item.i_item_id                 INDIRECT:GROUP_BY
-- *          <- tpcds.item.i_item_sk                 INDIRECT:JOIN
-- *          <- tpcds.store.s_store_id               INDIRECT:GROUP_BY
-- *          <- tpcds.store.s_store_sk               INDIRECT:JOIN
-- *          <- tpcds.store_returns.sr_customer_sk   INDIRECT:JOIN
-- *          <- tpcds.store_returns.sr_item_sk       INDIRECT:JOIN
-- *          <- tpcds.store_returns.sr_ticket_number INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_customer_sk     INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_item_sk         INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_store_sk        INDIRECT:JOIN
-- *          <- tpcds.store_sales.ss_ticket_number   INDIRECT:JOIN

-- title: counts in pieces, put together without a join condition
CREATE TABLE mart.d15 AS
SELECT CASE WHEN (SELECT count(*) FROM tpcds.store_sales WHERE ss_quantity BETWEEN 1 AND 20) > 100
    THEN (SELECT avg(ss_net_profit) FROM tpcds.store_sales WHERE ss_quantity BETWEEN 1 AND 20)
    ELSE (SELECT avg(ss_sales_price) FROM tpcds.store_sales) END AS bucket,
  try_divide(am.n, pm.n) AS ratio
FROM (SELECT count(ws_item_sk) AS n FROM tpcds.web_sales WHERE ws_quantity > 5) am,
  (SELECT count(cs_item_sk) AS n FROM tpcds.catalog_sales WHERE cs_quantity > 5) pm;
-- bucket <- tpcds.store_sales.ss_net_profit  DIRECT:AGGREGATION
-- bucket <- tpcds.store_sales.ss_quantity    INDIRECT:CONDITIONAL, INDIRECT:FILTER
-- bucket <- tpcds.store_sales.ss_sales_price DIRECT:AGGREGATION
-- ratio  <- tpcds.catalog_sales.cs_item_sk   DIRECT:AGGREGATION masking
-- ratio  <- tpcds.web_sales.ws_item_sk       DIRECT:AGGREGATION masking
-- *      <- tpcds.catalog_sales.cs_quantity  INDIRECT:FILTER
-- *      <- tpcds.web_sales.ws_quantity      INDIRECT:FILTER

-- title: zip codes and the first letters of others
CREATE TABLE mart.d16 AS
SELECT s_store_name, sum(ss_net_profit) AS profit
FROM tpcds.store_sales JOIN tpcds.store ON ss_store_sk = s_store_sk,
  (SELECT substring(ca_zip, 1, 5) AS zip FROM tpcds.customer_address WHERE ca_zip IN ('24128')
   INTERSECT
   SELECT ca_zip FROM (
     SELECT substring(ca_zip, 1, 5) AS ca_zip, count(*) AS n
     FROM tpcds.customer_address, tpcds.customer WHERE ca_address_sk = c_current_addr_sk
     GROUP BY ca_zip HAVING count(*) > 10)) zips
WHERE substring(s_city, 1, 2) = substring(zip, 1, 2)
GROUP BY s_store_name;
-- s_store_name <- tpcds.store.s_store_name             DIRECT:IDENTITY
-- profit       <- tpcds.store_sales.ss_net_profit      DIRECT:AGGREGATION
-- *            <- tpcds.customer.c_current_addr_sk     INDIRECT:JOIN
-- *            <- tpcds.customer_address.ca_address_sk INDIRECT:JOIN
-- *            <- tpcds.customer_address.ca_zip        INDIRECT:GROUP_BY, INDIRECT:JOIN, INDIRECT:FILTER
-- *            <- tpcds.store.s_city                   INDIRECT:JOIN
-- *            <- tpcds.store.s_store_name             INDIRECT:GROUP_BY
-- *            <- tpcds.store.s_store_sk               INDIRECT:JOIN
-- *            <- tpcds.store_sales.ss_store_sk        INDIRECT:JOIN

-- title: two years of a brand, grouped in three ways
CREATE TABLE mart.d17 AS
SELECT i_brand, d_year, d_moy, sum(ss_ext_sales_price) AS total, grouping_id() AS g,
  lag(sum(ss_ext_sales_price)) OVER (PARTITION BY i_brand ORDER BY d_year, d_moy) AS before
FROM tpcds.date_dim JOIN tpcds.store_sales ON d_date_sk = ss_sold_date_sk
JOIN tpcds.item ON ss_item_sk = i_item_sk
GROUP BY GROUPING SETS ((i_brand, d_year), (i_brand, d_year, d_moy), ());
-- i_brand <- tpcds.item.i_brand                   DIRECT:IDENTITY
-- d_year  <- tpcds.date_dim.d_year                DIRECT:IDENTITY
-- d_moy   <- tpcds.date_dim.d_moy                 DIRECT:IDENTITY
-- total   <- tpcds.store_sales.ss_ext_sales_price DIRECT:AGGREGATION
-- g       <-
-- before  <- tpcds.date_dim.d_moy                 INDIRECT:WINDOW
-- before  <- tpcds.date_dim.d_year                INDIRECT:WINDOW
-- before  <- tpcds.item.i_brand                   INDIRECT:WINDOW
-- before  <- tpcds.store_sales.ss_ext_sales_price DIRECT:AGGREGATION
-- *       <- tpcds.date_dim.d_date_sk             INDIRECT:JOIN
-- *       <- tpcds.date_dim.d_moy                 INDIRECT:GROUP_BY
-- *       <- tpcds.date_dim.d_year                INDIRECT:GROUP_BY
-- *       <- tpcds.item.i_brand                   INDIRECT:GROUP_BY
-- *       <- tpcds.item.i_item_sk                 INDIRECT:JOIN
-- *       <- tpcds.store_sales.ss_item_sk         INDIRECT:JOIN
-- *       <- tpcds.store_sales.ss_sold_date_sk    INDIRECT:JOIN

-- title: a cube of a union, its total filtered
CREATE TABLE mart.d18 AS
SELECT item, year, sum(amount) AS amount
FROM (
  SELECT cs_item_sk AS item, d_year AS year, cs_ext_sales_price - coalesce(cs_net_profit, 0) AS amount
  FROM tpcds.catalog_sales LEFT JOIN tpcds.date_dim ON cs_sold_date_sk = d_date_sk
  UNION
  SELECT ws_item_sk, d_year, ws_ext_sales_price
  FROM tpcds.web_sales LEFT JOIN tpcds.date_dim ON ws_sold_date_sk = d_date_sk) sold
GROUP BY CUBE (item, year)
HAVING sum(amount) > 0;
-- item   <- tpcds.catalog_sales.cs_item_sk         DIRECT:IDENTITY
-- item   <- tpcds.web_sales.ws_item_sk             DIRECT:IDENTITY
-- year   <- tpcds.date_dim.d_year                  DIRECT:IDENTITY
-- amount <- tpcds.catalog_sales.cs_ext_sales_price DIRECT:AGGREGATION
-- amount <- tpcds.catalog_sales.cs_net_profit      DIRECT:AGGREGATION, INDIRECT:CONDITIONAL
-- amount <- tpcds.web_sales.ws_ext_sales_price     DIRECT:AGGREGATION
-- *      <- tpcds.catalog_sales.cs_ext_sales_price INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *      <- tpcds.catalog_sales.cs_item_sk         INDIRECT:GROUP_BY
-- *      <- tpcds.catalog_sales.cs_net_profit      INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *      <- tpcds.catalog_sales.cs_sold_date_sk    INDIRECT:JOIN
-- *      <- tpcds.date_dim.d_date_sk               INDIRECT:JOIN
-- *      <- tpcds.date_dim.d_year                  INDIRECT:GROUP_BY
-- *      <- tpcds.web_sales.ws_ext_sales_price     INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *      <- tpcds.web_sales.ws_item_sk             INDIRECT:GROUP_BY
-- *      <- tpcds.web_sales.ws_sold_date_sk        INDIRECT:JOIN

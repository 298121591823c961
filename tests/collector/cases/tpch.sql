-- Queries over the tables of TPC-H, one for each of its questions, in our own words.

-- title: Q1 prices by flag and status
CREATE TABLE mart.h1 AS
SELECT l_returnflag AS flag, l_linestatus AS status, sum(l_quantity) AS quantity,
  sum(l_extendedprice) AS base, sum(l_extendedprice * (1 - l_discount)) AS discounted,
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charged, avg(l_quantity) AS mean,
  avg(l_discount) AS discount, count(*) AS lines
FROM tpch.lineitem
WHERE l_shipdate <= DATE'1998-12-01' - INTERVAL 90 DAYS
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus;
-- flag       <- tpch.lineitem.l_returnflag    DIRECT:IDENTITY
-- status     <- tpch.lineitem.l_linestatus    DIRECT:IDENTITY
-- quantity   <- tpch.lineitem.l_quantity      DIRECT:AGGREGATION
-- base       <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- discounted <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- discounted <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- charged    <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- charged    <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- charged    <- tpch.lineitem.l_tax           DIRECT:AGGREGATION
-- mean       <- tpch.lineitem.l_quantity      DIRECT:AGGREGATION
-- discount   <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- lines      <-
-- *          <- tpch.lineitem.l_linestatus    INDIRECT:SORT, INDIRECT:GROUP_BY
-- *          <- tpch.lineitem.l_returnflag    INDIRECT:SORT, INDIRECT:GROUP_BY
-- *          <- tpch.lineitem.l_shipdate      INDIRECT:FILTER

-- title: Q2 the cheapest supplier in a region
CREATE TABLE mart.h2 AS
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_phone
FROM tpch.part, tpch.supplier, tpch.partsupp, tpch.nation, tpch.region
WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS'
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE'
  AND ps_supplycost = (
    SELECT min(x.ps_supplycost)
    FROM tpch.partsupp x, tpch.supplier y, tpch.nation z, tpch.region q
    WHERE p_partkey = x.ps_partkey AND y.s_suppkey = x.ps_suppkey
      AND y.s_nationkey = z.n_nationkey AND z.n_regionkey = q.r_regionkey AND q.r_name = 'EUROPE')
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100;
-- s_acctbal <- tpch.supplier.s_acctbal     DIRECT:IDENTITY
-- s_name    <- tpch.supplier.s_name        DIRECT:IDENTITY
-- n_name    <- tpch.nation.n_name          DIRECT:IDENTITY
-- p_partkey <- tpch.part.p_partkey         DIRECT:IDENTITY
-- p_mfgr    <- tpch.part.p_mfgr            DIRECT:IDENTITY
-- s_phone   <- tpch.supplier.s_phone       DIRECT:IDENTITY
-- *         <- tpch.nation.n_name          INDIRECT:SORT
-- *         <- tpch.nation.n_nationkey     INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.nation.n_regionkey     INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.part.p_partkey         INDIRECT:SORT, INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.part.p_size            INDIRECT:FILTER
-- *         <- tpch.part.p_type            INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_partkey    INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_suppkey    INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_supplycost INDIRECT:FILTER
-- *         <- tpch.region.r_name          INDIRECT:FILTER
-- *         <- tpch.region.r_regionkey     INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.supplier.s_acctbal     INDIRECT:SORT
-- *         <- tpch.supplier.s_name        INDIRECT:SORT
-- *         <- tpch.supplier.s_nationkey   INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.supplier.s_suppkey     INDIRECT:JOIN, INDIRECT:FILTER

-- title: Q3 the largest orders that wait
CREATE TABLE mart.h3 AS
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
FROM tpch.customer JOIN tpch.orders ON c_custkey = o_custkey
JOIN tpch.lineitem ON l_orderkey = o_orderkey
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE'1995-03-15'
  AND l_shipdate > DATE'1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority
ORDER BY revenue DESC, o_orderdate
LIMIT 10;
-- l_orderkey     <- tpch.lineitem.l_orderkey      DIRECT:IDENTITY
-- revenue        <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue        <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- o_orderdate    <- tpch.orders.o_orderdate       DIRECT:IDENTITY
-- o_shippriority <- tpch.orders.o_shippriority    DIRECT:IDENTITY
-- *              <- tpch.customer.c_custkey       INDIRECT:JOIN
-- *              <- tpch.customer.c_mktsegment    INDIRECT:FILTER
-- *              <- tpch.lineitem.l_discount      INDIRECT:SORT
-- *              <- tpch.lineitem.l_extendedprice INDIRECT:SORT
-- *              <- tpch.lineitem.l_orderkey      INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *              <- tpch.lineitem.l_shipdate      INDIRECT:FILTER
-- *              <- tpch.orders.o_custkey         INDIRECT:JOIN
-- *              <- tpch.orders.o_orderdate       INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *              <- tpch.orders.o_orderkey        INDIRECT:JOIN
-- *              <- tpch.orders.o_shippriority    INDIRECT:GROUP_BY

-- title: Q4 orders with a late line, by priority
CREATE TABLE mart.h4 AS
SELECT o_orderpriority, count(*) AS orders
FROM tpch.orders
WHERE o_orderdate >= DATE'1993-07-01' AND o_orderdate < DATE'1993-10-01' AND EXISTS (
  SELECT * FROM tpch.lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority
ORDER BY o_orderpriority;
-- o_orderpriority <- tpch.orders.o_orderpriority DIRECT:IDENTITY
-- orders          <-
-- *               <- tpch.lineitem.l_commitdate  INDIRECT:FILTER
-- *               <- tpch.lineitem.l_orderkey    INDIRECT:FILTER
-- *               <- tpch.lineitem.l_receiptdate INDIRECT:FILTER
-- *               <- tpch.orders.o_orderdate     INDIRECT:FILTER
-- *               <- tpch.orders.o_orderkey      INDIRECT:FILTER
-- *               <- tpch.orders.o_orderpriority INDIRECT:SORT, INDIRECT:GROUP_BY

-- title: Q5 revenue of local suppliers
CREATE TABLE mart.h5 AS
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM tpch.customer, tpch.orders, tpch.lineitem, tpch.supplier, tpch.nation, tpch.region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND r_name = 'ASIA' AND o_orderdate >= DATE'1994-01-01' AND o_orderdate < DATE'1995-01-01'
GROUP BY n_name
ORDER BY revenue DESC;
-- n_name  <- tpch.nation.n_name            DIRECT:IDENTITY
-- revenue <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *       <- tpch.customer.c_custkey       INDIRECT:JOIN
-- *       <- tpch.customer.c_nationkey     INDIRECT:JOIN
-- *       <- tpch.lineitem.l_discount      INDIRECT:SORT
-- *       <- tpch.lineitem.l_extendedprice INDIRECT:SORT
-- *       <- tpch.lineitem.l_orderkey      INDIRECT:JOIN
-- *       <- tpch.lineitem.l_suppkey       INDIRECT:JOIN
-- *       <- tpch.nation.n_name            INDIRECT:GROUP_BY
-- *       <- tpch.nation.n_nationkey       INDIRECT:JOIN
-- *       <- tpch.nation.n_regionkey       INDIRECT:JOIN
-- *       <- tpch.orders.o_custkey         INDIRECT:JOIN
-- *       <- tpch.orders.o_orderdate       INDIRECT:FILTER
-- *       <- tpch.orders.o_orderkey        INDIRECT:JOIN
-- *       <- tpch.region.r_name            INDIRECT:FILTER
-- *       <- tpch.region.r_regionkey       INDIRECT:JOIN
-- *       <- tpch.supplier.s_nationkey     INDIRECT:JOIN
-- *       <- tpch.supplier.s_suppkey       INDIRECT:JOIN

-- title: Q6 what a little less discount would bring
CREATE TABLE mart.h6 AS
SELECT sum(l_extendedprice * l_discount) AS revenue
FROM tpch.lineitem
WHERE year(l_shipdate) = 1994 AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24;
-- revenue <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *       <- tpch.lineitem.l_discount      INDIRECT:FILTER
-- *       <- tpch.lineitem.l_quantity      INDIRECT:FILTER
-- *       <- tpch.lineitem.l_shipdate      INDIRECT:FILTER

-- title: Q7 trade between two nations
CREATE TABLE mart.h7 AS
SELECT supplier, customer, at, sum(volume) AS revenue
FROM (
  SELECT a.n_name AS supplier, b.n_name AS customer, year(l_shipdate) AS at,
    l_extendedprice * (1 - l_discount) AS volume
  FROM tpch.supplier, tpch.lineitem, tpch.orders, tpch.customer, tpch.nation a, tpch.nation b
  WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
    AND s_nationkey = a.n_nationkey AND c_nationkey = b.n_nationkey
    AND (a.n_name = 'FRANCE' AND b.n_name = 'GERMANY'
      OR a.n_name = 'GERMANY' AND b.n_name = 'FRANCE')
    AND l_shipdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31') AS shipping
GROUP BY supplier, customer, at
ORDER BY supplier, customer, at;
-- supplier <- tpch.nation.n_name            DIRECT:IDENTITY
-- customer <- tpch.nation.n_name            DIRECT:IDENTITY
-- at       <- tpch.lineitem.l_shipdate      DIRECT:TRANSFORMATION
-- revenue  <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue  <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *        <- tpch.customer.c_custkey       INDIRECT:JOIN
-- *        <- tpch.customer.c_nationkey     INDIRECT:JOIN
-- *        <- tpch.lineitem.l_orderkey      INDIRECT:JOIN
-- *        <- tpch.lineitem.l_shipdate      INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *        <- tpch.lineitem.l_suppkey       INDIRECT:JOIN
-- *        <- tpch.nation.n_name            INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *        <- tpch.nation.n_nationkey       INDIRECT:JOIN
-- *        <- tpch.orders.o_custkey         INDIRECT:JOIN
-- *        <- tpch.orders.o_orderkey        INDIRECT:JOIN
-- *        <- tpch.supplier.s_nationkey     INDIRECT:JOIN
-- *        <- tpch.supplier.s_suppkey       INDIRECT:JOIN

-- title: Q8 a nation's share of a market
CREATE TABLE mart.h8 AS
SELECT at, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS share
FROM (
  SELECT year(o_orderdate) AS at, l_extendedprice * (1 - l_discount) AS volume, b.n_name AS nation
  FROM tpch.part JOIN tpch.lineitem ON p_partkey = l_partkey
  JOIN tpch.supplier ON s_suppkey = l_suppkey JOIN tpch.orders ON l_orderkey = o_orderkey
  JOIN tpch.customer ON o_custkey = c_custkey JOIN tpch.nation a ON c_nationkey = a.n_nationkey
  JOIN tpch.region ON a.n_regionkey = r_regionkey JOIN tpch.nation b ON s_nationkey = b.n_nationkey
  WHERE r_name = 'AMERICA' AND p_type = 'ECONOMY'
    AND o_orderdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31') AS nations
GROUP BY at
ORDER BY at;
-- at    <- tpch.orders.o_orderdate       DIRECT:TRANSFORMATION
-- share <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- share <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- share <- tpch.nation.n_name            INDIRECT:CONDITIONAL
-- *     <- tpch.customer.c_custkey       INDIRECT:JOIN
-- *     <- tpch.customer.c_nationkey     INDIRECT:JOIN
-- *     <- tpch.lineitem.l_orderkey      INDIRECT:JOIN
-- *     <- tpch.lineitem.l_partkey       INDIRECT:JOIN
-- *     <- tpch.lineitem.l_suppkey       INDIRECT:JOIN
-- *     <- tpch.nation.n_nationkey       INDIRECT:JOIN
-- *     <- tpch.nation.n_regionkey       INDIRECT:JOIN
-- *     <- tpch.orders.o_custkey         INDIRECT:JOIN
-- *     <- tpch.orders.o_orderdate       INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *     <- tpch.orders.o_orderkey        INDIRECT:JOIN
-- *     <- tpch.part.p_partkey           INDIRECT:JOIN
-- *     <- tpch.part.p_type              INDIRECT:FILTER
-- *     <- tpch.region.r_name            INDIRECT:FILTER
-- *     <- tpch.region.r_regionkey       INDIRECT:JOIN
-- *     <- tpch.supplier.s_nationkey     INDIRECT:JOIN
-- *     <- tpch.supplier.s_suppkey       INDIRECT:JOIN

-- title: Q9 profit by nation and year
CREATE TABLE mart.h9 AS
WITH profits AS (
  SELECT n_name AS nation, extract(year FROM o_orderdate) AS at,
    l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
  FROM tpch.part, tpch.supplier, tpch.lineitem, tpch.partsupp, tpch.orders, tpch.nation
  WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey
    AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey
    AND p_name LIKE '%green%')
SELECT nation, at, sum(amount) AS profit FROM profits GROUP BY nation, at ORDER BY nation, at DESC;
-- nation <- tpch.nation.n_name            DIRECT:IDENTITY
-- at     <- tpch.orders.o_orderdate       DIRECT:TRANSFORMATION
-- profit <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- profit <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- profit <- tpch.lineitem.l_quantity      DIRECT:AGGREGATION
-- profit <- tpch.partsupp.ps_supplycost   DIRECT:AGGREGATION
-- *      <- tpch.lineitem.l_orderkey      INDIRECT:JOIN
-- *      <- tpch.lineitem.l_partkey       INDIRECT:JOIN
-- *      <- tpch.lineitem.l_suppkey       INDIRECT:JOIN
-- *      <- tpch.nation.n_name            INDIRECT:SORT, INDIRECT:GROUP_BY
-- *      <- tpch.nation.n_nationkey       INDIRECT:JOIN
-- *      <- tpch.orders.o_orderdate       INDIRECT:SORT, INDIRECT:GROUP_BY
-- *      <- tpch.orders.o_orderkey        INDIRECT:JOIN
-- *      <- tpch.part.p_name              INDIRECT:FILTER
-- *      <- tpch.part.p_partkey           INDIRECT:JOIN
-- *      <- tpch.partsupp.ps_partkey      INDIRECT:JOIN
-- *      <- tpch.partsupp.ps_suppkey      INDIRECT:JOIN
-- *      <- tpch.supplier.s_nationkey     INDIRECT:JOIN
-- *      <- tpch.supplier.s_suppkey       INDIRECT:JOIN

-- title: Q10 customers who returned parts
CREATE TABLE mart.h10 AS
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name
FROM tpch.customer JOIN tpch.orders ON c_custkey = o_custkey
JOIN tpch.lineitem ON l_orderkey = o_orderkey JOIN tpch.nation ON c_nationkey = n_nationkey
WHERE o_orderdate >= DATE'1993-10-01' AND l_returnflag = 'R'
GROUP BY c_custkey, c_name, c_acctbal, n_name
ORDER BY 3 DESC
LIMIT 20;
-- c_custkey <- tpch.customer.c_custkey       DIRECT:IDENTITY
-- c_name    <- tpch.customer.c_name          DIRECT:IDENTITY
-- revenue   <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue   <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- c_acctbal <- tpch.customer.c_acctbal       DIRECT:IDENTITY
-- n_name    <- tpch.nation.n_name            DIRECT:IDENTITY
-- *         <- tpch.customer.c_acctbal       INDIRECT:GROUP_BY
-- *         <- tpch.customer.c_custkey       INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *         <- tpch.customer.c_name          INDIRECT:GROUP_BY
-- *         <- tpch.customer.c_nationkey     INDIRECT:JOIN
-- *         <- tpch.lineitem.l_discount      INDIRECT:SORT
-- *         <- tpch.lineitem.l_extendedprice INDIRECT:SORT
-- *         <- tpch.lineitem.l_orderkey      INDIRECT:JOIN
-- *         <- tpch.lineitem.l_returnflag    INDIRECT:FILTER
-- *         <- tpch.nation.n_name            INDIRECT:GROUP_BY
-- *         <- tpch.nation.n_nationkey       INDIRECT:JOIN
-- *         <- tpch.orders.o_custkey         INDIRECT:JOIN
-- *         <- tpch.orders.o_orderdate       INDIRECT:FILTER
-- *         <- tpch.orders.o_orderkey        INDIRECT:JOIN

-- title: Q11 the stock that matters
CREATE TABLE mart.h11 AS
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS worth
FROM tpch.partsupp, tpch.supplier, tpch.nation
WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (
  SELECT sum(ps_supplycost * ps_availqty) * 0.0001
  FROM tpch.partsupp, tpch.supplier, tpch.nation
  WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY')
ORDER BY worth DESC;
-- ps_partkey <- tpch.partsupp.ps_partkey    DIRECT:IDENTITY
-- worth      <- tpch.partsupp.ps_availqty   DIRECT:AGGREGATION
-- worth      <- tpch.partsupp.ps_supplycost DIRECT:AGGREGATION
-- *          <- tpch.nation.n_name          INDIRECT:FILTER
-- *          <- tpch.nation.n_nationkey     INDIRECT:JOIN, INDIRECT:FILTER
-- *          <- tpch.partsupp.ps_availqty   INDIRECT:SORT, INDIRECT:FILTER
-- *          <- tpch.partsupp.ps_partkey    INDIRECT:GROUP_BY
-- *          <- tpch.partsupp.ps_suppkey    INDIRECT:JOIN, INDIRECT:FILTER
-- *          <- tpch.partsupp.ps_supplycost INDIRECT:SORT, INDIRECT:FILTER
-- *          <- tpch.supplier.s_nationkey   INDIRECT:JOIN, INDIRECT:FILTER
-- *          <- tpch.supplier.s_suppkey     INDIRECT:JOIN, INDIRECT:FILTER

-- title: Q12 priorities by ship mode
CREATE TABLE mart.h12 AS
SELECT l_shipmode,
  sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
  sum(if(o_orderpriority NOT IN ('1-URGENT', '2-HIGH'), 1, 0)) AS low
FROM tpch.orders JOIN tpch.lineitem ON o_orderkey = l_orderkey
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate AND l_receiptdate >= DATE'1994-01-01'
GROUP BY l_shipmode
ORDER BY l_shipmode;
-- l_shipmode <- tpch.lineitem.l_shipmode    DIRECT:IDENTITY
-- high       <- tpch.orders.o_orderpriority INDIRECT:CONDITIONAL
-- low        <- tpch.orders.o_orderpriority INDIRECT:CONDITIONAL
-- *          <- tpch.lineitem.l_commitdate  INDIRECT:FILTER
-- *          <- tpch.lineitem.l_orderkey    INDIRECT:JOIN
-- *          <- tpch.lineitem.l_receiptdate INDIRECT:FILTER
-- *          <- tpch.lineitem.l_shipdate    INDIRECT:FILTER
-- *          <- tpch.lineitem.l_shipmode    INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *          <- tpch.orders.o_orderkey      INDIRECT:JOIN

-- title: Q13 how many orders customers make
CREATE TABLE mart.h13 AS
SELECT orders, count(*) AS customers
FROM (
  SELECT c_custkey, count(o_orderkey)
  FROM tpch.customer LEFT JOIN tpch.orders
    ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey) AS counted (customer, orders)
GROUP BY orders
ORDER BY customers DESC, orders DESC;
-- orders    <- tpch.orders.o_orderkey  DIRECT:AGGREGATION masking
-- customers <-
-- *         <- tpch.customer.c_custkey INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *         <- tpch.orders.o_comment   INDIRECT:JOIN
-- *         <- tpch.orders.o_custkey   INDIRECT:JOIN
-- *         <- tpch.orders.o_orderkey  INDIRECT:SORT masking, INDIRECT:GROUP_BY masking

-- title: Q14 the effect of a promotion
CREATE TABLE mart.h14 AS
SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount)
  ELSE 0 END) / sum(l_extendedprice * (1 - l_discount)) AS promoted
FROM tpch.lineitem JOIN tpch.part ON l_partkey = p_partkey
WHERE l_shipdate >= DATE'1995-09-01' AND l_shipdate < DATE'1995-10-01';
-- promoted <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- promoted <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- promoted <- tpch.part.p_type              INDIRECT:CONDITIONAL
-- *        <- tpch.lineitem.l_partkey       INDIRECT:JOIN
-- *        <- tpch.lineitem.l_shipdate      INDIRECT:FILTER
-- *        <- tpch.part.p_partkey           INDIRECT:JOIN

-- title: Q15 the top supplier
CREATE TABLE mart.h15 AS
WITH revenues (supplier, total) AS (
  SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount))
  FROM tpch.lineitem WHERE l_shipdate >= DATE'1996-01-01' GROUP BY l_suppkey)
SELECT s_suppkey, s_name, total
FROM tpch.supplier JOIN revenues ON s_suppkey = supplier
WHERE total = (SELECT max(total) FROM revenues)
ORDER BY s_suppkey;
-- s_suppkey <- tpch.supplier.s_suppkey       DIRECT:IDENTITY
-- s_name    <- tpch.supplier.s_name          DIRECT:IDENTITY
-- total     <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- total     <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *         <- tpch.lineitem.l_discount      INDIRECT:FILTER
-- *         <- tpch.lineitem.l_extendedprice INDIRECT:FILTER
-- *         <- tpch.lineitem.l_shipdate      INDIRECT:FILTER
-- *         <- tpch.lineitem.l_suppkey       INDIRECT:GROUP_BY, INDIRECT:JOIN, INDIRECT:FILTER
-- *         <- tpch.supplier.s_suppkey       INDIRECT:SORT, INDIRECT:JOIN

-- title: Q16 suppliers who can deliver
CREATE TABLE mart.h16 AS
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS suppliers
FROM tpch.partsupp, tpch.part
WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM%'
  AND p_size IN (49, 14) AND ps_suppkey NOT IN (
    SELECT s_suppkey FROM tpch.supplier WHERE s_comment LIKE '%Complaints%')
GROUP BY p_brand, p_type, p_size
ORDER BY suppliers DESC, p_brand, p_type, p_size;
-- p_brand   <- tpch.part.p_brand        DIRECT:IDENTITY
-- p_type    <- tpch.part.p_type         DIRECT:IDENTITY
-- p_size    <- tpch.part.p_size         DIRECT:IDENTITY
-- suppliers <- tpch.partsupp.ps_suppkey DIRECT:AGGREGATION masking
-- *         <- tpch.part.p_brand        INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *         <- tpch.part.p_partkey      INDIRECT:JOIN
-- *         <- tpch.part.p_size         INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *         <- tpch.part.p_type         INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_partkey INDIRECT:JOIN
-- *         <- tpch.partsupp.ps_suppkey INDIRECT:FILTER, INDIRECT:SORT masking
-- *         <- tpch.supplier.s_comment  INDIRECT:FILTER
-- *         <- tpch.supplier.s_suppkey  INDIRECT:FILTER

-- title: Q17 revenue of small orders
CREATE TABLE mart.h17 AS
SELECT sum(l_extendedprice) / 7.0 AS yearly
FROM tpch.lineitem, tpch.part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
  AND l_quantity < (
    SELECT 0.2 * avg(x.l_quantity) FROM tpch.lineitem x WHERE x.l_partkey = p_partkey);
-- yearly <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *      <- tpch.lineitem.l_partkey       INDIRECT:JOIN, INDIRECT:FILTER
-- *      <- tpch.lineitem.l_quantity      INDIRECT:FILTER
-- *      <- tpch.part.p_brand             INDIRECT:FILTER
-- *      <- tpch.part.p_container         INDIRECT:FILTER
-- *      <- tpch.part.p_partkey           INDIRECT:JOIN, INDIRECT:FILTER

-- title: Q18 customers with large orders
CREATE TABLE mart.h18 AS
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity
FROM tpch.customer, tpch.orders, tpch.lineitem
WHERE o_orderkey IN (
    SELECT l_orderkey FROM tpch.lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300)
  AND c_custkey = o_custkey AND o_orderkey = l_orderkey
GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
ORDER BY o_totalprice DESC, o_orderdate
LIMIT 100;
-- c_name       <- tpch.customer.c_name     DIRECT:IDENTITY
-- c_custkey    <- tpch.customer.c_custkey  DIRECT:IDENTITY
-- o_orderkey   <- tpch.orders.o_orderkey   DIRECT:IDENTITY
-- o_orderdate  <- tpch.orders.o_orderdate  DIRECT:IDENTITY
-- o_totalprice <- tpch.orders.o_totalprice DIRECT:IDENTITY
-- quantity     <- tpch.lineitem.l_quantity DIRECT:AGGREGATION
-- *            <- tpch.customer.c_custkey  INDIRECT:GROUP_BY, INDIRECT:JOIN
-- *            <- tpch.customer.c_name     INDIRECT:GROUP_BY
-- *            <- tpch.lineitem.l_orderkey INDIRECT:JOIN, INDIRECT:FILTER
-- *            <- tpch.lineitem.l_quantity INDIRECT:FILTER
-- *            <- tpch.orders.o_custkey    INDIRECT:JOIN
-- *            <- tpch.orders.o_orderdate  INDIRECT:SORT, INDIRECT:GROUP_BY
-- *            <- tpch.orders.o_orderkey   INDIRECT:GROUP_BY, INDIRECT:JOIN, INDIRECT:FILTER
-- *            <- tpch.orders.o_totalprice INDIRECT:SORT, INDIRECT:GROUP_BY

-- title: Q19 revenue under one of three conditions
CREATE TABLE mart.h19 AS
SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM tpch.lineitem JOIN tpch.part ON p_partkey = l_partkey
WHERE (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX') AND l_quantity <= 11
    OR p_brand = 'Brand#23' AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10)
  AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON';
-- revenue <- tpch.lineitem.l_discount      DIRECT:AGGREGATION
-- revenue <- tpch.lineitem.l_extendedprice DIRECT:AGGREGATION
-- *       <- tpch.lineitem.l_partkey       INDIRECT:JOIN
-- *       <- tpch.lineitem.l_quantity      INDIRECT:FILTER
-- *       <- tpch.lineitem.l_shipinstruct  INDIRECT:FILTER
-- *       <- tpch.lineitem.l_shipmode      INDIRECT:FILTER
-- *       <- tpch.part.p_brand             INDIRECT:FILTER
-- *       <- tpch.part.p_container         INDIRECT:FILTER
-- *       <- tpch.part.p_partkey           INDIRECT:JOIN
-- *       <- tpch.part.p_size              INDIRECT:FILTER

-- title: Q20 suppliers with too much of a part
CREATE TABLE mart.h20 AS
SELECT s_name, s_address
FROM tpch.supplier, tpch.nation
WHERE s_suppkey IN (
    SELECT ps_suppkey FROM tpch.partsupp
    WHERE ps_partkey IN (SELECT p_partkey FROM tpch.part WHERE p_name LIKE 'forest%')
      AND ps_availqty > (
        SELECT 0.5 * sum(l_quantity) FROM tpch.lineitem
        WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
          AND l_shipdate >= DATE'1994-01-01'))
  AND s_nationkey = n_nationkey AND n_name = 'CANADA'
ORDER BY s_name;
-- s_name    <- tpch.supplier.s_name      DIRECT:IDENTITY
-- s_address <- tpch.supplier.s_address   DIRECT:IDENTITY
-- *         <- tpch.lineitem.l_partkey   INDIRECT:FILTER
-- *         <- tpch.lineitem.l_quantity  INDIRECT:FILTER
-- *         <- tpch.lineitem.l_shipdate  INDIRECT:FILTER
-- *         <- tpch.lineitem.l_suppkey   INDIRECT:FILTER
-- *         <- tpch.nation.n_name        INDIRECT:FILTER
-- *         <- tpch.nation.n_nationkey   INDIRECT:JOIN
-- *         <- tpch.part.p_name          INDIRECT:FILTER
-- *         <- tpch.part.p_partkey       INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_availqty INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_partkey  INDIRECT:FILTER
-- *         <- tpch.partsupp.ps_suppkey  INDIRECT:FILTER
-- *         <- tpch.supplier.s_name      INDIRECT:SORT
-- *         <- tpch.supplier.s_nationkey INDIRECT:JOIN
-- *         <- tpch.supplier.s_suppkey   INDIRECT:FILTER

-- title: Q21 suppliers who kept orders waiting
CREATE TABLE mart.h21 AS
SELECT s_name, count(*) AS waiting
FROM tpch.supplier, tpch.lineitem a, tpch.orders, tpch.nation
WHERE s_suppkey = a.l_suppkey AND o_orderkey = a.l_orderkey AND o_orderstatus = 'F'
  AND a.l_receiptdate > a.l_commitdate AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'
  AND EXISTS (
    SELECT 1 FROM tpch.lineitem b
    WHERE b.l_orderkey = a.l_orderkey AND b.l_suppkey <> a.l_suppkey)
  AND NOT EXISTS (
    SELECT 1 FROM tpch.lineitem c
    WHERE c.l_orderkey = a.l_orderkey AND c.l_receiptdate > c.l_commitdate)
GROUP BY s_name
ORDER BY waiting DESC, s_name;
-- s_name  <- tpch.supplier.s_name        DIRECT:IDENTITY
-- waiting <-
-- *       <- tpch.lineitem.l_commitdate  INDIRECT:FILTER
-- *       <- tpch.lineitem.l_orderkey    INDIRECT:JOIN, INDIRECT:FILTER
-- *       <- tpch.lineitem.l_receiptdate INDIRECT:FILTER
-- *       <- tpch.lineitem.l_suppkey     INDIRECT:JOIN, INDIRECT:FILTER
-- *       <- tpch.nation.n_name          INDIRECT:FILTER
-- *       <- tpch.nation.n_nationkey     INDIRECT:JOIN
-- *       <- tpch.orders.o_orderkey      INDIRECT:JOIN
-- *       <- tpch.orders.o_orderstatus   INDIRECT:FILTER
-- *       <- tpch.supplier.s_name        INDIRECT:SORT, INDIRECT:GROUP_BY
-- *       <- tpch.supplier.s_nationkey   INDIRECT:JOIN
-- *       <- tpch.supplier.s_suppkey     INDIRECT:JOIN

-- title: Q22 customers who may buy again
CREATE TABLE mart.h22 AS
SELECT code, count(*) AS customers, sum(c_acctbal) AS balance
FROM (
  SELECT substring(c_phone, 1, 2) AS code, c_acctbal
  FROM tpch.customer
  WHERE substring(c_phone, 1, 2) IN ('13', '31') AND c_acctbal > (
      SELECT avg(c_acctbal) FROM tpch.customer
      WHERE c_acctbal > 0.00 AND substring(c_phone, 1, 2) IN ('13', '31'))
    AND NOT EXISTS (SELECT * FROM tpch.orders WHERE o_custkey = c_custkey)) AS sales
GROUP BY code
ORDER BY code;
-- code      <- tpch.customer.c_phone   DIRECT:TRANSFORMATION
-- customers <-
-- balance   <- tpch.customer.c_acctbal DIRECT:AGGREGATION
-- *         <- tpch.customer.c_acctbal INDIRECT:FILTER
-- *         <- tpch.customer.c_custkey INDIRECT:FILTER
-- *         <- tpch.customer.c_phone   INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:FILTER
-- *         <- tpch.orders.o_custkey   INDIRECT:FILTER

-- sqlite: the catalog's case of an unquoted table
-- case: sales
INSERT INTO Sales SELECT 1, 1, 'a' FROM people

-- sqlite: the catalog's case of a column that keeps its name
-- case: sales
CREATE TABLE out_1 AS SELECT x.Total FROM Sales AS x

-- sqlite: a temporary table that hides a table, filled without a list of columns
-- lost: out_1.n <- prev.items.price
CREATE TEMPORARY TABLE orders AS SELECT id AS q4 FROM sink;
INSERT INTO orders SELECT price FROM prev.items;
CREATE TABLE out_1 AS SELECT q4 AS n FROM orders

-- sqlite: an inner alias that hides an outer one, whose column is meant
-- lost: curr.items.id <- prev.items.name
INSERT INTO curr.items SELECT (SELECT max(t.amount) FROM raw AS t WHERE t.state = t.name), 1, 'a' FROM prev.items AS t

-- duckdb: an inner alias that hides an outer one, whose column is meant
-- lost: out_1.id <- orders.note
CREATE TABLE out_1 AS SELECT id FROM orders AS items WHERE EXISTS (SELECT 1 FROM curr.items WHERE name = items.note)

-- sqlite: a star over USING has the column at the left table's place
-- lost: sink.id <- orders.id
-- idle: sink.total <- orders.id
INSERT INTO sink SELECT * FROM (SELECT id, cid FROM orders) JOIN (SELECT cid, name FROM people) USING (cid)

-- duckdb: a star over USING has the column at the left table's place
-- lost: sink.id <- orders.id
-- carried: sink.id <- orders.id
-- idle: sink.total <- orders.id
INSERT INTO sink SELECT * FROM (SELECT id, cid FROM orders) RIGHT JOIN (SELECT cid, name FROM people) USING (cid)

-- duckdb: an aggregate's argument beside its own ORDER BY
-- lost: out_1.s <- raw.state
-- carried: out_1.s <- raw.state
CREATE TABLE out_1 AS SELECT first(state ORDER BY amount) AS s FROM raw

-- duckdb: COLUMNS with EXCLUDE inside an expression
-- name: out_1.customer
CREATE TABLE out_1 AS SELECT COLUMNS(* EXCLUDE (state, customer)) + 1 FROM raw

-- duckdb: a macro that reads a table
-- lost: out_1.a <- orders.v
CREATE MACRO f(x) AS x + (SELECT max(v) FROM orders);
CREATE TABLE out_1 AS SELECT f(id) AS a FROM raw

-- mysql: UPDATE assigns from left to right
-- lost: sink.label <- raw.amount
UPDATE sink SET total = (SELECT max(amount) FROM raw WHERE raw.id = sink.id), label = total

-- mysql: a star over RIGHT JOIN USING has the right table's columns first
-- lost: sink.total <- orders.id
-- lost: sink.label <- people.name
INSERT INTO sink (id, label, total) SELECT * FROM (SELECT id, cid FROM orders) a RIGHT JOIN (SELECT cid, name FROM people) b USING (cid)

-- clickhouse: aliases that name each other's columns
-- lost: out_1.state <- raw.state
-- carried: out_1.state <- raw.state
-- idle: out_1.state <- raw.id
CREATE TABLE out_1 ENGINE = Memory AS SELECT id AS state, state AS id FROM raw

-- clickhouse: a column that a star replaces and that has an alias, too, is named by its expression
-- name: out_1.q2
CREATE TABLE out_1 ENGINE = Memory AS SELECT * REPLACE (v + 1 AS v), v AS q2 FROM orders

-- clickhouse: an alias does not hide the name of its table, and the first table of a name counts
-- lost: out_1.n <- prev.items.name
CREATE TABLE out_1 ENGINE = Memory AS SELECT items.name AS n FROM prev.items x9 FULL JOIN curr.items USING (id)

-- clickhouse: an alias hides a table of its name in the same FROM
-- lost: out_1.n <- sink.total
CREATE TABLE out_1 ENGINE = Memory AS SELECT x.total AS n FROM sink AS raw JOIN raw AS x USING (id)

-- clickhouse: a column of a name that another table has, too, has its table's name before it
-- lost: out_1.p.cid <- people.cid
CREATE TABLE out_1 ENGINE = Memory AS SELECT * FROM orders o JOIN people p ON o.id = p.age

-- clickhouse: a star over USING has its columns first
-- lost: sink.id <- orders.cid
-- lost: sink.total <- orders.id
INSERT INTO sink SELECT * FROM (SELECT id, cid FROM orders) a JOIN (SELECT cid, name FROM people) b USING (cid)

-- clickhouse: INSERT of all columns except some
-- lost: sink.label <- raw.state
-- idle: sink.total <- raw.state
INSERT INTO sink (* EXCEPT (total)) SELECT id, state FROM raw

-- sqlite: a column beside max() is that of its row
-- lost: out_1.state <- raw.amount
CREATE TABLE out_1 AS SELECT state, max(amount) AS m FROM raw

-- postgres: a table with its schema is not the temporary one of its name
-- lost: out_1.n <- raw.amount
CREATE TEMPORARY TABLE raw AS SELECT id AS amount FROM orders;
CREATE TABLE out_1 AS SELECT amount AS n FROM public.raw

-- sqlite: a table with its schema is not the temporary one of its name
-- lost: out_1.n <- raw.amount
CREATE TEMPORARY TABLE raw AS SELECT id AS amount FROM orders;
CREATE TABLE out_1 AS SELECT amount AS n FROM main.raw

-- duckdb: the right side of a SEMI JOIN is seen in its condition only
-- lost: out_1.id <- orders.id
CREATE TABLE out_1 AS SELECT id FROM orders SEMI JOIN people ON orders.cid = people.cid WHERE id > 0

-- sqlite: an alias that a column's name hides in GROUP BY is no key
-- lost: out_1.age <- orders.note
CREATE TABLE out_1 AS SELECT x1.v AS age, max(note) AS q2 FROM (SELECT orders.v, orders.note, people.age FROM orders, people) AS x1 GROUP BY age

-- mysql: VALUES of a column at the start of a parenthesis
-- lost: mart.total <- raw.id
INSERT INTO mart (id, total) SELECT id, amount FROM raw ON DUPLICATE KEY UPDATE total = CASE WHEN (VALUES(id) BETWEEN VALUES(total) AND 3) THEN VALUES(id) END

-- postgres: a quoted name is the outer table's, as the inner one has it in another case only
-- lost: out_1.n <- Sales.Id
CREATE TABLE out_1 AS SELECT (SELECT max(label) FROM sink WHERE total = "Id") AS n FROM "Sales"

-- sqlite: a generated column
-- lost: out_1.g <- orders.v
-- carried: out_1.g <- orders.v
CREATE TABLE mid_1 (k BIGINT, g BIGINT GENERATED ALWAYS AS (k + 1));
INSERT INTO mid_1 (k) SELECT v FROM orders;
CREATE TABLE out_1 AS SELECT g FROM mid_1

-- duckdb: a generated column
-- lost: out_1.g <- orders.v
-- carried: out_1.g <- orders.v
CREATE TABLE mid_1 (k BIGINT, g BIGINT GENERATED ALWAYS AS (k + 1));
INSERT INTO mid_1 (k) SELECT v FROM orders;
CREATE TABLE out_1 AS SELECT g FROM mid_1

-- postgres: a temporary view through which its table is changed
-- lost: sink.total <- sink.id
CREATE TEMPORARY VIEW view_1 AS SELECT id AS k, total AS t FROM sink;
UPDATE view_1 SET t = k

-- postgres: a view through which its table is filled
-- lost: sink.total <- orders.v
CREATE VIEW view_1 (a, b) AS SELECT total, id FROM sink;
INSERT INTO view_1 SELECT v, cid FROM orders

-- mysql: ON DUPLICATE KEY UPDATE assigns from left to right
-- lost: mart.total <- orders.note
INSERT INTO mart (id, label) SELECT id, note FROM orders ON DUPLICATE KEY UPDATE label = VALUES(label), total = length(mart.label)

-- mysql: an alias of the name of a column of USING is meant in GROUP BY
-- lost: out_1.q2 <- prev.items.id
CREATE TABLE out_1 AS SELECT x1.id AS price, sum(price) AS q2 FROM prev.items x1 LEFT JOIN curr.items USING (price) GROUP BY price

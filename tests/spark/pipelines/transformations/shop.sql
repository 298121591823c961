CREATE MATERIALIZED VIEW customers AS
SELECT id, upper(name) AS name FROM parquet.`files/customers`;

CREATE TEMPORARY VIEW large AS SELECT * FROM orders WHERE amount > 100;

CREATE MATERIALIZED VIEW totals AS
SELECT c.name, sum(l.amount) AS total
FROM large AS l JOIN customers AS c ON l.customer = c.id
WHERE c.id IN (SELECT customer FROM orders)
GROUP BY c.name;

CREATE STREAMING TABLE doubled AS SELECT id, amount * 2 AS amount FROM STREAM orders;

CREATE FLOW doubled_again AS
INSERT INTO ledger BY NAME SELECT id, amount AS value FROM STREAM doubled;

CREATE VIEW names AS SELECT name FROM customers WHERE id > 0;

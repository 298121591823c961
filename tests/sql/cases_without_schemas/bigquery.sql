CREATE TABLE d.m AS SELECT x, item FROM d.t, UNNEST(items) AS item
-- shop.d.m CREATE
--   x <- shop.d.t.x IDENTITY
--   item <- shop.d.t.items TRANSFORMATION

CREATE TABLE M AS SELECT * FROM A NATURAL JOIN B
-- SHOP.PUBLIC.M CREATE
-- reads SHOP.PUBLIC.A
-- reads SHOP.PUBLIC.B
-- unresolved: NaturalJoin
-- unresolved: Star

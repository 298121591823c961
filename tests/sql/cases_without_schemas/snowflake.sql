CREATE TABLE M AS SELECT * FROM A NATURAL JOIN B
-- SHOP.PUBLIC.M CREATE
-- reads SHOP.PUBLIC.A
-- reads SHOP.PUBLIC.B
-- unresolved: NaturalJoin
-- unresolved: Star

create table x as select a as b, b + c as d from t where b > 1
-- SHOP.PUBLIC.X CREATE
--   B <- SHOP.PUBLIC.T.A IDENTITY
--   D <- SHOP.PUBLIC.T.A TRANSFORMATION
--   D <- SHOP.PUBLIC.T.C TRANSFORMATION
--   * <- SHOP.PUBLIC.T.B FILTER
-- unresolved: AmbiguousColumn 2

create table x as select coalesce(a, z) as a, upper(a) as d from t
-- SHOP.PUBLIC.X CREATE
--   A <- SHOP.PUBLIC.T.A CONDITIONAL
--   A <- SHOP.PUBLIC.T.A TRANSFORMATION
--   A <- SHOP.PUBLIC.T.Z CONDITIONAL
--   A <- SHOP.PUBLIC.T.Z TRANSFORMATION
--   D <- SHOP.PUBLIC.T.A TRANSFORMATION

create table x as select a, row_number() over (partition by b order by z) as rn from t qualify rn = 1
-- SHOP.PUBLIC.X CREATE
--   A <- SHOP.PUBLIC.T.A IDENTITY
--   RN <- SHOP.PUBLIC.T.B WINDOW
--   RN <- SHOP.PUBLIC.T.Z WINDOW
--   * <- SHOP.PUBLIC.T.B FILTER
--   * <- SHOP.PUBLIC.T.Z FILTER

create table x as select a as q from t qualify row_number() over (partition by q order by z) = 1
-- SHOP.PUBLIC.X CREATE
--   Q <- SHOP.PUBLIC.T.A IDENTITY
--   * <- SHOP.PUBLIC.T.A FILTER
--   * <- SHOP.PUBLIC.T.Z FILTER
-- unresolved: AmbiguousColumn

create table x as select t.b as k, a as b, b as d from t
-- SHOP.PUBLIC.X CREATE
--   K <- SHOP.PUBLIC.T.B IDENTITY
--   B <- SHOP.PUBLIC.T.A IDENTITY
--   D <- SHOP.PUBLIC.T.B IDENTITY

create table x as select s.nextval as id, a from t
-- SHOP.PUBLIC.X CREATE
--   ID <-
--   A <- SHOP.PUBLIC.T.A IDENTITY

select a as b, b + c as d into x from t
-- shop.dbo.x CREATE
--   b <- shop.dbo.t.a IDENTITY
--   d <- shop.dbo.t.b TRANSFORMATION
--   d <- shop.dbo.t.c TRANSFORMATION

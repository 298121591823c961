create table x as select a as b, b + c as d from t
-- shop.public.X CREATE
--   B <- shop.public.T.A IDENTITY
--   D <- shop.public.T.B TRANSFORMATION
--   D <- shop.public.T.C TRANSFORMATION

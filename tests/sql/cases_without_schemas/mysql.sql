INSERT INTO t (a) SELECT p.a FROM p JOIN q ON p.i = q.i WHERE flag = 1 GROUP BY grp ORDER BY srt
-- shop.t
--   a <- shop.p.a IDENTITY
--   * <- shop.p.i JOIN
--   * <- shop.q.i JOIN
-- unresolved: AmbiguousColumn 3

merge with schema evolution into m t using s on t.id = s.id when matched then update set *
-- shop.public.m
--   * <- shop.public.m.id JOIN
--   * <- shop.public.s.id JOIN
-- unresolved: TargetColumns

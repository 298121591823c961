"""What depends on PostgreSQL tables that are replaced: views, owners and rights. SQL text.

PostgreSQL drops no table that a view reads, and a new table has its owner's rights only. So views,
the store's and other people's, are made again as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Rows = Callable[[str, Any], list[Any]]  # runs a query with values; returns its rows

_VIEWS = """
WITH RECURSIVE found(id, level) AS (
    SELECT r.ev_class, 1 FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
        AND d.refobjid = ANY(%(tables)s::oid[]) AND r.ev_class <> d.refobjid
    UNION
    SELECT r.ev_class, f.level + 1 FROM found AS f JOIN pg_depend AS d ON d.refobjid = f.id
    JOIN pg_rewrite AS r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
        AND r.ev_class <> f.id
)
SELECT c.oid, format('%%I.%%I', n.nspname, c.relname),
    coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', ''),
    pg_get_viewdef(c.oid)
FROM (SELECT id, max(level) AS level FROM found GROUP BY id) AS f
JOIN pg_class AS c ON c.oid = f.id JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'v' ORDER BY f.level, c.oid
"""
_RIGHTS = """
SELECT format('ALTER TABLE %%I.%%I OWNER TO %%I', n.nspname, c.relname,
    pg_get_userbyid(c.relowner)), 0 AS turn
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = ANY(%(all)s::oid[]) AND pg_get_userbyid(c.relowner) <> current_user
UNION ALL
SELECT format('GRANT %%s ON %%I.%%I TO %%s%%s', a.privilege_type, n.nspname, c.relname,
    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
    CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END), 1
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) AS a
WHERE c.oid = ANY(%(all)s::oid[]) AND a.grantee <> c.relowner
ORDER BY turn
"""


class Dependents(NamedTuple):
    """Statements that drop what depends on some tables, and that make it again."""

    drop: list[str]
    restore: list[str]


def dependents(rows: Rows, tables: Sequence[str]) -> Dependents:
    """The views on the tables, named with their schema, and everybody's rights on both."""
    ids = [id for (id,) in rows("SELECT unnest(%(names)s::regclass[])::oid", {"names": tables})]
    views = rows(_VIEWS, {"tables": ids})
    rights = rows(_RIGHTS, {"all": [*ids, *(view[0] for view in views)]})
    create = [f"CREATE VIEW {name}{options} AS {sql}" for _, name, options, sql in views]
    return Dependents(
        [f"DROP VIEW {name}" for _, name, *_ in reversed(views)],
        [*create, *(sql for sql, _ in rights)],
    )

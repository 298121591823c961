"""Procedures that a SQL text calls, of those that may change what is in a table. Pure.

Spark runs a procedure while it analyzes the text, so no listener hears of it.
"""

from __future__ import annotations

import re

CALL = "CALL "  # before a procedure's name, in diagnostics
NAME = r"(?:`[^`]+`|[\w$]+)"
TOKEN = re.compile(
    rf"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
    rf"|\bCALL\s+({NAME}(?:\s*\.\s*{NAME})*)\s*\(",
    re.IGNORECASE | re.DOTALL,
)
# Iceberg's procedures that leave each row and the meaning of each name as they were.
MAINTENANCE = {
    *("ancestors_of", "compute_partition_stats", "compute_table_stats", "expire_snapshots"),
    *("remove_orphan_files", "rewrite_data_files", "rewrite_manifests"),
    *("rewrite_position_delete_files", "rewrite_table_path"),
}


def called_procedures(text: str) -> list[str]:
    """The names of the procedures, without the catalog; those of maintenance are left out.

    >>> called_procedures("CALL lake.system.add_files(table => 'a', source_table => 'CALL b(1)')")
    ['system.add_files']
    >>> called_procedures("call lake.system.expire_snapshots('a') -- CALL c(1)")
    []
    """
    if "call" not in text.lower():
        return []
    names = [match[1] for match in TOKEN.finditer(text) if match[1]]
    parts = [[part.strip(" `\n\t") for part in name.split(".")] for name in names]
    return [".".join(of[-2:]) for of in parts if of[-1].lower() not in MAINTENANCE]

"""Column lineage of SQL text, found by sqlglot: a task's statements, and queries of JDBC reads.

Pure functions from text, dialect and schemas to lineage; they import nothing else of ours.
"""

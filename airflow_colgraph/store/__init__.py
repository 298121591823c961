"""Keeps OpenLineage events as column lineage over time and answers questions about it."""

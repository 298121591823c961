"""Judges the lineage of SQL text by statements that real databases run on changed rows."""

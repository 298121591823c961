"""Queries: lineage, history, datasets, jobs and runs, answered from the tables."""

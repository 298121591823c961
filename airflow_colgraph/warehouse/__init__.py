"""The lineage of a whole company as tables: a Spark pipeline over OpenLineage event logs.

The meaning is the store's (docs/store.md): each event is read by the same function, and the tables
are equal to the store's. pyspark is imported inside functions; no database is needed.
"""

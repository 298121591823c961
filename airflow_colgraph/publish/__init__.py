"""Between a warehouse and a team's store, in both directions: its lineage, and whole events.

The only room that touches both Spark and the store's database.
"""

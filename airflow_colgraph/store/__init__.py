"""The store: column lineage over time from OpenLineage events, and queries about it."""

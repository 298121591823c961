"""Compare the lineage of a changed job with the store's, and decide what may land."""

"""The pytest plugin: lineage as an assertion."""

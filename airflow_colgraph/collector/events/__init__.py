"""Lineage as OpenLineage's events and facets. Pure."""

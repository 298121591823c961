"""Ingestion: OpenLineage events in, rows of the tables out."""

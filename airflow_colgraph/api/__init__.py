"""The REST API over the store."""

"""Spark's own golden SQL suite, run with and without the collector: nothing of it is kept here."""

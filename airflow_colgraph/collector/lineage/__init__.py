"""Plans to column lineage. Pure: plain data in, plain data out."""

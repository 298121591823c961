"""An independent judge of column lineage: other values in a column change only what it makes."""

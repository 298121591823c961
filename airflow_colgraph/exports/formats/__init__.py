"""Graph answers as text: a table (tree), JSON, CSV, Mermaid and DOT; edges as CSV and Parquet."""

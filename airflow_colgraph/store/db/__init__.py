"""Database: tables, connections, and the statements that ingestion and queries share."""

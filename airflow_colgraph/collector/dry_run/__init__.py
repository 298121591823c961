"""A job run without data: sources are empty, and changes go to a scratch folder."""

"""What datasets are called, by OpenLineage's naming rules. Pure."""

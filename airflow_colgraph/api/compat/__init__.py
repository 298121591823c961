"""Routes that exist for the clients of other systems: Marquez, CDAP and DataHub.

The app mounts them; no core route imports them.
"""

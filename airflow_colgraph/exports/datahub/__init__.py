"""Lineage for DataHub: URNs, platforms, metadata change proposals and RFC 1841."""

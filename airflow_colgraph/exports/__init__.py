"""Exports of the store: graph formats, field paths, and lineage for other catalogs."""

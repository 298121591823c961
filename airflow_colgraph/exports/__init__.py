"""The ways out of the store: field paths, URNs, graph drawings, files."""

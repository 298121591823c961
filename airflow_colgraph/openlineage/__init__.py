"""OpenLineage's own words and merge rules, and the redaction, which all parts of the package share.

Standard library only, Python >= 3.9, and no import of ours: it travels in the collector's zip.
"""

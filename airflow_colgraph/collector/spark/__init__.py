"""Touches the JVM: the only readers of py4j objects, which become plain data here."""

"""The Spark driver's process: how the collector starts, listens, queues and ends."""

"""What a server's answer to an event says beside its status."""

REFUSED_EVENT = "X-Colgraph-Refused-Event"  # a header: others may be taken of the same caller

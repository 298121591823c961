"""How much of what is generated, or only more of the same, a run of the tests takes.

`make test` takes a sample, and leaves out the tests that are marked `long`. `make long` runs those
and the ones that are marked `sampled`, and takes all.
"""

import os

ALL = os.environ.get("EXAMPLES") == "all"


def of_all(number: int, sample: int) -> int:
    """How many: all in `make long`, else a sample."""
    return number if ALL else sample

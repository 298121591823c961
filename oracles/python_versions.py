"""What versions of Python tell of functions as they are written: do all tell the same?

    python -m oracles.python_versions PYTHON ...

Each PYTHON is an interpreter that has pandas, PyArrow and pytest. Without one, what this one tells
is printed, a line for each function of `tests/collector/python_functions/written/`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator


def lines() -> Iterator[str]:
    """What is told of each function."""
    from tests.collector.python_functions.test_written import functions

    for name, kind, function in functions():
        columns, rows, rest, opaque, _ = kind.interpret(function)
        inputs = [(column, sorted(each.items())) for column, each in columns.items()]
        others = [sorted(each.items()) if each is not None else None for each in (rows, rest)]
        yield f"{name} {inputs} {others} {sorted(opaque)}"


def main(interpreters: list[str]) -> int:
    """Print what is told, or compare it with what other interpreters print."""
    own = [*lines()]
    if not interpreters:
        print("\n".join(own))
        return 0
    different = 0
    for interpreter in interpreters:
        command = [interpreter, "-m", "oracles.python_versions"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        theirs = ran.stdout.splitlines()
        others = [line for line in theirs if line not in own]
        different += len(others) + abs(len(own) - len(theirs))
        print(f"{interpreter}: {len(theirs)} functions, {len(others)} told otherwise")
        print("".join(f"  {line}\n" for line in others), end="")
    return bool(different)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

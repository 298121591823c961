"""Plants made secrets in texts of every kind and counts those that the redaction leaves visible.

    python -m oracles.plant_secrets [--each 200] [--seed 1]

Each place of `tests/collector/secret_places.py` gets made secrets, with other text around, plain,
in JSON, in a quoted string and in an exception's message. The exit code is 1 if one is found again.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

from airflow_colgraph.openlineage.redaction import in_text, shown_name
from tests.collector.secret_places import (
    IN_COLUMNS,
    IN_SQL,
    LOGINS,
    NAMES,
    PAIRS,
    SENTENCES,
    planted,
    wrapped,
)

LETTERS = "abcdefXYZ0123456789+/._-"
IN_LOGINS = LETTERS + "?#:!$&=,;"
AROUND = "abc XYZ019,.\n("
LAYERS = ("", "json", "repr", "exception")


def made(random: random.Random, letters: str, least: int, most: int) -> str:
    """A text of some of the letters."""
    return "".join(random.choices(letters, k=random.randint(least, most)))


def places() -> Iterator[tuple[str, str]]:
    """Each kind, and a place of it."""
    for pair in PAIRS:
        yield from (("pair", pair.format(name)) for name in NAMES)
    yield from (("sentence", text) for text in SENTENCES)
    yield from (("login", text) for text in LOGINS)
    yield from (("SQL", text) for text in IN_SQL)
    yield from (("column", text) for text in IN_COLUMNS)


def texts(random: random.Random, kind: str, place: str, secret: str) -> Iterator[str]:
    """What is left of texts in which the secret stands at the place."""
    if kind == "SQL":
        before = made(random, AROUND.replace("(", ""), 0, 20)
        yield in_text(f"SELECT 'x' AS y; -- {before}\n{planted(place, secret)}", quoted_only=True)
        return
    if kind == "column":
        name = planted(place, secret)
        yield shown_name(name)
        yield in_text(f"cannot resolve `{name}` given input columns: [`id`]")
        return
    before, after = made(random, AROUND, 0, 20), made(random, AROUND, 0, 20)
    for layer in LAYERS[:1] if kind == "login" else LAYERS:
        yield in_text(wrapped(f"{before} {planted(place, secret)} {after}", layer))


def main() -> int:
    """Plant, redact, count."""
    parser = argparse.ArgumentParser(prog="python -m oracles.plant_secrets", description=__doc__)
    parser.add_argument("--each", type=int, default=200, help="secrets for each place")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    planted_in: dict[str, int] = {}
    found_in: dict[str, int] = {}
    for kind, place in places():
        for _ in range(options.each):
            letters = IN_LOGINS if kind == "login" else LETTERS
            secret = f"q7{made(draw, letters, 6, 40)}Z"
            for text in texts(draw, kind, place, secret):
                planted_in[kind] = planted_in.get(kind, 0) + 1
                if secret in text:
                    found_in[kind] = found_in.get(kind, 0) + 1
                    print(f"{kind}: {text!r}")
    for kind, count in planted_in.items():
        print(f"{kind:10} {count:9,} planted, {found_in.get(kind, 0):,} visible")
    return 1 if found_in else 0


if __name__ == "__main__":
    raise SystemExit(main())

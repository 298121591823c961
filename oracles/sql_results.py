"""The results of `python -m bench.sql`, as the documentation has them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "tests" / "sql" / "tpc_results.json"
KINDS = {"ours": "this project", "stock": "the SQL provider"}


def table(results: Mapping[str, Any]) -> Iterator[str]:
    """A row for each kind of lineage, with the queries of each suite that are fully right."""
    queries = results["queries"]
    yield f"| lineage of | {' | '.join(queries)} | datasets without a name |"
    yield "| --- |" + " ---: |" * (len(queries) + 1)
    for kind, name in KINDS.items():
        right = [f"{results['right'][kind][suite]} of {of}" for suite, of in queries.items()]
        yield f"| {name} | {' | '.join(right)} | {results['unnamed'][kind]} |"
    yield ""
    yield ", ".join(f"{name} {found}" for name, found in results["versions"].items()) + "."
    for suite, names in results["wrong"].items():
        if names:
            yield f"Not fully right in {suite}: {', '.join(names)}."


def recorded() -> dict[str, Any]:
    """The results that were recorded last."""
    return dict(json.loads(RECORDED.read_text()))

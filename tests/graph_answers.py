"""Graph answers in JSON with each edge whole, as docs/store.md tells how to read them."""

from typing import Any


def nodes_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Namespace, name, field and depth of each node."""
    datasets, nodes = answer["datasets"], answer["nodes"]
    return [
        {**datasets[dataset], "field": field, "depth": depth}
        for dataset, field, depth in zip(
            nodes["dataset"], nodes["field"], nodes["depth"], strict=True
        )
    ]


def edges_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The edges, each with its ends, its transformation and its reports."""
    ends = [{k: v for k, v in node.items() if k != "depth"} for node in nodes_of(answer)]
    jobs, runs = [None, *answer["jobs"]], [None, *answer["runs"]]
    reports = [
        {**one, "job": jobs[_after(one["job"])], "run": runs[_after(one["run"])]}
        for one in answer["reports"]
    ]
    columns = answer["edges"]
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    return [
        {
            "input": ends[row["input"]],
            "output": ends[row["output"]],
            **answer["transformations"][row["transformation"]],
            "direction": row["direction"],
            "depth": row["depth"],
            "reported_by": [reports[at] for at in row["reported_by"]],
        }
        for row in rows
    ]


def _after(place: int | None) -> int:
    return 0 if place is None else place + 1

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
    """The edges, each with its ends, its transformation and its reports, of either JSON format."""
    if isinstance(answer["edges"], list):
        return _united(answer["edges"])
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


REPORT = ("job", "run", "first_seen", "last_seen", "closed_at")


def _united(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one edge as the edge with its reports."""
    edges: dict[str, dict[str, Any]] = {}
    for row in rows:
        edge = {key: value for key, value in row.items() if key not in REPORT}
        reports = edges.setdefault(repr(edge), {**edge, "reported_by": []})["reported_by"]
        if row["first_seen"]:
            reports.append({key: row[key] for key in REPORT})
    return list(edges.values())


def _after(place: int | None) -> int:
    return 0 if place is None else place + 1

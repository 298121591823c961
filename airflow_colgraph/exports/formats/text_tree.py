"""A graph answer as an indented tree for a terminal. Pure: an answer in, text out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.runs import Report

# Controls of terminals, and what ends a line: shown as Python writes them.
ON_A_LINE = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


def text_tree(graph: Graph) -> str:
    """The answer as text: a field a line, below it what it comes from (or what comes from it).

    Each line names the transformation and the job or Airflow task that did it. A field that was
    shown above is shown again without what is below it.
    """
    lines: list[str] = []
    for direction in (UP, DOWN):
        edges = [edge for edge in graph.edges if edge.direction == direction]
        if graph.question.direction in (direction, "both"):
            lines += _direction(graph, direction, edges)
    if graph.truncated:
        lines.append(
            f"Truncated: {graph.unexplored} more fields were not followed "
            f"(limit {graph.question.limit} edges)."
        )
    return "\n".join(line.translate(ON_A_LINE) for line in lines) + "\n"


def field_label(field: Field) -> str:
    """The field for a person: dataset, then field; `*` is the dataset's rows as a whole."""
    return f"{field.namespace} {field.name}: {field.field or '*'}"


def transformation_label(transformation: Transformation) -> str:
    """The transformation for a person, e.g. `DIRECT TRANSFORMATION masking [sha2(x, 256)]`."""
    words = [transformation.type, transformation.subtype]
    words += ["masking"] if transformation.masking else []
    words += [f"[{transformation.description}]"] if transformation.description else []
    return " ".join(word for word in words if word)


def job_label(report: Report) -> str:
    """The Airflow task, else the job, else that the dataset itself was declared so."""
    if report.job is None:
        return "declared"
    if report.job.dag_id and report.job.task_id:
        return f"{report.job.dag_id}.{report.job.task_id}"
    return report.job.name


def _direction(graph: Graph, direction: str, edges: list[Edge]) -> Iterator[str]:
    near = "output" if direction == UP else "input"
    far = "input" if direction == UP else "output"
    below: dict[Field, list[Edge]] = defaultdict(list)
    for edge in edges:
        below[getattr(edge, near)].append(edge)
    shown: set[Field] = set()
    asked = [start for start in graph.starts if start.field or below[start]] or graph.starts
    if not edges:
        what = (
            "has no known upstream fields" if direction == UP else "has no known downstream fields"
        )
        yield from (f"{field_label(start)}  {what}" for start in asked)
        return
    for start in asked:
        if start in shown:
            continue
        yield field_label(start)
        shown.add(start)
        # An explicit stack: lineage can be deeper than Python's recursion.
        stack = [(iter(_children(start, below, far)), "")]
        while stack:
            children, indent = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                continue
            field, how, last = child
            again = field in shown and bool(below[field])
            yield f"{indent}{'└─ ' if last else '├─ '}{field_label(field)}  {how}" + (
                "  (see above)" if again else ""
            )
            if not again:
                shown.add(field)
                deeper = indent + ("   " if last else "│  ")
                stack.append((iter(_children(field, below, far)), deeper))


def _children(
    field: Field, below: dict[Field, list[Edge]], far: str
) -> list[tuple[Field, str, bool]]:
    """The fields next to one, with all the ways in which they are; rows of its dataset too."""
    edges = list(below[field])
    if field.field:
        edges += below[field.dataset]
    elif far == "output":  # whoever reads a field of a dataset depends on its rows
        edges += [e for other, es in below.items() if other.dataset == field != other for e in es]
    ways: dict[Field, list[str]] = defaultdict(list)
    for edge in edges:
        who = ", ".join(dict.fromkeys(job_label(report) for report in edge.reported_by))
        way = f"{transformation_label(edge.transformation)}  <{who}>"
        if way not in ways[getattr(edge, far)]:
            ways[getattr(edge, far)].append(way)
    fields = list(ways)
    return [
        (neighbour, "; ".join(ways[neighbour]), neighbour is fields[-1]) for neighbour in fields
    ]

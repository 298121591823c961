"""A body's operations: READ, TRANSFORM and WRITE steps between datasets' fields. Pure.

An operation is `{"name", "description", "inputs", "outputs"}`. A READ's inputs are
`{"endPoint": {"namespace", "name"}}` and its outputs `{"fields": [name, ...]}`; a WRITE's inputs
are `{"fields": [{"origin": operation, "name": field}]}` and its outputs an endPoint; a TRANSFORM
has fields on both sides. A field within a job is (the operation that it comes from, its name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from airflow_colgraph.store.model.field_path import nearest
from airflow_colgraph.store.model.lineage_body import Field, Statement, statements

T = TypeVar("T")
Operation = dict[str, Any]
Origin = tuple[str, str]  # operation and field


class Step(NamedTuple):
    """An operation with its inputs and outputs."""

    name: str
    description: str
    source: Field | None  # the dataset that it reads
    target: Field | None  # the dataset that it writes
    inputs: tuple[Origin, ...]
    outputs: tuple[str, ...]


def steps(body: Mapping[str, Any]) -> list[Step]:
    """The operations of a body; if the producer gave none, one per edge's expression."""
    stated = [
        _step(operation)
        for operation in body["operations"]
        if isinstance(operation, dict) and operation.get("name")
    ]
    return stated or _from_edges(body)


def expressions(body: Mapping[str, Any]) -> dict[str, str]:
    """The expression that each written field comes from, where it is not just passed on."""
    named = {step.name: step for step in steps(body)}
    written = (entry for step in named.values() if step.target for entry in step.inputs)
    return {
        field: named[origin].description
        for origin, field in written
        if origin in named and named[origin].source is None and len(named[origin].outputs) == 1
    }


def _step(operation: Operation) -> Step:
    inputs, outputs = operation.get("inputs"), operation.get("outputs")
    return Step(
        str(operation["name"]),
        str(operation.get("description") or ""),
        _end_point(inputs),
        _end_point(outputs),
        tuple(
            (str(entry.get("origin") or ""), str(entry.get("name") or entry.get("field") or ""))
            for entry in _fields(inputs)
            if isinstance(entry, dict)
        ),
        tuple(str(o.get("name") if isinstance(o, dict) else o) for o in _fields(outputs)),
    )


def _fields(side: Any) -> list[Any]:
    fields = side.get("fields") if isinstance(side, dict) else side
    return fields if isinstance(fields, list) else []


def _end_point(side: Any) -> Field | None:
    point = side.get("endPoint") if isinstance(side, dict) else None
    if not isinstance(point, dict):
        return None
    return Field(str(point.get("namespace") or ""), str(point.get("name") or ""), "")


def _from_edges(body: Mapping[str, Any]) -> list[Step]:
    """A read per input dataset, a transformation per field, one write."""
    output = Field(body["output"][0], body["output"][1], "")
    names = [name for name, _ in body["fields"] or ()]
    edges = [s for s in statements(body) if s.output.field and s.input.field]
    sources = sorted({edge.input.dataset for edge in edges})
    reads = {source: f"read {number}" for number, source in enumerate(sources, 1)}
    return [
        *(_read(reads[source], source, edges) for source in sources),
        *(_transform(name, edges, reads) for name in names),
        Step(
            "write",
            f"write {output.name}",
            None,
            output,
            tuple((f"make {name}", name) for name in names),
            (),
        ),
    ]


def _read(name: str, source: Field, edges: Iterable[Statement]) -> Step:
    """The fields of an input dataset that a job uses."""
    fields = tuple(sorted({edge.input.field for edge in edges if edge.input.dataset == source}))
    return Step(name, f"read {source.name}", source, None, (), fields)


def _transform(name: str, edges: Iterable[Statement], reads: Mapping[Field, str]) -> Step:
    """What a field of the output is computed from."""
    own = [edge for edge in edges if edge.output.field == name]
    inputs = sorted({(reads[edge.input.dataset], edge.input.field) for edge in own})
    return Step(f"make {name}", _words(own), None, None, tuple(inputs), (name,))


def _words(edges: Iterable[Statement]) -> str:
    kinds = [edge.transformation for edge in edges]
    texts = dict.fromkeys(t.description or f"{t.type} {t.subtype}".strip() for t in kinds)
    return "; ".join(texts) or "constant"


def _named(field: str, some: tuple[T, ...], name: Callable[[T], str]) -> tuple[T, ...]:
    """Those of the field, its parts or the struct that it is in; operations keep a job's case."""
    about = nearest(field, map(name, some))
    if about:
        return tuple(each for each in some if name(each) in about)
    folded = nearest(field.casefold(), (name(each).casefold() for each in some))
    return tuple(each for each in some if name(each).casefold() in folded)


def backward(all_steps: list[Step], is_target: Callable[[Field], bool], field: str) -> list[Step]:
    """The steps that make the field of the dataset, each with what the field needs, in order."""
    by_name = {step.name: step for step in all_steps}
    wanted: dict[str, set[str]] = {}
    targets: dict[str, tuple[Origin, ...]] = {}
    queue: list[Origin] = []
    for step in all_steps:
        if step.target and is_target(step.target):
            taken = _named(field, step.inputs, lambda origin: origin[1])
            if taken:
                targets[step.name] = taken
                queue += taken
    while queue:
        origin, name = queue.pop()
        step_found = by_name.get(origin)
        if step_found is None or name in wanted.setdefault(origin, set()):
            continue
        first = not wanted[origin]
        wanted[origin].add(name)
        if first:
            queue += step_found.inputs
    kept = [
        step._replace(outputs=tuple(o for o in step.outputs if o in wanted[step.name]))
        for step in all_steps
        if wanted.get(step.name)
    ]
    return ordered(kept + [by_name[name]._replace(inputs=taken) for name, taken in targets.items()])


def forward(all_steps: list[Step], is_source: Callable[[Field], bool], field: str) -> list[Step]:
    """The steps that the field of the dataset goes through, each with what it derives from it."""
    reached: set[Origin] = set()
    kept: dict[str, Step] = {}
    for step in all_steps:
        if step.source and is_source(step.source):
            read = _named(field, step.outputs, str)
            if read:
                reached.update((step.name, name) for name in read)
                kept[step.name] = step._replace(outputs=read)
    changed = bool(reached)
    while changed:
        changed = False
        for step in all_steps:
            taken = tuple(origin for origin in step.inputs if origin in reached)
            if taken and (step.name not in kept or kept[step.name].inputs != taken):
                kept[step.name] = step._replace(inputs=taken)
                reached.update((step.name, name) for name in step.outputs)
                changed = True
    return ordered(list(kept.values()))


def ordered(some: list[Step]) -> list[Step]:
    """The steps, each after those that its inputs come from, otherwise in their order."""
    by_name = {step.name: step for step in some}
    done: dict[str, Step] = {}
    waiting = [(step, False) for step in reversed(some)]
    open_names: set[str] = set()
    while waiting:
        step, ready = waiting.pop()
        if ready:
            done.setdefault(step.name, step)
        elif step.name not in open_names:
            open_names.add(step.name)
            waiting.append((step, True))
            before = dict.fromkeys(origin for origin, _ in step.inputs)
            waiting += [(by_name[o], False) for o in reversed(before) if o in by_name]
    return list(done.values())


def as_json(step: Step) -> Operation:
    """The step as CDAP writes it."""
    inputs: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    if step.source:
        inputs["endPoint"] = {"namespace": step.source.namespace, "name": step.source.name}
    if step.inputs or not step.source:
        inputs["fields"] = [{"origin": origin, "name": name} for origin, name in step.inputs]
    if step.target:
        outputs["endPoint"] = {"namespace": step.target.namespace, "name": step.target.name}
    else:
        outputs["fields"] = list(step.outputs)
    return {
        "name": step.name,
        "description": step.description,
        "inputs": inputs,
        "outputs": outputs,
    }

"""Random events with all that affects edges: retries, appends, several names, equal times."""

import random
from typing import Any

from tests.store.samples import at, event, output

Json = dict[str, Any]
FIELDS = ("x", "y", "z")
NESTED = ("s.k", "s", "x", "s.k.u", "s.j", "m", "m._element.v", "s._element.k.w")
DATASETS = ("a", "b", "c", "d", "e")
HOW = ("", "", " DIRECT:AGGREGATION", " INDIRECT:FILTER", " DIRECT:TRANSFORMATION:masking")


class Chosen(random.Random):
    """Random choices, with the names of fields that are chosen from."""

    def __init__(self, seed: int, fields: tuple[str, ...]) -> None:
        super().__init__(seed)
        self.fields = fields


def random_events(seed: int, count: int, fields: tuple[str, ...] = FIELDS) -> list[Json]:
    """So many events; the same seed gives the same ones, and another one other datasets."""
    choose = Chosen(seed, fields)
    return [_event(choose, str(seed), number) for number in range(count)]


def _event(choose: Chosen, of: str, number: int) -> Json:
    minute = choose.randrange(number // 2 + 1, number // 2 + 6)  # late ones, and equal times
    written = choose.sample(DATASETS, choose.choice((0, 1, 1, 1, 2)))
    outputs = [_output(choose, of, name) for name in written]
    if choose.random() < 0.1 and outputs:
        return {"eventTime": at(minute), "dataset": outputs[0]}
    reads = [of + name for name in choose.sample(DATASETS, choose.choice((0, 1, 2)))]
    job = f"{of}job{choose.randrange(4)}"
    # Several events of a run, of which one may name another job.
    run = choose.randrange(number // 3 + 1, number // 3 + 4)
    state = choose.choice(("START", "RUNNING", "COMPLETE", "FAIL"))
    facets = _facets(choose, job)
    if number % 9 == 4:  # two reports of a job, one of them without what it read
        part = "unresolved" if number % 2 else "opaque"
        facets["colgraph_diagnostics"] = {part: [{"class": "Magic", "count": 1}]}
    return event(job, minute, outputs, run=run, reads=reads, state=state, **facets)


def _facets(choose: Chosen, job: str) -> Json:
    if choose.random() < 0.7:
        return {}
    task = {
        "dag": {"dag_id": "dag"},
        "task": {"task_id": f"task_of_{job}"},
        "dagRun": {"run_id": "manual"},
        "taskInstance": {"try_number": choose.randrange(3), "map_index": choose.randrange(-1, 2)},
    }
    parent = {
        "run": {"runId": f"0199aaaa-0000-7000-8000-00000000ff0{choose.randrange(3)}"},
        "job": {"namespace": "jobs", "name": "dag"},
    }
    return {"airflow": task, "parent": parent}


def _output(choose: Chosen, of: str, name: str) -> Json:
    facets: Json = {}
    if choose.random() < 0.4:
        change = choose.choice(("ALTER", "OVERWRITE", "CREATE"))
        facets["lifecycleStateChange"] = {"lifecycleStateChange": change}
    if choose.random() < 0.2:
        other = choose.choice((f"link_{name}", f"link_{name}", "link_a"))
        identifier = {"namespace": "n", "name": of + other, "type": "TABLE"}
        facets["symlinks"] = {"identifiers": [identifier]}
    if choose.random() < 0.5:
        columns = choose.sample(choose.fields, 2)
        types = choose.choice(("int", "string"))
        facets["schema"] = {"fields": [{"name": field, "type": types} for field in columns]}
    if choose.random() < 0.1:
        facets["documentation"] = {"description": choose.choice(("one", "other"))}
    if choose.random() < 0.1:
        facets["tags"] = {"tags": [{"key": "pii", "field": choose.choice(("", "tagged"))}]}
    if choose.random() < 0.2:
        return output(of + name, None, **facets)
    sources = (*DATASETS, "link_a", "link_b")
    fields = {
        field: ", ".join(
            f"{of}{choose.choice(sources)}:{choose.choice(choose.fields)}{choose.choice(HOW)}"
            for _ in range(choose.randrange(3))
        )
        for field in choose.sample(choose.fields, choose.randrange(3))
    }
    if choose.fields is not FIELDS:
        _add_structs(choose, fields)
    rows = f"{of}{choose.choice(sources)}:{choose.fields[0]} INDIRECT:JOIN"
    rows = rows if choose.random() < 0.3 else ""
    return output(of + name, fields, rows, **facets)


def _add_structs(choose: Chosen, fields: dict[str, str]) -> None:
    """Some jobs report the struct of a part that they write as well, from the same fields."""
    for field, sources in list(fields.items()):
        struct = field.partition(".")[0]
        if struct != field and choose.random() < 0.5:
            fields[struct] = ", ".join(filter(None, (sources, fields.get(struct))))

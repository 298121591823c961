"""Merge a Spark application's events into the lineage of the task that submitted it. Pure.

In: the collector's OpenLineage events (dicts), one RUNNING event per query.
Out: one `Lineage`, its inputs and outputs merged per dataset, still as OpenLineage dicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NamedTuple

from airflow_colgraph.extractors.renamed import former_name, named_anew, sources, state_of
from airflow_colgraph.openlineage.facets import facet as new_facet
from airflow_colgraph.openlineage.input_fields import united
from airflow_colgraph.queries import with_tables

Event = dict[str, Any]
Facet = dict[str, Any]
Dataset = dict[str, Any]
Key = tuple[str, str]

DIAGNOSTICS = "colgraph_diagnostics"


class Lineage(NamedTuple):
    """What a task read and wrote, and the facets that its run gets from Spark."""

    inputs: list[Dataset]
    outputs: list[Dataset]
    run_facets: dict[str, Facet]
    with_job_facet: bool = False  # the job's events have the `lineage` job facet, so the task's too


def run_ids(events: Iterable[Event]) -> list[str]:
    """The runs that wrote these events, in the order of their first event."""
    return list(dict.fromkeys(event["run"]["runId"] for event in events))


def of_this_try(
    events: list[Event], *, seen: frozenset[str], parent: str | None, submitted: bool
) -> list[Event]:
    """The events of the application that this try of the task is about.

    `seen` are the runs that were in the sink before. A try that submitted takes the runs that came
    since, but none that knows another parent: a sink may be shared, and another try's driver may
    still be starting. A try that found the job of an earlier one, and submitted nothing, takes the
    last run.
    """
    if not submitted:
        chosen = set(run_ids(events)[-1:])
    else:
        parents = {event["run"]["runId"]: _parent(event) for event in events}
        new = {run: its for run, its in parents.items() if run not in seen}
        ours = {run for run, its in new.items() if its == parent}
        chosen = ours or {run for run, its in new.items() if None in (its, parent)}
    return [event for event in events if event["run"]["runId"] in chosen]


def _parent(event: Event) -> str | None:
    facet = (event["run"].get("facets") or {}).get("parent")
    return str(facet["run"]["runId"]) if facet else None


# Merging --------------------------------------------------------------------------------------


def merge(events: Iterable[Event]) -> Lineage:
    """Merge events into inputs and outputs, each dataset once.

    Args:
        events: The collector's OpenLineage events, as dicts, in the order in which they were
            written.

    Returns:
        A `Lineage` of OpenLineage dataset dicts and run facets.

    A dataset that the job wrote and read again is an output, not an input; its readers name its
    fields, so that no hop is lost (mart <- staging, staging <- raw). A dataset that it wrote and
    then renamed has its lineage under the new name.
    """
    inputs: dict[Key, Dataset] = {}
    outputs: dict[Key, Dataset] = {}
    applications: dict[str, Facet] = {}
    run_facets: dict[str, Facet] = {}
    with_job_facet = False
    for event in with_tables(events):
        with_job_facet = with_job_facet or "lineage" in (event["job"].get("facets") or {})
        for dataset in event.get("inputs") or []:
            if _key(dataset) not in outputs:
                _add(inputs, dataset)
        for dataset in event.get("outputs") or []:
            former = former_name(dataset)
            if former in outputs:
                dataset = _move(outputs, dataset, former, former in inputs)
                if DIAGNOSTICS in run_facets:  # it may name outputs
                    named = named_anew(run_facets[DIAGNOSTICS], former, _key(dataset))
                    run_facets[DIAGNOSTICS] = named
            _end_former_name(outputs, dataset)
            _add(outputs, dataset)
        _add_application(applications, event)
        for name, facet in (event["run"].get("facets") or {}).items():
            if name not in THE_TASKS_OWN:
                run_facets[name] = _merged(name, run_facets.get(name), facet)
    if applications:
        applied = list(applications.values())
        run_facets["colgraph_spark"] = new_facet("colgraph_spark", applications=applied)
    return Lineage(list(inputs.values()), list(outputs.values()), run_facets, with_job_facet)


# Airflow's own event has these of the task; the application's are about the application.
THE_TASKS_OWN = frozenset({"parent", "processing_engine", "nominalTime", "errorMessage"})


def _key(dataset: Dataset) -> Key:
    return dataset["namespace"], dataset["name"]


def _add(datasets: dict[Key, Dataset], dataset: Dataset) -> None:
    previous = datasets.get(_key(dataset))
    merged = {"namespace": dataset["namespace"], "name": dataset["name"]}
    for kind in ("facets", "inputFacets", "outputFacets"):
        facets: dict[str, Facet] = dict((previous or {}).get(kind) or {})
        for name, facet in (dataset.get(kind) or {}).items():
            facets[name] = _merged(name, facets.get(name), facet)
        if kind == "facets" and previous is not None:
            facets.update(_filled_again(previous, dataset))
        if facets or kind == "facets":
            merged[kind] = facets
    datasets[_key(dataset)] = merged


def _end_former_name(outputs: dict[Key, Dataset], dropped: Dataset) -> None:
    """A dataset that is renamed and then dropped is gone under its former name."""
    former = former_name(outputs.get(_key(dropped), {}))
    if former is not None and former not in outputs and state_of(dropped) == "DROP":
        change = {"lifecycleStateChange": dropped["facets"]["lifecycleStateChange"]}
        outputs[former] = {"namespace": former[0], "name": former[1], "facets": change}


def _move(outputs: dict[Key, Dataset], renamed: Dataset, former: Key, was_read: bool) -> Dataset:
    """The renamed dataset with what the task wrote under its former name, which is left out.

    What other outputs have of the former name is named anew, so that no hop is lost; they keep both
    names if it `was_read` before the task wrote it. Whatever had the new name before is gone, but
    for the sources of what has read it.
    """
    name = _key(renamed)
    replaced, written = outputs.pop(name, None), outputs.pop(former)
    parts = [named_anew(written, former, name), renamed]
    if replaced and any(name in sources(each) for each in (written, *outputs.values())):
        lineage = {"columnLineage": replaced["facets"].get("columnLineage")}
        parts.insert(0, {**renamed, "facets": lineage if lineage["columnLineage"] else {}})
    for key, dataset in outputs.items():
        if former in sources(dataset):
            anew = named_anew(dataset, former, name)
            outputs[key] = _with_both_lineages(dataset, anew) if was_read else anew
    # Others know what was renamed twice by its first name, and what the task made by its last.
    if former_name(written) or (state_of(written) == "CREATE" and not replaced):
        change = written["facets"]["lifecycleStateChange"]
        parts[-1] = {**renamed, "facets": {**renamed["facets"], "lifecycleStateChange": change}}
    return united_datasets(parts)[0]


def _with_both_lineages(before: Dataset, after: Dataset) -> Dataset:
    lineages = (each["facets"]["columnLineage"] for each in (before, after))
    return {**after, "facets": {**after["facets"], "columnLineage": _column_lineage(*lineages)}}


def _filled_again(before: Dataset, after: Dataset) -> dict[str, Facet]:
    """The life cycle change of a dataset that was dropped or emptied, and then written."""
    fills = state_of(after) == "" or (state_of(after) == "ALTER" and bool(sources(after)))
    if state_of(before) not in ("DROP", "TRUNCATE") or not fills:
        return {}
    facet = before["facets"]["lifecycleStateChange"]
    return {"lifecycleStateChange": {**facet, "lifecycleStateChange": "OVERWRITE"}}


def united_datasets(datasets: Iterable[Dataset]) -> list[Dataset]:
    """Each dataset once, with the facets of all of them."""
    by_key: dict[Key, Dataset] = {}
    for dataset in datasets:
        _add(by_key, dataset)
    return list(by_key.values())


def _merged(name: str, before: Facet | None, after: Facet) -> Facet:
    if before is None:
        return after
    return MERGE.get(name, _the_later)(before, after)


def _the_later(before: Facet, after: Facet) -> Facet:
    return after


def _column_lineage(before: Facet, after: Facet) -> Facet:
    fields = dict(before.get("fields") or {})
    for name, field in (after.get("fields") or {}).items():
        earlier = fields.get(name, {"inputFields": []})
        inputs = united([*earlier["inputFields"], *field["inputFields"]])
        fields[name] = {**earlier, **field, "inputFields": inputs}
    dataset = united([*(before.get("dataset") or []), *(after.get("dataset") or [])])
    return {**after, "fields": fields, "dataset": dataset}


def _lifecycle(before: Facet, after: Facet) -> Facet:
    """The later change; but one of its columns leaves what else became of the dataset."""
    return before if after.get("lifecycleStateChange") == "ALTER" else after


def _sums(before: Facet, after: Facet) -> Facet:
    counts = {key: before.get(key, 0) + of for key, of in after.items() if isinstance(of, int)}
    return {**before, **after, **counts}


def _statistics(before: Facet, after: Facet) -> Facet:
    """The sums of those counts that both have: of the others the sum is not known."""
    one_sided = {key for key in before.keys() ^ after.keys() if not key.startswith("_")}
    return {key: value for key, value in _sums(before, after).items() if key not in one_sided}


def _lists(*names: str) -> Callable[[Facet, Facet], Facet]:
    """The merge of two facets whose lists are joined, each entry once."""

    def merge(before: Facet, after: Facet) -> Facet:
        pairs = {name: (before.get(name) or [], after.get(name) or []) for name in names}
        joined = {name: [*a, *(e for e in b if e not in a)] for name, (a, b) in pairs.items()}
        return {**after, **joined}

    return merge


def diagnostics(before: Facet, after: Facet) -> Facet:
    """Two diagnostics facets as one: counts and seconds add up, reasons are listed once."""
    texts = [facet["truncated"] for facet in (before, after) if facet.get("truncated")]
    reasons = chain(*(why.split("; ") for why in texts))
    return {
        **before,
        **after,
        "unresolved": _counts(before.get("unresolved"), after.get("unresolved")),
        "opaque": _counts(before.get("opaque"), after.get("opaque")),
        "truncated": "; ".join(dict.fromkeys(reasons)),
        "seconds": round((before.get("seconds") or 0) + (after.get("seconds") or 0), 3),
        **_through_driver(before.get("throughDriver"), after.get("throughDriver")),
        **_completeness(before.get("completeness"), after.get("completeness")),
    }


def _through_driver(before: list[Facet] | None, after: list[Facet] | None) -> Facet:
    """The outputs of two runs that have rows of their drivers; the latest of each."""
    by_output = {
        (rows["namespace"], rows["name"]): rows for rows in (*(before or ()), *(after or ()))
    }
    return {"throughDriver": list(by_output.values())} if by_output else {}


def _completeness(before: Facet | None, after: Facet | None) -> Facet:
    """The executions and writes of two applications together."""
    if not before or not after:
        completeness = before or after
        return {"completeness": completeness} if completeness else {}
    gaps = [*before["unaccounted"], *after["unaccounted"]]
    return {"completeness": {**_sums(before, after), "unaccounted": gaps}}


def _counts(before: list[Facet] | None, after: list[Facet] | None) -> list[Facet]:
    counts: dict[str, Facet] = {}
    for entry in (*(before or []), *(after or [])):
        earlier = counts.get(entry["class"], {"count": 0})
        places = dict.fromkeys([*earlier.get("where", ()), *entry.get("where", ())])
        where = {"where": list(places)} if places else {}
        count = earlier["count"] + entry["count"]
        counts[entry["class"]] = {"class": entry["class"], "count": count, **where}
    return list(counts.values())


# How two facets of one dataset or run are merged; of any other facet the later one is kept.
MERGE: dict[str, Callable[[Facet, Facet], Facet]] = {
    "columnLineage": _column_lineage,
    "lifecycleStateChange": _lifecycle,
    "inputStatistics": _statistics,
    "outputStatistics": _statistics,
    "colgraph_digests": _lists("columns", "steps"),
    "colgraph_operations": _lists("operations"),
    DIAGNOSTICS: diagnostics,
}


def _add_application(applications: dict[str, Facet], event: Event) -> None:
    run = event["run"]["runId"]
    details = (event["run"].get("facets") or {}).get("spark_applicationDetails") or {}
    application = applications.get(run) or {
        "runId": run,
        "namespace": event["job"]["namespace"],
        "name": event["job"]["name"],
    }
    if details.get("applicationId"):
        application["applicationId"] = details["applicationId"]
    application["state"] = event["eventType"]
    applications[run] = application

"""The forms of a check's result, for people and for other tools. Pure: text out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from airflow_colgraph import __version__
from airflow_colgraph.check.change import KINDS, UNDETERMINED, Change, Report
from airflow_colgraph.check.locations import physical_location
from airflow_colgraph.check.markdown import markdown
from airflow_colgraph.check.wording import compared, depends, full_name, sentence, summary

Json = dict[str, Any]

SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def table(report: Report) -> str:
    """The changes for a terminal: a line each, and a line for what depends on it."""
    lines = []
    for change in report.changes:
        lines.append(
            f"{change.severity:7}  {change.kind:22}  {change.where}  {change.text}".rstrip()
        )
        behind = (depends(change), change.waived, change.expired)
        lines += [f"{'':7}  {'':22}  {text}" for text in behind if text]
    lines.append(f"{compared(report)}: {summary(report.changes)}")
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> str:
    """The result as one JSON object."""
    changes = [
        {
            "kind": change.kind,
            "severity": change.severity,
            "class": change.effect,
            "waived": change.waived or None,
            "expired": change.expired or None,
            "namespace": change.dataset.namespace,
            "name": change.dataset.name,
            "column": change.column or None,
            "before": change.before or None,
            "after": change.after or None,
            "dependents": {
                "columns": [
                    dict(zip(("namespace", "name", "column"), column, strict=True))
                    for column in change.dependents.columns
                ],
                "jobs": list(change.dependents.jobs),
                "dags": list(change.dependents.dags),
                "owners": list(change.dependents.owners),
                "exports": list(change.dependents.exports),
                "truncated": change.dependents.truncated,
            },
        }
        for change in report.changes
    ]
    whole = {
        "exitCode": report.exit_code,
        "datasets": list(report.datasets),
        "new": report.new,
        "changes": changes,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def report_keys(text: str) -> frozenset[tuple[str, ...]]:
    """The keys of the changes in a report of `as_json`, each with the change's class.

    Raises:
        ValueError: The text is no such report.
    """
    parts = ("kind", "namespace", "name", "column", "before", "after", "class")
    try:
        changes = json.loads(text)["changes"]
        return frozenset(tuple(change[part] or "" for part in parts) for change in changes)
    except (ValueError, LookupError, TypeError):
        raise ValueError("it is no report of colgraph check --format json") from None


def sarif(report: Report) -> str:
    """The result as SARIF 2.1.0, for code scanning; a rule for each kind of change."""
    kinds = sorted({change.kind for change in report.changes})
    results = [
        {
            "ruleId": change.kind,
            "ruleIndex": kinds.index(change.kind),
            "level": change.severity,
            "message": {"text": sentence(change)},
            "locations": [
                {
                    **physical_location(report, change),
                    "logicalLocations": [{"fullyQualifiedName": full_name(change)}],
                }
            ],
            "partialFingerprints": {"change/v1": f"{change.kind} {full_name(change)}"},
            "properties": {"class": change.effect},
            **_suppressed(change),
        }
        for change in report.changes
    ]
    rules = [{"id": kind, "shortDescription": {"text": KINDS[kind]}} for kind in kinds]
    driver = {"name": "colgraph", "version": __version__, "rules": rules}
    whole = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _suppressed(change: Change) -> Json:
    """Why the result does not count, as SARIF has it."""
    if not change.waived:
        return {}
    return {"suppressions": [{"kind": "external", "justification": change.waived}]}


def junit(report: Report) -> str:
    """The result as JUnit XML: a test case for each dataset, which fails if a rule is broken."""
    cases = []
    by_name = {name: list(changes) for name, changes in _by_dataset(report.changes)}
    for name in sorted({*report.datasets, *by_name}):
        case = ElementTree.Element("testcase", classname="colgraph.check", name=_xml(name))
        changes = by_name.get(name, [])
        errors = [change for change in changes if change.severity == "error"]
        unknown = all(change.kind in UNDETERMINED for change in errors)
        if errors:
            tag = "error" if unknown else "failure"
            failure = ElementTree.SubElement(case, tag, message=_xml(sentence(errors[0])))
            failure.text = _xml("\n".join(map(sentence, errors)))
        others = [change for change in changes if change not in errors]
        if others:
            ElementTree.SubElement(case, "system-out").text = _xml("\n".join(map(sentence, others)))
        cases.append(case)
    suite = ElementTree.Element(
        "testsuite",
        name="colgraph check",
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors=str(sum(case.find("error") is not None for case in cases)),
    )
    suite.extend(cases)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """The text without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def _by_dataset(changes: Sequence[Change]) -> Iterator[tuple[str, Iterator[Change]]]:
    ordered = sorted(changes, key=lambda change: change.dataset)
    for dataset, group in groupby(ordered, key=lambda change: change.dataset):
        yield f"{dataset.namespace} {dataset.name}", group


FORMATS: dict[str, Callable[[Report], str]] = {
    "table": table,
    "json": as_json,
    "markdown": markdown,
    "sarif": sarif,
    "junit": junit,
}

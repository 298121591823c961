"""Tags as JSON and as text: where each is set, and by which path it came. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_colgraph.exports.formats.text_tree import field_label, transformation_label
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import SetTag
from airflow_colgraph.store.query.tag_spread import FieldTag, Step


def tag_json(tagged: FieldTag) -> dict[str, Any]:
    """A tag of a field; `path` is empty where it is set, and a `field` of null is the dataset."""
    return {
        **field_json(tagged.field),
        "tag": tagged.tag.text,
        "key": tagged.tag.key,
        "value": tagged.tag.value,
        "since": clock.iso(tagged.since),
        "until": time_or_none(tagged.until),
        "set": {
            **field_json(tagged.origin.field),
            "at": clock.iso(tagged.origin.set_at),
            "by": tagged.origin.by or None,
            "job": tagged.job.name if tagged.job else None,
            "source": tagged.origin.source or None,
        },
        "path": list(map(_step_json, tagged.path)),
    }


def field_json(field: Field) -> dict[str, Any]:
    """A field; null stands for the dataset as a whole."""
    return {**field._asdict(), "field": field.field or None}


def time_or_none(millis: int) -> str | None:
    """The time; None for one that has not come."""
    return None if millis == OPEN else clock.iso(millis)


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "input": field_json(step.input),
        "output": field_json(step.output),
        "transformation": step.transformation._asdict(),
        "job": step.job.name if step.job else None,
        "run": step.run,
    }


def tag_lines(tagged: FieldTag) -> Iterator[str]:
    """The tag for a person: below it the path back to where it is set."""
    yield f"{field_label(tagged.field)}  {tagged.tag.text}"
    for step in reversed(tagged.path):
        job = f"  {step.job.name}" if step.job else ""
        run = f" run {step.run}" if step.run else ""
        how = transformation_label(step.transformation)
        yield f"  <- {field_label(step.input)}  {how}{job}{run}"
    yield f"  set on {field_label(tagged.origin.field)} {_setting(tagged)}"


def _setting(tagged: FieldTag) -> str:
    who = tagged.origin.by or (f"events of {tagged.job.name}" if tagged.job else "events")
    return f"by {who} at {clock.iso(tagged.origin.set_at)}"


def set_tag_json(setting: SetTag) -> dict[str, Any]:
    """A tag that is or was set, with its times."""
    return {
        **field_json(setting.field),
        "tag": setting.tag.text,
        "source": setting.source or None,
        "by": setting.by or None,
        "set_at": clock.iso(setting.set_at),
        "ended_at": time_or_none(setting.ended_at),
        "ended_by": setting.ended_by or None,
    }

"""Tags of fields and datasets, and between which times they hold. Pure.

A tag comes from people (`TagChange`: they set and remove it) or from the `tags` facets of events
(`ReportedTags`). Both are facts in any order; the times are derived from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, key

TRUE = "true"  # the value of a tag that has only a key
LONGEST = 250  # characters of a key or value that people write


class Tag(NamedTuple):
    """A tag: a key and a value, as in OpenLineage's `tags` facet."""

    key: str
    value: str = TRUE

    @property
    def text(self) -> str:
        """The tag as people write it: `KEY`, or `KEY=VALUE`."""
        return self.key if self.value in ("", TRUE) else f"{self.key}={self.value}"


def parse_tag(text: str) -> Tag:
    """The tag in `KEY` or `KEY=VALUE`; QuestionError if it is none.

    >>> parse_tag("pii=email"), parse_tag("pii").value
    (Tag(key='pii', value='email'), 'true')
    """
    name, _, value = (part.strip() for part in text.partition("="))
    longest = max(len(name), len(value))
    if not name or longest > LONGEST or not text.isprintable():
        raise QuestionError(
            f"Tag is {text[:60]!r}. Expected KEY or KEY=VALUE, up to {LONGEST} characters each."
        )
    return Tag(name, value or TRUE)


class TagChange(NamedTuple):
    """Somebody set a tag on a field, or on a dataset as a whole, or removed it."""

    field: Field
    tag: Tag
    at: int
    is_set: bool
    source: str
    by: str

    @property
    def id(self) -> int:
        """The change's id in every store."""
        kind = "set" if self.is_set else "removed"
        return key("tag", *self.field, *self.tag, str(self.at), kind)


class ReportedTags(NamedTuple):
    """All tags that a job's events reported of a dataset, from its first to its last such event.

    `tags` has the source of each; `job` is the job's id, or None for a DatasetEvent.
    """

    dataset: Field
    job: int | None
    tags: Mapping[tuple[Field, Tag], str]
    first_at: int
    last_at: int


class SetTag(NamedTuple):
    """A tag held from `set_at` until `ended_at` (OPEN: it still does).

    `source` is who assigns such tags (OpenLineage: USER, SPARK, ...), `by` the person, or `job` the
    id of the job whose events have it. `ended_by` is who removed it, if it was a person.
    """

    field: Field
    tag: Tag
    source: str
    by: str
    job: int | None
    set_at: int
    ended_at: int = OPEN
    ended_by: str = ""

    def held(self, at: int) -> bool:
        """Whether the tag was there at the time."""
        return self.set_at <= at < self.ended_at


class Renaming(NamedTuple):
    """A dataset got another name, with its rows and their tags."""

    at: int
    before: Field
    after: Field


Changes = Mapping[tuple[Field, Tag], Sequence[TagChange]]


def set_tags(
    changes: Iterable[TagChange],
    reports: Iterable[ReportedTags],
    renamings: Iterable[Renaming] = (),
) -> list[SetTag]:
    """Every tag with its times, in the order of fields, tags and times.

    A `tags` facet replaces the tags that the same job reported of the dataset before. A person ends
    a tag, whoever has set it; what events repeat does not set it again, but a person can. The tags
    of a dataset that is renamed are those of the new name, too.
    """
    by_tag: dict[tuple[Field, Tag], list[TagChange]] = {}
    for change in sorted(changes, key=lambda each: (each.at, each.is_set)):
        by_tag.setdefault((change.field, change.tag), []).append(change)
    every = [each for some in by_tag.values() for each in _by_people(some)]
    every += [_until_removed(each, by_tag) for each in _by_events(reports)]
    by_dataset: dict[Field, list[SetTag]] = {}
    for each in every:
        by_dataset.setdefault(each.field.dataset, []).append(each)
    for renaming in sorted(renamings):
        there = by_dataset.setdefault(renaming.after, [])
        moved = list(_moved(by_dataset.get(renaming.before, ()), there, renaming, by_tag))
        there += moved
        every += moved
    return sorted(every, key=lambda each: (*each[:2], each.set_at, *each[2:4], each.job or 0))


def _until_removed(tag: SetTag, changes: Changes) -> SetTag:
    removals = (c for c in changes.get((tag.field, tag.tag), ()) if not c.is_set)
    end = next((c for c in removals if tag.held(c.at)), None)
    return tag._replace(ended_at=end.at, ended_by=end.by) if end else tag


def _moved(
    former: Iterable[SetTag], own: Iterable[SetTag], renaming: Renaming, changes: Changes
) -> Iterator[SetTag]:
    """The tags of the former name that the new one lacks, and that nobody removed there.

    A tag that is set on the former name later counts as well: it may be meant for these rows.
    """
    there = {(each.field, each.tag) for each in own if each.ended_at == OPEN or each.ended_by}
    for each in former:
        field = renaming.after._replace(field=each.field.field)
        if each.ended_at > renaming.at and (field, each.tag) not in there:
            there.add((field, each.tag))
            until = each.ended_at if each.ended_by else OPEN
            since = max(each.set_at, renaming.at)
            moved = each._replace(field=field, set_at=since, ended_at=until)
            yield _until_removed(moved, changes)


def _by_people(changes: Iterable[TagChange]) -> Iterable[SetTag]:
    """The stretches in which one tag was set, from its changes in order of time."""
    since: TagChange | None = None
    for change in changes:
        if change.is_set:
            since = since or change
        elif since:
            yield _since(since)._replace(ended_at=change.at, ended_by=change.by)
            since = None
    if since:
        yield _since(since)


def _since(change: TagChange) -> SetTag:
    return SetTag(change.field, change.tag, change.source, change.by, None, change.at)


def _by_events(reports: Iterable[ReportedTags]) -> Iterable[SetTag]:
    """Each tag of each job from its first report until the job's first later one without it."""
    groups: dict[tuple[Field, int], list[ReportedTags]] = {}
    for report in reports:
        groups.setdefault((report.dataset, report.job or 0), []).append(report)
    for some in groups.values():
        for tag in sorted({tag for report in some for tag in report.tags}):
            having = [report for report in some if tag in report.tags]
            last = max(having, key=lambda report: report.last_at)
            later = [
                report
                for report in some
                if tag not in report.tags and report.last_at > last.last_at
            ]
            ends = (
                report.first_at
                if report.first_at > last.last_at
                else report.last_at  # both in turns
                for report in later
            )
            yield SetTag(
                *tag,
                last.tags[tag],
                "",
                last.job,
                min(report.first_at for report in having),
                min(ends, default=OPEN),
            )

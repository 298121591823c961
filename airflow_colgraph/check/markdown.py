"""A check's result as Markdown: one comment on a pull request, with a picture of what depends."""

from __future__ import annotations

import html
from collections.abc import Sequence

from airflow_colgraph.check.change import Change, Report
from airflow_colgraph.check.wording import compared, depends, summary
from airflow_colgraph.exports.formats.mermaid import mermaid_text

# The first line: an action finds its own comment by it and writes it anew.
MARKER = "<!-- colgraph check -->"
SIGNS = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}
ROWS = 50  # changes in the table; a comment must stay short
MEANT = "|`*_[]~\\@"  # characters that GitHub's Markdown gives a meaning inside a cell
BOXES = 40  # columns in the picture


def markdown(report: Report) -> str:
    """The result as GitHub's Markdown: a summary, a table of changes, and a Mermaid picture."""
    lines = [
        MARKER,
        f"### Column lineage: {summary(report.changes)}",
        "",
        f"{compared(report).capitalize()}.",
    ]
    if report.changes:
        lines += ["", "| | Column | Change | Depends on it |", "|---|---|---|---|"]
        lines += map(_row, report.changes[:ROWS])
        if report.changes[ROWS:]:
            lines += ["", f"{len(report.changes) - ROWS} more are in the other formats."]
        lines += _picture(report.changes)
    return "\n".join(lines) + "\n"


def _row(change: Change) -> str:
    kind = f"{change.kind} ({change.effect})" if change.effect else change.kind
    text = f"{kind}: {_code(change.text)}" if change.text else kind
    text += "".join(f"<br>{_text(why)}" for why in (change.waived, change.expired) if why)
    sign = f"{SIGNS[change.severity]} {change.severity}"
    return f"| {sign} | {_code(change.where)} | {text} | {_text(depends(change))} |"


def _code(text: str) -> str:
    """The text as code in a table's cell; in HTML, as backticks cannot hold all of it."""
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    """The text without any meaning in Markdown: no links, mentions, emphasis or cells."""
    escaped = html.escape(" ".join(text.split()))
    return "".join(f"&#{ord(sign)};" if sign in MEANT else sign for sign in escaped)


def _picture(changes: Sequence[Change]) -> list[str]:
    """The changed columns and what comes from them, dataset by dataset."""
    arrows = []
    for change in changes:
        if change.severity in ("error", "warning"):
            for _, name, column in change.dependents.columns:
                arrows.append((change.where, f"{name}.{column}" if column else name))
    arrows = list(dict.fromkeys(arrows))
    shown = arrows[:BOXES]
    if not shown:
        return []
    changed = {start for start, _ in shown}
    ids = {name: f"c{number}" for number, name in enumerate(dict.fromkeys(sum(shown, ())))}
    lines = ["", "```mermaid", "flowchart LR"]
    lines += [f'  {id}["{mermaid_text(name)}"]' for name, id in ids.items()]
    lines += [f"  {ids[start]} --> {ids[end]}" for start, end in shown]
    lines += ["  classDef changed stroke-width:3px,stroke:#d1242f"]
    lines += [f"  class {','.join(ids[name] for name in ids if name in changed)} changed", "```"]
    if arrows[BOXES:]:
        lines += ["", f"{len(arrows) - BOXES} more dependent columns are not drawn."]
    return lines

"""What MySQL writes in a way of its own. Pure."""

from __future__ import annotations

import re

# Texts, names and comments, which are left as they are, or a comment that is run.
_PARTS = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--\s[^\n]*|\#[^\n]*"""
    r"""|/\*(?!M?!).*?\*/|/\*M?!9{5,6}\D.*?\*/|(?P<start>/\*M?!\d*)(?P<text>.*?)\*/""",
    re.S,
)


def with_run_comments(text: str) -> str:
    """A script with the text of comments that are run, `/*!50001 CREATE VIEW .. */`, in place."""
    return _PARTS.sub(_run, text) if "/*!" in text or "/*M!" in text else text


def _run(part: re.Match[str]) -> str:
    """The text of a comment that is run, at the place where it is in the comment."""
    if part["start"] is None:
        return part[0]
    return f"{' ' * len(part['start'])}{part['text']}  "

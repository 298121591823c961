"""How an input field makes an output field, and what two transformations in a row are together.

The subtypes are those of the `columnLineage` facet 1-2-0, the rules those of OpenLineage's
`TransformationInfo.merge`: walking from the output to the source, the first INDIRECT met keeps its
subtype, else the strongest DIRECT subtype survives; masking sticks.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")  # weakest first
INDIRECT = ("CONDITIONAL", "SORT", "GROUP_BY", "JOIN", "FILTER", "WINDOW")
# A step that the reader may not see (RESTRICTED) hides all others.
_STRENGTH = {subtype: strength for strength, subtype in enumerate((*DIRECT, "RESTRICTED"), 1)}


class Transformation(NamedTuple):
    """One entry of `transformations[]` in the columnLineage facet, without its description."""

    type: str
    subtype: str
    masking: bool = False

    def __str__(self) -> str:
        """E.g. `DIRECT:AGGREGATION` or `DIRECT:TRANSFORMATION masking`."""
        return f"{self.type}:{self.subtype}{' masking' if self.masking else ''}"


# A NamedTuple with the fields of a Transformation, and perhaps more.
T = TypeVar("T", bound=Any)


def merge(near: T, far: T) -> T:
    """Merge two steps in a row; `near` is the one nearer the output.

    Args:
        near: A `Transformation`, or a NamedTuple that has its fields.
        far: What happened before it, of the same type.

    Returns:
        The step that describes both, with the masking of either.
    """
    step = far if _far_decides(near.type, near.subtype, far.type, far.subtype) else near
    merged: T = step._replace(masking=near.masking or far.masking)
    return merged


def merge_entries(near: dict[str, Any], far: dict[str, Any]) -> dict[str, Any]:
    """Merge two entries of `transformations[]`, as `merge` does for tuples."""
    step = far if _far_decides(near["type"], near["subtype"], far["type"], far["subtype"]) else near
    return {**step, "masking": bool(near.get("masking") or far.get("masking"))}


def _far_decides(near_type: str, near_subtype: str, far_type: str, far_subtype: str) -> bool:
    if near_type != "DIRECT" or far_type != "DIRECT":
        return near_type == "DIRECT"
    return _STRENGTH.get(far_subtype, 0) >= _STRENGTH.get(near_subtype, 0)

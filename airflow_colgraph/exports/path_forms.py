"""The string forms of a field's path: DataHub's RFC 1841, v1 and v2, and looking one up by any.

A field is known by the tuple of its names (`Field.key`). Every string is an alias made from it:

    rfc   /items/sku            names only; `/` and `~` in a name are written `~1` and `~0`;
                                the member of a union is a name of its own: /bar2/int
    v1    items.sku             names only; a dot in a name stays, so two fields can look alike
    v2    [version=2.0].[type=struct].[type=array].[type=struct].items.[type=string].sku
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from airflow_colgraph.exports.schema.model import (
    Array,
    Field,
    Leaf,
    Named,
    Schema,
    Struct,
    Type,
    Union,
    fields,
)

V2 = "[version=2.0]"
Key = tuple[str, ...]

# What hive_schema_to_avro of DataHub makes of Hive's and Spark's simple types; others are null.
HIVE = {
    **dict.fromkeys(("string", "char", "varchar", "binary"), "string"),
    **dict.fromkeys(("tinyint", "smallint", "int", "integer", "short"), "int"),
    **dict.fromkeys(("byte", "date", "timestamp", "datetime"), "int"),
    **dict.fromkeys(("bigint", "long"), "long"),
    **dict.fromkeys(("decimal", "numeric"), "bytes"),
    **{name: name for name in ("float", "double", "boolean", "bytes")},
    **{"double precision": "double", "int64": "long", "float64": "double", "bool": "boolean"},
}

SIMPLE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")  # Avro's


class PathError(ValueError):
    """A field path that cannot be read, or that names no field or several."""


class UnknownPath(PathError):
    """No field has this path."""


class AmbiguousPath(PathError):
    """Several fields have this path; `candidates` are their keys."""

    def __init__(self, path: str, candidates: Iterable[Key]) -> None:
        """The text names every candidate."""
        self.candidates = sorted(candidates)
        names = ", ".join(rfc_path(key) for key in self.candidates)
        super().__init__(f"Field '{path}' is ambiguous. Write one of: {names}.")


def rfc_path(names: Iterable[str]) -> str:
    """The path of RFC 1841 for a tuple of names: `("a", "b")` is `/a/b`."""
    return "/" + "/".join(name.replace("~", "~0").replace("/", "~1") for name in names)


def parse_rfc(path: str) -> Key:
    """The tuple of names of an RFC 1841 path."""
    if not path.startswith("/"):
        raise PathError(f"Field path '{path}' does not start with '/'.")
    names = tuple(path[1:].split("/"))
    if not all(names):
        raise PathError(f"Field path '{path}' has an empty name.")
    if re.search(r"~(?![01])", path):
        raise PathError(f"Field path '{path}' has a '~' that is neither '~0' nor '~1'.")
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in names)


def v1_path(names: Iterable[str]) -> str:
    """The v1 path of a tuple of names: `("a", "b")` is `a.b`."""
    return ".".join(names)


def downgrade(path: str) -> str:
    """The v1 form of a v2 path, as DataHub's `downgradeFieldPath` makes it; others are returned."""
    if not path.startswith(V2):
        return path
    tokens = path.removeprefix(V2).split(".")
    return ".".join(t for t in tokens if t and not (t.startswith("[") and t.endswith("]")))


def rfc(field: Field) -> str:
    """The path of RFC 1841 of a field, with a name for each union on the way."""
    names = []
    for step in field.steps:
        names += [step.name] if step.name else []
        pairs = zip(step.types, step.types[1:], strict=False)
        names += [_member(type_) for before, type_ in pairs if isinstance(before, Union)]
    return rfc_path(names)


def _member(type_: Type) -> str:
    if isinstance(type_, Leaf):
        return type_.member or type_.name
    if isinstance(type_, Struct | Named):
        return type_.name.rpartition(".")[2]
    return type(type_).__name__.lower()


def v1(field: Field) -> str:
    """The v1 path of a field."""
    return v1_path(field.key)


def v2_avro(field: Field, *, key: bool = False) -> str:
    """The v2 path that DataHub gives to a field of an Avro schema."""
    return _v2(field, lambda leaf: leaf.name, _tokens(field.steps[0].types, _name), key)


def v2_hive(field: Field, *, key: bool = False) -> str:
    """The v2 path of DataHub's Hive, Glue, Unity and Trino sources.

    A column of a simple type has no `[type=struct]` in front, every other column has.
    """
    simple = len(field.steps) == 2 and isinstance(field.type, Leaf)
    return _v2(field, _hive, [] if simple else ["[type=struct]"], key)


def v2_openlineage(field: Field, *, key: bool = False) -> str:
    """The v2 path of DataHub's OpenLineage converter for a schema that has an array."""
    return _v2(field, _lower, ["[type=struct]"], key)


def _v2(field: Field, simple: Callable[[Leaf], str], top: list[str], key: bool) -> str:
    tokens = [V2, *(["[key=True]"] if key else []), *top]
    for step in field.steps[1:]:
        tokens += [*_tokens(step.types, simple), step.name]
    return ".".join(tokens)


def _tokens(types: Iterable[Type], simple: Callable[[Leaf], str]) -> list[str]:
    return [
        f"[type={simple(t) if isinstance(t, Leaf) else _member(t)}]"
        for t in types
        if not (isinstance(t, Union) and t.optional)
    ]


def _name(leaf: Leaf) -> str:
    return leaf.name


def _bare(leaf: Leaf) -> str:
    return leaf.name.partition("(")[0].strip()


def _hive(leaf: Leaf) -> str:
    return HIVE.get(_bare(leaf), "null")


def _lower(leaf: Leaf) -> str:
    return {"varchar": "string", "char": "string"}.get(_bare(leaf), _bare(leaf))


def has_array(schema: Schema) -> bool:
    """Whether an array is anywhere in a schema, which turns DataHub's OpenLineage paths to v2."""
    return any(
        isinstance(type_, Array)
        for field in fields(schema)
        for step in field.steps
        for type_ in step.types
    )


def form(schema: Schema, format_: str, *, key: bool = False) -> Callable[[Field], str]:
    """How the fields of a schema are written in a format: rfc, v1, v2, v2-hive, v2-openlineage.

    v2 is Avro's form for an Avro schema and Hive's for others. DataHub's OpenLineage converter
    writes v1 for a schema without arrays, and so does v2-openlineage.
    """
    if format_ in ("rfc", "v1"):
        return rfc if format_ == "rfc" else v1
    if schema.kind == "avro":
        if format_ != "v2":
            raise PathError(f"An Avro schema has only v2 paths, not {format_}. Use v2.")
        return partial(v2_avro, key=key)
    if format_ == "v2-openlineage":
        return partial(v2_openlineage, key=key) if has_array(schema) else v1
    return partial(v2_hive, key=key)


def paths(schema: Schema, format_: str, *, key: bool = False) -> list[str]:
    """The paths of a schema, each once; of rfc the leaf fields, as in the RFC's examples."""
    write = form(schema, format_, key=key)
    written = (write(f) for f in fields(schema) if f.leaf or format_ != "rfc")
    return [path for path in dict.fromkeys(written) if path]


def find_in(path: str, schema: Schema) -> Key:
    """The key of the field of a schema that a path names; see `find`."""
    listed = list(fields(schema))
    forms = [rfc, v2_avro] if schema.kind == "avro" else [rfc, v2_hive, v2_openlineage]
    exact = {form(field): field.key for form in forms for field in listed if field.key}
    return exact[path] if path in exact else find(path, (field.key for field in listed))


def find(path: str, keys: Iterable[Key], *, ignore_case: bool = False) -> Key:
    """The key that a path names, the path in any form: a name, RFC 1841, v1 or v2.

    A dotted path that fits several keys means the one whose column name is longest, `("a.b",)`
    before `("a", "b")`; if there are several of those it is ambiguous.
    """
    distinct = list(dict.fromkeys(keys))
    for fold in [False, True] if ignore_case else [False]:
        for matches in _matches(_fold(path, fold), distinct, fold):
            longest = max((len(key[0]) for key in matches), default=0)
            best = [key for key in matches if len(key[0]) == longest]
            if len(best) > 1:
                raise AmbiguousPath(path, best)
            if best:
                return best[0]
    raise UnknownPath(f"There is no field '{path}'. Fields: {_some(distinct)}.")


def _matches(path: str, keys: list[Key], fold: bool) -> Iterator[list[Key]]:
    folded = {key: tuple(_fold(name, fold) for name in key) for key in keys if key}
    yield [key for key, names in folded.items() if names == (path,)]
    if path.startswith("/"):
        names = parse_rfc(path)
        yield [key for key, own in folded.items() if own == names]
        if names[-1] in SIMPLE:  # a nullable Avro field: /bar2/int in the RFC, bar2 elsewhere
            yield [key for key, own in folded.items() if own == names[:-1]]
    dotted = _fold(downgrade(path), fold)
    yield [key for key, names in folded.items() if v1_path(names) == dotted]


def _fold(text: str, fold: bool) -> str:
    return text.casefold() if fold else text


def _some(keys: list[Key]) -> str:
    names = [rfc_path(key) for key in keys[:10]]
    return ", ".join([*names, f"and {len(keys) - 10} more"] if len(keys) > 10 else names) or "none"

"""Query parameters as a model, read in one go: FastAPI looks for each by itself, at half the time
of an answer where there are many.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """A dependency that reads the request's query; of a parameter said twice the last counts.

    RequestValidationError if a value is not what the model says.
    """
    lists = {name for name, said in _properties(model).items() if _is_list(said)}

    async def parameters(request: Request) -> Model:
        found: dict[str, Any] = {}
        for name, value in request.query_params.multi_items():
            if name in lists:
                found.setdefault(name, []).append(value)
            else:
                found[name] = value
        try:
            return model.model_validate(found)
        except ValidationError as problem:
            errors = problem.errors(include_url=False)
            raise RequestValidationError(
                [{**one, "loc": ("query", *one["loc"])} for one in errors]
            ) from None

    return parameters


def documented(model: type[BaseModel]) -> dict[str, Any]:
    """The same parameters as a part of the OpenAPI document's operation."""
    required = model.model_json_schema().get("required", ())
    rows = []
    for name, said in _properties(model).items():
        row = {"name": name, "in": "query", "required": name in required, "schema": said}
        if "description" in said:
            row["description"] = said["description"]
        rows.append(row)
    return {"parameters": rows}


def _properties(model: type[BaseModel]) -> dict[str, Any]:
    return dict(model.model_json_schema()["properties"])


def _is_list(said: dict[str, Any]) -> bool:
    return any(one.get("type") == "array" for one in said.get("anyOf", [said]))
